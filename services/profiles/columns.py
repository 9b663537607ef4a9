"""The timed events of a trace as numpy columns, in the order of time on each track: about 24 bytes an event."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import msgspec
import numpy as np

from .collectives import Collected, may_be_collective
from .repairs import Repair
from .trace_event import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from .reader import TraceReader
    from .repairs import Repairs
    from .trace_event import TraceEvent

S = TypeVar("S", bound=np.generic)

__all__ = ["Operation", "TraceColumns", "Track", "read_columns"]

MOST_EVENTS = 5_000_000
"""Events kept of one trace, 1 to 2 GB of what torch writes. Summing them up takes about 90 bytes for each."""
MOST_OPEN = 500_000
"""Beginnings (phase B) without an end that are kept at one time."""
MOST_NAMES = 100_000
"""Different names kept; what comes after has the last place."""
BEYOND_US = 1e17
"""Microseconds that no clock shows: 3,000 years."""
NAME_LIMIT = 300
"""Characters of a name that are kept: templates of C++ are longer."""

Operation = tuple[str, str]
"""Category and name."""
Track = tuple[int | str | float | None, int | str | float | None]
"""Process and thread of an event, or device and stream."""


class _Numbers(dict[tuple[object, object], int]):
    """Gives each new key the next number, up to a limit; long texts in keys are cut."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self.refused = 0

    def __missing__(self, key: tuple[object, object]) -> int:
        first, second = key
        if _is_long(first) or _is_long(second):
            return self[_cut(first), _cut(second)]
        number = len(self)
        if number >= self._most:
            self.refused += 1
            return self._most - 1
        self[key] = number
        return number


class _NameArguments(msgspec.Struct):
    name: str = ""


@dataclass(frozen=True, slots=True)
class TraceColumns:
    """All events with a duration, by track, then as they began; of those that began together the longest first.

    Arrays have the shape `(events,)`; times are in microseconds of the trace's clock.
    """

    start: NDArray[np.float64]
    duration: NDArray[np.float64]
    operation: NDArray[np.int32]
    """Index into `operations`."""
    track: NDArray[np.int32]
    """Index into `tracks`."""
    operations: tuple[Operation, ...]
    tracks: tuple[Track, ...]
    thread_names: dict[Track, str]
    collected: Collected
    window: tuple[float, float] | None
    """Beginning and end of the capture, where the trace says them."""
    header: dict[str, msgspec.Raw]
    read_bytes: int


def read_columns(
    reader: TraceReader[TraceEvent],
    repairs: Repairs,
    watch: Callable[[int], None] = lambda _read: None,
) -> TraceColumns:
    """Read a trace to its end.

    Args:
        watch: told the bytes of content read so far; may raise to end it.

    Raises:
        OSError: the file can't be read.
    """
    return _Gatherer(repairs).gather(reader, watch)


