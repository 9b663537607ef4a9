"""The timelines of one diagnosis: of the ranks of a group, of the groups of a rank. Each is made once, when wanted."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..flight_recorder.operations import Rule
from .arrivals import Arrivals, LaneStatistics, arrivals, lane_statistics
from .clocks import Clocks, CommonClock, common_clock
from .lanes import Lane, LaneContent, Timeline
from .segments import Lateness, Segments, segments_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from ..flight_recorder.diagnosis import Diagnosis

__all__ = ["GroupTimeline", "Timelines"]

_NEEDS_ALL = frozenset((Rule.SAME, Rule.ALL_GATHER, Rule.REDUCE_SCATTER, Rule.ALL_TO_ALL))
"""Collectives that end on no rank before every rank has come."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupTimeline:
    """The calls of one group. `arrivals` has a row for each call of it in `Matched`, from `first_call` on."""

    timeline: Timeline
    arrivals: Arrivals
    statistics: LaneStatistics
    first_call: int
    ranks: tuple[int, ...]
    """Rank of each lane."""

    def lane_of(self, rank: int) -> int | None:
        place = int(np.searchsorted(self.ranks, rank))
        return place if place < len(self.ranks) and self.ranks[place] == rank else None


@dataclass(slots=True, eq=False)
class Timelines:
    """
    Args:
        diagnosis: what the flight recorders of one source say.
        hosts: host of each rank, where the dumps do not name it.
    """

    diagnosis: Diagnosis
    hosts: Mapping[int, str] = field(default_factory=dict)
    _groups: dict[int, GroupTimeline] = field(default_factory=dict)
    _ranks: dict[int, Timeline] = field(default_factory=dict)

    def calls_of(self, group: int) -> range:
        """The calls of a group in `Matched`: its collectives by sequence number, then its P2P calls."""
        of_group = self.diagnosis.analysis.matched.call_group
        return range(int(np.searchsorted(of_group, group, "left")), int(np.searchsorted(of_group, group, "right")))

    def size_of(self, group: int) -> int:
        """Parts that have to be looked at for a group: what its timeline costs."""
        start, calls = self.diagnosis.analysis.matched.call_start, self.calls_of(group)
        return int(start[calls.stop] - start[calls.start]) if calls else 0

    def groups_of(self, rank: int) -> list[int]:
        """The groups that a rank is in, or has called."""
        job = self.diagnosis.analysis.job
        rows = slice(*np.searchsorted(job.columns.rank, (rank, rank + 1)))  # they stand by rank
        called = set(np.unique(job.columns.group[rows]).tolist())
        return [group.index for group in job.groups if rank in group.members or group.index in called]

    def usual_group(self) -> int | None:
        """The group to begin with: that of the first finding, else the one with the most recorded calls of ranks."""
        for finding in self.diagnosis.findings:
            if finding.group is not None and self.calls_of(finding.group.index):
                return finding.group.index
        groups = range(len(self.diagnosis.analysis.job.groups))
        return max(groups, key=self.size_of, default=None)

    def of_group(self, group: int) -> GroupTimeline:
        """The ranks of a group.

        Raises:
            IndexError: there is no such group.
        """
        found = self._groups.get(group)
        if found is None:
            found = self._groups[group] = self._make_group(group)
        return found

    def of_rank(self, rank: int) -> Timeline:
        """The groups of a rank, on its own clock; no lanes when it has none."""
        found = self._ranks.get(rank)
        if found is None:
            found = self._ranks[rank] = self._make_rank(rank)
        return found

    def _host_of(self, rank: int) -> str:
        dump = self.diagnosis.analysis.job.dump_of(rank)
        return (dump.host if dump is not None else "") or self.hosts.get(rank, "")

    def _make_group(self, index: int) -> GroupTimeline:
        job, matched = self.diagnosis.analysis.job, self.diagnosis.analysis.matched
        group, columns, calls = job.groups[index], job.columns, self.calls_of(index)
        bounds = matched.call_start[calls.start : calls.stop + 1]
        begin, end = (int(bounds[0]), int(bounds[-1])) if calls else (0, 0)
        starts = bounds - begin if calls else np.zeros(1, dtype=np.int64)
        of_part = matched.part_rank[begin:end]
        ranks = np.union1d(np.array(group.ranks, dtype=np.int64), np.flatnonzero(np.bincount(of_part)))
        lane = np.searchsorted(ranks, of_part)
        collective = ~matched.call_p2p[calls.start : calls.stop]
        created = columns.created[matched.part_first[begin:end]]
        clock = self._clock(created, lane, starts, collective, [int(rank) for rank in ranks])
        if clock.kind is Clocks.ESTIMATED:
            created = np.where(created > 0, created - clock.offsets[lane], 0)
        found = arrivals(created, lane, starts)
        collectives = int(collective.sum())
        reached = self._reached(index, ranks, matched.call_seq[calls.start : calls.start + collectives])
        reached = np.where(reached > self._last_proof(calls, begin, end), reached, collectives)
        everywhere = collective & (np.arange(len(calls)) < reached.min(initial=collectives))
        statistics = lane_statistics(created, lane, starts, found, everywhere, len(ranks))
        along = np.argsort(lane.astype(np.int16 if len(ranks) < 2**15 else np.int32), kind="stable") + begin
        lane_start = np.append(0, np.cumsum(np.bincount(lane, minlength=len(ranks))))
        axis = collectives or len(calls)
        lanes = self._lanes(index, ranks, statistics, np.diff(lane_start), reached, collectives)
        read = partial(self._read, calls.start, axis, clock, found, collective, along, lane_start, ranks)
        known = created[created > 0]
        row = matched.part_row[begin:end]
        newest = max(
            int(known.max(initial=0)),
            *(_newest(column[row], lane, clock) for column in (columns.started, columns.completed)),
        )
        timeline = Timeline(
            diagnosis=self.diagnosis,
            lanes=lanes,
            group=index,
            rank=None,
            clock=clock,
            places=axis,
            oldest=int(known.min()) if len(known) else 0,
            newest=newest,
            end=max([newest, *self._taken(int(rank) for rank in ranks)]),
            untimed=len(created) - len(known),
            off_axis=int(starts[-1] - starts[axis]),
            scale_s=_scale_s(found, collective),
            read=read,
        )
        return GroupTimeline(timeline, found, statistics, calls.start, tuple(int(rank) for rank in ranks))

    def _clock(
        self,
        created: NDArray[np.int64],
        lane: NDArray[np.int64],
        starts: NDArray[np.int64],
        collective: NDArray[np.bool_],
        ranks: list[int],
    ) -> CommonClock:
        """The clock of the lanes that call at all; the others have no times to bring anywhere."""
        came = np.diff(starts)
        made = np.zeros(len(ranks), dtype=np.bool_)
        made[lane[np.repeat(collective, came)]] = True
        places = np.flatnonzero(made)
        whole = np.flatnonzero(collective & (came == len(places))) if len(places) else np.empty(0, np.int64)
        times = created[starts[:-1][whole][:, None] + np.arange(len(places))]
        times = times[(times > 0).all(axis=1)]
        clock = common_clock(times, [self._host_of(ranks[place]) for place in places])
        offsets = np.zeros(len(ranks), dtype=np.int64)
        offsets[places] = clock.offsets
        return CommonClock(clock.kind, offsets)

    def _reached(self, group: int, ranks: NDArray[np.int64], seqs: NDArray[np.uint64]) -> NDArray[np.int64]:
        """To how many of the collectives each rank has come, those it no longer remembers too; all where that is not
        known."""
        positions = self.diagnosis.analysis.positions
        known = [positions.at(rank, group) for rank in ranks.tolist()]
        reached = [None if at is None else at.enqueued for at in known]
        top = 2**64 - 1
        newest = np.array([top if one is None else min(one, top) for one in reached], dtype=np.uint64)
        return np.searchsorted(seqs, newest, "right")

    def _last_proof(self, calls: range, begin: int, end: int) -> int:
        """The last collective of a group that has ended somewhere and can't without all ranks; -1 = none.

        A dump that ends before it is older than the others, and does not tell to which calls its rank has not come.
        """
        job, matched = self.diagnosis.analysis.job, self.diagnosis.analysis.matched
        needs_all = np.array([operation.rule in _NEEDS_ALL for operation in job.operations], dtype=np.bool_)
        call = matched.part_call[begin:end]
        ended = matched.ended[begin:end] & ~matched.late[begin:end] & ~matched.call_p2p[call]
        ended &= needs_all[job.columns.operation[matched.part_row[begin:end]]] if len(needs_all) else False
        return int(call[ended].max(initial=calls.start - 1)) - calls.start

    def _lanes(
        self,
        group: int,
        ranks: NDArray[np.int64],
        statistics: LaneStatistics,
        counts: NDArray[np.int64],
        reached: NDArray[np.int64],
        collectives: int,
    ) -> tuple[Lane, ...]:
        dumps = self.diagnosis.analysis.job.ranks
        lanes = []
        for place, rank in enumerate(ranks.tolist()):
            late = float(statistics.late_ns[place]) / 1e9
            content = LaneContent.NOTHING if rank in dumps else LaneContent.NO_DUMP
            lanes.append(
                Lane(
                    rank=rank,
                    group=group,
                    content=LaneContent.CALLS if counts[place] else content,
                    last=int(statistics.last[place]),
                    compared=statistics.calls if late == late else 0,
                    late_s=late if late == late else None,
                    missing_from=int(reached[place]) if reached[place] < collectives else None,
                )
            )
        return tuple(lanes)

    def _taken(self, ranks: Iterable[int]) -> list[int]:
        job = self.diagnosis.analysis.job
        dumps = (job.dump_of(rank) for rank in ranks)
        return [dump.taken_at for dump in dumps if dump is not None and dump.taken_at is not None]

    def _read(
        self,
        first_call: int,
        axis: int,
        clock: CommonClock,
        found: Arrivals,
        collective: NDArray[np.bool_],
        along: NDArray[np.int64],
        lane_start: NDArray[np.int64],
        ranks: NDArray[np.int64],
        lane: int,
    ) -> Segments:
        job, matched = self.diagnosis.analysis.job, self.diagnosis.analysis.matched
        part = along[lane_start[lane] : lane_start[lane + 1]]
        call = matched.part_call[part] - first_call
        dump = job.dump_of(int(ranks[lane]))

        def late(created: NDArray[np.int64]) -> Lateness:
            told = (created > 0) & collective[call] & (found.timed[call] > 1)
            behind = np.where(told, (created - found.median[call]) / 1e9, np.nan)
            is_last = told & (found.last_lane[call] == lane)
            return Lateness(behind, is_last, is_last & found.stands_out[call])

        return segments_of(
            job,
            matched,
            part,
            offset=int(clock.offsets[lane]),
            taken_at=None if dump is None else dump.taken_at,
            late=late,
            place=np.where(call < axis, call, -1),
        )

    def _make_rank(self, rank: int) -> Timeline:
        matched = self.diagnosis.analysis.matched
        groups = [self.of_group(group) for group in self.groups_of(rank)]
        lanes, parts = [], []
        for one in groups:
            place = one.lane_of(rank)
            assert place is not None
            lanes.append(_without_missing(one.timeline.lanes[place]))
            own = one.timeline.segments(place)
            parts.append(own.shifted(int(one.timeline.clock.offsets[place])))
        rows = [matched.part_first[own.part] for own in parts]
        order = np.argsort(np.concatenate(rows)) if rows else np.empty(0, np.int64)
        places = np.empty(len(order), dtype=np.int64)
        places[order] = np.arange(len(order))
        cuts = np.cumsum([len(row) for row in rows])[:-1]
        placed = [own.placed(at) for own, at in zip(parts, np.split(places, cuts), strict=True)] if parts else []
        created = np.concatenate([own.created for own in parts]) if parts else np.empty(0, np.int64)
        known = created[created > 0]
        instants = [int(column.max(initial=0)) for own in parts for column in (own.created, own.started, own.completed)]
        newest = max(instants, default=0)
        return Timeline(
            diagnosis=self.diagnosis,
            lanes=tuple(lanes),
            group=None,
            rank=rank,
            clock=CommonClock(Clocks.ONE_HOST, np.zeros(len(lanes), dtype=np.int64)),
            places=len(order),
            oldest=int(known.min()) if len(known) else 0,
            newest=newest,
            end=max([newest, *self._taken((rank,))]),
            untimed=len(created) - len(known),
            off_axis=0,
            scale_s=max((one.timeline.scale_s for one in groups), default=0.0),
            read=placed.__getitem__,
        )


def _without_missing(lane: Lane) -> Lane:
    """P2P calls of different ranks do not share sequence numbers, and the calls of a rank are all its own."""
    return Lane(lane.rank, lane.group, lane.content, lane.last, lane.compared, lane.late_s)


def _newest(column: NDArray[np.int64], lane: NDArray[np.int64], clock: CommonClock) -> int:
    if not len(column):
        return 0
    if clock.kind is Clocks.ESTIMATED:
        column = np.where(column > 0, column - clock.offsets[lane], 0)
    return int(column.max(initial=0))


def _scale_s(found: Arrivals, collective: NDArray[np.bool_]) -> float:
    """How far the last rank is behind the median in all but the latest twentieth of the calls."""
    behind = (found.last - found.median)[collective & (found.timed > 1)]
    return float(np.quantile(behind, 0.95)) / 1e9 if len(behind) else 0.0
