"""Groups, Memberships, Collectives and NCCL calls as tables with torch's column names, rows made when they are read.

On well-formed dumps the rows are those of torch's own analyzer with `allow_incomplete_ranks`; where it is wrong they
differ on purpose (docs/flight-recorder-differences.md). Sorting and filtering run on the columns of `Matched`, so that
a table of millions of rows costs no more than the rows that are shown.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from .columns import State
from .json_dump import stack_of
from .sizes import elements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..ranksets import RankSet
    from .analysis import Analysis
    from .columns import Shapes, Stack
    from .mismatch import Mismatch

__all__ = [
    "Collective",
    "CollectivesTable",
    "Group",
    "GroupsTable",
    "Membership",
    "MembershipsTable",
    "NCCLCall",
    "NCCLCallsTable",
    "Table",
]


class Group(NamedTuple):
    """A row of torch's table of groups."""

    id: str
    """Name and a number for the set of members."""
    desc: str
    size: int


class Membership(NamedTuple):
    """A row of torch's table of memberships: one rank in one group."""

    group_id: str
    global_rank: int


class Collective(NamedTuple):
    """A row of torch's table of collectives: one call of a group, matched over its ranks."""

    id: int
    group_id: str
    pass_check: bool
    collective_seq_id: int
    p2p_seq_id: int
    record_id: int
    pg_desc: str
    collective_name: str
    input_sizes: Shapes
    output_sizes: Shapes
    expected_ranks: tuple[int, ...]
    collective_state: str
    collective_frames: list[dict[str, Any]]
    input_numel: int | None = None
    output_numel: int | None = None
    missing_ranks: tuple[int, ...] | None = None
    mismatch_collectives: dict[int, str] | None = None
    type_of_mismatch: str | None = None


class NCCLCall(NamedTuple):
    """A row of torch's table of NCCL calls: one entry of one rank."""

    id: int
    collective_id: int | None
    group_id: str
    global_rank: int
    traceback_id: int
    collective_type: str
    sizes: Shapes


