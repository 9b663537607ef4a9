"""The lines of words around a timeline: what it shows, who is last, the call that the cursor is on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.recorder_timeline.lanes import LaneContent
from ...services.recorder_timeline.segments import CallState
from ...services.recorder_timeline.sentences import clock_said, duration_said, how_late, left_out_said, who_is_last
from ..recorder.timeline_view import Axis
from ..wording import count
from .text import plain

if TYPE_CHECKING:
    from ...services.flight_recorder.groups import JobGroup
    from ...services.recorder_timeline.lanes import Lane, Timeline
    from ..recorder.timeline_view import TimelineView

__all__ = ["Line", "arrivals_line", "call_line", "name_of", "numbers_of", "statement_line", "subject_line", "why_empty"]

Line = list[tuple[str, str]]
"""(text, component class) one after another."""
RANKS_NAMED = 60
"""Characters that a set of ranks may take in a line."""

_STATES = {
    CallState.SCHEDULED: "is in it",
    CallState.STARTED: "runs on the device",
    CallState.COMPLETED: "ended",
    CallState.TIMED_OUT: "past its timeout",
}


def _name(group: JobGroup) -> str:
    return plain(group.label, 40)


def subject_line(view: TimelineView, first: int, last: int) -> Line:
    """What the lanes are, which of them are there, along which axis, by whose clock, what is left out.

    Args:
        first, last: places of the lanes on the screen, `last` is one past.
    """
    timeline, timelines, subject, window = view.timeline, view.timelines, view.subject, view.window
    if timelines is None:
        return [("no flight recorder to show", "timeline--muted")]
    if subject is None or (subject.group is None and subject.rank is None):
        return [("no process group is recorded", "timeline--muted")]
    groups = timelines.diagnosis.analysis.job.groups
    title = f"rank {subject.rank}" if subject.group is None else _name(groups[subject.group])
    if timeline is None:
        return [(title, "timeline--title"), (f"  bringing {view.cost:,} calls of ranks together …", "timeline--muted")]
    total, what = len(view.order), "rank" if timeline.group is not None else "group"
    lanes = count(total, what) if last - first >= total else f"rows {first + 1:,}-{last:,} of {count(total, what)}"
    parts = [f"{lanes}, {'worst first' if view.worst_first else 'in order'}", view.axis.value]
    if view.axis is Axis.TIME:
        parts[-1] += f", {duration_said(window.per_cell / 1e9)} a cell"
    elif window.per_cell > 1:
        parts[-1] += f", {round(window.per_cell):,} calls a cell"
    parts.append(clock_said(timeline))
    line: Line = [(title, "timeline--title"), ("  " + " · ".join(parts), "timeline--muted")]
    left_out = left_out_said(timeline)
    if left_out:
        line.append((f" · {left_out}", "timeline--waiting"))
    return line


def statement_line(view: TimelineView) -> Line:
    """Who is always last."""
    timeline, timelines = view.timeline, view.timelines
    if timeline is None or timelines is None:
        return []
    if timeline.group is None:
        return [(plain(how_late(timeline, timeline.rank or 0)), "timeline--label")]
    said = who_is_last(timelines.of_group(timeline.group))
    return [(said.text, "timeline--statement" if said.stands else "timeline--label")]


def name_of(timeline: Timeline, lane: Lane) -> str:
    """Rank, or group."""
    if timeline.group is not None:
        return str(lane.rank)
    return _name(timeline.diagnosis.analysis.job.groups[lane.group])


def numbers_of(lane: Lane, *, with_lateness: bool) -> str:
    """In what part of the calls the rank is last, and how far it is behind the median."""
    share = f"{100 * lane.last / lane.compared:.0f}%" if lane.compared else ""
    if not with_lateness:
        return f"{share:>5}"
    late = ""
    if lane.late_s is not None:
        ms = lane.late_s * 1e3
        late = f"{ms / 1e3:+,.1f} s" if abs(ms) >= 1e4 else f"{ms:+,.1f} ms" if abs(ms) >= 0.05 else "0"
    return f"{share:>5}{late:>10}"


def why_empty(timeline: Timeline, lane: Lane) -> str:
    """Why a lane has no calls."""
    why = timeline.diagnosis.analysis.job.unreadable.get(lane.rank, "")
    return f"{lane.content.value}: {plain(why, 200)}" if why else lane.content.value


def call_line(view: TimelineView) -> Line:
    """The call of the cursor, and its rank in it."""
    timeline, facts = view.timeline, view.facts()
    if timeline is None or view.lane is None:
        return []
    lane = timeline.lanes[view.lane]
    if facts is None:
        why = why_empty(timeline, lane) if lane.content is not LaneContent.CALLS else "no call"
        return [(f"rank {lane.rank}: {why}", "timeline--muted")]
    op = plain(facts.op, 40) + (f" (+{facts.inner - 1})" if facts.inner > 1 else "")
    group = _name(timeline.diagnosis.analysis.job.groups[facts.group])
    line: Line = [
        (f"{op} #{facts.seq}{' p2p' if facts.p2p else ''}", "timeline--title"),
        (f" of {group}  rank {facts.rank} ", "timeline--label"),
    ]
    if facts.state is None:
        return [*line, ("has not come", "timeline--missing")]
    component = "timeline--label"
    if facts.state is CallState.TIMED_OUT:
        component = "timeline--timed-out"
    elif facts.open:
        component = "timeline--waiting"
    took = f" after {duration_said(facts.took_s)}" if facts.took_s is not None else ""
    if facts.waited_s is not None:
        took = f", {duration_said(facts.waited_s)} so far"
    state = _STATES[facts.state]
    if facts.state is CallState.SCHEDULED and (facts.missing or facts.unknown):
        state = "waits in it"
    line.append((state + took, component))
    if facts.late_s:
        side = "behind" if facts.late_s > 0 else "ahead of"
        line.append((f", {duration_said(facts.late_s)} {side} the median", "timeline--label"))
    return line


def arrivals_line(view: TimelineView) -> Line:
    """How the ranks came to the call of the cursor, and who has not come."""
    facts = view.facts()
    if facts is None:
        return []
    said = f"{len(facts.came):,} of {facts.size:,} came"
    if facts.spread_s is not None:
        said += f" within {duration_said(facts.spread_s)}"
    if facts.first is not None:
        said += f", first rank {facts.first}"
    if facts.last is not None:
        said += f", last rank {facts.last}"
    line: Line = [(said, "timeline--muted")]
    if facts.missing:
        line.append((f"  not come: {_ranks(str(facts.missing))}", "timeline--missing"))
    if facts.unknown:
        line.append((f"  not known of {_ranks(str(facts.unknown))}", "timeline--muted"))
    return line


def _ranks(text: str) -> str:
    return text if len(text) <= RANKS_NAMED else text[: RANKS_NAMED - 1] + "…"
