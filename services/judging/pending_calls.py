"""Which call each rank is inside by its flight recorder, so that stacks can be told apart by call as well as by place.

Equal stacks may wait in different calls: one group is a step behind the others. Calls are told apart as a person does:
by operation, sequence number and what the group is called; groups that run along one dimension count as one name.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..flight_recorder.columns import State
from ..flight_recorder.coordinates import dimension_of
from ..ranksets import RankSet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..flight_recorder.groups import JobGroup
    from ..flight_recorder.waits import OpenCall
    from ..looks.recorders import RecorderLook

__all__ = ["CallPlace", "CallSpot", "PendingCalls"]

NOT_INSIDE = "not in a call"
NO_DUMP = "no dump"
NOTHING = "nothing recorded"


@dataclass(frozen=True, slots=True)
class CallSpot:
    """The call of one rank in the flight recorder's tables."""

    source: str
    """Handler whose dumps know it."""
    group: int
    """Index into `Job.groups` of that source."""
    seq: int
    p2p: bool
    created: int
    """When the rank made it, ns since the epoch on its clock; 0 when that is not recorded."""


@dataclass(frozen=True, slots=True)
class CallPlace:
    """Where ranks are by their flight recorder: inside one call, outside all, or without a dump."""

    ranks: RankSet
    name: str
    """`all_reduce #311 of dp`, `not in a call`, `nothing recorded`, `no dump`."""
    inside: bool
    groups: int = 0
    """Groups of that name whose call of this number the ranks are in."""

    def __str__(self) -> str:
        return f"{self.name} ({self.groups:,} groups)" if self.groups > 1 else self.name


class PendingCalls:
    """The calls that the flight recorders of a look show as not over.

    Where several recorders of a rank show one, the first of them counts.
    """

    def __init__(self, look: RecorderLook) -> None:
        self.recorded = look.ranks
        """Ranks that have a dump with something in it."""
        self._silent = look.read - self.recorded
        self._spots: dict[int, CallSpot] = {}
        self._names: dict[int, str] = {}
        self._together: dict[str, RankSet] = {}
        self._by_op: dict[str, RankSet] = {}
        self._by_group: dict[str, RankSet] = {}
        self._by_state: dict[str, RankSet] = {}
        for source, diagnosis in look.diagnoses.items():
            job, waits = diagnosis.analysis.job, diagnosis.analysis.waits
            for call in waits.calls:
                group = job.groups[call.group]
                name, new = _name(call, group), call.inside - RankSet(self._spots)
                states: dict[int, list[int]] = defaultdict(list)
                for rank in new:
                    created = int(job.columns.created[call.rows[rank]])
                    self._spots[rank] = CallSpot(source, call.group, call.seq, call.p2p, created)
                    self._names[rank] = name
                    states[int(job.columns.state[call.rows[rank]])].append(rank)
                _add(self._together, name, new)
                _add(self._by_op, call.operation.recorded, new)
                for state, those in states.items():
                    _add(self._by_state, State(state).name.lower(), RankSet(those))
                for said in {group.desc, group.name, group.label, _family(group)}:
                    _add(self._by_group, said, new)

    def __bool__(self) -> bool:
        return bool(self.recorded)

    def spot(self, rank: int) -> CallSpot | None:
        """The call of a rank in the tables; None when it is inside none, or has no dump."""
        return self._spots.get(rank)

    def place(self, rank: int) -> str:
        """`all_reduce #311 of dp`, `not in a call`, `nothing recorded`, `no dump`."""
        if rank in self._names or rank in self.recorded:
            return self._names.get(rank, NOT_INSIDE)
        return NOTHING if rank in self._silent else NO_DUMP

    def together(self, rank: int) -> RankSet:
        """The ranks that are inside the call a rank is inside, itself among them; empty when it is inside none."""
        return self._together.get(self._names.get(rank, ""), RankSet())

    def inside(self, field: str, text: str) -> RankSet:
        """Ranks inside a call whose operation (`op`) or group (`group`) has this text in its name, or whose entry has a
        state (`state`) with it."""
        known = {"op": self._by_op, "group": self._by_group, "state": self._by_state}
        return _having(known[field], text)

    def split(self, ranks: RankSet) -> tuple[CallPlace, ...]:
        """The ranks by where they are: fewest first, then by the lowest rank."""
        by_name: dict[str, list[int]] = defaultdict(list)
        for rank in ranks:
            by_name[self.place(rank)].append(rank)
        made = []
        for name, those in by_name.items():
            spots = [self._spots[rank] for rank in those if rank in self._spots]
            groups = len({(spot.source, spot.group) for spot in spots})
            made.append(CallPlace(RankSet(those), name, bool(spots), groups))
        return tuple(sorted(made, key=lambda one: (len(one.ranks), one.ranks.first or 0)))


def _name(call: OpenCall, group: JobGroup) -> str:
    return f"{call.operation.base or call.operation.recorded} #{call.seq} of {_family(group)}"


def _family(group: JobGroup) -> str:
    """What the groups that split the ranks of the job in one way are called: `tp` for `tp0` and `tp1`."""
    desc = "" if group.desc == "undefined" else group.desc
    return dimension_of(desc) or desc.rstrip("0123456789").rstrip("_-. ") or group.label


def _add(known: dict[str, RankSet], text: str, ranks: RankSet) -> None:
    if text and ranks:
        known[text] = known.get(text, RankSet()) | ranks


def _having(known: Mapping[str, RankSet], text: str) -> RankSet:
    wanted, found = text.casefold(), RankSet()
    for said, ranks in known.items():
        if wanted in said.casefold():
            found |= ranks
    return found
