"""Several logs of one job put together: nothing counts twice, and no rank gets what may be another's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..ranksets import RankSet, ranks_said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .job_log import JobLog

__all__ = ["without_clashes"]


def without_clashes(logs: Sequence[JobLog]) -> tuple[JobLog, ...]:
    """The logs without what they say of ranks that are only assumed and may be others, and without what stands in two.

    Logs of several hosts each have a `[default0]:`; whose rank 0 it is they don't tell. Logs with the same stacks are
    of the same host: the log of a launcher and the files that it wrote for each rank.

    Raises:
        OSError: a body can't be read.
    """
    made = []
    seen: set[tuple[int, str, int, bytes]] = set()
    for index, log in enumerate(logs):
        clash = RankSet(rank for rank in log.assumed if _clashes(rank, index, logs))
        evidence = []
        for one in log.evidence:
            key = (one.rank, one.source, one.taken_at, one.body.read())
            if one.rank not in clash and key not in seen:
                seen.add(key)
                evidence.append(one)
        notes = log.notes
        if clash:
            said = "known by the number on a host alone, and another log has such ranks too: left out"
            notes = (*notes, f"{ranks_said(clash)}: {said}")
        made.append(
            replace(
                log,
                evidence=tuple(evidence),
                watchdog=tuple(one for one in log.watchdog if one.rank not in clash),
                heard=log.heard - clash,
                assumed=log.assumed - clash,
                notes=notes,
            )
        )
    return tuple(made)


def _clashes(rank: int, index: int, logs: Sequence[JobLog]) -> bool:
    """Whether a log of another origin has such a rank, and other stacks of it."""
    own = _stacks(logs[index], rank)
    for at, other in enumerate(logs):
        if at == index or other.origin == logs[index].origin or rank not in other.heard:
            continue
        theirs = _stacks(other, rank)
        if not (own and theirs) or not (own <= theirs or theirs <= own):
            return True
    return False


def _stacks(log: JobLog, rank: int) -> set[bytes]:
    return {one.body.read() for one in log.evidence if one.rank == rank}
