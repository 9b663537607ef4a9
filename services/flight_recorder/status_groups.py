"""Which group each local counter belongs to: `pg_status` is keyed by a rank's own creation index, not by a name.

A rank's entries tell it. What they do not tell is borrowed: from ranks that are in groups of the same descriptions and
have counters for the same indexes; from the order of creation, where names are numbers and there is one counter for
each group; from members of the very same groups.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .groups import in_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .dump import Dump, GroupStatus
    from .groups import Groups

__all__ = ["Counters", "counters_of"]


@dataclass(frozen=True, slots=True)
class Counters:
    """The counters of one rank in one group."""

    status: GroupStatus
    borrowed: bool
    """The rank's own entries do not say that these are the group's counters."""


def counters_of(dumps: Sequence[Dump], groups: Groups) -> dict[int, dict[int, Counters]]:
    """By rank and group index: the counters kept for it. What cannot be told is left out."""
    own = {dump.rank: _own_map(dump, groups) for dump in dumps}
    alike: dict[object, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    shared: dict[tuple[object, int], dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    keys: dict[int, object] = {dump.rank: (frozenset(dump.statuses), len(dump.configs)) for dump in dumps}
    for dump in dumps:
        descs = _descs(dump, groups)
        for local, group in own[dump.rank].items():
            if group in descs:
                alike[_signature(dump)][local].add(descs[group])
            shared[keys[dump.rank], group][local].add(dump.rank)
    known = [(dump, own[dump.rank]) for dump in dumps if own[dump.rank]]
    indexed = bool(known) and all(
        _by_index(dump, groups).get(local) == group for dump, mine in known for local, group in mine.items()
    )
    found: dict[int, dict[int, Counters]] = {}
    for dump in dumps:
        mine = dict(own[dump.rank])
        descs = _descs(dump, groups)
        by_desc: dict[str, list[int]] = defaultdict(list)
        for group, desc in descs.items():
            by_desc[desc].append(group)
        ordered = _by_creation(dump, groups, mine) or (_by_index(dump, groups) if indexed else {})
        taken = set(mine.values())
        for local in dump.statuses:
            if local in mine:
                continue
            named = alike[_signature(dump)].get(local, set())
            fitting = by_desc[next(iter(named))] if len(named) == 1 else []
            guess = fitting[0] if len(fitting) == 1 else ordered.get(local)
            if guess is None:
                guess = _of_members(dump, local, groups, shared, keys[dump.rank])
            if guess is not None and guess not in taken:
                mine[local] = guess
                taken.add(guess)
        found[dump.rank] = {
            group: Counters(dump.statuses[local], borrowed=local not in own[dump.rank])
            for local, group in mine.items()
            if local in dump.statuses
        }
    return found


def _own_map(dump: Dump, groups: Groups) -> dict[int, int]:
    entries = dump.entries
    labels = groups.of_label[dump.rank]
    if not len(entries):
        return {}
    # A group that was made again under its name has a new index: the last one counts.
    last = np.zeros(len(labels), dtype=np.uint64)
    last[entries.group] = entries.pg_id
    return {int(local): group for local, group in zip(last, labels, strict=True)}


def _descs(dump: Dump, groups: Groups) -> dict[int, str]:
    names = groups.of_name[dump.rank]
    return {names[config.name]: config.desc for config in dump.configs if config.name in names}


def _signature(dump: Dump) -> object:
    return tuple(sorted(config.desc for config in dump.configs)), frozenset(dump.statuses)


def _by_creation(dump: Dump, groups: Groups, known: Mapping[int, int]) -> dict[int, int]:
    names = [config.name for config in dump.configs if config.name in groups.of_name[dump.rank]]
    if len(names) != len(dump.statuses) or not (len(names) == 1 or all(name.isdigit() for name in names)):
        return {}
    of_name = groups.of_name[dump.rank]
    ordered = {local: of_name[name] for local, name in zip(sorted(dump.statuses), in_order(names), strict=True)}
    contradicted = any(ordered.get(local, group) != group for local, group in known.items())
    return {} if contradicted else ordered


def _by_index(dump: Dump, groups: Groups) -> dict[int, int]:
    """Each local index as the place among the groups that the dump lists, when these are all the rank has made."""
    of_name = groups.of_name[dump.rank]
    names = [config.name for config in dump.configs if config.name in of_name]
    if not all(name.isdigit() for name in names):
        return {}
    return {local: of_name[name] for local, name in enumerate(in_order(names))}


def _of_members(
    dump: Dump,
    local: int,
    groups: Groups,
    shared: Mapping[tuple[object, int], Mapping[int, set[int]]],
    keys: object,
) -> int | None:
    fitting = [group for group in groups.of_name[dump.rank].values() if set(shared.get((keys, group), ())) == {local}]
    return fitting[0] if len(fitting) == 1 else None
