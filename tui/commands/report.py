"""`xpudbg report`: the same engine and session as the screens, without one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...services.engine import Engine
from ...services.findings import VerdictValue
from ...services.report import render_json, render_markdown, render_text
from ...services.reports.recorder_tables import render_tables
from ...services.session import Session
from ...services.snapshot import RankClass
from ...services.stacks.export import to_collapsed, to_speedscope
from ...services.targets import WorkersTarget
from .following import end_look, follow_looks
from .interrupts import signals_interrupt
from .putting_out import put_out, write_besides
from .telling import tell_failure, tell_faults

if TYPE_CHECKING:
    from pathlib import Path

    from ...services.attach_options import AttachOptions
    from ...services.targets import Target

__all__ = ["FORMATS", "ReportOptions", "exit_code", "run_report", "watch"]

_NO_WORKER = frozenset(
    (RankClass.DEAD, RankClass.FOREIGN_PORT, RankClass.UNREACHABLE, RankClass.NAME_UNKNOWN, RankClass.NOT_REGISTERED)
)
"""Classes of an address at which no worker was met."""


def _html(session: Session, *, with_ranks: bool = False) -> str:
    from ...services.reports.html.page import render_html  # seldom wanted

    return render_html(session, with_ranks=with_ranks)


FORMATS = {"text": render_text, "json": render_json, "markdown": render_markdown, "html": _html}
"""How a report is written, by the name of its form."""
_OF_FAILURES = ("json", "html")
"""Forms that say why a target could not be read; of the others nothing is written then."""


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What a report should be."""

    style: str
    """A key of `FORMATS`."""
    looks: int
    interval_s: float
    """Seconds between two looks."""
    with_ranks: bool = False
    stacks_file: Path | None = None
    """Where the merged stacks go besides."""
    table_format: str | None = None
    """How the flight recorder's tables are drawn; None: the report is printed, not the tables."""
    output: Path | None = None
    """The file that the report goes to; None: standard output."""
    trace_file: Path | None = None
    """Where the flight recorders go besides, as a trace."""
    one_clock: bool = False
    """Take the offsets of the ranks' clocks out of the trace."""


def run_report(target: Target, options: AttachOptions, wanted: ReportOptions) -> int:
    """Take the looks, print the report on standard output and return the exit code.

    An interrupt (Ctrl-C, SIGTERM, SIGHUP) ends the look and prints what has come so far.
    """
    session = Session(options.bounds)
    signals_interrupt()
    with Engine() as engine:
        interrupted = watch(engine, session, target, options, (wanted.looks, wanted.interval_s))
    written = True
    if wanted.table_format is not None and not session.failure:
        written = put_out(render_tables(session.recorder, wanted.table_format), wanted.output)
    elif wanted.style in _OF_FAILURES or not session.failure:
        written = put_out(FORMATS[wanted.style](session, with_ranks=wanted.with_ranks), wanted.output)
    if not written and wanted.output is not None:
        return 2
    stacks, trace = wanted.stacks_file, wanted.trace_file
    if stacks is not None and not write_besides("the stacks", stacks, lambda: _write_stacks(session, stacks)):
        return 2
    if trace is not None and not write_besides(
        "the trace", trace, lambda: _write_trace(session, trace, one_clock=wanted.one_clock)
    ):
        return 2
    tell_failure(session)
    tell_faults(session)
    return exit_code(session, names_workers=isinstance(target, WorkersTarget), interrupted=interrupted or not written)


def watch(engine: Engine, session: Session, target: Target, options: AttachOptions, looks: tuple[int, float]) -> bool:
    """Follow the looks to their end; True when the person ended them before.

    Args:
        looks: how many, and seconds between two of them.
    """
    try:
        engine.attach(target, options)
        follow_looks(engine, session, *looks)
    except KeyboardInterrupt:
        end_look(engine, session)
        return True
    return False


def _write_stacks(session: Session, file: Path) -> str:
    merged = session.stacks.merged
    if file.suffix.lower() == ".json":
        file.write_bytes(to_speedscope(merged, session.label))
    else:
        file.write_bytes(to_collapsed(merged).encode("utf-8", errors="backslashreplace"))
    return ""


def _write_trace(session: Session, file: Path, *, one_clock: bool) -> str:
    from ...services.recorder_trace.writing import write_recorder_trace  # seldom wanted

    hosts = {rank: state.host for rank, state in session.ranks.items()}
    made = write_recorder_trace(session.recorder, file, title=session.label, hosts=hosts, one_clock=one_clock)
    said = f": {made.slices:,} calls of {made.ranks:,} ranks; times {made.clocks}"
    return said + (f"; {made.untimed:,} calls without a time are not in it" if made.untimed else "")


def exit_code(session: Session, *, names_workers: bool = False, interrupted: bool = False) -> int:
    """The exit code for what is known (design, "Decisions").

    Args:
        session: the session at its end.
        names_workers: the target is a list of workers, so that nothing has been read when none of them is there.
        interrupted: the person ended it.

    Returns:
        0 nothing wrong, 1 a problem found, 3 the target could not be read at all, 4 incomplete and nothing wrong found.
    """
    look = session.latest
    if look is None:
        return 4 if interrupted else 3
    if names_workers and all(
        state.rank_class in _NO_WORKER and not state.was_alive for state in session.ranks.values()
    ):
        return 3
    if session.verdict.accuses:
        return 1
    unsure = session.verdict.value is VerdictValue.UNKNOWN or session.verdict.partial
    return 4 if unsure or interrupted or look.cancelled or look.partial or session.faults else 0
