"""`xpudbg capture`: looks at a job and keeps all of it in one file."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .completed_words import complete_scenarios, complete_targets
from .demo_choice import demo_as_asked
from .interrupts import signals_call, signals_interrupt
from .options import Finite, attach_options, read_options, required_target
from .putting_out import put_out, say
from .telling import tell_failure, tell_faults

if TYPE_CHECKING:
    from ...services.attach_options import AttachOptions
    from ...services.bundle.capture import Capture, CaptureOptions
    from ...services.targets import Target

__all__ = ["capture"]


@click.command(short_help="Look at a job and keep all that came in one file.")
@click.argument("target", nargs=-1, shell_complete=complete_targets)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.xpudbg",
    help="The bundle; .xpudbg is added to a name without an ending.  [default: xpudbg-DATE-TIME.xpudbg]",
)
@click.option("--looks", type=click.IntRange(1, 1000), default=2, show_default=True, help="How often to look.")
@click.option("--interval", type=Finite(0, 86_400), default=2.0, show_default=True, help="Seconds between looks.")
@click.option("--redact", metavar="hosts,paths,store", help="Replace names of hosts, paths, values of the store.")
@click.option("--no-store-values", is_flag=True, help="Of the job's store, keep the keys only.")
@click.option("--force", is_flag=True, help="Write in the place of a file that is there.")
@click.option(
    "--verify",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Only hold a bundle against its hashes.",
)
@click.option("--scenario", metavar="NAME", shell_complete=complete_scenarios, help="Scenario of the target `demo`.")
@attach_options
def capture(
    target: tuple[str, ...],
    output: Path | None,
    looks: int,
    interval: float,
    redact: str | None,
    no_store_values: bool,
    force: bool,
    verify: Path | None,
    scenario: str | None,
    **options: Any,
) -> None:
    """Look at a job and write all that comes into one file, a bundle, which xpudbg opens as it opens a job.

    \b
    xpudbg capture 10.0.0.5:29500 -o hang.xpudbg
    xpudbg capture 10.0.0.5:29500 -o hang.xpudbg --redact hosts,paths,store
    xpudbg capture hang.xpudbg -o to-send.xpudbg --redact hosts
    xpudbg capture --verify hang.xpudbg

    Answers are in the file as soon as they have come: Ctrl-C or SIGTERM ends it with what there is, and a file whose
    capture was killed opens too.

    Exit codes: 0 nothing wrong, 1 a problem found, 2 wrong usage or no place to write, 3 the target could not be read,
    4 partial data and nothing wrong found.
    """
    from ...services.bundle.capture import CaptureOptions
    from ...services.bundle.redaction import KINDS

    if verify is not None:
        if target or output is not None:
            raise click.UsageError("--verify stands alone: it only reads the bundle")
        sys.exit(_verify(verify))
    chosen = required_target(target)
    redacted = frozenset(word.strip() for word in (redact or "").split(",")) - {""}
    if unknown := redacted - set(KINDS):
        raise click.UsageError(f"--redact: {sorted(unknown)[0]!r} is none of {', '.join(KINDS)}")
    chosen, settings = demo_as_asked(chosen, read_options(options), scenario, options["ranks"])
    path = _with_ending(output) if output is not None else Path(time.strftime("xpudbg-%Y%m%d-%H%M%S.xpudbg"))
    _not_its_own_source(chosen, path)
    wanted = CaptureOptions(path, looks, interval, redacted, not no_store_values, force)
    sys.exit(run_capture(chosen, settings, wanted))


def _with_ending(path: Path) -> Path:
    """The name of a bundle: one without an ending gets it, a device or pipe stays what it is."""
    if path.suffix or not path.name or (path.exists() and not path.is_file()):
        return path
    return path.with_name(f"{path.name}.xpudbg")


def run_capture(target: Target, options: AttachOptions, wanted: CaptureOptions) -> int:
    """Capture, say on standard output what was found and where it is, and return the exit code."""
    from ...services.bundle.capture import Capture, run_on_thread
    from ...services.engine import Engine
    from ...services.plain_text import plain
    from ...services.targets import WorkersTarget
    from .report import exit_code

    signals_interrupt()
    with Engine() as engine:
        try:
            running = Capture(engine, target, options, wanted)
        except FileExistsError:
            print(f"xpudbg: {wanted.path} is there already; --force writes in its place", file=sys.stderr)
            return 2
        except OSError as error:
            print(f"xpudbg: {wanted.path} can't be written: {error.strerror or error}", file=sys.stderr)
            return 2
        signals_call(running.interrupt)
        run_on_thread(running).join()
    session = running.session
    tell_failure(session)
    tell_faults(session)
    told = True
    if running.written:
        told = _tell(running, wanted.path)
    elif not running.failure:
        print("xpudbg: there is no bundle: nothing had come", file=sys.stderr)
    if running.failure:
        print(f"xpudbg: {plain(running.failure)}", file=sys.stderr)
        return 2
    names_workers = isinstance(target, WorkersTarget)
    return exit_code(session, names_workers=names_workers, interrupted=running.interrupted or not told)


def _tell(running: Capture, path: Path) -> bool:
    """Whether it could be said what was found and where it is."""
    from ...services.plain_text import plain
    from ...services.sizes import size_text

    verdict = running.session.verdict
    lines = [
        f"verdict  {verdict.value.value}{' (partial)' if verdict.partial else ''}",
        f"  {verdict.summary}",
        f"bundle   {path}: {running.looks:,} look{'s' if running.looks != 1 else ''}, {size_text(running.size)}",
        *(f"left out {why}" for why in running.left_out),
    ]
    return put_out("".join(f"{plain(line)}\n" for line in lines), what="what was found")


def _verify(path: Path) -> int:
    from ...services.bundle.errors import BundleError
    from ...services.bundle.reader import open_bundle
    from ...services.plain_text import plain

    try:
        bundle = open_bundle(path)
        wrong = bundle.verify()
    except BundleError as error:
        print(f"xpudbg: {path}: {plain(str(error))}\n  {plain(error.hint)}", file=sys.stderr)
        return 3
    except OSError as error:
        print(f"xpudbg: {path} can't be read: {error.strerror or error}", file=sys.stderr)
        return 3
    say(f"{path}: {bundle.said}")
    for line in wrong:
        say(plain(line))
    if not wrong:
        say("all of it is what its hashes say")
    return 1 if wrong else 0


def _not_its_own_source(target: Target, path: Path) -> None:
    """
    Raises:
        click.UsageError: the bundle would be written over what it is made of.
    """
    from ...services.targets import FilesTarget

    if isinstance(target, FilesTarget) and path.exists():
        for source in target.paths:
            if source.is_file() and source.samefile(path):
                raise click.UsageError(f"{path} is what is read: write to another file")
