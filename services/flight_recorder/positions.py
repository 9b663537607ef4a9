"""How far each rank is in each group: from its entries, and from the counters that survive the ring.

What a counter counts differs and has to be found out for each dump: the collectives of the group, its P2P calls (NCCL
keeps the last of either, each counter for itself), or all operations of the group, recorded or not (Gloo, as op_id).
The newest entry has both sequence numbers of its group, whatever it is itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .dump import Dump, GroupStatus
    from .job import Job
    from .match import Matched
    from .status_groups import Counters

__all__ = ["CHANCE", "Position", "Positions", "Unit", "find_positions"]


TWO_COUNTERS = (2, 2)
"""The version that told collectives and P2P calls apart."""


CHANCE = 16
"""Up to this number a send or receive and a collective of one group may well have the same one."""


class Unit(StrEnum):
    """What the counters of a rank in a group count."""

    COLLECTIVES = "collectives"
    P2P = "p2p"
    OPERATIONS = "operations"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Position:
    """How far one rank is in one group. Sequence numbers; None = not known."""

    first: int | None = None
    """The oldest collective that its ring still has."""
    enqueued: int | None = None
    """The newest collective that it has called; 0 when it has called none."""
    completed: int | None = None
    """Collectives up to this one are over."""
    p2p_enqueued: int | None = None
    p2p_completed: int | None = None
    unit: Unit = Unit.UNKNOWN
    counted: bool = False
    """Counters say it, not entries alone."""
    ends_counted: bool = False
    """`completed` is what counters say, which count nothing else: what lies behind it is not over."""
    borrowed: bool = False
    """That these counters are this group's is concluded from other ranks."""
    silent: bool = False
    """Nothing is recorded about the group on this rank: `enqueued` 0 rests on that alone."""
    filtered: bool = False
    """The dump leaves out calls that have ended, so that its entries do not tell the position."""


class Positions:
    """Positions of all ranks in all groups; `at` makes the one of a rank that has recorded nothing."""

    def __init__(
        self,
        known: dict[tuple[int, int], Position],
        ranks: frozenset[int],
        filtered: frozenset[int],
        unplaced: Mapping[int, bool],
    ) -> None:
        self._known = known
        self._ranks = ranks
        self._filtered = filtered
        self._unplaced = unplaced

    def at(self, rank: int, group: int) -> Position | None:
        """The position of a rank, None when it has no dump."""
        found = self._known.get((rank, group))
        if found is None and rank in self._ranks:
            placed = rank not in self._unplaced
            return Position(enqueued=0 if placed else None, silent=placed, filtered=rank in self._filtered)
        return found

    def inside_something(self, rank: int) -> bool:
        """Whether counters of which it is not known what they count say that the rank is inside a call."""
        return self._unplaced.get(rank, False)

    def silent(self, job: Job) -> list[tuple[int, int]]:
        """(rank, group index) of all members with a dump that has nothing recorded about the group."""
        placed = self._ranks - self._unplaced.keys()
        return [
            (rank, group.index)
            for group in job.groups
            for rank in group.ranks
            if ((at := self._known.get((rank, group.index))) is None and rank in placed)
            or (at is not None and at.silent and at.p2p_enqueued is None)
        ]

    @property
    def filtered(self) -> frozenset[int]:
        """Ranks whose dump has active calls only."""
        return self._filtered

    def items(self) -> list[tuple[tuple[int, int], Position]]:
        """((rank, group index), position) of all that have recorded something."""
        return sorted(self._known.items())


@dataclass(slots=True)
class _Seen:
    """What the entries of a rank in a group say."""

    first: int | None = None
    enqueued: int | None = None
    completed: int | None = None
    p2p_enqueued: int | None = None
    p2p_completed: int | None = None


