"""What the watchdog's lines of all ranks say of each process group: who timed out in what, how far the others are."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..artifacts.watchdog import WatchdogKind
from ..ranksets import RankSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..artifacts.watchdog import WatchdogLine

__all__ = ["TimedOutGroup", "one_episode", "timed_out_groups"]

_P2P = frozenset(("SEND", "RECV", "COALESCED", "UNKNOWN"))
"""Operations that are not called by all ranks of a group, or may not be: their numbers can't be compared."""


@dataclass(frozen=True, slots=True)
class TimedOutGroup:
    """One process group in which ranks timed out. Positions are those that the lines tell, by rank."""

    id: str
    """Empty when the lines name no group: then it may be several."""
    desc: str
    shared: bool
    """Whether the lines of different ranks are surely about one and the same group."""
    seq: int
    """The first call that did not end."""
    timeouts: Mapping[int, WatchdogLine]
    """Ranks that timed out in `seq`."""
    later: Mapping[int, WatchdogLine]
    """Ranks that timed out in a later call of the group."""
    enqueued: Mapping[int, tuple[int, WatchdogLine]] = field(default_factory=dict)
    """The last call that a rank has made, and the line that says so."""
    completed: Mapping[int, tuple[int, WatchdogLine]] = field(default_factory=dict)
    """The last call that has ended for a rank."""

    @property
    def comparable(self) -> bool:
        """Whether numbers of calls mean the same on all ranks."""
        return self.shared and not any(line.op in _P2P for line in self.timeouts.values())

    @property
    def default(self) -> bool:
        return self.id == "0"

    @property
    def inside(self) -> RankSet:
        """Ranks that have made the call and for which it has not ended."""
        ended = {rank for rank, (number, _) in self.completed.items() if number >= self.seq}
        made = {rank for rank, (number, _) in self.enqueued.items() if number >= self.seq}
        return RankSet(self.timeouts) | RankSet(made - ended)

    @property
    def behind(self) -> RankSet:
        """Ranks that have not made the call."""
        late = RankSet(rank for rank, (number, _) in self.enqueued.items() if number < self.seq)
        return late - RankSet(self.timeouts) - RankSet(self.later)

    @property
    def done(self) -> RankSet:
        """Ranks for which the call has ended, while it has not for others."""
        ended = RankSet(rank for rank, (number, _) in self.completed.items() if number >= self.seq)
        return ended - RankSet(self.timeouts)

    @property
    def ranks(self) -> RankSet:
        """Ranks that are known to be members."""
        return RankSet((*self.timeouts, *self.later, *self.enqueued, *self.completed))


def one_episode(lines: Iterable[WatchdogLine]) -> list[WatchdogLine]:
    """The lines of the last time that the job hung: a log may hold the attempts before it.

    A timeout comes only after its own span, so what is older than that span before the last timeout is of before.
    """
    known = list(lines)
    dated = [one for one in known if one.kind is WatchdogKind.TIMEOUT and one.at is not None]
    if not dated:
        return known
    last = max(dated, key=lambda one: one.at or 0)
    since = (last.at or 0) - (last.timeout_ms or 0) * 1_000_000
    return [one for one in known if one.at is None or one.at >= since]


def timed_out_groups(lines: Sequence[WatchdogLine]) -> tuple[TimedOutGroup, ...]:
    """The groups with a timeout; those known for sure first, then those with more ranks in it.

    Args:
        lines: of one episode, with ranks; lines without one are passed over.
    """
    timeouts: dict[str, dict[int, list[WatchdogLine]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        if line.kind is WatchdogKind.TIMEOUT and line.rank is not None and line.seq is not None:
            timeouts[line.group_id][line.rank].append(line)
    made = [_group(group_id, ranks, lines) for group_id, ranks in timeouts.items()]
    return tuple(sorted(made, key=lambda one: (not one.shared, -len(one.timeouts), one.id)))


def _group(
    group_id: str, timeouts: Mapping[int, Sequence[WatchdogLine]], lines: Sequence[WatchdogLine]
) -> TimedOutGroup:
    firsts = {rank: min(some, key=lambda one: (one.seq or 0, one.number)) for rank, some in timeouts.items()}
    seq = min(line.seq or 0 for line in firsts.values())
    own = [line for line in lines if line.group_id == group_id and line.rank is not None]
    shared = bool(group_id) and all(line.group_shared for line in own)
    enqueued: dict[int, tuple[int, WatchdogLine]] = {}
    completed: dict[int, tuple[int, WatchdogLine]] = {}
    if shared:
        _told_by_desync(own, enqueued)
        for line in own:
            assert line.rank is not None
            if line.kind is not WatchdogKind.STATUS or line.last_enqueued is None or line.last_completed is None:
                continue
            # The rank's own word goes before that of a report, and a later one before an earlier one.
            before = enqueued.get(line.rank)
            if before is None or before[1].kind is WatchdogKind.DESYNC or before[0] < line.last_enqueued:
                enqueued[line.rank] = line.last_enqueued, line
            if line.rank not in completed or completed[line.rank][0] < line.last_completed:
                completed[line.rank] = line.last_completed, line
    return TimedOutGroup(
        group_id,
        next((line.group_desc for line in own if line.group_desc), ""),
        shared,
        seq,
        {rank: line for rank, line in sorted(firsts.items()) if line.seq == seq},
        {rank: line for rank, line in sorted(firsts.items()) if line.seq != seq},
        enqueued,
        completed,
    )


def _told_by_desync(own: Sequence[WatchdogLine], enqueued: dict[int, tuple[int, WatchdogLine]]) -> None:
    """What torch's desync reports say: they name ranks within the group."""
    ranks = {line.group_rank: line.rank for line in own if line.group_rank is not None and line.rank is not None}
    for line in own:
        if line.kind is not WatchdogKind.DESYNC or line.seq is None:
            continue
        for within in line.behind:
            rank = within if line.default_group else ranks.get(within)
            if rank is not None and rank not in enqueued:
                enqueued[rank] = line.seq, line
