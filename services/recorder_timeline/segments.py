"""The calls of one lane as segments from the moment a rank made them to their end."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..flight_recorder.columns import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ..flight_recorder.job import Job
    from ..flight_recorder.match import Matched

__all__ = ["CallState", "Lateness", "Segments", "segments_of"]


class CallState(IntEnum):
    """How far one rank is in one call."""

    SCHEDULED = 0
    """Made, and not known to have started on the device."""
    STARTED = 1
    COMPLETED = 2
    TIMED_OUT = 3
    """It ended after its timeout, or is open and past it."""


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """One row for each call of one lane: collectives, then P2P calls, by sequence number. Instants: ns, 0 = unknown."""

    part: NDArray[np.int64]
    """Index of the part in `Matched`."""
    call: NDArray[np.int64]
    """Index of the call in `Matched`."""
    created: NDArray[np.int64]
    started: NDArray[np.int64]
    completed: NDArray[np.int64]
    """0 too where a call has ended and nobody recorded when (Gloo)."""
    state: NDArray[np.int8]
    """`CallState`."""
    open: NDArray[np.bool_]
    """Not over."""
    late_s: NDArray[np.float64]
    """Seconds behind the median arrival of the call; NaN where that is not known, and for P2P calls."""
    is_last: NDArray[np.bool_]
    stands_out: NDArray[np.bool_]
    """It is the last to come, and clearly so."""
    place: NDArray[np.int64]
    """Place on the sequence axis; -1 = not on it."""

    def __len__(self) -> int:
        return len(self.part)

    def shifted(self, by: int) -> Segments:
        """The same on another clock, `by` ns ahead of this one."""
        moved = (np.where(column > 0, column + by, 0) for column in (self.created, self.started, self.completed))
        return replace(self, **dict(zip(("created", "started", "completed"), moved, strict=True)))

    def placed(self, place: NDArray[np.int64]) -> Segments:
        return replace(self, place=place)

    @classmethod
    def none(cls) -> Segments:
        """No call at all."""
        types = {"state": np.int8, "late_s": np.float64} | dict.fromkeys(("open", "is_last", "stands_out"), np.bool_)
        return cls(**{field.name: np.empty(0, dtype=types.get(field.name, np.int64)) for field in fields(cls)})


class Lateness(NamedTuple):
    """How late one rank is in some calls, one row each."""

    late_s: NDArray[np.float64]
    is_last: NDArray[np.bool_]
    stands_out: NDArray[np.bool_]


def segments_of(
    job: Job,
    matched: Matched,
    part: NDArray[np.int64],
    *,
    offset: int,
    taken_at: int | None,
    late: Callable[[NDArray[np.int64]], Lateness],
    place: NDArray[np.int64],
) -> Segments:
    """Some parts of one rank.

    Args:
        part: which parts.
        offset: ns by which the rank's clock is ahead of the common one.
        taken_at: when the rank's dump was taken, ns since the epoch, None = not known.
        late: how late the rank is, from the instants of its arrivals on the common clock (0 = unknown).
        place: places on the sequence axis.
    """
    columns = job.columns
    first, row = matched.part_first[part], matched.part_row[part]
    created = columns.created[first]
    started = np.where(columns.started[first] > 0, columns.started[first], columns.started[row])
    is_open = ~matched.ended[part]
    completed = np.where(is_open, 0, columns.completed[row])
    on_device = (started > 0) | (columns.state[row] == State.STARTED)
    state = np.where(is_open, np.where(on_device, CallState.STARTED, CallState.SCHEDULED), CallState.COMPLETED)
    overdue = matched.late[part]
    if taken_at is not None:
        timeout = columns.timeout_ms[row]
        overdue = overdue | (is_open & (timeout > 0) & (created > 0) & ((taken_at - created) / 1e6 > timeout))
    created, started, completed = (_moved(column, offset) for column in (created, started, completed))
    return Segments(
        part=part,
        call=matched.part_call[part],
        created=created,
        started=started,
        completed=completed,
        state=np.where(overdue, CallState.TIMED_OUT, state).astype(np.int8),
        open=is_open,
        place=place,
        **late(created)._asdict(),
    )


def _moved(column: NDArray[np.int64], offset: int) -> NDArray[np.int64]:
    return np.where(column > 0, column - offset, 0)
