"""Members that have never used a group, where no dump lists members (Gloo): concluded from what the other groups show.

A process counts its groups as it makes them (`pg_id`), the job names them by a number that every rank counts alike,
member or not. Two numbered groups of a rank with no gap in its own count have none of the groups between them; with as
many counted as lie between, it is in all of them. And groups of one description usually split the ranks evenly.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from ..ranksets import RankSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .dump import Dump

__all__ = ["MOST_GROUPS", "Concluded", "conclude"]

_NO_DESC = ("", "undefined")
MOST_GROUPS = 2048
"""Groups without members up to which something is concluded: each is compared with every rank."""


class Concluded:
    """Who is in a group without having used it, and who is not, as far as the ranks' own counts tell."""

    def __init__(self, dumps: Iterable[Dump]) -> None:
        self._inside: dict[str, set[int]] = defaultdict(set)
        self._gaps: list[tuple[int, int, int]] = []
        """(rank, number, number): the rank is in no group between these."""
        counted = [(dump.rank, _numbered(dump)) for dump in dumps]
        all_numbered = all(known is not None for _, known in counted)
        for rank, known in counted:
            for (before, first), (after, second) in pairwise(sorted((known or {}).items())):
                made, between = second - first - 1, after - before - 1
                if made <= 0 < between:
                    self._gaps.append((rank, before, after))
                elif all_numbered and made == between <= MOST_GROUPS:
                    for name in range(before + 1, after):
                        self._inside[str(name)].add(rank)

    def inside(self, name: str) -> RankSet:
        """Ranks that have made the group of this name, used or not."""
        return RankSet(self._inside.get(name, ()))

    def outside(self, name: str) -> RankSet:
        """Ranks that have never made it."""
        if not (name.isascii() and name.isdigit()):
            return RankSet()
        return RankSet(rank for rank, before, after in self._gaps if before < int(name) < after)


def conclude(
    users: Mapping[str, RankSet], descs: Mapping[str, str], everybody: RankSet, counted: Concluded
) -> dict[str, RankSet]:
    """By name: members that have not used a group, where something tells them.

    Args:
        users: the ranks that have used each group whose members no dump lists.
        descs: the description of each.
        everybody: every rank of the job.
        counted: what the ranks' own counts tell.
    """
    if len(users) > MOST_GROUPS:
        return {}
    found = {name: more for name, known in users.items() if (more := counted.inside(name) - known)}
    alike: dict[str, list[str]] = defaultdict(list)
    for name, desc in descs.items():
        if desc not in _NO_DESC:
            alike[desc].append(name)
    for names in alike.values():
        known = {name: users[name] | found.get(name, RankSet()) for name in names}
        for name, members in _even(known, everybody, counted).items():
            found[name] = members - users[name]
    return found


def _even(known: Mapping[str, RankSet], everybody: RankSet, counted: Concluded) -> dict[str, RankSet]:
    """The members of groups that are short of ranks, where the others of their description are all of one size and
    stride, and only one set of free ranks makes another such group."""
    size = max(map(len, known.values()))
    whole = [tuple(members) for members in known.values() if len(members) == size]
    short = {name: members for name, members in known.items() if len(members) < size}
    strides = {stride for members in whole for stride in _strides(members)}
    if size < 2 or not short or len(strides) != 1 or len(known) * size > len(everybody):
        return {}
    taken = RankSet(rank for members in known.values() for rank in members)
    if len(taken) != sum(map(len, known.values())):
        return {}
    found = {}
    (stride,) = strides
    for name, members in short.items():
        last = members.last or 0
        free = (everybody - taken - counted.outside(name)) | members
        sets = [
            RankSet(range(first, first + size * stride, stride))
            for first in range(max(last - (size - 1) * stride, 0), (members.first or 0) + 1)
        ]
        fitting = [one for one in sets if members <= one and one <= free]
        if len(fitting) == 1:
            found[name] = fitting[0]
    return found


def _strides(members: Sequence[int]) -> set[int]:
    return {after - before for before, after in pairwise(members)}


def _numbered(dump: Dump) -> dict[int, int] | None:
    """The rank's own index of each group that is named by a number; None when one has another name or none."""
    entries = dump.entries
    found: dict[int, int] = {}
    for place, label in enumerate(entries.tables.groups):
        if not (label.name.isascii() and label.name.isdigit() and len(label.name) < 10):
            return None
        indexes = {int(index) for index in set(entries.pg_id[entries.group == place].tolist())}
        if len(indexes) == 1:
            found[int(label.name)] = indexes.pop()
    return found