def find_positions(job: Job, matched: Matched) -> Positions:
    """The position of each rank in each group that it has anything recorded about."""
    seen = _seen(job, matched)
    filtered = frozenset(dump.rank for dump in job.dumps if _only_active(dump))
    last = _last_rows(job)
    units = {
        (rank, group): _unit(job, last.get((rank, group)), counters.status)
        for rank, known in job.counters.items()
        for group, counters in known.items()
    }
    by_group: dict[int, set[Unit]] = {}
    for (_, group), unit in units.items():
        if unit is not Unit.UNKNOWN:
            by_group.setdefault(group, set()).add(unit)
    columns = job.columns
    told_apart = {dump.rank for dump in job.dumps if dump.version >= TWO_COUNTERS}
    lanes = _lanes(job, matched, told_apart)
    both = told_apart - filtered
    for (rank, group), row in last.items():
        if rank in both and (rank, group) in seen:
            entries = seen[rank, group]
            entries.enqueued = max(entries.enqueued or 0, int(columns.collective_seq[row]))
            entries.p2p_enqueued = max(entries.p2p_enqueued or 0, int(columns.p2p_seq[row])) or None
    known: dict[tuple[int, int], Position] = {}
    for pair in seen.keys() | units.keys():
        rank, group = pair
        entries = seen.get(pair, _Seen())
        counters = job.counters.get(rank, {}).get(group)
        unit = units.get(pair, Unit.UNKNOWN)
        if unit is Unit.UNKNOWN:
            unit = _of_peers(by_group.get(group, set()), lanes.get(group, set()), pair in seen)
        mixed = len(lanes.get(group, ())) > 1
        if mixed and rank in told_apart and counters is not None and (over := counters.status.completed) is not None:
            # The other kind has not come so far, as the numbers in the newest entry tell; where entries are left out,
            # it may have come some way since.
            newest, of_other = last.get(pair), columns.collective_seq if unit is Unit.P2P else columns.p2p_seq
            mixed = newest is None or over <= int(of_other[newest]) + (CHANCE if rank in filtered else 0)
        known[pair] = _position(entries, counters, unit, mixed=mixed, filtered=rank in filtered)
    unplaced = _unplaced(job)
    for (rank, group), at in known.items():
        counters = job.counters.get(rank, {}).get(group)
        if at.enqueued is None and counters is not None and counters.status.enqueued is not None:
            unplaced[rank] = unplaced.get(rank, False) or counters.status.enqueued != counters.status.completed
    return Positions(known, frozenset(dump.rank for dump in job.dumps), filtered, unplaced)


def _unplaced(job: Job) -> dict[int, bool]:
    """Ranks with counters whose group is not known, and whether one of these counts a call that is not over."""
    found = {}
    for dump in job.dumps:
        placed = {id(counters.status) for counters in job.counters.get(dump.rank, {}).values()}
        left = [one for one in dump.statuses.values() if id(one) not in placed and one.enqueued is not None]
        if left:
            found[dump.rank] = any(one.enqueued != one.completed for one in left)
    return found


def _position(entries: _Seen, counters: Counters | None, unit: Unit, *, mixed: bool, filtered: bool) -> Position:
    status = counters.status if counters else None
    over = None if status is None or mixed else status.completed  # of either kind, where a group has both
    if over is not None and status is not None and over > (status.enqueued or 0):
        over = None  # it counts the other kind
    enqueued, completed = entries.enqueued, entries.completed
    p2p_enqueued, p2p_completed = entries.p2p_enqueued, entries.p2p_completed
    counted = ends_counted = False
    if status is not None:
        if unit is Unit.COLLECTIVES:
            enqueued, completed = _most(enqueued, status.enqueued), _most(completed, over)
            counted, ends_counted = status.enqueued is not None, over is not None and completed == over
        elif unit is Unit.P2P:
            p2p_enqueued, p2p_completed = _most(p2p_enqueued, status.enqueued), _most(p2p_completed, over)
        elif unit is Unit.OPERATIONS:
            counted = enqueued is not None
    nothing = status is None or status.enqueued is None
    if enqueued is None and nothing and not (filtered and status is None):
        enqueued = 0
    return Position(
        first=entries.first,
        enqueued=enqueued,
        completed=completed,
        p2p_enqueued=p2p_enqueued,
        p2p_completed=p2p_completed,
        unit=unit,
        counted=counted,
        ends_counted=ends_counted,
        borrowed=counters.borrowed if counters else False,
        silent=entries.enqueued is None and nothing,
        filtered=filtered,
    )


