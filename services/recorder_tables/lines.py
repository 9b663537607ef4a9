"""What each rank did in each call, in the order of the tables: the columns that all tables of one source share.

A line is one part of a matched call, or one entry that belongs to none (of an earlier group of the same name, before a
restart inside the process): with those every recorded entry stands in exactly one line. Lines of a call stand together;
calls in the order of time, those of one group always in the order of their numbers. Torch's tables have the same rows
in the order in which the lowest rank has them: there a call that is lost from that rank's ring comes late.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..flight_recorder.columns import State
from ..flight_recorder.operations import Kind
from .group_names import group_label
from .tensors import bytes_of, dtype_short, paired_dtypes, shapes_text, tensors_text
from .texts import Texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ..flight_recorder.analysis import Analysis
    from ..flight_recorder.columns import Dtypes, Shapes

__all__ = ["FIRST_LATE", "FIRST_OVER", "STATES", "Lines", "reduced"]

STATES = (
    *("scheduled", "started", "unknown state", "completed, not over"),
    *("over (was scheduled)", "over (was started)", "over (unknown state)", "completed"),
    *("over late (was scheduled)", "over late (was started)", "over late (unknown state)", "completed late"),
)
"""What the state columns say, the least advanced first. Over: retired, closed by its batch, or overtaken. Late: after
the timeout of the call, so that only an abort can have ended it."""
FIRST_OVER = 4
"""States from here on are over."""
FIRST_LATE = 8
"""States from here on are late."""
_FAR = np.iinfo(np.int64).max
_PLACES = np.array([[0, 4, 8], [1, 5, 9], [3, 7, 11], [2, 6, 10]], dtype=np.int8)
"""Index into `STATES` by `State` and by open, over, late."""


class Lines:
    """Shapes: (lines,) unless said otherwise. All arrays are made when they are first asked for."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.job = analysis.job
        self.columns = analysis.job.columns
        self.matched = analysis.matched

    def __len__(self) -> int:
        return self.matched_lines + len(self.left_over)

    @property
    def matched_lines(self) -> int:
        """Lines that belong to a call; the others follow them."""
        return len(self.matched.part_rank)

    @cached_property
    def left_over(self) -> NDArray[np.int64]:
        """Rows of the job's columns in no matched call."""
        return np.flatnonzero(~self.columns.current)

    @cached_property
    def newest(self) -> int:
        """The newest instant that any rank recorded, ns since the epoch; 0 when there is none."""
        columns = (self.columns.created, self.columns.started, self.columns.completed)
        return max((int(column.max()) for column in columns if len(column)), default=0)

    # calls ----------------------------------------------------------------------------------------------------

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The call (index of `Matched`) of each row of the collectives, shape (calls,)."""
        matched = self.matched
        starts = matched.call_start[:-1]
        if not len(starts):
            return np.empty(0, dtype=np.int64)
        made = self.columns.created[matched.part_first]
        created = np.minimum.reduceat(np.where(made > 0, made, _FAR), starts)
        lane = matched.call_group.astype(np.int64) * 2 + matched.call_p2p
        # Calls stand by group and number here. Clocks differ, and not every call has a time: none goes before an
        # earlier one of its group.
        times = _never_back(np.where(created == _FAR, 0, created), lane)
        recorded = _never_back(matched.part_first[starts], lane)
        return np.lexsort((recorded, times))

    @cached_property
    def row_of_call(self) -> NDArray[np.int64]:
        """The row of each call, shape (calls,)."""
        rows = np.empty(len(self.order), dtype=np.int64)
        rows[self.order] = np.arange(len(self.order))
        return rows

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first line of each row of the collectives, one more at the end: shape (calls + 1,)."""
        counts = np.diff(self.matched.call_start)[self.order]
        return np.append(0, np.cumsum(counts)).astype(np.int64)

    @cached_property
    def row(self) -> NDArray[np.int64]:
        """The row of the collectives, -1 for a left over entry."""
        rows = np.repeat(np.arange(len(self.order)), np.diff(self.starts))
        return np.append(rows, np.full(len(self.left_over), -1)).astype(np.int64)

    # lines ----------------------------------------------------------------------------------------------------

    @cached_property
    def part(self) -> NDArray[np.int64]:
        """The part of `Matched`, -1 for a left over entry."""
        shift = self.matched.call_start[:-1][self.order] - self.starts[:-1]
        parts = np.arange(self.matched_lines) + np.repeat(shift, np.diff(self.starts))
        return np.append(parts, np.full(len(self.left_over), -1)).astype(np.int64)

    def _of_parts(self, column: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
        return np.append(column[self.part[: self.matched_lines]], others)

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The first entry, as row of the job's columns."""
        return self._of_parts(self.matched.part_first, self.left_over)

    @cached_property
    def closing(self) -> NDArray[np.int64]:
        """The entry that tells the state: the one that closes a batch, else the first."""
        return self._of_parts(self.matched.part_row, self.left_over)

    @cached_property
    def speaking(self) -> NDArray[np.int64]:
        """The entry that gives the name: the closing one of a coalesced collective, the first of a batch of P2P."""
        return np.where(self.p2p, self.first, self.closing)

    @cached_property
    def p2p(self) -> NDArray[np.bool_]:
        """Counted by p2p_seq_id."""
        calls = self.matched.call_p2p[self.matched.part_call] if self.matched_lines else np.empty(0, np.bool_)
        kinds = np.array([op.kind in (Kind.SEND, Kind.RECV) for op in self.job.operations], dtype=np.bool_)
        left = self.left_over
        own = self.columns.is_p2p[left] | kinds[self.columns.operation[left]] if len(left) else np.empty(0, np.bool_)
        found: NDArray[np.bool_] = self._of_parts(calls, own)
        return found

    @cached_property
    def rank(self) -> NDArray[np.int32]:
        return self.columns.rank[self.first]

    @cached_property
    def group(self) -> NDArray[np.int32]:
        return self.columns.group[self.first]

    @cached_property
    def sequence(self) -> NDArray[np.uint64]:
        """The number under which it is matched: p2p_seq_id or collective_seq_id."""
        return np.where(self.p2p, self.columns.p2p_seq[self.first], self.columns.collective_seq[self.first])

    @cached_property
    def entries(self) -> NDArray[np.int64]:
        """How many entries it is made of."""
        found: NDArray[np.int64] = self._of_parts(np.diff(self.matched.part_start), np.ones(len(self.left_over), int))
        return found

    @cached_property
    def ended(self) -> NDArray[np.bool_]:
        left, columns = self.left_over, self.columns
        own = (columns.state[left] == State.COMPLETED) | columns.retired[left] | (columns.completed[left] > 0)
        found: NDArray[np.bool_] = self._of_parts(self.matched.ended, own)
        return found

    @cached_property
    def late(self) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self._of_parts(self.matched.late, np.zeros(len(self.left_over), dtype=np.bool_))
        return found

    @cached_property
    def state(self) -> NDArray[np.int8]:
        """Index into `STATES`."""
        how = np.where(self.ended, np.where(self.late, 2, 1), 0)
        found: NDArray[np.int8] = _PLACES[np.clip(self.columns.state[self.closing], 0, 3), how]
        return found

    @cached_property
    def created(self) -> NDArray[np.int64]:
        """ns since the epoch, 0 = unknown."""
        return np.maximum(self.columns.created[self.first], 0)

    @cached_property
    def started(self) -> NDArray[np.int64]:
        return np.maximum(self.columns.started[self.closing], 0)

    @cached_property
    def completed(self) -> NDArray[np.int64]:
        return np.maximum(self.columns.completed[self.closing], 0)

    @cached_property
    def duration_s(self) -> NDArray[np.float64]:
        """As recorded on the device; else from creation to completion; NaN where neither is known."""
        told = self._joined(lambda dump: dump.entries.duration_ms, np.float64)[self.closing] / 1e3
        both = (self.created > 0) & (self.completed > 0)
        taken = np.where(both, (self.completed - self.created) / 1e9, np.nan)
        return np.where(np.isnan(told), taken, told)

    @cached_property
    def age_s(self) -> NDArray[np.float64]:
        """From creation to when the dump was taken, NaN where either is unknown. The rank's clock against ours."""
        taken = np.array([dump.taken_at or 0 for dump in self.job.dumps] or [0], dtype=np.int64)
        taken = taken[self.columns.dump[self.first]] if len(self) else np.empty(0, np.int64)
        return np.where((taken > 0) & (self.created > 0), (taken - self.created) / 1e9, np.nan)

    @cached_property
    def record_id(self) -> NDArray[np.uint64]:
        return self._joined(lambda dump: dump.entries.record_id, np.uint64)[self.speaking]

    # texts ----------------------------------------------------------------------------------------------------

    @cached_property
    def group_texts(self) -> Texts:
        return Texts([group_label(group) for group in self.job.groups], self.group)

    @cached_property
    def op_texts(self) -> Texts:
        """Names as recorded."""
        return Texts([op.recorded for op in self.job.operations], self.columns.operation[self.speaking])

    @cached_property
    def state_texts(self) -> Texts:
        return Texts(STATES, self.state.astype(np.int32))

    @cached_property
    def dtype_texts(self) -> Texts:
        """Dtypes of the first entry, torch's name and the short one: of the inputs, else the outputs."""
        values = [
            " ".join(dict.fromkeys(name for one in some for name in (dtype_short(one), one))) for some in self._dtypes
        ]
        return Texts(values, self._dtype_codes)

    def dtype_text(self, line: int) -> str:
        """`bf16`, `bf16/f32` for tensors of several."""
        return "/".join(dict.fromkeys(map(dtype_short, self._dtypes[int(self._dtype_codes[line])])))

    @property
    def _dtypes(self) -> tuple[Dtypes, ...]:
        return self.job.dtypes

    @cached_property
    def _dtype_codes(self) -> NDArray[np.int32]:
        given, taken = self.columns.input_dtypes[self.first], self.columns.output_dtypes[self.first]
        told = np.array([bool(some) for some in self._dtypes], dtype=np.bool_)
        return np.where(told[given], given, taken) if len(told) else given

    @cached_property
    def _shape_values(self) -> list[str]:
        return [shapes_text(shapes) for shapes in self.job.shapes]

    @cached_property
    def input_texts(self) -> Texts:
        """Sizes of the inputs of the first entry."""
        return Texts(self._shape_values, self.columns.input_shapes[self.first])

    @cached_property
    def output_texts(self) -> Texts:
        return Texts(self._shape_values, self.columns.output_shapes[self.first])

    @cached_property
    def thread_texts(self) -> Texts:
        """Names of the calling threads, their numbers where they have none."""
        numbers: dict[str, int] = {}
        parts = []
        for dump in self.job.dumps:
            own = [numbers.setdefault(one.name or one.id, len(numbers)) for one in dump.entries.tables.threads]
            parts.append(np.array([*own, -1], dtype=np.int32)[dump.entries.thread])
        codes = np.concatenate(parts)[self.first] if parts else np.empty(0, np.int32)
        return Texts(tuple(numbers), codes)

    def sizes_text(self, line: int, *, inputs: bool) -> str:
        """The tensors of one side of all entries of a line: `[1024, 4096] bf16 8 MiB`."""
        shapes, dtypes = self.sizes(line, inputs=inputs)
        return tensors_text(shapes, dtypes)

    def sizes(self, line: int, *, inputs: bool) -> tuple[Shapes, Dtypes]:
        """The tensors of one side of all entries of a line, one after the other."""
        columns, job = self.columns, self.job
        sides = (
            (columns.input_shapes, columns.input_dtypes) if inputs else (columns.output_shapes, columns.output_dtypes)
        )
        rows = self.rows_of(line)
        if len(rows) == 1:
            return job.shapes[sides[0][rows[0]]], job.dtypes[sides[1][rows[0]]]
        shapes: list[tuple[int, ...]] = []
        dtypes: list[str] = []
        for row in rows:
            shapes += (mine := job.shapes[sides[0][row]])
            dtypes += paired_dtypes(mine, job.dtypes[sides[1][row]])
        return tuple(shapes), tuple(dtypes)

    # sizes ----------------------------------------------------------------------------------------------------

    @cached_property
    def input_bytes(self) -> NDArray[np.float64]:
        """Bytes of all inputs of all its entries, NaN where a dtype is not known."""
        return self._summed(self._pair_bytes(self.columns.input_shapes, self.columns.input_dtypes))

    @cached_property
    def output_bytes(self) -> NDArray[np.float64]:
        return self._summed(self._pair_bytes(self.columns.output_shapes, self.columns.output_dtypes))

    def rows_of(self, line: int) -> NDArray[np.int64]:
        """The entries of a line, as rows of the job's columns, in the order of recording."""
        part = int(self.part[line])
        return self.first[line : line + 1] if part < 0 else self.matched.rows_of(part)

    def _joined(self, column: Callable[[Any], NDArray[Any]], kind: Any) -> NDArray[Any]:
        """A column that only the dumps have, over the job's columns."""
        dumps = self.job.dumps
        return np.concatenate([column(dump) for dump in dumps]) if dumps else np.empty(0, dtype=kind)

    def _pair_bytes(self, shapes: NDArray[np.int32], dtypes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Bytes of one side of each entry, shape (entries of the job,); each pair of shapes and dtypes once."""
        if not len(shapes):
            return np.empty(0)
        width = max(len(self.job.dtypes), 1)
        pairs = shapes.astype(np.int64) * width + dtypes
        most = len(self.job.shapes) * width
        if most <= 4 * len(pairs) + 1_000_000:
            present = np.flatnonzero(np.bincount(pairs, minlength=most))
            spread: NDArray[np.float64] = np.empty(most)
            spread[present] = [self._bytes(int(pair) // width, int(pair) % width) for pair in present]
            found: NDArray[np.float64] = spread[pairs]
            return found
        present, codes = np.unique(pairs, return_inverse=True)
        distinct = np.array([self._bytes(int(pair) // width, int(pair) % width) for pair in present], dtype=np.float64)
        return np.asarray(distinct[codes])

    def _bytes(self, shapes: int, dtypes: int) -> float:
        found = bytes_of(self.job.shapes[shapes], self.job.dtypes[dtypes])
        return np.nan if found is None else float(min(found, 1 << 100))

    def _summed(self, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        if not self.matched_lines:
            return sizes[self.left_over]
        parts = np.add.reduceat(sizes[self.matched.order], self.matched.part_start[:-1])
        found: NDArray[np.float64] = self._of_parts(parts, sizes[self.left_over])
        return found


def _never_back(values: NDArray[np.int64], lane: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places of the values in their order, raised to the highest before them in the same lane; lanes stand together."""
    places = np.unique(values, return_inverse=True)[1].astype(np.int64)
    floor = np.cumsum(np.append(0, lane[1:] != lane[:-1])) * (len(values) + 1)
    raised: NDArray[np.int64] = np.maximum.accumulate(places + floor) - floor
    return raised


def reduced(how: np.ufunc, values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    """The values of the lines of each call brought together, shape (calls,). `starts` is `Lines.starts`."""
    if len(starts) < 2:
        return values[:0]
    found: NDArray[Any] = how.reduceat(values[: int(starts[-1])], starts[:-1])
    return found
