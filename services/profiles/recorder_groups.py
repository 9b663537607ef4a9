"""What profiles say about process groups, given to flight recorder dumps that don't say it themselves (Gloo)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..flight_recorder.dump import GroupConfig

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..flight_recorder.dump import Dump
    from .memberships import Membership, Memberships

__all__ = ["with_memberships"]


def with_memberships(dumps: Sequence[Dump], memberships: Mapping[int, Memberships]) -> list[Dump]:
    """The dumps with the members of groups that a profile names and the dump does not.

    A rank's own profile counts; for a rank without one, that of another rank in the same group, where all that name
    the group alike say the same members.

    Args:
        dumps: at most one of each rank.
        memberships: by the rank whose profile said it.
    """
    said: dict[str, set[tuple[int, ...]]] = {}
    named: dict[tuple[str, tuple[int, ...]], Membership] = {}
    for known in memberships.values():
        for group in known.groups:
            if group.ranks and group.size in (None, len(group.ranks)):
                members = tuple(group.ranks)
                said.setdefault(group.name, set()).add(members)
                named[group.name, members] = group
    return [_completed(dump, memberships.get(dump.rank), said, named) for dump in dumps]


def _completed(
    dump: Dump,
    own: Memberships | None,
    said: Mapping[str, set[tuple[int, ...]]],
    named: Mapping[tuple[str, tuple[int, ...]], Membership],
) -> Dump:
    told = {config.name for config in dump.configs if config.members}
    wanted = {label.name: label.desc for label in dump.entries.tables.groups if label.name not in told}
    mine = {group.name: group for group in own.groups if dump.rank in group.ranks} if own is not None else {}
    added = []
    for name, desc in wanted.items():
        group = mine.get(name)
        if group is None or group.size not in (None, len(group.ranks)):
            fitting = [members for members in said.get(name, ()) if dump.rank in members]
            group = named[name, fitting[0]] if len(fitting) == 1 else None
        if group is not None:
            added.append(GroupConfig(name, desc or group.description, group.ranks))
    if not added:
        return dump
    replaced = {config.name for config in added}
    return replace(dump, configs=(*(config for config in dump.configs if config.name not in replaced), *added))
