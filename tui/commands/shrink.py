"""`xpudbg shrink` and `xpudbg repro`: a failing run made small, and told as a script."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .completed_words import complete_runs, complete_servers
from .options import Finite, read_tls, tls_options
from .putting_out import say

if TYPE_CHECKING:
    from ...services.dispatch.case import OpCase
    from ...services.dispatch.endpoint import DispatchSettings, OpEndpoint
    from ...services.run_history.history import RunHistory
    from ...services.shrink.search import Shrinker, ShrinkStep, Shrunk

__all__ = ["repro", "shrink"]


@click.command(short_help="Make a failing run as small as it can be.")
@click.argument("run", metavar="RUN|last|last-failed", shell_complete=complete_runs)
@click.option("--server", metavar="URL|NAME", shell_complete=complete_servers, help="Another op server than before.")
@click.option(
    "--reference", metavar="URL", help="Op server whose outputs are right; then wrong values are failures, too."
)
@click.option(
    "--budget", type=click.IntRange(2, 100_000), default=200, show_default=True, metavar="N", help="Most runs."
)
@click.option(
    "--deadline", "deadline_s", type=Finite(0.1, 86_400), metavar="SECONDS", help="Time for each run.  [default: 300]"
)
@tls_options
def shrink(
    run: str, server: str | None, reference: str | None, budget: int, deadline_s: float | None, **options: Any
) -> None:
    """Run an operator again and again with less, and keep what still fails in the same way.

    \b
    xpudbg shrink last-failed
    xpudbg shrink 12 --reference cpu-host:9090

    Shapes, inputs, values and attributes are tried. Every run goes into the history; the smallest one's number is
    printed.

    Exit codes: 0 done, 1 it does not fail now, 2 wrong usage, 3 no server was reached or the history can't be read, 4
    cancelled, or more could be tried.
    """
    import asyncio

    from ...services.dispatch.endpoint import DispatchSettings
    from ..dispatch.named_servers import find_server, usual_settings

    tls = read_tls(options)

    def chosen(history: RunHistory, number: int) -> tuple[OpCase, OpEndpoint, OpEndpoint | None]:
        endpoint = find_server(server, tls) if server is not None else history.endpoint(number)
        return history.case(number), endpoint, None if reference is None else find_server(reference, tls)

    case, endpoint, right = _from_history(run, chosen)
    settings = usual_settings() if deadline_s is None else DispatchSettings(deadline_s=deadline_s)
    sys.exit(asyncio.run(_shrink(case, endpoint, right, budget, settings)))


@click.command(short_help="Write a run as a Python script that needs NumPy alone.")
@click.argument("run", metavar="RUN|last|last-failed", shell_complete=complete_runs)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("repro.py"),
    show_default=True,
    metavar="FILE.py",
)
def repro(run: str, output: Path) -> None:
    """Write a script that makes the inputs of a run, calls its function if that is one of numpy or torch, and compares.

    \b
    xpudbg repro last-failed
    xpudbg repro 12 -o softmax.py

    Arrays over a few kilobytes go into FILE.npz beside it.

    Exit codes: 0 written, 2 wrong usage, 3 the history can't be read.
    """
    from ...services.repro.script import ReproError, write_repro

    def chosen(history: RunHistory, number: int) -> tuple[Path, ...]:
        record = history.get(number)
        expected = {one.name: (one.array, one.dtype) for one in history.outputs(number) if one.array is not None}
        error = record.error
        said = "" if error is None else (f"{error.exception}: {error.text}" if error.exception else error.message)
        api = str((record.result or {}).get("api", ""))
        return write_repro(output, history.case(number), api=api, expected=expected, recorded=said)

    try:
        written = _from_history(run, chosen)
    except ReproError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"{output} could not be written: {error.strerror}") from error
    say("written: " + " and ".join(map(str, written)))


def _from_history(word: str, use: Any) -> Any:
    """Open the history, find a run, and use it."""
    from ...services.addressing.endpoints import TargetError
    from ...services.run_history.errors import HistoryError, NotKeptError, UnknownRunError
    from ...services.run_history.history import RunHistory
    from .runs import history_failed, say_interrupted

    try:
        history = RunHistory()
        try:
            say_interrupted(history)
            return use(history, history.find(word).id)
        finally:
            history.close()
    except (UnknownRunError, NotKeptError, TargetError) as error:
        raise click.UsageError(f"{error}\n{error.hint}".rstrip()) from error
    except HistoryError as error:
        history_failed(error)


async def _shrink(
    case: OpCase, endpoint: OpEndpoint, reference: OpEndpoint | None, budget: int, settings: DispatchSettings
) -> int:
    import asyncio
    import signal

    from ...services.dispatch.client import Dispatcher
    from ...services.run_history.recorder import Recorder
    from ...services.shrink.leaves import case_size
    from ...services.shrink.runner import RecordedRuns, judged_by
    from ...services.shrink.search import NothingFailsError, Shrinker

    recorder = Recorder()
    async with Dispatcher() as dispatcher:
        judge = None if reference is None else judged_by(dispatcher, reference, settings=settings)
        run = RecordedRuns(dispatcher, endpoint, recorder=recorder, settings=settings, judge=judge)
        search = Shrinker(case, run, budget=budget, tell=_tell)
        click.echo(f"from {case_size(case)}", err=True)
        going = asyncio.ensure_future(search.go())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, going.cancel)
        try:
            done: Shrunk | None = await going
        except NothingFailsError as error:
            click.echo(f"xpudbg: {error}", err=True)
            return 1
        except asyncio.CancelledError:
            done = None
        finally:
            await recorder.close()
    return _said(search, done)


def _tell(step: ShrinkStep) -> None:
    from ...services.plain_text import plain

    word = "fails" if step.accepted else "-"
    click.echo(plain(f"{step.runs:4} {word:5} {step.tried}", 160), err=True)


def _said(search: Shrinker, done: Shrunk | None) -> int:
    from ...services.plain_text import plain
    from ...services.shrink.leaves import case_size

    outcome = search.outcome
    if outcome is None:
        click.echo("xpudbg: cancelled", err=True)
        return 4
    if outcome.lost and done is not None and search.runs == 1:
        click.echo(f"xpudbg: {done.reason}", err=True)
        return 3
    say(f"{'smallest' if done and done.complete else 'smallest so far'}: {plain(case_size(search.best), 300)}")
    say(f"it fails: {plain(outcome.text, 300)}")
    if (number := outcome.run_id) is not None:
        say(f"run {number} of the history, after {search.runs} runs; xpudbg rerun {number} runs it again")
    if done is None or not done.complete:
        click.echo(f"xpudbg: {done.reason if done else 'cancelled'}; more could be tried", err=True)
        return 4
    return 0
