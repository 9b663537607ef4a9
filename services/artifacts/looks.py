"""What was read from files sorted into looks: several dumps or stacks of one rank are looks in time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from statistics import median_low
from typing import TYPE_CHECKING

from ..flight_recorder.dump_looks import looks_of
from ..instants import APART_NS
from ..ranksets import RankSet
from .recorder_dump import newest_instant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..flight_recorder.dump import Dump
    from .artifact import Evidence

__all__ = ["MOST_LOOKS", "FileLook", "file_looks"]

MOST_LOOKS = 256
"""Looks made of files, the newest ones; a job that dumped its stacks every minute for days has more."""


@dataclass(frozen=True, slots=True, eq=False)
class FileLook:
    """What files say of one moment."""

    taken_at: int
    """The newest time in it, ns since the epoch; 0 when nothing has one."""
    dumps: tuple[Dump, ...]
    """Flight recorder dumps, at most one a rank."""
    evidence: tuple[Evidence, ...]
    """The rest, at most one of each source a rank, by rank."""
    outdated: RankSet = field(default_factory=RankSet)
    """Ranks of which something is left out: it was written long before the last calls that the dumps have."""


def file_looks(dumps: Sequence[Dump], evidence: Sequence[Evidence]) -> tuple[FileLook, ...]:
    """Sort into looks, the earliest first; always at least one.

    The last look has the newest of each rank and source, the one before the next newest, and so on. What is there for
    fewer than half of those that the last look has makes no look: a stray older file says nothing about motion. What
    was written long before the calls that the dumps of its look end with is left out: since then the job has gone on.
    """
    recorded = looks_of(dumps)
    told = _by_depth(evidence)
    depth = max(len(recorded), len(told), 1)
    looks = []
    for place in range(min(depth, MOST_LOOKS)):
        some = recorded[-1 - place] if place < len(recorded) else ()
        found = told[place] if place < len(told) else ()
        since = _last_calls(some) - APART_NS
        rest = tuple(one for one in found if one.taken_at >= since)
        outdated = RankSet(one.rank for one in found if one.taken_at < since)
        moments = [dump.taken_at or 0 for dump in some] + [one.taken_at for one in rest]
        looks.append(FileLook(max(moments, default=0), some, rest, outdated))
    return tuple(reversed(looks))


def _last_calls(dumps: Sequence[Dump]) -> int:
    """Until when the job called something, ns since the epoch: half of the dumps end earlier; 0 when none says it."""
    told = [at for dump in dumps if (at := newest_instant(dump)) is not None]
    return median_low(told) if told else 0


def _by_depth(evidence: Sequence[Evidence]) -> list[tuple[Evidence, ...]]:
    """The newest of each rank and source, the next newest, and so on."""
    known: dict[tuple[int, str], list[Evidence]] = defaultdict(list)
    for one in sorted(evidence, key=lambda one: (one.taken_at, one.artifact), reverse=True):
        known[one.rank, one.source].append(one)
    ordered = [found for _, found in sorted(known.items())]
    depth = max(map(len, ordered), default=0)
    looks = [tuple(found[place] for found in ordered if len(found) > place) for place in range(depth)]
    return [look for look in looks if 2 * len(look) >= len(looks[0])]
