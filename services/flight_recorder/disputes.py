"""Dumps that give one group different members: whose word counts.

A process knows one group of a name. Where a rank is said to be in a group and itself says other members of it, both
can't be right (files of another run, a damaged dump); taken at their word they would wait for each other for ever.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..ranksets import RankSet

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["settle"]


def settle(said: Mapping[int, RankSet]) -> dict[int, RankSet]:
    """The ranks whose word about a group of one name is not taken, each with the members that count instead.

    What most ranks say counts, then what names more members. A rank that is not among these is left with those who
    say nothing else.

    Args:
        said: the members that each rank gives; it is one of them.
    """
    votes: dict[RankSet, list[int]] = defaultdict(list)
    for rank, members in said.items():
        votes[members].append(rank)
    against = {
        members: {said[rank] for rank in members if rank in said and said[rank] != members}
        for members in (votes if len(votes) > 1 else ())
    }
    if not any(against.values()):
        return {}
    for members, others in list(against.items()):
        for other in others:
            against[other].add(members)
    settled: dict[int, RankSet] = {}
    taken: list[RankSet] = []
    for members in sorted(votes, key=lambda one: (-len(votes[one]), -len(one), tuple(one))):
        stronger = [one for one in taken if one in against[members]]
        if not stronger:
            taken.append(members)
            continue
        left = RankSet(rank for rank in members if said.get(rank, members) == members)
        for rank in votes[members]:
            settled[rank] = next((one for one in stronger if rank in one), left)
    return settled
