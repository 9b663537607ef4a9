"""One look analysed: dumps in, matched calls, positions, waits and first causes out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..ranksets import RankSet
from .causes import Cause, find_causes
from .job import Job, build_job
from .match import Matched, match
from .mismatch import Mismatch, find_mismatches
from .p2p_mismatch import find_p2p_mismatches
from .positions import Positions, find_positions
from .stale import of_another_time
from .waits import WaitGraph, find_waits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .dump import Dump

__all__ = ["Analysis", "analyse"]


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """What one look at the flight recorders of a job says."""

    job: Job
    matched: Matched
    positions: Positions
    waits: WaitGraph
    mismatches: tuple[Mismatch, ...]
    causes: tuple[Cause, ...]
    aside: RankSet = field(default_factory=RankSet)
    """Ranks whose dump contradicts the others and counts as none; `job.unreadable` says why."""


def analyse(
    dumps: Iterable[Dump],
    *,
    world_size: int | None = None,
    sizes: Mapping[str, int] | None = None,
    unreadable: Mapping[int, str] | None = None,
    files: bool = False,
) -> Analysis:
    """Analyse the dumps of one look; the arguments are those of `build_job`.

    Args:
        dumps: at most one of each rank.
        world_size: number of ranks of the job, where it is known.
        sizes: members of groups by name, as the store knows them.
        unreadable: ranks that have no dump, and why.
        files: the dumps lay in files, which need not be of one moment: those that contradict the others are set aside.

    Raises:
        ValueError: two dumps of one rank.
    """
    dumps = tuple(dumps)
    job = build_job(dumps, world_size=world_size, sizes=sizes, unreadable=unreadable)
    matched = match(job)
    positions = find_positions(job, matched)
    if files and (aside := of_another_time(job, matched, positions)):
        left = [dump for dump in dumps if dump.rank not in aside]
        unreadable = {**(unreadable or {}), **aside}
        look = analyse(left, world_size=world_size, sizes=sizes, unreadable=unreadable, files=True)
        return replace(look, aside=look.aside | RankSet(aside))
    waits = find_waits(job, matched, positions)
    mismatches = (*find_mismatches(job, matched), *find_p2p_mismatches(job, waits))
    return Analysis(job, matched, positions, waits, mismatches, find_causes(waits, mismatches))
