"""What the pane beside a table of the flight recorder says about a row: its facts and a stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...services.judging.recorder_findings import group_named
from ..widgets.row_detail import RowFacts
from .lookup import spot_of, table_of
from .spots import Tab, find_group

if TYPE_CHECKING:
    from ...services.recorder_tables.browser import RecorderTables
    from ...services.session import Session
    from ..stacks.view import StackView
    from .order import Shown

__all__ = ["facts_of", "row_text", "title_of"]


class _Stack(NamedTuple):
    title: str
    frames: tuple[str, ...] = ()


def facts_of(shown: Shown, row: int, session: Session, stacks: StackView) -> RowFacts:
    """
    Args:
        stacks: where a rank is now, for calls that were recorded without frames.
    """
    tables, tab = shown.made_by.tables, shown.made_by.tab
    table = table_of(tables, tab)
    stack = _stack(tables, row, session, stacks) if tab is Tab.CALLS else _Stack("")
    return RowFacts(title_of(tables, tab, row), table.details(row), *stack)


def title_of(tables: RecorderTables, tab: Tab, row: int) -> str:
    """What a row is about in a few words."""
    spot, groups = spot_of(tables, tab, row), tables.diagnosis.analysis.job.groups
    at = find_group(groups, spot.group) if spot.group is not None else None
    named = group_named(groups[at]) if at is not None else ""
    group = f" of {named}" if named else ""
    number = f"{'P2P ' if spot.p2p else ''}#{spot.seq}"
    match tab:
        case Tab.FINDINGS:
            return f"finding {row + 1}"
        case Tab.COLLECTIVES:
            return f"collective {number}{group}"
        case Tab.CALLS:
            return f"rank {spot.rank} in {number}{group}"
        case Tab.MEMBERSHIPS:
            return f"rank {spot.rank}{group}"
    return named if named.startswith(("group ", "the default group")) else f"group {named}"


def _stack(tables: RecorderTables, row: int, session: Session, stacks: StackView) -> _Stack:
    """The recorded stack of a call, innermost frame first; without one, where its rank is now."""
    recorded = tuple(f"{frame.name} {frame.filename}:{frame.line}" for frame in tables.calls.frames(row))
    if recorded:
        return _Stack("stack when the call was made", recorded)
    rank = int(tables.lines.rank[row])
    now = stacks.top(rank)
    if now:
        title = f"the dump has no frames; where rank {rank} is now (look {session.stacks.look_id}; key 3 shows all)"
        return _Stack(title, tuple(str(frame) for frame in now))
    return _Stack(f"the dump has no frames, and there is no Python stack of rank {rank}")


def row_text(facts: RowFacts, shown: Shown, row: int) -> str:
    """A row and all that is said of it, as recorded; whoever sends it on makes it plain."""
    table = shown.rows.table
    said = [(field.title, table.cell(row, index).text) for index, field in enumerate(table.fields)]
    lines = ["  ".join(f"{title} {text}" for title, text in said if text)]
    lines += [f"{detail.label}: {detail.text}" for detail in facts.details]
    if facts.stack_title:
        lines += [f"{facts.stack_title}:", *(f"  {frame}" for frame in facts.frames)]
    return "\n".join(lines)
