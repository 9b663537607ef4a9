"""Who got on: positions in the process groups at both looks, as the flight recorders tell them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...findings import Group
from ...flight_recorder.motion import group_key
from ...ranksets import RankSet
from .values import GroupMotion, MotionDifference, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from ...flight_recorder.analysis import Analysis
    from ...flight_recorder.dump import GroupStatus
    from ...flight_recorder.groups import JobGroup
    from ...flight_recorder.positions import Position
    from ..recorders import RecorderLook

__all__ = ["motion_between"]

GROUPS_KEPT = 200
"""Groups in which somebody moved; more are counted."""
STEPS_KEPT = 20
"""Different ways in which ranks of a group moved; more are counted."""

_Numbers = tuple[int | None, int | None, int | None, int | None]


def motion_between(before: RecorderLook, after: RecorderLook, others: RankSet) -> MotionDifference | None:
    """What the recorders say; None when not both looks have read one.

    Args:
        others: ranks whose process is another one at the later look; their numbers are not compared.
    """
    shared = [source for source in after.diagnoses if source in before.diagnoses]
    if not shared:
        return None
    groups: list[GroupMotion] = []
    still = 0
    moved, stood, back = RankSet(), RankSet(), RankSet()
    for source in shared:
        was, now = before.diagnoses[source].analysis, after.diagnoses[source].analysis
        for one in _groups(source, was, now, others):
            moved, stood, back = moved | one.moved, stood | one.stood, back | one.back
            if one.moved or one.back:
                groups.append(one)
            else:
                still += 1
    groups.sort(key=_order)
    return MotionDifference(
        moved=moved - back,
        stood=stood - moved - back,
        back=back,
        inside=after.inside,
        groups=tuple(groups[:GROUPS_KEPT]),
        groups_left_out=max(len(groups) - GROUPS_KEPT, 0),
        groups_still=still,
        only_before=before.read - after.read,
        only_after=after.read - before.read,
    )


def _order(one: GroupMotion) -> tuple[bool, bool, int, int]:
    """Groups of which numbers are known come first, of these the ones that hold somebody up, then the largest."""
    counted = any(step.begun or step.back for step in one.steps)
    return not counted, not one.stood, -len(one.moved | one.stood), one.group.ranks.first or 0


def _groups(source: str, before: Analysis, now: Analysis, others: RankSet) -> Iterator[GroupMotion]:
    """The groups of the later look in which a rank has a position at both."""
    older = _same_groups(before, now)
    twice = (before.job.ranks & now.job.ranks) - others
    known: dict[int, list[tuple[int, Position]]] = {}
    for (rank, group), at in now.positions.items():
        if rank in twice:
            known.setdefault(group, []).append((rank, at))
    for index, members in known.items():
        if index not in older:
            continue
        earlier = older[index]
        steps: dict[tuple[_Numbers, _Numbers], list[int]] = {}
        stood = []
        for rank, at in members:
            was, status = before.positions.at(rank, earlier), _status(before, rank, earlier)
            numbers = _numbers(was), _numbers(at)
            if not _known(numbers[0], status) or not _known(numbers[1], _status(now, rank, index)):
                continue
            if numbers[0] == numbers[1] and status == _status(now, rank, index):
                stood.append(rank)
            else:
                steps.setdefault(numbers, []).append(rank)
        yield _group(source, now.job.groups[index], steps, RankSet(stood))


def _group(
    source: str, group: JobGroup, found: dict[tuple[_Numbers, _Numbers], list[int]], stood: RankSet
) -> GroupMotion:
    steps = [Step(RankSet(ranks), *zip(was, now, strict=True)) for (was, now), ranks in found.items()]
    steps.sort(key=lambda step: (len(step.ranks), step.ranks.first))
    back, moved = RankSet(), RankSet()
    for step in steps:
        if step.back:
            back |= step.ranks
        else:
            moved |= step.ranks
    named = Group(group.name, group.desc, group.members)
    left_out = max(len(steps) - STEPS_KEPT, 0)
    return GroupMotion(source, named, tuple(steps[:STEPS_KEPT]), left_out, moved, stood, back)


def _same_groups(before: Analysis, now: Analysis) -> dict[int, int]:
    """By index of a group of the later look: that of the same group at the earlier one, where it is there.

    Groups are the same by name and members; of different jobs or recorders by members and description, or by name
    and description.
    """
    ways: tuple[Callable[[Analysis, JobGroup], Hashable], ...] = (
        lambda look, group: group_key(look, group.index),
        lambda _look, group: (group.desc, group.members),
        lambda _look, group: (group.desc, group.name),
    )
    found: dict[int, int] = {}
    for way in ways:
        older: dict[Hashable, int] = {}
        taken = set(found.values())
        for group in before.job.groups:
            if group.index not in taken:
                older.setdefault(way(before, group), group.index)
        for group in now.job.groups:
            if group.index not in found and (earlier := older.pop(way(now, group), None)) is not None:
                found[group.index] = earlier
    return found


def _known(numbers: _Numbers, status: GroupStatus | None) -> bool:
    return any(number is not None for number in numbers) or (status is not None and status.enqueued is not None)


def _numbers(at: Position | None) -> _Numbers:
    if at is None:
        return None, None, None, None
    return at.enqueued, at.completed, at.p2p_enqueued, at.p2p_completed


def _status(look: Analysis, rank: int, group: int) -> GroupStatus | None:
    """The rank's counters of a group: where what they count is not known, they tell at least that something moved."""
    counters = look.job.counters.get(rank, {}).get(group)
    return None if counters is None else counters.status