def _most(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else max(one, other)


def _seen(job: Job, matched: Matched) -> dict[tuple[int, int], _Seen]:
    found: dict[tuple[int, int], _Seen] = {}
    if not len(matched.part_rank):
        return found
    groups = len(job.groups)
    pair = matched.part_rank.astype(np.int64) * groups + matched.call_group[matched.part_call]
    seq = matched.call_seq[matched.part_call]
    ended = matched.ended & ~matched.late
    for p2p in (False, True):
        here = np.flatnonzero(matched.call_p2p[matched.part_call] == p2p)
        if not len(here):
            continue
        order = here[np.argsort(pair[here], kind="stable")]
        starts = np.flatnonzero(np.append(True, pair[order][1:] != pair[order][:-1]))
        first = np.minimum.reduceat(seq[order], starts)
        last = np.maximum.reduceat(seq[order], starts)
        done = np.maximum.reduceat(np.where(ended[order], seq[order], np.uint64(0)), starts)
        for key, low, high, over in zip(pair[order][starts], first, last, done, strict=True):
            entry = found.setdefault((int(key) // groups, int(key) % groups), _Seen())
            if p2p:
                entry.p2p_enqueued, entry.p2p_completed = int(high), int(over) or None
            else:
                entry.first, entry.enqueued, entry.completed = int(low), int(high), int(over) or None
    return found


def _last_rows(job: Job) -> dict[tuple[int, int], int]:
    """The newest entry of each rank in each group."""
    columns = job.columns
    if not len(columns):
        return {}
    groups = len(job.groups)
    pair = columns.rank.astype(np.int64) * groups + columns.group
    keys, from_end = np.unique(pair[::-1], return_index=True)
    newest = len(pair) - 1 - from_end
    return {(int(key) // groups, int(key) % groups): int(row) for key, row in zip(keys, newest, strict=True)}


def _unit(job: Job, row: int | None, status: GroupStatus) -> Unit:
    """What counters count, from the newest entry of the rank in the group."""
    if row is None or status.enqueued is None:
        return Unit.UNKNOWN
    columns = job.columns
    op = job.operations[columns.operation[row]]
    if op.backend == "gloo":
        return Unit.OPERATIONS
    p2p = bool(columns.is_p2p[row]) or op.base in ("send", "recv")
    if status.enqueued == int(columns.p2p_seq[row] if p2p else columns.collective_seq[row]):
        return Unit.P2P if p2p else Unit.COLLECTIVES
    if status.enqueued == int(columns.op_id[row]):
        return Unit.OPERATIONS
    return Unit.UNKNOWN


def _lanes(job: Job, matched: Matched, told_apart: set[int]) -> dict[int, set[Unit]]:
    """Which kinds of calls each group has had on any rank: by its entries, and by the numbers in them, which know of
    calls that are gone or left out."""
    columns = job.columns
    seen = {unit: np.zeros(len(job.groups), dtype=np.bool_) for unit in (Unit.COLLECTIVES, Unit.P2P)}
    seen[Unit.COLLECTIVES][matched.call_group[~matched.call_p2p]] = True
    seen[Unit.P2P][matched.call_group[matched.call_p2p]] = True
    if len(columns):
        tells = np.array([dump.rank in told_apart for dump in job.dumps], dtype=np.bool_)[columns.dump]
        seen[Unit.COLLECTIVES][columns.group[tells & (columns.collective_seq > 0)]] = True
        seen[Unit.P2P][columns.group[tells & (columns.p2p_seq > 0)]] = True
    lanes: dict[int, set[Unit]] = {}
    for unit, groups in seen.items():
        for group in np.flatnonzero(groups):
            lanes.setdefault(int(group), set()).add(unit)
    return lanes


def _of_peers(units: set[Unit], lanes: set[Unit], has_entries: bool) -> Unit:
    """What counters count when the rank's own newest entry does not tell it (it is gone, or left out)."""
    if units and units != {Unit.OPERATIONS}:
        return next(iter(units)) if len(units) == 1 else Unit.UNKNOWN
    if units:
        return Unit.OPERATIONS
    # Calls of one kind only on all ranks: the counter can have followed nothing else.
    return next(iter(lanes)) if len(lanes) == 1 and not has_entries else Unit.UNKNOWN


def _only_active(dump: Dump) -> bool:
    """Whether a dump leaves out ended calls: it has none, though its counters know of some."""
    entries = dump.entries
    if bool(np.any((entries.state == 2) | entries.retired | (entries.completed > 0))):
        return False
    return any((status.completed or 0) > 0 for status in dump.statuses.values())
