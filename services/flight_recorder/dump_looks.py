"""Dumps of the same ranks sorted into looks in time."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from .runs import of_one_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .dump import Dump

__all__ = ["is_one_run", "looks_of", "newest_first"]


def newest_first(dumps: Iterable[Dump]) -> dict[int, list[Dump]]:
    """The dumps of each rank, the newest first."""
    by_rank: dict[int, list[Dump]] = defaultdict(list)
    for dump in sorted(dumps, key=lambda dump: (dump.taken_at or 0, dump.host), reverse=True):
        by_rank[dump.rank].append(dump)
    return by_rank


def is_one_run(newest_first: Sequence[Dump]) -> bool:
    """Whether each dump of one rank goes on from the one before it in time."""
    return all(of_one_run(older, newer) for newer, older in pairwise(newest_first))


def looks_of(dumps: Sequence[Dump]) -> tuple[tuple[Dump, ...], ...]:
    """Dumps of the same ranks sorted into looks, the earliest first; in each at most one dump of a rank.

    The last look has the newest dump of every rank, the one before the next newest, and so on. A look of fewer ranks
    than half of the last is left out: a stray older file says nothing about motion. Dumps of one rank from several
    hosts or several runs are no looks of one process: only those count that the newest goes on from.
    """
    by_rank: dict[int, list[Dump]] = {}
    for rank, known in newest_first(dumps).items():
        kept = by_rank[rank] = known[:1]
        kept += [dump for dump in known[1:] if of_one_run(dump, known[0])]
    depth = max(map(len, by_rank.values()), default=0)
    ranked = [known for _, known in sorted(by_rank.items())]
    looks = [tuple(known[place] for known in ranked if len(known) > place) for place in range(depth)]
    return tuple(look for look in reversed(looks) if 2 * len(look) >= len(looks[0]))
