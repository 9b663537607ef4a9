"""The places where ranks stand, as rows of a table: classes of stacks and groups without one, the odd ones first.

Ranks with equal stacks that are inside different calls are places of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...services.ranksets import RankSet
from ...services.stacks.ownership import user_frame
from ...services.stacks.tree import ThreadChoice
from ..widgets.table_layout import Cell, Column
from ..wording import age
from .frame_text import caller_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...services.judging.pending_calls import CallPlace, PendingCalls
    from ...services.stacks.looks import ClassStanding
    from ...services.stacks.tree import MergedStacks, StackClass

__all__ = ["ENTRY_COLUMNS", "EntryRows", "StackEntry", "entries", "standing_text"]


_NOBODY = RankSet()


@dataclass(frozen=True, slots=True)
class StackEntry:
    """Ranks that stand at one place, or that have no stack for one reason."""

    ranks: RankSet
    stack: StackClass | None = None
    reason: str = ""
    """Why there is no stack."""
    merged_at: int = -1
    """Number of the class among those shown."""
    call: CallPlace | None = None
    """Which call the ranks are inside; None where that is not asked."""
    accused: RankSet = _NOBODY
    """Those of the ranks that findings accuse."""


def entries(
    part: MergedStacks,
    missing: Mapping[int, str],
    ranks: RankSet,
    *,
    searched: bool,
    calls: PendingCalls | None = None,
    culprits: RankSet = _NOBODY,
) -> list[StackEntry]:
    """Those with an accused rank first, then by the number of ranks, fewest first, then by the lowest rank.

    Args:
        part: the stacks that are shown.
        missing: why a rank has no stack.
        ranks: the ranks that are shown.
        searched: frames are searched for, so what has none is left out.
        calls: which call each rank is inside; None, or one without any dump, tells none apart.
        culprits: ranks that findings accuse.
    """
    found = [StackEntry(one.ranks, one, merged_at=number) for number, one in enumerate(part.classes)]
    if not searched:
        by_reason: dict[str, list[int]] = {}
        for rank, reason in missing.items():
            if rank in ranks:
                by_reason.setdefault(reason, []).append(rank)
        found += [StackEntry(RankSet(of), reason=reason) for reason, of in by_reason.items()]
        if part.without:
            found.append(StackEntry(part.without, reason="the main thread is not in the dump"))
    if calls:
        found = [replace(entry, ranks=at.ranks, call=at) for entry in found for at in calls.split(entry.ranks)]
    found = [replace(entry, accused=entry.ranks & culprits) for entry in found]
    return sorted(found, key=lambda entry: (not entry.accused, len(entry.ranks), entry.ranks.first or 0))


_MAIN = (
    Column("count", "ranks", "right", max_width=7),
    Column("ranks", "which", max_width=16),
    Column("since", "here for", max_width=18),
    Column("where", "where", max_width=200),
)
_CALL = Column("call", "in call", max_width=36)
_THREADS = Column("threads", "threads", "right", max_width=8)
_ALL = (_MAIN[0], _MAIN[1], _THREADS, _MAIN[3])
ENTRY_COLUMNS = (*_MAIN[:-1], _THREADS, _CALL, _MAIN[-1])
"""All that there may be."""


class EntryRows:
    """A `TableSource`; row numbers are places in the list of entries."""

    def __init__(
        self,
        found: Sequence[StackEntry],
        threads: ThreadChoice,
        standing: Callable[[RankSet], ClassStanding],
        now: int,
        *,
        recorded: bool = False,
    ) -> None:
        """
        Args:
            found: the entries.
            threads: whose stacks these are.
            standing: what ranks did since the look before.
            now: ns since the epoch, for ages.
            recorded: these are stacks that recorders kept; for how long a rank is there they do not tell.
        """
        self._named = threads is not ThreadChoice.MAIN
        columns: tuple[Column, ...] = _ALL if self._named else _MAIN
        if recorded:
            columns = tuple(column for column in columns if column.key not in ("since", "threads"))
        calls = (_CALL,) if any(entry.call is not None for entry in found) else ()
        self.columns = (*columns[:-1], *calls, columns[-1])
        self._entries = found
        self._standing = standing
        self._now = now

    def cell(self, row: int, column: int) -> Cell:
        entry = self._entries[row]
        match self.columns[column].key:
            case "count":
                return f"{len(entry.ranks):,}", ""
            case "ranks":
                return (
                    (f"! {entry.ranks}", "table--missing")
                    if entry.ranks == entry.accused
                    else (str(entry.ranks), "table--muted")
                )
            case "since":
                said = standing_text(self._standing(entry.ranks), self._now) if entry.stack is not None else ""
                return said, "table--muted"
            case "threads":
                return (f"{entry.stack.threads:,}" if entry.stack is not None else ""), "table--muted"
            case "call":
                return (str(entry.call), "" if entry.call.inside else "table--muted") if entry.call else ("", "")
        if entry.stack is None:
            return f"no stack: {entry.reason}", "table--warning"
        names = ", ".join(entry.stack.names[:3])
        where = caller_of(entry.stack.frames, user_frame(entry.stack.frames))
        return (f"{where}  [{names}]" if names and self._named else where), ""


def standing_text(standing: ClassStanding, now: int) -> str:
    """For how long ranks are there, or what else they do, in two or three words."""
    same = age(now, standing.since) if standing.since is not None else ""
    if not standing.moved:
        return same or ("seen once" if standing.new else "")
    if not standing.same:
        return "moving"
    return f"{len(standing.moved):,} moving, {len(standing.same):,} not"
