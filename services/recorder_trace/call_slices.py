"""The calls of one recorder as slices and flows of a trace, rank by rank: nothing is held but the columns."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from ..recorder_tables.group_names import group_label
from ..recorder_tables.lines import FIRST_LATE, FIRST_OVER, STATES, Lines
from ..recorder_tables.tensors import tensors_text
from .lanes import MOST_LANES, lanes_of
from .trace_records import CallArguments, FlowEnd, FlowStart, Slice, TrackFact, named, sorted_as

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..flight_recorder.diagnosis import Diagnosis
    from .rank_clocks import RankClocks

__all__ = ["CallSlices"]

NAME_LIMIT = 300
"""Characters of a recorded name that are written."""
_ENCODER = msgspec.json.Encoder()
_LEAST = 1
"""ns that a slice lasts at least, so that viewers show it and hang flows on it."""
_FIRST, _LAST = 1, 2
"""The part begins the flow of its call, or ends it."""


class _Part(NamedTuple):
    """One part of a call, its columns brought together."""

    line: int
    track: int
    ts: float
    dur: float
    operation: int
    group: int
    state: int
    seq: int
    p2p_seq: int
    p2p: bool
    entries: int
    inputs: tuple[int, int]
    """Shapes and dtypes, as numbers of the job."""
    outputs: tuple[int, int]
    has_end: bool
    queued_us: float | None
    device_us: float | None
    after_us: float | None
    created: int
    flow: int
    row: int
    """Of the collectives."""


class CallSlices:
    """The slices of one recorder. A process a rank, a track a group; more tracks beside it where calls overlap."""

    def __init__(self, diagnosis: Diagnosis, clocks: RankClocks, *, first_track: int, first_flow: int) -> None:
        """
        Args:
            first_track: tracks are numbered from here on; the next recorder begins `tracks` later.
            first_flow: flows are numbered from here on, `flows` of them.
        """
        self._lines = Lines(diagnosis.analysis)
        self._clocks = clocks
        self._first_track = first_track
        self._first_flow = first_flow
        self._groups = diagnosis.analysis.job.groups
        self._labels = [group_label(group) for group in self._groups]
        self._tensors: dict[tuple[int, int], str] = {}

    # what is known of all calls, shape (lines,) ----------------------------------------------------------------

    @property
    def tracks(self) -> int:
        """Numbers of tracks that may be used."""
        return len(self._groups) * MOST_LANES

    @property
    def flows(self) -> int:
        """Numbers of flows that may be used: one for each call."""
        return len(self._lines.order)

    @cached_property
    def begin(self) -> NDArray[np.int64]:
        """When a rank made its call, ns on the trace's clock; 0 = not known, then it has no slice."""
        lines = self._lines
        made = np.where(lines.created > 0, lines.created, lines.started)
        return np.where(made > 0, made - self._offset, 0)

    @cached_property
    def _offset(self) -> NDArray[np.int64]:
        table = np.zeros(int(self._lines.rank.max(initial=0)) + 1, dtype=np.int64)
        known = min(len(table), len(self._clocks.offsets))
        table[:known] = self._clocks.offsets[:known]
        found: NDArray[np.int64] = table[self._lines.rank]
        return found

    @cached_property
    def _told_end(self) -> NDArray[np.int64]:
        """The recorded end, by time stamp or by the duration on the device; 0 = none."""
        lines = self._lines
        end = np.where(lines.completed > 0, lines.completed - self._offset, 0)
        lasted = lines.duration_s
        from_duration = (lines.ended & (end == 0) & (self.begin > 0) & ~np.isnan(lasted)) & (lasted < 1e9)
        spans = np.where(from_duration, np.nan_to_num(lasted) * 1e9, 0).astype(np.int64)
        return np.where(from_duration, self.begin + spans, end)

    @cached_property
    def end(self) -> NDArray[np.int64]:
        """Where each slice ends: its recorded end, the time of the dump while it is open, else where it begins."""
        lines = self._lines
        taken = np.array([dump.taken_at or 0 for dump in lines.job.dumps] or [0], dtype=np.int64)
        dumped = taken[lines.columns.dump[lines.first]] if len(lines) else taken[:0]
        newest = max(int(self.begin.max(initial=0)), int(self._told_end.max(initial=0)))
        until = np.where(dumped > 0, dumped - self._offset, newest)
        end = np.where(lines.ended, self._told_end, until)
        return np.maximum(end, self.begin + _LEAST)

    @property
    def untimed(self) -> int:
        """Calls of ranks that have no slice, since nobody recorded when they were made."""
        return int(np.count_nonzero(self.begin <= 0))

    @property
    def timed(self) -> int:
        """Calls of ranks that have one."""
        return len(self._lines) - self.untimed

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        """Lines with a time, by rank, group and time."""
        lines = self._lines
        order = np.lexsort((self.begin, lines.group, lines.rank))
        return order[self.begin[order] > 0]

    @cached_property
    def _first_of_call(self) -> NDArray[np.int64]:
        """For each row of the collectives: when the first of its ranks came; 0 = not known."""
        lines = self._lines
        if not self.flows:
            return np.empty(0, np.int64)
        begin = self.begin[: lines.matched_lines]
        far = np.iinfo(np.int64).max
        first = np.minimum.reduceat(np.where(begin > 0, begin, far), lines.starts[:-1])
        return np.where(first == far, 0, first)

    @cached_property
    def _flow(self) -> NDArray[np.int8]:
        """1 where a line begins the flow of its call (the first to come), 2 where it ends it (the last one), else 0.

        Calls in which ranks do not meet (P2P in groups of more than two), or of one rank alone, have none.
        """
        lines = self._lines
        marks = np.zeros(len(lines), dtype=np.int8)
        if not self.flows:
            return marks
        size = lines.matched_lines
        begin, row = self.begin[:size], lines.row[:size]
        along = np.lexsort((lines.rank[:size], begin, row))
        along = along[begin[along] > 0]
        if not len(along):
            return marks
        rows = row[along]
        first = along[np.append(True, rows[1:] != rows[:-1])]
        last = along[np.append(rows[1:] != rows[:-1], True)]
        sizes = np.array([group.size for group in self._groups], dtype=np.int64)
        meets = (first != last) & (~lines.p2p[first] | (sizes[lines.group[first]] <= 2))
        marks[first[meets]] = _FIRST
        marks[last[meets]] = _LAST
        return marks

    # rank by rank ---------------------------------------------------------------------------------------------

    def ranks(self) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Each rank with its lines, by group and time."""
        order = self._order
        if not len(order):
            return
        of_rank = self._lines.rank[order]
        cuts = np.append(np.flatnonzero(np.append(True, of_rank[1:] != of_rank[:-1])), len(order))
        for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            yield int(of_rank[low]), order[low:high]

    def events(
        self, rank: int, mine: NDArray[np.intp], base: int, title: str
    ) -> Iterator[list[Slice | FlowStart | FlowEnd | TrackFact]]:
        """The events of one rank, a list for each of its groups: names of the tracks, then slices by time.

        Args:
            mine: its lines, as from `ranks`.
            base: instant at which the trace's clock begins, ns since the epoch.
            title: what tracks are called before the name of their group.
        """
        of_group = self._lines.group[mine]
        cuts = np.append(np.flatnonzero(np.append(True, of_group[1:] != of_group[:-1])), len(mine))
        for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            group, lines = int(of_group[low]), mine[low:high]
            lanes, begin = lanes_of(self.begin[lines], self.end[lines])
            track = self._first_track + group * MOST_LANES
            made: list[Slice | FlowStart | FlowEnd | TrackFact] = []
            for lane in range(int(lanes.max()) + 1):
                beside = f" ·{lane + 1}" if lane else ""
                made += named(rank, track + lane, f"{title}{self._labels[group]}{beside}"[:NAME_LIMIT])
                made.append(sorted_as(rank, track + lane, track + lane))
            made += self._slices(rank, lines, lanes + track, begin, base)
            yield made

    def _slices(
        self, rank: int, mine: NDArray[np.intp], track: NDArray[np.int32], begin: NDArray[np.int64], base: int
    ) -> Iterator[Slice | FlowStart | FlowEnd]:
        lines, columns = self._lines, self._lines.columns
        first, speaking = lines.first[mine], lines.speaking[mine]
        end = np.maximum(self.end[mine], begin + _LEAST)
        ended = lines.ended[mine]
        known_end = self._told_end[mine] > 0
        started = np.where(lines.started[mine] > 0, lines.started[mine] - self._offset[mine], 0)
        told = self.begin[mine]
        queued = np.where((started > 0) & (lines.created[mine] > 0), (started - told) / 1e3, np.nan)
        on_device = np.where((started > 0) & ended & known_end, (self._told_end[mine] - started) / 1e3, np.nan)
        row = lines.row[mine]
        opened = np.append(self._first_of_call, 0)[row]
        after = np.where(opened > 0, (told - opened) / 1e3, np.nan)
        rows = map(
            _Part._make,
            zip(
                mine.tolist(),
                track.tolist(),
                ((begin - base) / 1e3).tolist(),
                ((end - begin) / 1e3).tolist(),
                columns.operation[speaking].tolist(),
                lines.group[mine].tolist(),
                lines.state[mine].tolist(),
                columns.collective_seq[speaking].tolist(),
                columns.p2p_seq[speaking].tolist(),
                lines.p2p[mine].tolist(),
                lines.entries[mine].tolist(),
                zip(columns.input_shapes[first].tolist(), columns.input_dtypes[first].tolist(), strict=True),
                zip(columns.output_shapes[first].tolist(), columns.output_dtypes[first].tolist(), strict=True),
                known_end.tolist(),
                _or_none(queued),
                _or_none(on_device),
                _or_none(after),
                lines.created[mine].tolist(),
                self._flow[mine].tolist(),
                row.tolist(),
                strict=True,
            ),
        )
        for part in rows:
            yield self._slice(rank, part)
            if part.flow == _FIRST:
                yield FlowStart(rank, part.track, part.ts, self._first_flow + part.row)
            elif part.flow == _LAST:
                yield FlowEnd(rank, part.track, part.ts, self._first_flow + part.row)

    def _slice(self, rank: int, part: _Part) -> Slice:
        op, pending = self._lines.job.operations[part.operation], part.state < FIRST_OVER
        if part.entries > 1:
            inputs, outputs = (self._lines.sizes_text(part.line, inputs=side)[:NAME_LIMIT] for side in (True, False))
        else:
            inputs, outputs = self._tensors_text(part.inputs), self._tensors_text(part.outputs)
        arguments = CallArguments(
            group=self._labels[part.group][:NAME_LIMIT],
            op=op.recorded[:NAME_LIMIT],
            state=STATES[part.state],
            collective_seq_id=part.seq,
            p2p_seq_id=part.p2p_seq,
            inputs=inputs,
            outputs=outputs,
            entries=part.entries,
            pending=pending,
            end_recorded=pending or part.has_end,
            queued_us=part.queued_us,
            device_us=part.device_us,
            after_first_us=part.after_us,
            created_ns=str(part.created) if part.created > 0 else "",
        )
        ending = " (pending)" if pending else " (late)" if part.state >= FIRST_LATE else ""
        return Slice(
            pid=rank,
            tid=part.track,
            ts=part.ts,
            dur=part.dur,
            name=f"{(op.base or op.recorded)[:NAME_LIMIT]}{ending}",
            cat="p2p" if part.p2p else "collective",
            args=msgspec.Raw(_encoded(arguments)),
            cname="terrible" if ending else None,
        )

    def _tensors_text(self, tensors: tuple[int, int]) -> str:
        found = self._tensors.get(tensors)
        if found is None:
            job = self._lines.job
            found = self._tensors[tensors] = tensors_text(job.shapes[tensors[0]], job.dtypes[tensors[1]])[:NAME_LIMIT]
        return found


def _or_none(column: NDArray[np.float64]) -> list[float | None]:
    """Its numbers; None where there is none."""
    return [None if value != value else value for value in column.tolist()]


def _encoded(arguments: CallArguments) -> bytes:
    try:
        return _ENCODER.encode(arguments)
    except UnicodeEncodeError:  # a lone surrogate, from a dump that was read in spite of it
        for name in ("group", "op", "inputs", "outputs"):
            text: str = getattr(arguments, name)
            setattr(arguments, name, text.encode("utf-8", "backslashreplace").decode())
        return _ENCODER.encode(arguments)
