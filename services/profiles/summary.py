"""What a trace says without a browser: operators by self time, calls, collectives, gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import msgspec
import numpy as np

from .columns import read_columns
from .gaps import gaps_of
from .memberships import Memberships, memberships_of
from .reader import read_events
from .repairs import Repairs
from .self_time import self_times
from .trace_event import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from .collectives import CollectiveRow
    from .columns import TraceColumns, Track
    from .gaps import Gap, TrackUse

__all__ = ["OperatorRow", "ProfileSummary", "summarise", "summary_of"]

S = TypeVar("S", bound=np.generic)

MOST_GAPS = 1_000
DEVICE = frozenset(("kernel", "gpu_memcpy", "gpu_memset"))
"""Categories that run on a device."""
AROUND = frozenset(("user_annotation", "gpu_user_annotation", "python_function"))
"""Categories that stand around others and do no work themselves: a gap may be inside of one."""
BESIDE = frozenset(("gpu_user_annotation",))
"""Categories that repeat what others say; they have no self time of their own."""


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """All calls of one operator. Times are in microseconds."""

    name: str
    category: str
    calls: int
    self_time: float
    """In which nothing that it called ran."""
    total: float
    """From beginning to end, added up; where it calls itself, the inner calls count as well."""
    longest: float


@dataclass(frozen=True, slots=True)
class ProfileSummary:
    """One trace. Times are in microseconds."""

    rank: int | None
    """As the trace says; None where it does not."""
    host: str
    window: float
    """How long the capture lasted."""
    began_at: int | None
    """When it began, ns since the epoch; None where the trace's clock is not tied to a date."""
    events: int
    operators: tuple[OperatorRow, ...]
    """Most self time first."""
    collectives: tuple[CollectiveRow, ...]
    uses: tuple[TrackUse, ...]
    """Streams of devices and the main thread."""
    gaps: tuple[Gap, ...]
    """Longest first."""
    memberships: Memberships | None
    notes: tuple[str, ...]
    """What was repaired, and how far it could be read."""
    content_bytes: int
    """Size of the trace when unpacked."""

    @property
    def busy(self) -> float:
        """Self time of all operators."""
        return sum(row.self_time for row in self.operators)


def summarise(path: Path, watch: Callable[[int], None] = lambda _read: None) -> ProfileSummary:
    """Read a trace file and sum it up.

    Args:
        path: a trace as torch.profiler writes it, gzip or plain.
        watch: told the bytes of content read so far; may raise to end it.

    Raises:
        OSError: the file can't be read.
    """
    repairs = Repairs()
    columns = read_columns(read_events(path, repairs), repairs, watch)
    return summary_of(columns, repairs)


def summary_of(columns: TraceColumns, repairs: Repairs) -> ProfileSummary:
    """Sum up columns."""
    size = len(columns.operations)
    calls, total = np.zeros(size, np.int64), np.zeros(size)
    own, longest = np.zeros(size), np.zeros(size)
    categories = np.array([category for category, _ in columns.operations], dtype=object)
    around = np.array([category in AROUND for category in categories], np.bool_)
    beside = np.array([category in BESIDE for category in categories], np.bool_)
    device = np.array([category in DEVICE for category in categories], np.bool_)
    window = columns.window or _span(columns)
    main = _main_track(columns, around, device)
    uses: list[TrackUse] = []
    gaps: list[Gap] = []
    for number, of_track in _by_track(columns):
        start, duration, names = columns.start[of_track], columns.duration[of_track], columns.operation[of_track]
        calls += np.bincount(names, minlength=size)
        total += np.bincount(names, duration, minlength=size)
        np.maximum.at(longest, names, duration)
        end = start + duration
        counted = ~beside[names]
        own += np.bincount(_those(names, counted), self_times(_those(start, counted), _those(end, counted)), size)
        on_device = bool(device[names].any())
        if on_device or number == main:
            working = ~around[names]
            use, found = gaps_of(
                _track_name(columns, columns.tracks[number], device=on_device),
                _those(start, working),
                _those(end, working),
                _those(names, working),
                columns.operations,
                window,
            )
            uses.append(use)
            gaps += found
    rows = [
        OperatorRow(name, category, int(calls[at]), float(own[at]), float(total[at]), float(longest[at]))
        for at, (category, name) in enumerate(columns.operations)
        if calls[at]
    ]
    rows.sort(key=lambda row: (-row.self_time, -row.total, row.name))
    gaps.sort(key=lambda gap: (-gap.length, gap.start))
    base = _whole(columns, "baseTimeNanoseconds")
    memberships = memberships_of(columns.header.get("distributedInfo"))
    return ProfileSummary(
        rank=memberships.rank if memberships is not None else None,
        host=_text(columns, "host_name"),
        window=window[1] - window[0],
        began_at=base + int(window[0] * 1000) if base is not None else None,
        events=len(columns.start),
        operators=tuple(rows),
        collectives=columns.collected.rows(),
        uses=tuple(uses),
        gaps=tuple(gaps[:MOST_GAPS]),
        memberships=memberships,
        notes=repairs.sentences(),
        content_bytes=columns.read_bytes,
    )


def _by_track(columns: TraceColumns) -> Iterator[tuple[int, slice]]:
    """Where the events of each track are."""
    sizes = np.bincount(columns.track, minlength=len(columns.tracks))
    ends = np.cumsum(sizes)
    for number in np.flatnonzero(sizes).tolist():
        yield number, slice(int(ends[number] - sizes[number]), int(ends[number]))


def _those(values: NDArray[S], chosen: NDArray[np.bool_]) -> NDArray[S]:
    """The values chosen; no copy where that is all of them."""
    return values if chosen.all() else values[chosen]


def _span(columns: TraceColumns) -> tuple[float, float]:
    if not len(columns.start):
        return 0.0, 0.0
    return float(columns.start.min()), float((columns.start + columns.duration).max())


def _main_track(columns: TraceColumns, around: NDArray[np.bool_], device: NDArray[np.bool_]) -> int | None:
    """The thread of the host whose number is the process's; else the one that works most."""
    size = len(columns.tracks)
    working = ~(around | device)[columns.operation] if len(columns.operation) else np.zeros(0, np.bool_)
    busy = np.bincount(columns.track[working], columns.duration[working], minlength=size)
    for number, (process, thread) in enumerate(columns.tracks):
        if process == thread and busy[number] > 0:
            return number
    return int(busy.argmax()) if size and busy.max(initial=0) > 0 else None


def _track_name(columns: TraceColumns, track: Track, *, device: bool) -> str:
    if device:
        return f"device {track[0]} stream {track[1]}"[:80]
    return (columns.thread_names.get(track) or f"thread {track[1]}")[:80]


def _whole(columns: TraceColumns, key: str) -> int | None:
    try:
        return msgspec.json.decode(columns.header[key], type=int) if key in columns.header else None
    except UNREADABLE:
        return None


def _text(columns: TraceColumns, key: str) -> str:
    try:
        return msgspec.json.decode(columns.header[key], type=str)[:200] if key in columns.header else ""
    except UNREADABLE:
        return ""
