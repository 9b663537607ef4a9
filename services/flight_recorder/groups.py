"""Process groups of a job: identity, members, and which local group a rank's counters belong to.

A group is its name and the set of its members; descriptions may differ between ranks. Where the dumps say no members
(Gloo) they are worked out from who uses the group, and the group is marked as inferred.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..ranksets import MAX_RANK, RankSet
from .disputes import settle
from .unused_groups import MOST_GROUPS, Concluded, conclude

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .dump import Dump, GroupConfig

__all__ = ["DEFAULT_DESC", "Groups", "JobGroup", "find_groups"]

DEFAULT_DESC = "default_pg"
"""Description of the group that has every rank of the job."""


@dataclass(frozen=True, slots=True)
class JobGroup:
    """One process group of the job."""

    index: int
    name: str
    desc: str
    """The description most ranks give it."""
    members: RankSet
    """Global ranks; their order is the group-local rank."""
    inferred: bool = False
    """No dump says the members: they are those who use it, or the whole job for the default group."""
    unseen: int = 0
    """Members that are known to exist but not by number: they have never used the group."""
    descs: Mapping[str, RankSet] = field(default_factory=dict)
    """Who calls it what, when descriptions differ; else empty."""
    ranks: tuple[int, ...] = ()
    """The members in ascending order."""
    concluded: RankSet = field(default_factory=RankSet)
    """Members that have never used it: other groups show that they are in it."""
    candidates: RankSet = field(default_factory=RankSet)
    """Ranks among which the unseen members are, where their number is known."""
    disputed: RankSet = field(default_factory=RankSet)
    """Ranks whose dumps say other members; the word of most others is taken."""

    @property
    def size(self) -> int:
        return len(self.members) + self.unseen

    @property
    def label(self) -> str:
        """What people call it: its description, else its name, else that it is the default one."""
        if self.desc and self.desc != "undefined":
            return self.desc
        if self.name.isdecimal():
            return f"group {self.name}"
        return self.name or "the default group"

    def global_rank(self, local: int | None) -> int | None:
        """The member with this group-local rank."""
        return None if local is None or not 0 <= local < len(self.ranks) else self.ranks[local]


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The groups of a job and how each rank's labels lead to them."""

    table: tuple[JobGroup, ...]
    of_label: Mapping[int, tuple[int, ...]]
    """By rank: index of the group of each of its dump's labels (`Tables.groups`)."""
    of_name: Mapping[int, Mapping[str, int]]
    """By rank: index of the group that it knows by this name."""
    replicas: int = 1
    """Independent copies of one job (torchft), each with ranks from 0 of its own."""


def find_groups(dumps: Sequence[Dump], world_size: int | None = None, sizes: Mapping[str, int] | None = None) -> Groups:
    """The groups that these dumps, one a rank, know.

    `sizes` gives the number of members of groups by name, as the job's store knows it.
    """
    declared = _Declared(dumps)
    users: dict[str, list[int]] = defaultdict(list)
    descs: dict[str, Counter[str]] = defaultdict(Counter)
    pending: dict[int, dict[str, str]] = {}
    for dump in dumps:
        for label in dump.entries.tables.groups:
            if declared.find(dump.rank, label.name) is None:
                users[label.name].append(dump.rank)
                descs[label.name][label.desc] += 1
                pending.setdefault(dump.rank, {})[label.name] = label.desc
    everybody = RankSet(dump.rank for dump in dumps) | RankSet.full(world_size or 0)
    for ranks in users.values():
        everybody |= RankSet(ranks)
    table = declared.table()
    inferred: dict[str, int] = {}
    counted = Concluded(dumps if users else ())
    used = {name: RankSet(ranks) for name, ranks in users.items()}
    of_desc = {name: descs[name].most_common(1)[0][0] for name in users}
    concluded = conclude(used, of_desc, everybody, counted)
    for name in sorted(users, key=_name_order):
        desc = of_desc[name]
        size = (sizes or {}).get(name)
        more = possible = RankSet()
        if desc == DEFAULT_DESC or (size is not None and size == world_size):
            members = everybody
        else:
            if name in concluded or (len(users) <= MOST_GROUPS and (size or 0) > len(used[name])):
                possible = everybody - counted.outside(name)
                more = _unused(used[name], concluded.get(name, RankSet()), size, possible)
            members = used[name] | more
        known = size is not None and size == len(members)
        inferred[name] = len(table)
        table.append(
            JobGroup(
                index=len(table),
                name=name,
                desc=desc,
                members=members,
                inferred=not known,
                unseen=max((size or 0) - len(members), 0),
                concluded=more,
                candidates=possible - members if size is not None and size > len(members) else RankSet(),
                descs=_said(
                    {dump.rank: pending[dump.rank][name] for dump in dumps if name in pending.get(dump.rank, {})}
                ),
                ranks=tuple(members),
            )
        )
    of_name: dict[int, dict[str, int]] = {}
    of_label: dict[int, tuple[int, ...]] = {}
    for dump in dumps:
        known_names = declared.names(dump.rank)
        labels = []
        for label in dump.entries.tables.groups:
            found = declared.find(dump.rank, label.name)
            known_names[label.name] = inferred[label.name] if found is None else found
            labels.append(known_names[label.name])
        of_name[dump.rank], of_label[dump.rank] = known_names, tuple(labels)
    return Groups(tuple(table), of_label, of_name, declared.replicas)


