"""`xpudbg watch`: stays with a job, rings when it stands still, keeps a file of it before the watchdog ends it."""

from __future__ import annotations

import contextlib
import io
import queue
import re
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .completed_words import complete_scenarios, complete_targets
from .demo_choice import demo_as_asked
from .interrupts import signals_interrupt, take_event
from .options import Finite, attach_options, read_options, read_target

if TYPE_CHECKING:
    from ...services.attach_options import AttachOptions
    from ...services.targets import Target
    from ...services.watch.events import WatchEvent
    from ...services.watch.folder import IncidentFolder
    from ...services.watch.incident_watch import WatchOptions
    from ...services.watch.policy import Alert
    from ...services.watch.watch import Watch

__all__ = ["watch"]

HOOK_LIMIT_S = 30.0
_POLL_S = 0.2
"""Seconds after which a lost interrupt is noticed at the latest."""
_SIZE = re.compile(r"([0-9]{1,12})\s*(|b|kb|kib|k|mb|mib|m|gb|gib|g|tb|tib|t)", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1, "b": 1, "k": 10, "m": 20, "g": 30, "t": 40}


class Size(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click only
    """A number of bytes: `500M`, `2GiB`."""

    name = "bytes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = _SIZE.fullmatch(str(value).strip())
        if match is None:
            self.fail(f"{value!r} is no size: write 500M or 2GiB.", param, ctx)
        unit = match[2].lower()[:1]
        return int(match[1]) << _UNITS[unit] if unit not in ("", "b") else int(match[1])


@click.command(short_help="Stay with a job: ring and keep a file when it stands still.")
@click.argument("target", nargs=-1, shell_complete=complete_targets)
@click.option(
    "--stall",
    "stall_s",
    type=Finite(1, 86_400),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="A job in which nobody gets on for so long has stalled.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep incident files there; without it none are taken.",
)
@click.option(
    "--every", "every_s", type=Finite(0.5, 86_400), default=10.0, show_default=True, help="Seconds between looks."
)
@click.option("--periodic", "periodic_s", type=Finite(1, 31_536_000), metavar="SECONDS", help="Take a file so often.")
@click.option(
    "--margin",
    "margin_s",
    type=Finite(0, 86_400),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Take a file so long before the watchdog's timeout.",
)
@click.option("--keep", type=click.IntRange(1), metavar="N", help="Files to keep; the first of an incident stays.")
@click.option("--max-size", type=Size(), metavar="BYTES", help="What all files may take: 500M, 2GiB.")
@click.option("--redact", metavar="hosts,paths,store", help="Replace names of hosts, paths, values of the store.")
@click.option("--hook", metavar="CMD", help="Run this when it rings; no shell, 30 s at most.")
@click.option("--no-bell", is_flag=True, help="No bell and no notification in the terminal.")
@click.option("--until-end", is_flag=True, help="End when the job is gone; else it is awaited to come back.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option("--scenario", metavar="NAME", shell_complete=complete_scenarios, help="Scenario of the target `demo`.")
@attach_options
def watch(target: tuple[str, ...], **options: Any) -> None:
    """Look at a job at an interval and log what becomes of it, one line for each event.

    \b
    xpudbg watch 10.0.0.5:29500 --stall 60 -o incidents/
    xpudbg watch 10.0.0.5:29500 -o incidents/ --periodic 3600 --max-size 20GiB
    xpudbg watch 10.0.0.5:29500 --hook "notify-oncall --channel training"

    It rings once for an incident: the job stands still for --stall seconds with ranks inside collectives, a critical
    finding comes, or ranks die; again when the job has moved in between. A hook finds XPUDBG_VERDICT, XPUDBG_SUMMARY,
    XPUDBG_REASON, XPUDBG_TARGET and XPUDBG_BUNDLE in its environment.

    Ended by Ctrl-C, SIGTERM, or --until-end. Exit codes are those of the last look: 0 nothing wrong, 1 a problem found,
    2 wrong usage, 3 the target was never read, 4 partial data and nothing wrong found.
    """
    from ...services.watch.incident_watch import WatchOptions
    from ...services.watch.policy import Rules

    chosen, settings = _target(target, options)
    hook = _hook(options["hook"])
    folder = _folder(options)
    wanted = WatchOptions(
        Rules(stall_s=options["stall_s"]),
        options["every_s"],
        options["periodic_s"],
        options["margin_s"],
        options["until_end"],
    )
    log = Log(as_json=options["as_json"], bell=not options["no_bell"])
    sys.exit(run_watch(chosen, settings, wanted, folder, hook, log))


class Log:
    """Standard output as the log; a terminal is rung."""

    def __init__(self, *, as_json: bool, bell: bool) -> None:
        self._as_json = as_json
        self._rings = bell and sys.stdout.isatty()
        self._lock = threading.Lock()
        self.broken = False
        """Nobody reads it any more."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")

    def tell(self, event: WatchEvent) -> None:
        """One line. Called from any thread."""
        from ...services.watch.events import as_json, as_line

        self._write(f"{as_json(event) if self._as_json else as_line(event)}\n")

    def ring(self, text: str) -> None:
        """Bell, and a notification by OSC 9 where the terminal knows it."""
        from ..notices.notification import notification

        if self._rings:
            self._write(f"{notification(text)}\a")

    def _write(self, text: str) -> None:
        from .putting_out import put_out

        with self._lock:
            if not self.broken:
                self.broken = not put_out(text)


class Hooks:
    """Runs a person's command beside the watch."""

    def __init__(self, words: tuple[str, ...] | None, log: Log) -> None:
        self._words = words
        self._log = log
        self._running: list[threading.Thread] = []

    def start(self, facts: dict[str, str]) -> None:
        """Run it; how it went is told."""
        if self._words is None:
            return
        words = self._words

        def work() -> None:
            from ...services.watch.events import Told, WatchEvent
            from ...services.watch.hook import HookError, run_hook

            try:
                run_hook(words, facts, HOOK_LIMIT_S)
            except HookError as error:
                self._log.tell(WatchEvent(time.time_ns(), Told.FAILED, str(error)))
            else:
                self._log.tell(WatchEvent(time.time_ns(), Told.HOOK, "the hook has run"))

        self._running = [thread for thread in self._running if thread.is_alive()]
        thread = threading.Thread(target=work, name="xpudbg-hook", daemon=True)
        self._running.append(thread)
        thread.start()

    def wait(self) -> None:
        """Wait for those that run; each has its limit."""
        for thread in self._running:
            thread.join(HOOK_LIMIT_S + 1)


def run_watch(
    target: Target,
    options: AttachOptions,
    wanted: WatchOptions,
    folder: IncidentFolder | None,
    hook: tuple[str, ...] | None,
    log: Log,
) -> int:
    """Watch to the end and return the exit code."""
    from ...services.engine import Engine
    from ...services.plain_text import plain
    from ...services.watch.events import Told, WatchEvent
    from ...services.watch.watch import Watch

    hooks = Hooks(hook, log)

    def ring(alert: Alert, bundle: Path | None) -> None:
        log.ring(alert.summary)
        hooks.start(
            {
                "XPUDBG_VERDICT": alert.verdict.value,
                "XPUDBG_SUMMARY": plain(alert.summary),
                "XPUDBG_REASON": alert.reasons[0].value,
                "XPUDBG_TARGET": plain(target.label),
                "XPUDBG_BUNDLE": str(bundle) if bundle is not None else "",
            }
        )

    signals_interrupt()
    with Engine() as engine:
        running = Watch(
            engine,
            target,
            options,
            wanted,
            folder,
            tell=log.tell,
            ring=ring,
            clock=time.time_ns,
            monotonic=time.monotonic,
        )
        why = "the job is gone"
        try:
            running.begin()
            _follow(engine.events, running, log)
            hooks.wait()
        except KeyboardInterrupt:
            why = "interrupted"
    code = _exit_code(running)
    log.tell(WatchEvent(time.time_ns(), Told.ENDED, why, {"exit_code": code}))
    return code


def _follow(said: queue.SimpleQueue[Any], running: Watch, log: Log) -> None:
    while not running.ended and not log.broken:
        wait_s = running.wait_s()
        with contextlib.suppress(queue.Empty):
            take_event(said, running.take, _POLL_S if wait_s is None else min(wait_s, _POLL_S))
        running.tick()


def _exit_code(running: Watch) -> int:
    verdict = running.last_verdict
    if verdict is None:
        return 3
    if verdict.accuses:
        return 1
    return 4 if running.last_partial or running.session.faults else 0


def _target(words: tuple[str, ...], options: dict[str, Any]) -> tuple[Target, AttachOptions]:
    """
    Raises:
        click.UsageError: no living job is named.
    """
    from ...services.targets import FilesTarget

    chosen, scenario = read_target(words), options["scenario"]
    if chosen is None:
        raise click.UsageError("no target: give host:port of the job's TCPStore, a worker's URL, or set MASTER_ADDR")
    if isinstance(chosen, FilesTarget):
        raise click.UsageError("files don't change: a watch wants a living job; `xpudbg report` reads files")
    return demo_as_asked(chosen, read_options(options), scenario)


def _hook(text: str | None) -> tuple[str, ...] | None:
    from ...services.watch.hook import HookError, parse_hook

    if text is None:
        return None
    try:
        return parse_hook(text)
    except HookError as error:
        raise click.UsageError(f"--hook: {error}") from error


def _folder(options: dict[str, Any]) -> IncidentFolder | None:
    from ...services.bundle.redaction import KINDS
    from ...services.watch.folder import IncidentFolder

    path: Path | None = options["output"]
    if path is None:
        for name in ("periodic_s", "keep", "max_size", "redact"):
            if options[name] is not None:
                raise click.UsageError(f"--{name.removesuffix('_s').replace('_', '-')} goes with -o DIR")
        return None
    redacted = frozenset(word.strip() for word in (options["redact"] or "").split(",")) - {""}
    if unknown := redacted - set(KINDS):
        raise click.UsageError(f"--redact: {sorted(unknown)[0]!r} is none of {', '.join(KINDS)}")
    try:
        return IncidentFolder(path, keep=options["keep"], max_size=options["max_size"], redacted=redacted)
    except OSError as error:
        raise click.UsageError(f"-o {path}: {error.strerror or error}") from error
