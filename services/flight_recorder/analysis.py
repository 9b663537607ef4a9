"""One look analysed: dumps in, matched calls, positions, waits and first causes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .causes import Cause, find_causes
from .job import Job, build_job
from .match import Matched, match
from .mismatch import Mismatch, find_mismatches
from .positions import Positions, find_positions
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


def analyse(
    dumps: Iterable[Dump],
    *,
    world_size: int | None = None,
    sizes: Mapping[str, int] | None = None,
    unreadable: Mapping[int, str] | None = None,
) -> Analysis:
    """Analyse the dumps of one look; the arguments are those of `build_job`.

    Raises:
        ValueError: two dumps of one rank.
    """
    job = build_job(dumps, world_size=world_size, sizes=sizes, unreadable=unreadable)
    matched = match(job)
    positions = find_positions(job, matched)
    waits = find_waits(job, matched, positions)
    mismatches = find_mismatches(job, matched)
    return Analysis(job, matched, positions, waits, mismatches, find_causes(waits, mismatches))