class Table(Protocol):
    """Rows by index; `columns` names the cells."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> tuple[Any, ...]: ...


class GroupsTable:
    """Groups: one row each, those whose members some dump says."""

    columns = Group._fields

    def __init__(self, analysis: Analysis) -> None:
        self._groups = analysis.job.groups

    def __len__(self) -> int:
        return len(self._groups)

    def __getitem__(self, index: int) -> Group:
        group = self._groups[index]
        return Group(group_id(group.name, group.members), group.desc, group.size)


class MembershipsTable:
    """Memberships: one row for each member of each group."""

    columns = Membership._fields

    def __init__(self, analysis: Analysis) -> None:
        self._groups = analysis.job.groups
        self._ends = np.cumsum([len(group.ranks) for group in self._groups], dtype=np.int64)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def __getitem__(self, index: int) -> Membership:
        if not 0 <= index < len(self):
            raise IndexError(index)
        place = int(np.searchsorted(self._ends, index, side="right"))
        group = self._groups[place]
        offset = index - (int(self._ends[place - 1]) if place else 0)
        return Membership(group_id(group.name, group.members), group.ranks[offset])


class CollectivesTable:
    """Collectives: one row for each matched call, in the order in which the lowest rank has them."""

    columns = Collective._fields

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._mismatches: dict[int, Mismatch] = {mismatch.call: mismatch for mismatch in analysis.mismatches}

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The call of each row, as index of `Matched`."""
        matched = self._analysis.matched
        return np.argsort(matched.part_first[matched.call_start[:-1]], kind="stable")

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The row of each call."""
        rows = np.empty(len(self.order), dtype=np.int64)
        rows[self.order] = np.arange(len(self.order))
        return rows

    def __len__(self) -> int:
        return len(self._analysis.matched.call_seq)

    def __getitem__(self, index: int) -> Collective:
        if not 0 <= index < len(self):
            raise IndexError(index)
        job, matched = self._analysis.job, self._analysis.matched
        call = int(self.order[index])
        part = int(matched.call_start[call])
        row = self.speaking_row(part)
        columns = job.columns
        group = job.groups[int(matched.call_group[call])]
        dump = job.dumps[columns.dump[row]]
        entries, at = dump.entries, int(columns.row[row])
        label = entries.tables.groups[entries.group[at]]
        mismatch = self._mismatches.get(call)
        stack = int(entries.stack[at])
        missing = self.missing(call)
        return Collective(
            id=index,
            group_id=label.name,
            pass_check=mismatch is None,
            collective_seq_id=int(columns.collective_seq[row]),
            p2p_seq_id=int(columns.p2p_seq[row]),
            record_id=int(entries.record_id[at]),
            pg_desc=f"{label.name}:{label.desc}" if label.desc != "undefined" else label.name,
            collective_name=job.operations[columns.operation[row]].recorded,
            input_sizes=job.shapes[columns.input_shapes[row]],
            output_sizes=job.shapes[columns.output_shapes[row]],
            expected_ranks=group.ranks,
            collective_state=_state(int(columns.state[row])),
            collective_frames=_frames(entries.tables.stacks[stack]) if stack >= 0 else [],
            input_numel=mismatch.totals[0] if mismatch and mismatch.totals else None,
            output_numel=mismatch.totals[1] if mismatch and mismatch.totals else None,
            missing_ranks=missing or None,
            mismatch_collectives=_told(mismatch) if mismatch else None,
            type_of_mismatch=mismatch.what.value if mismatch else None,
        )

    def speaking_row(self, part: int) -> int:
        """The entry that a part shows: the closing one of a coalesced collective, the first of a batch of P2P calls."""
        matched = self._analysis.matched
        p2p = matched.call_p2p[matched.part_call[part]]
        return int(matched.part_first[part] if p2p else matched.part_row[part])

    def missing(self, call: int) -> tuple[int, ...]:
        """Members that have a dump and have not called it; what their ring has lost, they have called.

        Of a send or receive it is told in groups of two, where both ends count alike.
        """
        matched, positions = self._analysis.matched, self._analysis.positions
        index, seq = int(matched.call_group[call]), int(matched.call_seq[call])
        group, p2p = self._analysis.job.groups[index], bool(matched.call_p2p[call])
        if p2p and group.size > 2:
            return ()
        there = set(matched.part_rank[matched.call_start[call] : matched.call_start[call + 1]].tolist())
        found = []
        for rank in group.ranks:
            at = None if rank in there else positions.at(rank, index)
            newest = None if at is None else (at.p2p_enqueued or 0) if p2p else at.enqueued
            if newest is not None and newest < seq:
                found.append(rank)
        return tuple(found)

    def whole(self, call: int) -> bool:
        """Whether every member of the group has an entry of the call and all agree; of P2P calls: none is missing."""
        matched = self._analysis.matched
        if matched.call_p2p[call]:
            return not self.missing(call)
        size = self._analysis.job.groups[int(matched.call_group[call])].size
        parts = int(matched.call_start[call + 1] - matched.call_start[call])
        return parts == size and call not in self._mismatches


class NCCLCallsTable:
    """NCCL calls: one row for what each rank did in each call, in the order of the collectives."""

    columns = NCCLCall._fields

    def __init__(self, analysis: Analysis, collectives: CollectivesTable) -> None:
        self._analysis = analysis
        self._collectives = collectives

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        counts = np.diff(self._analysis.matched.call_start)[self._collectives.order]
        return np.concatenate([[0], np.cumsum(counts)])

    def __len__(self) -> int:
        return len(self._analysis.matched.part_rank)

    def __getitem__(self, index: int) -> NCCLCall:
        if not 0 <= index < len(self):
            raise IndexError(index)
        job, matched = self._analysis.job, self._analysis.matched
        row_of_call = int(np.searchsorted(self._starts, index, side="right")) - 1
        call = int(self._collectives.order[row_of_call])
        part = int(matched.call_start[call]) + index - int(self._starts[row_of_call])
        first = self._collectives.speaking_row(int(matched.call_start[call]))
        columns = job.columns
        row = self._collectives.speaking_row(part)
        entries = job.dumps[columns.dump[row]].entries
        return NCCLCall(
            id=index,
            collective_id=row_of_call if self._collectives.whole(call) else None,
            group_id=entries.tables.groups[entries.group[int(columns.row[row])]].name,
            global_rank=int(matched.part_rank[part]),
            traceback_id=0,
            collective_type=job.operations[columns.operation[first]].recorded,
            sizes=job.shapes[columns.input_shapes[row]],
        )


def group_id(name: str, members: RankSet) -> str:
    """What torch's tables call a group: its name and the hash of the set of its members."""
    return f"{name}{hash(frozenset(members))}"


def rows_of(table: Table) -> Iterator[tuple[Any, ...]]:
    """All rows of a table."""
    return (table[index] for index in range(len(table)))


def _state(number: int) -> str:
    return State(number).name.lower()


def _frames(kept: bytes | Stack) -> list[dict[str, Any]]:
    return [frame._asdict() for frame in stack_of(kept)]


def _told(mismatch: Mismatch) -> dict[int, str]:
    """What each odd rank, or each rank when none is odd, has otherwise."""
    told = {}
    for variant in mismatch.variants:
        said = variant.said
        text = f"{said.operation.recorded} in {elements(said.inputs)} out {elements(said.outputs)} elements"
        told.update({rank: text for rank in variant.ranks if not mismatch.odd or rank in mismatch.odd})
    return told
