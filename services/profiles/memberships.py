"""Who is in which process group, as `distributedInfo` of a trace says: the full lists, which a Gloo recorder lacks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import msgspec

from ..ranksets import MAX_RANK, RankSet
from .trace_event import UNREADABLE

__all__ = ["Membership", "Memberships", "memberships_of"]

MOST_GROUPS = 100_000


@dataclass(frozen=True, slots=True)
class Membership:
    """One process group as one rank knows it."""

    name: str
    description: str
    backend: str
    size: int | None
    ranks: RankSet


@dataclass(frozen=True, slots=True)
class Memberships:
    """The groups of the rank that was captured."""

    rank: int | None
    world_size: int | None
    groups: tuple[Membership, ...]


class _Group(msgspec.Struct):
    pg_name: Any = ""
    pg_desc: Any = ""
    backend_config: Any = ""
    pg_size: Any = None
    ranks: Any = ()


class _Info(msgspec.Struct):
    rank: Any = None
    world_size: Any = None
    pg_config: Any = ()


def memberships_of(text: msgspec.Raw | bytes | None) -> Memberships | None:
    """Read `distributedInfo`; None when there is none, or it is no object.

    Lists of ranks are JSON lists or texts of such (torch has written both); what is neither has no ranks here.
    """
    if text is None:
        return None
    try:
        info = msgspec.json.decode(text, type=_Info)
    except UNREADABLE:
        return None
    groups = []
    config = info.pg_config
    if isinstance(config, str):
        config = _listed(config)
    for given in config[:MOST_GROUPS] if isinstance(config, list) else ():
        try:
            group = msgspec.convert(given, _Group)
        except msgspec.ValidationError:
            continue
        groups.append(
            Membership(
                str(group.pg_name)[:200],
                str(group.pg_desc)[:200],
                str(group.backend_config)[:200],
                _number(group.pg_size),
                RankSet(rank for one in _listed(group.ranks) if (rank := _number(one)) is not None),
            )
        )
    return Memberships(_number(info.rank), _number(info.world_size), tuple(groups))


def _listed(given: object) -> list[object]:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return []
    return given[: MAX_RANK + 1] if isinstance(given, list) else []


def _number(given: object) -> int | None:
    if isinstance(given, bool) or not isinstance(given, int):
        return None
    return given if 0 <= given <= MAX_RANK else None
