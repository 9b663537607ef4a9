"""What a row of the flight recorder is about, in words that hold from look to look: row numbers don't."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...services.flight_recorder.groups import JobGroup
    from ...services.ranksets import RankSet

__all__ = ["GroupId", "Spot", "Tab", "find_group", "group_id"]


class Tab(StrEnum):
    """The tabs of the screen."""

    FINDINGS = "findings"
    COLLECTIVES = "collectives"
    CALLS = "calls"
    GROUPS = "groups"
    MEMBERSHIPS = "memberships"
    TIMELINE = "timeline"
    JSON = "JSON"


@dataclass(frozen=True, slots=True)
class GroupId:
    """A process group is its name and its members; its number may be another one in the next look."""

    name: str
    members: RankSet


@dataclass(frozen=True, slots=True)
class Spot:
    """A row, or all rows that agree with it: what is None is left open."""

    group: GroupId | None = None
    rank: int | None = None
    p2p: bool | None = None
    seq: int | None = None
    finding: tuple[object, ...] = ()
    """Kind, culprits, operation and standing of a finding."""


def group_id(group: JobGroup) -> GroupId:
    """What a group is known by over looks."""
    return GroupId(group.name, group.members)


def find_group(groups: Sequence[JobGroup], wanted: GroupId) -> int | None:
    """The number of a group in a look. Where members are inferred they may have become more: then the group of that
    name that shares most of them."""
    best, shared = None, 0
    for group in groups:
        if group.name != wanted.name:
            continue
        if group.members == wanted.members:
            return group.index
        common = len(group.members & wanted.members)
        if common > shared:
            best, shared = group.index, common
    return best
