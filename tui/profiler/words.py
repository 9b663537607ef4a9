"""What the profiler's screen says above and beside its table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.content import Content

from ...services.profiles.trace_set import TraceState
from ...services.recorder_tables.table import Detail, Sign
from ..widgets.painted import styled
from ..widgets.row_detail import RowFacts
from ..wording import count
from .rows import bytes_text, micro, share
from .tables import RankTrace, instant, state_words
from .view import ProfileTab

if TYPE_CHECKING:
    from ...services.profiles.profiles import Profiles
    from ...services.profiles.summary import ProfileSummary
    from ...services.profiles.trace_set import TraceSet
    from ...services.session import Session
    from .rows import ProfileRows
    from .view import ProfilerView

__all__ = ["facts_of", "profile_line"]

_GROUPS = 12
"""Process groups named in the pane."""


def profile_line(view: ProfilerView, session: Session, width: int) -> Content:
    """One line: the capture, how far it is, and what is being done."""
    profiles = view.profiles
    parts: list[tuple[str, str]] = []
    traces = profiles.shown
    if view.tab in (ProfileTab.RANKS, ProfileTab.SAVED) or traces is None:
        parts += _of_set(traces, session) if traces is not None else [("no capture is shown", "$foreground-muted")]
    else:
        parts += _of_rank(view, session)
    if profiles.reading is not None:
        path, read = profiles.reading
        parts.append((f"reading {path.name}, {bytes_text(read)}", "$text-accent"))
    if profiles.merging is not None:
        parts.append((f"merging for Perfetto, {bytes_text(profiles.merging)}", "$text-accent"))
    line = Content.styled(" · ", "$foreground-muted").join([styled(said, style) for said, style in parts])
    return line.truncate(width, ellipsis=True)


def _of_set(traces: TraceSet, session: Session) -> list[tuple[str, str]]:
    parts = [(traces.title, "bold")]
    if traces.target and traces.target != session.label:
        parts.append((f"of {traces.target}", "$text-warning"))
    if traces.duration_s is not None:
        parts.append((f"{traces.duration_s:g} s", ""))
    if (spread := traces.spread_s) is not None:
        parts.append((f"begun within {micro(spread * 1e6)}", "$foreground-muted"))
    done, failed = len(traces.done), len(traces.failed)
    left = len(traces.rows) - done - failed
    parts.append((f"{done} of {count(len(traces.rows), 'rank')}", "$text-success" if done else ""))
    if failed:
        parts.append((f"{failed} without a trace", "$text-error"))
    if left:
        parts.append((f"{left} still out", "$text-accent"))
    size = sum(row.received for row in traces.rows.values())
    stored = sum(row.stored for row in traces.rows.values())
    if size:
        parts.append((f"{bytes_text(size)}, {bytes_text(stored)} on disk", ""))
    elif stored:
        parts.append((f"{bytes_text(stored)} on disk", ""))
    return parts


def _of_rank(view: ProfilerView, session: Session) -> list[tuple[str, str]]:
    rank = view.rank(session)
    summary = view.profiles.summary(rank)
    parts = [(f"rank {rank}", "bold")]
    if summary is None:
        return parts
    if summary.host:
        parts.append((summary.host, "$foreground-muted"))
    parts.append((f"{micro(summary.window)}, {count(summary.events, 'event')}", ""))
    parts += [(f"{use.track} busy {share(use.busy, use.busy + use.idle)}", "") for use in summary.uses[:2]]
    if view.tab is ProfileTab.DIFFERENCE:
        others = len(view.profiles.median_ranks(rank)) if rank is not None else 0
        to = f"rank {view.against}" if view.against is not None else f"the median of {count(others, 'other')}"
        parts.insert(1, (f"against {to}", "bold $text-primary"))
    if summary.notes:
        parts.append((f"repaired: {len(summary.notes)}", "$text-warning"))
    return parts


def facts_of(view: ProfilerView, session: Session, rows: ProfileRows[Any], row: int | None) -> RowFacts:
    """The pane beside the table."""
    if row is None or row not in rows.items:
        return RowFacts()
    item = rows.items[row]
    if isinstance(item, RankTrace):
        return _rank_facts(view.profiles, item)
    titled = [
        Detail(column.title, entry.text)
        for column, entry in zip(rows.columns, rows.entries(row), strict=True)
        if entry.text
    ]
    summary = view.profiles.summary(view.rank(session))
    notes = _notes(summary) if view.tab is ProfileTab.OPERATORS else []
    return RowFacts(titled[0].text if titled else "", [*titled[1:], *notes])


def _rank_facts(profiles: Profiles, trace: RankTrace) -> RowFacts:
    row, summary = trace.row, trace.summary
    sign = Sign.MISSING if row.state is TraceState.FAILED else Sign.NONE
    details = [Detail("state", state_words(trace), sign)]
    if row.error:
        details.append(Detail("why", row.error))
    if row.started_at is not None:
        details.append(Detail("asked", instant(row.started_at)))
    if row.path is not None:
        details.append(Detail("file", str(row.path)))
    if trace.problem:
        details.append(Detail("not read", trace.problem, Sign.MISMATCH))
    if summary is not None:
        details.append(Detail("content", f"{bytes_text(summary.content_bytes)}, {count(summary.events, 'event')}"))
        details.append(Detail("captured", f"{micro(summary.window)} {_from(summary)}".strip()))
        details += [
            Detail("busy", f"{share(use.busy, use.busy + use.idle)} of {use.track}, {count(use.gaps, 'gap')}")
            for use in summary.uses[:8]
        ]
        details += [Detail(f"{place}.", f"{one.name} {micro(one.self_time)}") for place, one in _top(summary)]
        details += _notes(summary)
        details += _groups(summary)
    handed = profiles.handed
    if handed is not None:
        details.append(Detail("for Perfetto", str(handed.path)))
    return RowFacts(f"rank {row.rank}", details)


def _top(summary: ProfileSummary) -> list[tuple[int, Any]]:
    return list(enumerate(summary.operators[:5], 1))


def _from(summary: ProfileSummary) -> str:
    return f"from {instant(summary.began_at)}" if summary.began_at is not None else ""


def _notes(summary: ProfileSummary | None) -> list[Detail]:
    return [Detail("repaired", note, Sign.MISMATCH) for note in summary.notes] if summary is not None else []


def _groups(summary: ProfileSummary) -> list[Detail]:
    """The process groups that the trace names."""
    known = summary.memberships
    if known is None:
        return []
    said = [
        Detail(
            f"group {group.name}",
            " ".join(filter(None, (group.description, group.backend, f"ranks {group.ranks}" if group.ranks else ""))),
        )
        for group in known.groups[:_GROUPS]
    ]
    if len(known.groups) > _GROUPS:
        said.append(Detail("", f"and {len(known.groups) - _GROUPS:,} groups more"))
    return said
