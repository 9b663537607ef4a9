"""Process groups as columns of the progress matrix: groups that split the ranks among them share one column.

A job of 4,096 ranks may have 512 groups for data parallelism alone, of which each rank is in one. In one column `dp`
each rank stands with its own group. Groups that share a rank never share a column.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..flight_recorder.coordinates import dimension_of
from ..ranksets import MAX_RANK, RankSet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..flight_recorder.groups import JobGroup

__all__ = ["GroupColumn", "collapse"]

_NAMELESS = ("", "undefined")
"""Descriptions that torch writes where the program gave none."""
_TRIED = 64
"""Columns of one family in which room is looked for: bounds the work where thousands of groups overlap."""


@dataclass(frozen=True, slots=True)
class GroupColumn:
    """One column: groups of one recorder, no two of them with a rank in common."""

    source: str
    """Handler whose dumps know them."""
    title: str
    """What people call it: `tp`, a description, the name of a group, `groups 1-4`."""
    groups: tuple[JobGroup, ...]

    @property
    def key(self) -> tuple[str, str]:
        """What it is known by from look to look."""
        return self.source, self.title


def collapse(source: str, groups: Iterable[JobGroup]) -> list[GroupColumn]:
    """The columns for these groups of one recorder, in the order of their first groups.

    Together go groups along the same dimension (tp, pp, dp, ...), of the same description, or, where they have none, of
    the same size, as far as they have no rank in common.
    """
    families: dict[tuple[str, str], list[list[JobGroup]]] = defaultdict(list)
    taken: dict[tuple[str, str], list[RankSet]] = defaultdict(list)
    for group in groups:
        family = _family(group)
        columns, ranks = families[family], taken[family]
        for at in range(max(len(columns) - _TRIED, 0), len(columns)):
            if not ranks[at] & group.members:
                columns[at].append(group)
                ranks[at] |= group.members
                break
        else:
            columns.append([group])
            ranks.append(group.members)
    made = [(family, column) for family, of_it in families.items() for column in of_it]
    made.sort(key=lambda one: one[1][0].index)
    titles: dict[str, tuple[JobGroup, ...]] = {}
    for family, column in made:
        title = base = _title(family, column)
        number = 1
        while title in titles:
            number += 1
            title = f"{base} ({number})"
        titles[title] = tuple(column)
    return [GroupColumn(source, title, of_it) for title, of_it in titles.items()]


def _family(group: JobGroup) -> tuple[str, str]:
    dimension = dimension_of(group.desc)
    if dimension is not None:
        return "dimension", dimension
    if group.desc in _NAMELESS:
        return "size", str(group.size)
    return "description", group.desc


def _title(family: tuple[str, str], groups: list[JobGroup]) -> str:
    if family[0] != "size":
        return family[1]
    if len(groups) > 1 and all(group.name.isdecimal() and int(group.name) <= MAX_RANK for group in groups):
        return f"groups {RankSet(int(group.name) for group in groups)}"
    first = groups[0].label.removeprefix("the ")
    return first if len(groups) == 1 else f"{first} +{len(groups) - 1}"
