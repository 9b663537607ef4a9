"""The columns of the profiler's tables, and how far a rank's trace has come in words."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from ...services.profiles.trace_set import OVERDUE_S, TraceState
from ..widgets.table_layout import Column
from ..wording import count, duration
from .rows import Entry, TableShape, bytes_text, micro, share, signed_micro

if TYPE_CHECKING:
    from ...services.profiles.collectives import CollectiveRow
    from ...services.profiles.difference import DifferenceRow
    from ...services.profiles.gaps import Gap
    from ...services.profiles.saved import SavedCapture
    from ...services.profiles.summary import OperatorRow, ProfileSummary
    from ...services.profiles.trace_set import TraceRow

__all__ = [
    "COLLECTIVES",
    "DIFFERENCE",
    "GAPS",
    "RANKS",
    "SAVED",
    "RankTrace",
    "Weighed",
    "instant",
    "operators",
    "state_words",
]

_SIGNS = {
    TraceState.ASKED: (".", "table--open"),
    TraceState.RECEIVING: (">", "table--open"),
    TraceState.DONE: ("o", ""),
    TraceState.CUT: ("!", "table--mismatch"),
    TraceState.FAILED: ("x", "table--missing"),
    TraceState.CANCELLED: ("-", "table--muted"),
    TraceState.NOT_ASKED: ("-", "table--mismatch"),
}


class RankTrace(NamedTuple):
    """A rank's trace with what has been read of it."""

    row: TraceRow
    duration_s: float | None
    summary: ProfileSummary | None
    reading: int | None
    """Bytes of content read so far, while it is read."""
    problem: str
    """Why it can't be read."""
    now: int
    """ns since the epoch."""


class Weighed(NamedTuple):
    """An operator and the self time of all."""

    row: OperatorRow
    whole: float


def instant(ns: int | None) -> str:
    """A day and time of this machine, empty when not known."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(ns / 1e9)) if ns is not None else ""


def state_words(trace: RankTrace) -> str:
    """Where a rank's trace stands: how long its profiler has run, how late its answer is."""
    row = trace.row
    if row.state is TraceState.RECEIVING:
        return f"receiving {bytes_text(row.received)}"
    if row.state is not TraceState.ASKED or trace.duration_s is None:
        return row.state.value
    if row.started_at is None:
        return "waits for its turn"
    since = max((trace.now - row.started_at) / 1e9, 0.0)
    if since < trace.duration_s:
        return f"profiling, {int(since)} of {trace.duration_s:g} s"
    over = since - trace.duration_s
    return f"no answer for {duration(over)}" if over > OVERDUE_S else "its trace is being written"


def _rank_entries(trace: RankTrace) -> tuple[Entry, ...]:
    row, summary = trace.row, trace.summary
    sign, component = _SIGNS[row.state]
    words = f"{state_words(trace)}: {row.error}" if row.error and row.state.is_over else state_words(trace)
    top = summary.operators[0] if summary is not None and summary.operators else None
    if summary is not None:
        read = f"{count(summary.events, 'event')}" + (f", {len(summary.notes)} repaired" if summary.notes else "")
    elif trace.reading is not None:
        read = f"reading, {bytes_text(trace.reading)}"
    else:
        read = trace.problem
    main = next((use for use in summary.uses if use.track), None) if summary is not None else None
    busy = main.busy / (main.busy + main.idle) if main is not None and main.busy + main.idle > 0 else None
    return (
        Entry(str(row.rank), row.rank),
        Entry(f"{sign} {words}", list(TraceState).index(row.state), component),
        Entry(f"{row.took_s:.1f} s" if row.took_s is not None else "", row.took_s),
        Entry(bytes_text(row.received) if row.received else "", row.received or None),
        Entry(f"{busy:.0%}".replace("%", " %") if busy is not None else "", busy),
        Entry(top.name if top is not None else "", top.name if top is not None else None),
        Entry(micro(top.self_time) if top is not None else "", top.self_time if top is not None else None),
        Entry(bytes_text(row.stored) if row.stored else "", row.stored or None),
        Entry(row.error or read, row.error or read or None, "table--mismatch" if row.error else "table--muted"),
    )


RANKS: TableShape[RankTrace] = TableShape(
    (
        Column("rank", "rank", "right", max_width=9),
        Column("state", "state", min_width=8, max_width=24),
        Column("took", "took", "right", max_width=9),
        Column("size", "trace", "right", max_width=10),
        Column("busy", "busy", "right", max_width=8),
        Column("top", "most self time in", max_width=36),
        Column("top_time", "self", "right", max_width=11),
        Column("stored", "on disk", "right", max_width=10),
        Column("about", "about", max_width=80),
    ),
    _rank_entries,
    "No capture is shown",
)


def _operator_entries(one: Weighed) -> tuple[Entry, ...]:
    row = one.row
    return (
        Entry(row.name, row.name.casefold()),
        Entry(micro(row.self_time), row.self_time),
        Entry(share(row.self_time, one.whole), row.self_time),
        Entry(f"{row.calls:,}", row.calls),
        Entry(micro(row.total), row.total),
        Entry(micro(row.total / row.calls), row.total / row.calls),
        Entry(micro(row.longest), row.longest),
        Entry(row.category, row.category, "table--muted"),
    )


