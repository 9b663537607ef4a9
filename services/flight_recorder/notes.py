"""What limits a look at the flight recorders, one plain line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ranksets import RankSet

if TYPE_CHECKING:
    from .analysis import Analysis

__all__ = ["notes_of"]


def notes_of(now: Analysis) -> tuple[str, ...]:
    """Notes about the dumps of a look, and what could not be read."""
    job = now.job
    notes = []
    if filtered := RankSet(now.positions.filtered):
        notes.append(f"the dumps of ranks {filtered} hold active calls only; counters stand in for the rest")
    if job.group_map.replicas > 1:
        notes.append(f"{job.group_map.replicas} replicas: dumps number their ranks from 0 in each")
    for group in job.groups:
        if group.descs:
            said = "; ".join(f"{desc!r} on ranks {ranks}" for desc, ranks in group.descs.items())
            notes.append(f"group {group.name!r} has several descriptions: {said}"[:300])
    if inferred := sum(group.inferred for group in job.groups):
        notes.append(f"members of {inferred} groups are inferred from who uses them")
    notes += [f"rank {rank}: {reason}" for rank, reason in sorted(job.unreadable.items())]
    slow = RankSet(dump.rank for dump in job.dumps if any("slowly" in note for note in dump.notes))
    if slow:
        notes.append(f"the dumps of ranks {slow} are not strict JSON and were read slowly")
    old = RankSet(dump.rank for dump in job.dumps if not dump.version)
    if old:
        notes.append(f"the dumps of ranks {old} are of the oldest format, a bare list of entries")
    return tuple(notes)