def _unused(used: RankSet, concluded: RankSet, size: int | None, possible: RankSet) -> RankSet:
    """The members of a group that have not used it: those concluded, and all that are left where none other can be."""
    left = possible - used
    if size is not None and len(used | left) == size:
        return left
    more = concluded & left
    return more if size is None or len(used | more) <= size else RankSet()


class _Declared:
    """Groups whose members some dump says."""

    def __init__(self, dumps: Sequence[Dump]) -> None:
        self._index: dict[tuple[str, RankSet], int] = {}
        self._by_name: dict[str, set[RankSet]] = defaultdict(set)
        self._own: dict[int, dict[str, int]] = {}
        self._said: list[dict[int, str]] = []
        shifts = {dump.rank: _replica_shift(dump) for dump in dumps}
        words: dict[str, dict[int, RankSet]] = defaultdict(dict)
        for dump in dumps:
            for config in dump.configs:
                members = _members(config, dump.rank, shifts[dump.rank])
                if members is not None:
                    words[config.name][dump.rank] = members
        self._disputed: dict[tuple[str, RankSet], RankSet] = {}
        for name, said in words.items():
            for rank, members in settle(said).items():
                key = (name, members)
                self._disputed[key] = self._disputed.get(key, RankSet()) | RankSet((rank,))
                said[rank] = members
        for dump in dumps:
            own: dict[str, int] = {}
            for config in dump.configs:
                members = words[config.name].get(dump.rank)
                if members is None:
                    continue
                key = (config.name, members)
                index = self._index.setdefault(key, len(self._index))
                if index == len(self._said):
                    self._said.append({})
                    self._by_name[config.name].add(members)
                self._said[index][dump.rank] = config.desc
                own[config.name] = index
            self._own[dump.rank] = own
        self.replicas = len(set(shifts.values()))

    def find(self, rank: int, name: str) -> int | None:
        """The group of this name that this rank is in: its own word, else the only fitting one of its peers."""
        own = self._own.get(rank, {}).get(name)
        if own is not None:
            return own
        fitting = [members for members in self._by_name.get(name, ()) if rank in members]
        return self._index[name, fitting[0]] if len(fitting) == 1 else None

    def names(self, rank: int) -> dict[str, int]:
        return dict(self._own.get(rank, {}))

    def table(self) -> list[JobGroup]:
        return [
            JobGroup(
                index=index,
                name=name,
                desc=Counter(said.values()).most_common(1)[0][0],
                members=members,
                descs=_said(said),
                ranks=tuple(members),
                disputed=self._disputed.get((name, members), RankSet()),
            )
            for ((name, members), index), said in zip(self._index.items(), self._said, strict=True)
        ]


def _replica_shift(dump: Dump) -> int:
    """What to add to the ranks that a dump says: the first rank of its replica when it is in none of its groups."""
    declared = [config.members for config in dump.configs if config.members]
    if not declared or any(dump.rank in members for members in declared):
        return 0
    width = max((members.last or 0) + 1 for members in declared)
    return dump.rank // width * width


def _members(config: GroupConfig, rank: int, shift: int) -> RankSet | None:
    members = config.members
    if not members:
        return None
    if shift:
        if (members.last or 0) + shift > MAX_RANK:
            return None
        members = RankSet.from_bits(members.bits << shift)
    return members if rank in members else None


def _said(by_rank: Mapping[int, str]) -> dict[str, RankSet]:
    by_desc: dict[str, list[int]] = defaultdict(list)
    for rank, desc in by_rank.items():
        by_desc[desc].append(rank)
    return {desc: RankSet(ranks) for desc, ranks in by_desc.items()} if len(by_desc) > 1 else {}


def _name_order(name: str) -> tuple[int, int, str]:
    return (0, int(name), "") if name.isascii() and name.isdigit() and len(name) < 20 else (1, 0, name)


def in_order(names: Iterable[str]) -> list[str]:
    """Names in the order their groups were made, as far as they are numbers."""
    return sorted(names, key=_name_order)