_OPERATOR_COLUMNS = (
    Column("name", "operator", min_width=16, max_width=48),
    Column("self", "self", "right", min_width=10, max_width=12),
    Column("share", "self %", "right", max_width=8),
    Column("calls", "calls", "right", max_width=12),
    Column("total", "total", "right", min_width=10, max_width=12),
    Column("mean", "mean", "right", max_width=12),
    Column("longest", "longest", "right", max_width=12),
    Column("category", "category", max_width=20),
)


def operators(empty: str) -> TableShape[Weighed]:
    """The table of operators.

    Args:
        empty: why there is none.
    """
    return TableShape(_OPERATOR_COLUMNS, _operator_entries, empty)


def _collective_entries(row: CollectiveRow) -> tuple[Entry, ...]:
    return (
        Entry(row.name, row.name.casefold()),
        Entry(row.group, row.group or None),
        Entry(str(row.group_size) if row.group_size is not None else "", row.group_size),
        Entry(f"{row.calls:,}", row.calls),
        Entry(micro(row.total), row.total),
        Entry(micro(row.total / row.calls), row.total / row.calls),
        Entry(micro(row.longest), row.longest),
        Entry(bytes_text(row.size) if row.size else "", row.size or None),
        Entry(row.where.value, row.where.value, "table--muted"),
    )


COLLECTIVES: TableShape[CollectiveRow] = TableShape(
    (
        Column("name", "collective", min_width=12, max_width=44),
        Column("group", "group", max_width=24),
        Column("ranks", "ranks", "right", max_width=9),
        Column("calls", "calls", "right", max_width=12),
        Column("total", "total", "right", min_width=10, max_width=12),
        Column("mean", "mean", "right", max_width=12),
        Column("longest", "longest", "right", max_width=12),
        Column("size", "bytes in", "right", max_width=12),
        Column("where", "timed on", max_width=10),
    ),
    _collective_entries,
    "The trace has no collective.",
)


def _gap_entries(gap: Gap) -> tuple[Entry, ...]:
    return (
        Entry(gap.track, gap.track),
        Entry(micro(gap.length), gap.length),
        Entry(micro(gap.start), gap.start),
        Entry(gap.before or "(the beginning)", gap.before or None, "" if gap.before else "table--muted"),
        Entry(gap.after or "(the end)", gap.after or None, "" if gap.after else "table--muted"),
    )


GAPS: TableShape[Gap] = TableShape(
    (
        Column("track", "idle on", max_width=30),
        Column("length", "for", "right", min_width=10, max_width=12),
        Column("start", "from", "right", min_width=10, max_width=12),
        Column("before", "after", max_width=40),
        Column("after", "before", max_width=40),
    ),
    _gap_entries,
    "The trace has no gap.",
)


def _difference_entries(row: DifferenceRow) -> tuple[Entry, ...]:
    more = row.more
    component = "table--mismatch" if more > 0 and more > 0.1 * max(row.here, row.there) else ""
    times = f"{row.here / row.there:.2f}x" if row.there > 0 else ("only here" if row.here > 0 else "")
    return (
        Entry(row.name, row.name.casefold()),
        Entry(signed_micro(more), more, component),
        Entry(times, row.here / row.there if row.there > 0 else None),
        Entry(micro(row.here), row.here),
        Entry(micro(row.there), row.there),
        Entry(f"{row.calls_here:,}", row.calls_here),
        Entry(f"{row.calls_there:,g}", row.calls_there),
        Entry(row.category, row.category, "table--muted"),
    )


DIFFERENCE: TableShape[DifferenceRow] = TableShape(
    (
        Column("name", "operator", min_width=16, max_width=48),
        Column("more", "more", "right", min_width=10, max_width=12),
        Column("times", "times", "right", max_width=10),
        Column("here", "self here", "right", min_width=10, max_width=12),
        Column("there", "self there", "right", min_width=10, max_width=12),
        Column("calls", "calls", "right", max_width=12),
        Column("calls_there", "calls there", "right", max_width=12),
        Column("category", "category", max_width=20),
    ),
    _difference_entries,
    "There is nothing to compare: the traces of two ranks have to be read.",
)


def _saved_entries(one: SavedCapture) -> tuple[Entry, ...]:
    return (
        Entry(one.folder.name, one.folder.name),
        Entry(instant(one.began_at), one.began_at),
        Entry(f"{one.duration_s:g} s" if one.duration_s is not None else "", one.duration_s),
        Entry(f"{one.traces:,}", one.traces),
        Entry(bytes_text(one.size), one.size),
        Entry(one.target, one.target or None),
        Entry(str(one.folder), str(one.folder), "table--muted"),
    )


SAVED: TableShape[SavedCapture] = TableShape(
    (
        Column("name", "capture", min_width=16, max_width=24),
        Column("when", "when", max_width=19),
        Column("duration", "for", "right", max_width=8),
        Column("traces", "traces", "right", max_width=9),
        Column("size", "on disk", "right", max_width=10),
        Column("target", "target", max_width=36),
        Column("folder", "folder", max_width=80),
    ),
    _saved_entries,
    "No capture is saved.",
)
