"""Collectives: one row for each matched call of a group, collective or P2P; what is said of all its ranks together."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..ranksets import RankSet
from .call_details import collective_details
from .cells import counter_cell, known_cell, span_cell
from .column_table import Column, ColumnTable, rank_flags
from .lines import FIRST_LATE, FIRST_OVER, STATES, reduced
from .moments import NOT_KNOWN, instant_text, offset_text
from .order import sortable
from .row_filter import Flag
from .table import CellValue, Field, Sign
from .texts import Texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..flight_recorder.mismatch import Mismatch
    from .lines import Lines
    from .members import Members
    from .table import Detail

__all__ = ["CollectiveRows"]

_FAR = np.iinfo(np.int64).max


class CollectiveRows(ColumnTable):
    """Rows as torch's table Collectives, in the order of time (see `Lines`); arrays have the shape (rows,)."""

    def __init__(self, lines: Lines, members: Members) -> None:
        self.lines = lines
        self.members = members
        self._mismatches = {int(lines.row_of_call[mismatch.call]): mismatch for mismatch in lines.analysis.mismatches}
        super().__init__("Collectives", self._made(), len(lines.order))

    # jumps ----------------------------------------------------------------------------------------------------

    def calls_of(self, row: int) -> NDArray[np.intp]:
        """The rows of the calls that each rank made in it."""
        self._check(row)
        return np.arange(self.lines.starts[row], self.lines.starts[row + 1])

    def group_of(self, row: int) -> int:
        """The row of its group."""
        return int(self.group[row])

    def row_of(self, group: int, sequence: int, *, p2p: bool) -> int | None:
        """The row of a call of a group, None when no rank has recorded it."""
        found = np.flatnonzero((self.group == group) & (self.p2p == p2p) & (self.sequence == np.uint64(sequence)))
        return int(found[0]) if len(found) else None

    def mismatch(self, row: int) -> Mismatch | None:
        """In what its ranks differ; only the first such call of a group is told."""
        return self._mismatches.get(row)

    # columns --------------------------------------------------------------------------------------------------

    @cached_property
    def group(self) -> NDArray[np.int32]:
        """Index into `Job.groups`, which is the row in the groups too."""
        return self.lines.matched.call_group[self.lines.order]

    @cached_property
    def p2p(self) -> NDArray[np.bool_]:
        return self.lines.matched.call_p2p[self.lines.order]

    @cached_property
    def sequence(self) -> NDArray[np.uint64]:
        return self.lines.matched.call_seq[self.lines.order]

    @cached_property
    def state(self) -> NDArray[np.int8]:
        """Index into `STATES`: the least advanced of its ranks; when it is over on all, whether late on any."""
        state = self.lines.state
        least = reduced(np.minimum, state, self.lines.starts)
        most = reduced(np.maximum, state, self.lines.starts)
        return np.where((least >= FIRST_OVER) & (most >= FIRST_LATE), most, least)

    @cached_property
    def here(self) -> NDArray[np.int64]:
        """Ranks that have an entry of it."""
        return np.diff(self.lines.starts)

    @cached_property
    def open(self) -> NDArray[np.int64]:
        """Ranks on which it is not over."""
        return reduced(np.add, (~self.lines.ended).astype(np.int64), self.lines.starts)

    @cached_property
    def missing(self) -> NDArray[np.int64]:
        """How many members have a dump and have not come to it by that; `lacking` says whether it holds up anybody."""
        return self.members.missing_counts(self.group, self.sequence, self.p2p)

    @cached_property
    def lacking(self) -> NDArray[np.bool_]:
        """Members are missing, and it is not over in time on those that have it.

        Where it is, they have come: their dumps do not tell, or are of another moment.
        """
        return (self.missing > 0) & ((self.state < FIRST_OVER) | (self.state >= FIRST_LATE))

    def missing_ranks(self, row: int) -> RankSet:
        return self.members.missing_in(int(self.group[row]), int(self.sequence[row]), p2p=bool(self.p2p[row]))

    @cached_property
    def created(self) -> NDArray[np.int64]:
        """When the first rank made the call by its clock, ns since the epoch; 0 = unknown."""
        created = self.lines.created
        first = reduced(np.minimum, np.where(created > 0, created, _FAR), self.lines.starts)
        return np.where(first == _FAR, 0, first)

    @cached_property
    def _last(self) -> NDArray[np.int64]:
        return reduced(np.maximum, self.lines.created, self.lines.starts)

    @cached_property
    def spread_s(self) -> NDArray[np.float64]:
        """From the first rank's call to the last one's, by their own clocks; NaN where fewer than two are known.

        In groups of more than two, P2P calls of one number are no one call: each rank counts its own.
        """
        known = reduced(np.add, (self.lines.created > 0).astype(np.int64), self.lines.starts)
        return np.where((known > 1) & self.together, (self._last - self.created) / 1e9, np.nan)

    @cached_property
    def together(self) -> NDArray[np.bool_]:
        """Whether its ranks meet in it: all but P2P calls in groups of more than two."""
        sizes = np.array([group.size for group in self.members.groups], dtype=np.int64)
        return ~self.p2p | (sizes[self.group] <= 2)

    @cached_property
    def last_rank(self) -> NDArray[np.int64]:
        """The rank that came last so far; the lowest number is unknown."""
        lines = self.lines
        count = lines.matched_lines
        last = lines.created[:count] == np.repeat(self._last, np.diff(lines.starts))
        spot = reduced(np.minimum, np.where(last, np.arange(count), _FAR), lines.starts)
        known = ~np.isnan(self.spread_s)
        return sortable(lines.rank[np.where(known, spot, 0)].astype(np.int64) if count else spot, known)

    @cached_property
    def duration_s(self) -> NDArray[np.float64]:
        """The longest of its ranks."""
        return reduced(np.fmax, self.lines.duration_s, self.lines.starts)

    @cached_property
    def age_s(self) -> NDArray[np.float64]:
        """The oldest of its ranks' entries."""
        return reduced(np.fmax, self.lines.age_s, self.lines.starts)

    @cached_property
    def timeout_ms(self) -> NDArray[np.int64]:
        return reduced(np.maximum, self.lines.columns.timeout_ms[self.lines.first], self.lines.starts)

    @cached_property
    def _heads(self) -> NDArray[np.int64]:
        """The line of its lowest rank."""
        return self.lines.starts[:-1]

    def _of_head(self, texts: Texts) -> Texts:
        return Texts(texts.values, texts.codes[self._heads])

    @cached_property
    def _mismatch_texts(self) -> Texts:
        codes = np.full(len(self.lines.order), -1, dtype=np.int32)
        found = list(self._mismatches.items())
        codes[[row for row, _ in found]] = range(len(found))
        return Texts([mismatch.what.value for _, mismatch in found], codes)

    def _made(self) -> Sequence[Column]:
        lines = self.lines
        rows = len(lines.order)
        shown = lines.speaking

        def of_heads(column: NDArray[np.uint64]) -> NDArray[np.uint64]:
            return column[shown[self._heads]]

        return (
            Column(Field("id", "id", True), lambda row: CellValue(str(row)), lambda: np.arange(rows)),
            Column(
                Field("group", "pg_desc"),
                lambda row: CellValue(lines.group_texts.text(int(self._heads[row]))),
                texts=lambda: self._of_head(lines.group_texts),
                filtered="group",
            ),
            Column(
                Field("seq", "collective_seq_id", True),
                lambda row: counter_cell(int(lines.columns.collective_seq[shown[self._heads[row]]])),
                lambda: of_heads(lines.columns.collective_seq),
            ),
            Column(
                Field("p2p_seq", "p2p_seq_id", True),
                lambda row: counter_cell(int(lines.columns.p2p_seq[shown[self._heads[row]]])),
                lambda: of_heads(lines.columns.p2p_seq),
            ),
            Column(
                Field("op", "collective_name"),
                lambda row: CellValue(lines.op_texts.text(int(self._heads[row]))),
                texts=lambda: self._of_head(lines.op_texts),
                filtered="op",
            ),
            Column(
                Field("state", "collective_state"),
                self._state_cell,
                lambda: self.state,
                lambda: Texts(STATES, self.state.astype(np.int32)),
                "state",
            ),
            Column(Field("here", "ranks here", True), self._here_cell, lambda: self.here),
            Column(Field("open", "open on", True), self._open_cell, lambda: self.open),
            Column(Field("missing", "missing_ranks"), self._missing_cell, lambda: self.missing),
            Column(
                Field("mismatch", "type_of_mismatch"),
                lambda row: CellValue(self._mismatch_texts.text(row), self._mismatch_sign(row)),
                texts=lambda: self._mismatch_texts,
            ),
            Column(
                Field("inputs", "input_sizes"),
                lambda row: CellValue(lines.sizes_text(int(self._heads[row]), inputs=True)),
                lambda: lines.input_bytes[self._heads],
                lambda: self._of_head(lines.input_texts),
            ),
            Column(
                Field("outputs", "output_sizes"),
                lambda row: CellValue(lines.sizes_text(int(self._heads[row]), inputs=False)),
                lambda: lines.output_bytes[self._heads],
                lambda: self._of_head(lines.output_texts),
            ),
            Column(
                Field("dtype", "dtype"),
                lambda row: CellValue(lines.dtype_text(int(self._heads[row]))),
                texts=lambda: self._of_head(lines.dtype_texts),
                filtered="dtype",
            ),
            Column(
                Field("created", "created", True),
                lambda row: known_cell(offset_text(int(self.created[row]), lines.newest)),
                lambda: sortable(self.created, self.created > 0),
            ),
            Column(Field("spread", "spread", True), lambda row: span_cell(self.spread_s[row]), lambda: self.spread_s),
            Column(Field("last", "last rank", True), self._last_cell, lambda: self.last_rank),
            Column(
                Field("duration", "duration", True),
                lambda row: span_cell(self.duration_s[row]),
                lambda: self.duration_s,
            ),
            Column(Field("age", "age", True), lambda row: span_cell(self.age_s[row]), lambda: self.age_s),
            Column(
                Field("timeout", "timeout", True),
                lambda row: span_cell(self.timeout_ms[row] / 1e3 if self.timeout_ms[row] > 0 else np.nan),
                lambda: sortable(self.timeout_ms, self.timeout_ms > 0),
            ),
            Column(
                Field("created_utc", "created (UTC)"),
                lambda row: known_cell(instant_text(int(self.created[row]))),
                lambda: sortable(self.created, self.created > 0),
            ),
            Column(
                Field("record", "record_id", True),
                lambda row: CellValue(str(int(lines.record_id[self._heads[row]]))),
                lambda: lines.record_id[self._heads],
            ),
            Column(
                Field("expected", "expected_ranks"),
                lambda row: CellValue(str(self.members.groups[int(self.group[row])].members)),
                lambda: np.array([group.size for group in self.members.groups], dtype=np.int64)[self.group],
            ),
        )

    # cells ----------------------------------------------------------------------------------------------------

    def _state_cell(self, row: int) -> CellValue:
        state = int(self.state[row])
        return CellValue(STATES[state], Sign.OPEN if state < FIRST_OVER else Sign.NONE)

    def _here_cell(self, row: int) -> CellValue:
        count = int(self.here[row])
        if self.p2p[row]:
            return CellValue(str(count))
        size = self.members.groups[int(self.group[row])].size
        return CellValue(f"{count} of {size}", Sign.MISSING if self.lacking[row] else Sign.NONE)

    def _open_cell(self, row: int) -> CellValue:
        count = int(self.open[row])
        return CellValue(str(count), Sign.OPEN) if count else CellValue("", Sign.FAINT)

    def _missing_cell(self, row: int) -> CellValue:
        if not self.missing[row]:
            return CellValue("", Sign.FAINT)
        return CellValue(str(self.missing_ranks(row)), Sign.MISSING if self.lacking[row] else Sign.FAINT)

    def _mismatch_sign(self, row: int) -> Sign:
        return Sign.MISMATCH if row in self._mismatches else Sign.FAINT

    def _last_cell(self, row: int) -> CellValue:
        if np.isnan(self.spread_s[row]):
            return CellValue(NOT_KNOWN, Sign.FAINT)
        return CellValue(str(int(self.last_rank[row])))

    # rows -----------------------------------------------------------------------------------------------------

    def ranks(self, row: int) -> RankSet:
        """The members of the group of a collective; of sends and receives those that have recorded it."""
        self._check(row)
        group = self.members.groups[int(self.group[row])]
        return self.there(row) if self.p2p[row] else group.members | self.there(row)

    def there(self, row: int) -> RankSet:
        """Ranks that have an entry of it."""
        return RankSet(self.lines.rank[self.lines.starts[row] : self.lines.starts[row + 1]].tolist())

    def details(self, row: int) -> Sequence[Detail]:
        self._check(row)
        return collective_details(self, row)

    def of_ranks(self, ranks: RankSet) -> NDArray[np.bool_]:
        flags = rank_flags(ranks)
        lines = self.lines
        here = flags[np.minimum(lines.rank[: lines.matched_lines], len(flags) - 1)]
        found = reduced(np.logical_or, here, lines.starts)
        groups = np.array([bool(group.members & ranks) for group in self.members.groups], dtype=np.bool_)
        return found | (groups[self.group] & ~self.p2p) if len(groups) else found

    def of_sequence(self, first: int, last: int) -> NDArray[np.bool_]:
        return (self.sequence >= np.uint64(first)) & (self.sequence <= np.uint64(last))

    def flagged(self, flag: Flag) -> NDArray[np.bool_]:
        match flag:
            case Flag.MISSING:
                return self.lacking
            case Flag.MISMATCH:
                return self._mismatch_texts.codes >= 0
            case Flag.OPEN:
                return self.open > 0
            case Flag.P2P:
                return self.p2p
