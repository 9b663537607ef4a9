"""What limits a look at the flight recorders, one plain line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ranksets import RankSet, ranks_said

if TYPE_CHECKING:
    from .analysis import Analysis

__all__ = ["contradictions_of", "limits_of", "notes_of"]

_NAMED = 8
"""Ranks that get a line each; more of the same are counted."""
_GROUPS_NAMED = 3


def notes_of(now: Analysis) -> tuple[str, ...]:
    """Notes about the dumps of a look, and what could not be read."""
    job = now.job
    notes = [*limits_of(now), *contradictions_of(now)]
    if inferred := sum(group.inferred for group in job.groups):
        notes.append(f"members of {inferred} groups are inferred from who uses them")
    left = sorted(job.unreadable.items())
    notes += [f"rank {rank}: {reason}" for rank, reason in left if rank not in now.aside]
    return tuple(notes)


def limits_of(now: Analysis) -> tuple[str, ...]:
    """What the dumps that were read leave out or say in several ways, one plain line each."""
    job = now.job
    notes = []
    if filtered := RankSet(now.positions.filtered):
        notes.append(f"{_dumps(filtered, 'holds', 'hold')} active calls only; counters stand in for the rest")
    empty = RankSet(dump.rank for dump in job.dumps if dump.silent)
    if empty and len(job.columns):
        one, many = "recorder of rank", "recorders of ranks"
        notes.append(
            f"the flight {one if len(empty) == 1 else many} {empty} {'is' if len(empty) == 1 else 'are'} empty"
        )
    if job.group_map.replicas > 1:
        notes.append(f"{job.group_map.replicas} replicas: dumps number their ranks from 0 in each")
    several = [group for group in job.groups if group.descs]
    for group in several[:_GROUPS_NAMED]:
        said = "; ".join(f"{desc!r} on {ranks_said(ranks)}" for desc, ranks in group.descs.items())
        notes.append(f"group {group.name!r} has several descriptions: {said}"[:300])
    if len(several) > _GROUPS_NAMED:
        notes.append(f"{len(several) - _GROUPS_NAMED} more groups have several descriptions")
    slow = RankSet(dump.rank for dump in job.dumps if any("slowly" in note for note in dump.notes))
    if slow:
        notes.append(f"{_dumps(slow, 'is', 'are')} not strict JSON, and slow to read")
    old = RankSet(dump.rank for dump in job.dumps if not dump.version)
    if old:
        notes.append(f"{_dumps(old, 'is', 'are')} of the oldest format, a bare list of entries")
    return tuple(notes)


def _dumps(ranks: RankSet, one: str, many: str) -> str:
    """`the dump of rank 3 is`, `the dumps of ranks 0-7 are`."""
    return f"the {'dump' if len(ranks) == 1 else 'dumps'} of {ranks_said(ranks)} {one if len(ranks) == 1 else many}"


def contradictions_of(now: Analysis) -> tuple[str, ...]:
    """Where dumps contradict each other, and which of them was believed, one plain line each."""
    job = now.job
    notes = [
        f"{_dumps(group.disputed, 'gives', 'give')} other members of group {group.name!r} than the others, who "
        f"say {group.members}: theirs is taken"[:300]
        for group in job.groups
        if group.disputed
    ]
    shown = list(now.aside)[:_NAMED]
    notes += [f"rank {rank}: {job.unreadable[rank]}; it counts as no dump" for rank in shown]
    if len(now.aside) > _NAMED:
        notes.append(f"{len(now.aside) - _NAMED} more dumps of another time count as none")
    return tuple(notes)
