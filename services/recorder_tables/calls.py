"""NCCL Calls: what each rank did in each call, one row for each rank and call, whatever library carried it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..flight_recorder.json_dump import stack_of
from ..flight_recorder.operations import Kind
from ..ranksets import RankSet
from .call_details import call_details
from .cells import counter_cell, known_cell, span_cell
from .column_table import Column, ColumnTable, rank_flags
from .lines import FIRST_OVER, STATES
from .moments import NOT_KNOWN, instant_text, offset_text
from .order import sortable
from .row_filter import Flag
from .table import CellValue, Field, Sign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..flight_recorder.columns import Frame
    from .collectives import CollectiveRows
    from .table import Detail

__all__ = ["CallRows"]


class CallRows(ColumnTable):
    """Rows as torch's table NCCL calls, then the entries of earlier groups that belong to no call. See `Lines`."""

    lacking_sign = Sign.WAITING

    def __init__(self, collectives: CollectiveRows) -> None:
        self.lines = collectives.lines
        self.collectives = collectives
        self.members = collectives.members
        super().__init__("NCCL Calls", self._made(), len(self.lines))

    # jumps ----------------------------------------------------------------------------------------------------

    def collective_of(self, row: int) -> int | None:
        """The row of the collective it is part of; None for an entry that is in none."""
        self._check(row)
        found = int(self.lines.row[row])
        return found if found >= 0 else None

    def group_of(self, row: int) -> int:
        """The row of its group."""
        self._check(row)
        return int(self.lines.group[row])

    def row_of(self, rank: int, group: int, sequence: int, p2p: bool = False) -> int | None:
        """The row of one rank's part in a call; None when it has recorded none.

        Args:
            group: index into `Job.groups`.
            sequence: p2p_seq_id of a P2P call, else collective_seq_id.
        """
        row = self.collectives.row_of(group, sequence, p2p=p2p)
        if row is None:
            return None
        low, high = self.lines.starts[row : row + 2]
        found = np.flatnonzero(self.lines.rank[low:high] == rank)
        return int(low + found[0]) if len(found) else None

    def frames(self, row: int) -> tuple[Frame, ...]:
        """The recorded stack, innermost frame first; empty where the dump has none (live JSON never has)."""
        self._check(row)
        columns, dumps = self.lines.columns, self.lines.job.dumps
        for entry in (int(self.lines.speaking[row]), *map(int, self.lines.rows_of(row))):
            entries = dumps[columns.dump[entry]].entries
            stack = int(entries.stack[columns.row[entry]])
            if stack >= 0:
                return stack_of(entries.tables.stacks[stack])
        return ()

    # columns --------------------------------------------------------------------------------------------------

    @cached_property
    def late_s(self) -> NDArray[np.float64]:
        """How long after the first rank of the call, by their own clocks; NaN where unknown."""
        lines = self.lines
        first = np.append(np.where(self.collectives.together, self.collectives.created, 0), 0)[lines.row]
        return np.where((first > 0) & (lines.created > 0), (lines.created - first) / 1e9, np.nan)

    @cached_property
    def peer(self) -> NDArray[np.int64]:
        """The other end of its first send or receive as global rank; the lowest number where there is none."""
        lines = self.lines
        local = np.array(
            [{Kind.SEND: op.target, Kind.RECV: op.source}.get(op.kind) for op in lines.job.operations], dtype=np.float64
        )
        if not len(lines):
            return np.empty(0, np.int64)
        ends = local[lines.columns.operation[lines.first]]
        sizes = np.diff(self.members.starts)[lines.group]
        known = ends < sizes
        places = self.members.starts[:-1][lines.group] + np.where(known, ends, 0).astype(np.int64)
        spots = np.clip(places, 0, max(len(self.members) - 1, 0))
        ranks = self.members.rank[spots].astype(np.int64) if len(self.members) else np.zeros(len(lines), np.int64)
        return sortable(ranks, known)

    @cached_property
    def odd(self) -> NDArray[np.bool_]:
        """Calls that differ from those of the other ranks; where no side is the odd one, those of all."""
        found = np.zeros(len(self.lines), dtype=np.bool_)
        for mismatch in self.lines.analysis.mismatches:
            rows = self.collectives.calls_of(int(self.lines.row_of_call[mismatch.call]))
            flags = rank_flags(mismatch.odd or mismatch.ranks)
            found[rows] = flags[np.minimum(self.lines.rank[rows], len(flags) - 1)]
        return found

    def _made(self) -> Sequence[Column]:
        lines = self.lines
        return (
            Column(Field("id", "id", True), lambda row: CellValue(str(row)), lambda: np.arange(len(lines))),
            Column(
                Field("collective", "collective_id", True),
                lambda row: known_cell(str(lines.row[row]) if lines.row[row] >= 0 else NOT_KNOWN),
                lambda: sortable(lines.row, lines.row >= 0),
            ),
            Column(Field("rank", "global_rank", True), lambda row: CellValue(str(lines.rank[row])), lambda: lines.rank),
            Column(
                Field("group", "group_id"),
                lambda row: CellValue(lines.group_texts.text(row)),
                texts=lambda: lines.group_texts,
                filtered="group",
            ),
            Column(
                Field("seq", "collective_seq_id", True),
                lambda row: counter_cell(int(lines.columns.collective_seq[lines.speaking[row]])),
                lambda: lines.columns.collective_seq[lines.speaking],
            ),
            Column(
                Field("p2p_seq", "p2p_seq_id", True),
                lambda row: counter_cell(int(lines.columns.p2p_seq[lines.speaking[row]])),
                lambda: lines.columns.p2p_seq[lines.speaking],
            ),
            Column(
                Field("op", "collective_type"),
                lambda row: CellValue(lines.op_texts.text(row), self._differs(row)),
                texts=lambda: lines.op_texts,
                filtered="op",
            ),
            Column(Field("state", "state"), self._state_cell, lambda: lines.state, lambda: lines.state_texts, "state"),
            Column(Field("peer", "peer", True), self._peer_cell, lambda: self.peer),
            Column(
                Field("inputs", "sizes"),
                lambda row: CellValue(lines.sizes_text(row, inputs=True), self._differs(row)),
                lambda: lines.input_bytes,
                lambda: lines.input_texts,
            ),
            Column(
                Field("outputs", "output_sizes"),
                lambda row: CellValue(lines.sizes_text(row, inputs=False), self._differs(row)),
                lambda: lines.output_bytes,
                lambda: lines.output_texts,
            ),
            Column(
                Field("dtype", "dtype"),
                lambda row: CellValue(lines.dtype_text(row), self._differs(row)),
                texts=lambda: lines.dtype_texts,
                filtered="dtype",
            ),
            Column(Field("entries", "entries", True), self._entries_cell, lambda: lines.entries),
            Column(
                Field("created", "created", True),
                lambda row: known_cell(offset_text(int(lines.created[row]), lines.newest)),
                lambda: sortable(lines.created, lines.created > 0),
            ),
            Column(Field("late", "after first", True), lambda row: span_cell(self.late_s[row]), lambda: self.late_s),
            Column(
                Field("duration", "duration", True),
                lambda row: span_cell(lines.duration_s[row]),
                lambda: lines.duration_s,
            ),
            Column(Field("age", "age", True), lambda row: span_cell(lines.age_s[row]), lambda: lines.age_s),
            Column(
                Field("timeout", "timeout", True),
                lambda row: span_cell(self._timeout_ms(row) / 1e3 if self._timeout_ms(row) > 0 else np.nan),
                lambda: sortable(timeouts := lines.columns.timeout_ms[lines.first], timeouts > 0),
            ),
            Column(
                Field("created_utc", "created (UTC)"),
                lambda row: known_cell(instant_text(int(lines.created[row]))),
                lambda: sortable(lines.created, lines.created > 0),
            ),
            Column(
                Field("completed_utc", "completed (UTC)"),
                lambda row: known_cell(instant_text(int(lines.completed[row]))),
                lambda: sortable(lines.completed, lines.completed > 0),
            ),
            Column(
                Field("thread", "thread"),
                lambda row: CellValue(lines.thread_texts.text(row)),
                texts=lambda: lines.thread_texts,
            ),
            Column(
                Field("record", "record_id", True),
                lambda row: CellValue(str(lines.record_id[row])),
                lambda: lines.record_id,
            ),
        )

    # cells ----------------------------------------------------------------------------------------------------

    def _timeout_ms(self, row: int) -> int:
        return int(self.lines.columns.timeout_ms[self.lines.first[row]])

    def _differs(self, row: int) -> Sign:
        return Sign.MISMATCH if self.odd[row] else Sign.NONE

    def _state_cell(self, row: int) -> CellValue:
        state = int(self.lines.state[row])
        return CellValue(STATES[state], Sign.OPEN if state < FIRST_OVER else Sign.NONE)

    def _entries_cell(self, row: int) -> CellValue:
        count = int(self.lines.entries[row])
        return CellValue(str(count), Sign.NONE if count > 1 else Sign.FAINT)

    def _peer_cell(self, row: int) -> CellValue:
        ends = self.peers(row)
        return CellValue(str(ends)) if ends else CellValue("", Sign.FAINT)

    def peers(self, row: int) -> RankSet:
        """The other ends of its sends and receives, as far as their names say them."""
        lines = self.lines
        group = self.members.groups[int(lines.group[row])]
        found = set()
        for number in lines.columns.operation[lines.rows_of(row)]:
            op = lines.job.operations[number]
            end = {Kind.SEND: op.target, Kind.RECV: op.source}.get(op.kind)
            rank = group.global_rank(end)
            if rank is not None:
                found.add(rank)
        return RankSet(found)

    # rows -----------------------------------------------------------------------------------------------------

    def ranks(self, row: int) -> RankSet:
        """The rank that made the call."""
        self._check(row)
        return RankSet((int(self.lines.rank[row]),))

    def details(self, row: int) -> Sequence[Detail]:
        self._check(row)
        return call_details(self, row)

    def of_ranks(self, ranks: RankSet) -> NDArray[np.bool_]:
        flags = rank_flags(ranks)
        found: NDArray[np.bool_] = flags[np.minimum(self.lines.rank, len(flags) - 1)]
        return found

    def of_sequence(self, first: int, last: int) -> NDArray[np.bool_]:
        return (self.lines.sequence >= np.uint64(first)) & (self.lines.sequence <= np.uint64(last))

    def flagged(self, flag: Flag) -> NDArray[np.bool_]:
        match flag:
            case Flag.MISSING:
                found: NDArray[np.bool_] = np.append(self.collectives.lacking, False)[self.lines.row]
                return found
            case Flag.MISMATCH:
                return self.odd
            case Flag.OPEN:
                return ~self.lines.ended
            case Flag.P2P:
                return self.lines.p2p