class _Gatherer:
    def __init__(self, repairs: Repairs) -> None:
        self._repairs = repairs
        self._operations = _Numbers(MOST_NAMES)
        self._tracks = _Numbers(MOST_NAMES)
        self._starts: list[NDArray[np.float64]] = [np.empty(0)]
        self._durations: list[NDArray[np.float64]] = [np.empty(0)]
        self._ops: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
        self._places: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
        self._open: dict[int, list[tuple[float, int]]] = {}
        """Beginnings (phase B) that have no end yet, by number of the track."""
        self._opened = 0
        self._pairs: list[tuple[float, float, int, int]] = []
        """Of a batch: beginning, duration, numbers of operation and track."""
        self._names: dict[Track, str] = {}
        self._collected = Collected()
        self._interesting: dict[int, bool] = {}
        self._window: tuple[float, float] | None = None
        self._size = 0

    def gather(self, reader: TraceReader[TraceEvent], watch: Callable[[int], None]) -> TraceColumns:
        for batch in reader.batches():
            self._batch(batch)
            watch(reader.read_bytes)
        self._end_open()
        self._repairs.add(Repair.MANY_NAMES, self._operations.refused)
        named = [(str(cat), _one_name(str(name))) for cat, name in self._operations]
        operations = {operation: place for place, operation in enumerate(dict.fromkeys(named))}
        places = np.array([operations[operation] for operation in named] or [0], np.int32)
        start, duration, track = _joined(self._starts), _joined(self._durations), _joined(self._places)
        order = np.lexsort((-duration, start, track))
        start, duration, track = start[order], duration[order], track[order]
        return TraceColumns(
            start=start,
            duration=duration,
            operation=places[_joined(self._ops)][order],
            track=track,
            operations=tuple(operations),
            tracks=tuple(self._tracks),  # type: ignore[arg-type]
            thread_names=self._names,
            collected=self._collected,
            window=self._window,
            header=reader.header,
            read_bytes=reader.read_bytes,
        )

    def _batch(self, batch: list[TraceEvent]) -> None:
        timed = [event for event in batch if event.ph == "X" and event.cat != "Trace"]
        if len(timed) != len(batch):
            for event in batch:
                if event.ph != "X" or event.cat == "Trace":
                    self._other(event)
            self._append_pairs()
        timed = timed[: self._room_for(len(timed))]
        ops, tracks = self._operations, self._tracks
        numbers = [ops[event.cat, event.name] for event in timed]
        start = np.array([event.ts for event in timed], np.float64)
        duration = np.array([event.dur for event in timed], np.float64)
        place = np.array([tracks[event.pid, event.tid] for event in timed], np.int32)
        self._append(start, duration, np.array(numbers, np.int32), place)
        interesting = self._interesting
        for event, number in zip(timed, numbers, strict=True):
            known = interesting.get(number)
            if known is None:
                known = interesting[number] = may_be_collective(event.name)
            if known:
                self._collected.add(event)

    def _append(
        self,
        start: NDArray[np.float64],
        duration: NDArray[np.float64],
        operation: NDArray[np.int32],
        place: NDArray[np.int32],
    ) -> None:
        timed = np.abs(start) < BEYOND_US  # false for NaN
        if not timed.all():
            self._repairs.add(Repair.NO_TIME, int((~timed).sum()))
            start, duration, operation, place = start[timed], duration[timed], operation[timed], place[timed]
        unknown = ~(np.abs(duration) < BEYOND_US)
        self._repairs.add(Repair.NO_DURATION, int(unknown.sum()))
        duration[unknown] = 0.0
        negative = duration < 0
        self._repairs.add(Repair.NEGATIVE, int(negative.sum()))
        duration[negative] = 0.0
        self._starts.append(start)
        self._durations.append(duration)
        self._ops.append(operation)
        self._places.append(place)
        self._size += len(start)

    def _other(self, event: TraceEvent) -> None:
        """What is no event with a duration: names of threads, the window, and pairs of begin and end."""
        time = event.ts
        if event.ph == "M":
            if event.name == "thread_name" and len(self._names) < MOST_NAMES:
                self._names[_cut(event.pid), _cut(event.tid)] = _named(event.args)  # type: ignore[index]
        elif event.cat == "Trace":
            if time is not None and event.dur is not None and math.isfinite(time) and event.dur > 0:
                self._window = (time, time + event.dur)
        elif event.ph == "B" and time is not None and math.isfinite(time):
            if self._opened >= MOST_OPEN:
                self._repairs.add(Repair.MANY_EVENTS)
                return
            self._opened += 1
            operation = self._operations[event.cat, event.name]
            self._open.setdefault(self._tracks[event.pid, event.tid], []).append((time, operation))
        elif event.ph == "E" and time is not None and math.isfinite(time):
            place = self._tracks[event.pid, event.tid]
            opened = self._open.get(place)
            if not opened:
                self._repairs.add(Repair.NO_BEGINNING)
                return
            began, operation = opened.pop()
            self._opened -= 1
            self._pairs.append((began, time - began, operation, place))

    def _room_for(self, wanted: int) -> int:
        """How many of so many events are kept; the others are counted as left out."""
        kept = min(wanted, MOST_EVENTS - self._size)
        self._repairs.add(Repair.MANY_EVENTS, wanted - kept)
        return kept

    def _append_pairs(self) -> None:
        pairs = self._pairs[: self._room_for(len(self._pairs))]
        self._pairs.clear()
        if not pairs:
            return
        start, duration, operation, place = zip(*pairs, strict=True)
        self._append(
            np.array(start, np.float64),
            np.array(duration, np.float64),
            np.array(operation, np.int32),
            np.array(place, np.int32),
        )

    def _end_open(self) -> None:
        left = [(place, began, operation) for place, opened in self._open.items() for began, operation in opened]
        if not left:
            return
        self._repairs.add(Repair.NO_END, len(left))
        end = max(began for _, began, _ in left)
        for start, duration in zip(self._starts, self._durations, strict=True):
            end = max(end, float((start + duration).max(initial=end)))
        self._pairs = [(began, end - began, operation, place) for place, began, operation in left]
        self._append_pairs()


def _is_long(part: object) -> bool:
    return isinstance(part, str) and len(part) > NAME_LIMIT


def _cut(part: object) -> object:
    return part[:NAME_LIMIT] if isinstance(part, str) else part


def _one_name(name: str) -> str:
    """The name of what is done, the same for each step."""
    return "ProfilerStep" if name.startswith("ProfilerStep#") else name[:NAME_LIMIT]


def _named(arguments: msgspec.Raw) -> str:
    try:
        return msgspec.json.decode(arguments, type=_NameArguments).name[:NAME_LIMIT]
    except UNREADABLE:
        return ""


def _joined(parts: list[NDArray[S]]) -> NDArray[S]:
    """One array of the parts, which are let go of."""
    whole = np.concatenate(parts)
    parts.clear()
    return whole
