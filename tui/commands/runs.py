"""`xpudbg runs`: the op runs that were made on this machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ...services.instants import utc_text
from .putting_out import say
from .table_text import table_text

if TYPE_CHECKING:
    from ...services.run_history.errors import HistoryError
    from ...services.run_history.history import RunHistory
    from ...services.run_history.records import RunRecord

__all__ = ["history_failed", "runs", "say_interrupted"]


@click.command(short_help="List the op runs that were made on this machine.")
@click.option("--failed", is_flag=True, help="Only those that failed, were interrupted, or gave wrong outputs.")
@click.option("-n", "count", type=click.IntRange(1, 100_000), default=20, show_default=True, metavar="N")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@click.option("--prune", is_flag=True, help="Forget what is older or larger than is kept, then list the rest.")
@click.option("--set-aside", is_flag=True, help="Move a damaged history to another name and begin a new one.")
def runs(failed: bool, count: int, as_json: bool, prune: bool, set_aside: bool) -> None:
    """List op runs, newest first: those of `xpudbg run`, `rerun` and `shrink`, and of the dispatch screen.

    \b
    xpudbg runs --failed
    xpudbg runs -n 100 --json
    xpudbg runs --prune

    They lie in the user's data folder, or where XPUDBG_HISTORY says, for 90 days and up to 4 GiB of arrays.

    Exit codes: 0 listed, 2 wrong usage, 3 the history can't be read.
    """
    from ...services.run_history import database
    from ...services.run_history.errors import HistoryError
    from ...services.run_history.history import RunHistory

    try:
        if set_aside:
            click.echo(f"moved to {database.set_aside(database.default_folder())}", err=True)
        history = RunHistory()
        try:
            say_interrupted(history)
            if prune:
                done = history.prune()
                click.echo(f"{done.runs:,} runs forgotten, {done.freed:,} bytes freed", err=True)
            found = history.latest(limit=count, failed=failed)
            text = _as_json(history, found) if as_json else _as_table(found)
        finally:
            history.close()
    except HistoryError as error:
        history_failed(error)
    say(text)


def say_interrupted(history: RunHistory) -> None:
    """Tell of runs that were under way when their process ended."""
    for record in history.interrupted():
        click.echo(f"run {record.id} ({record.title}) was under way when its process ended", err=True)


def history_failed(error: HistoryError) -> NoReturn:
    """Say what is wrong with the history and leave."""
    click.echo(f"xpudbg: {error}" + (f"\n  {error.hint}" if error.hint else ""), err=True)
    sys.exit(3)


def _as_table(found: list[RunRecord]) -> str:
    if not found:
        return "no runs"
    rows = [
        (
            record.id,
            utc_text(record.started_ns)[:19].replace("T", " "),
            "" if record.took_s is None else f"{record.took_s:.3f} s",
            _state(record),
            record.title,
            record.endpoint,
            _said(record),
        )
        for record in found
    ]
    headers = ("run", "started (UTC)", "took", "state", "op", "server", "what came of it")
    return table_text(headers, rows, (4, 5, 6))


def _state(record: RunRecord) -> str:
    if record.passed is None:
        return str(record.state)
    return f"{record.state}, {'as expected' if record.passed else 'wrong'}"


def _said(record: RunRecord) -> str:
    if record.error is not None:
        error = record.error
        return f"{error.exception}: {error.text}" if error.exception else error.message
    if record.comparison:
        compared = sorted(record.comparison.items(), key=lambda item: bool(item[1].get("passed")))
        return f"output {compared[0][0]} {compared[0][1].get('sentence', '')}"
    return ""


def _as_json(history: RunHistory, found: list[RunRecord]) -> str:
    import json

    return json.dumps([_described(history.get(record.id)) for record in found], allow_nan=False, ensure_ascii=True)


def _described(record: RunRecord) -> dict[str, Any]:
    import dataclasses

    said = dataclasses.asdict(record)
    started, ended = said.pop("started_ns"), said.pop("ended_ns")
    said["op"], said["server"] = said.pop("title"), said.pop("endpoint")
    times = {"started": utc_text(started), "ended": None if ended is None else utc_text(ended), "took_s": record.took_s}
    made: dict[str, Any] = _finite({"id": record.id, **times, **said})
    return made


def _finite(value: Any) -> Any:
    """NaN and infinities as text, which JSON can carry."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value
