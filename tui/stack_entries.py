"""The places where ranks stand, as rows of a table: classes of stacks and groups without one, the odd ones first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..services.ranksets import RankSet
from ..services.stacks.ownership import user_frame
from ..services.stacks.tree import ThreadChoice
from .frame_text import caller_of
from .widgets.table_layout import Cell, Column
from .wording import age

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..services.stacks.looks import ClassStanding
    from ..services.stacks.tree import MergedStacks, StackClass

__all__ = ["EntryRows", "StackEntry", "entries", "standing_text"]


@dataclass(frozen=True, slots=True)
class StackEntry:
    """Ranks that stand at one place, or that have no stack for one reason."""

    ranks: RankSet
    stack: StackClass | None = None
    reason: str = ""
    """Why there is no stack."""
    merged_at: int = -1
    """Number of the class among those shown."""


def entries(part: MergedStacks, missing: Mapping[int, str], ranks: RankSet, *, searched: bool) -> list[StackEntry]:
    """Fewest ranks first, then by the lowest rank.

    Args:
        part: the stacks that are shown.
        missing: why a rank has no stack.
        ranks: the ranks that are shown.
        searched: frames are searched for, so what has none is left out.
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
    return sorted(found, key=lambda entry: (len(entry.ranks), entry.ranks.first or 0))


_MAIN = (
    Column("count", "ranks", "right", max_width=7),
    Column("ranks", "which", max_width=16),
    Column("since", "here for", max_width=18),
    Column("where", "where", max_width=200),
)
_ALL = (_MAIN[0], _MAIN[1], Column("threads", "threads", "right", max_width=8), _MAIN[3])


class EntryRows:
    """A `TableSource`; row numbers are places in the list of entries."""

    def __init__(
        self,
        found: Sequence[StackEntry],
        threads: ThreadChoice,
        standing: Callable[[RankSet], ClassStanding],
        now: int,
    ) -> None:
        """
        Args:
            found: the entries.
            threads: whose stacks these are.
            standing: what ranks did since the look before.
            now: ns since the epoch, for ages.
        """
        self.columns = _MAIN if threads is ThreadChoice.MAIN else _ALL
        self._entries = found
        self._standing = standing
        self._now = now

    def cell(self, row: int, column: int) -> Cell:
        entry = self._entries[row]
        match self.columns[column].key:
            case "count":
                return f"{len(entry.ranks):,}", ""
            case "ranks":
                return str(entry.ranks), "table--muted"
            case "since":
                said = standing_text(self._standing(entry.ranks), self._now) if entry.stack is not None else ""
                return said, "table--muted"
            case "threads":
                return (f"{entry.stack.threads:,}" if entry.stack is not None else ""), "table--muted"
        if entry.stack is None:
            return f"no stack: {entry.reason}", "table--warning"
        names = ", ".join(entry.stack.names[:3])
        where = caller_of(entry.stack.frames, user_frame(entry.stack.frames))
        return (f"{where}  [{names}]" if names and self.columns is _ALL else where), ""


def standing_text(standing: ClassStanding, now: int) -> str:
    """For how long ranks are there, or what else they do, in two or three words."""
    same = age(now, standing.since) if standing.since is not None else ""
    if not standing.moved:
        return same or ("seen once" if standing.new else "")
    if not standing.same:
        return "moving"
    return f"{len(standing.moved):,} moving, {len(standing.same):,} not"
