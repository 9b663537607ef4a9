"""Lanes of a timeline brought down to the columns of a screen: what each cell says, and how strongly.

The cost is that of the columns: along time, what is covered up to an instant comes from sums over the beginnings and
ends of segments, so that no loop runs over calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from .segments import CallState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .lanes import Timeline
    from .segments import Segments

__all__ = ["FULL", "CellKind", "Cells", "cells_by_call", "cells_by_time"]

FULL = 8
"""The highest level of a cell."""


class CellKind(IntEnum):
    """What a cell says; of several things the highest."""

    NOTHING = 0
    """Between calls, or not recorded (any more)."""
    QUEUED = 1
    """A call that ended: made, and not started on the device yet. Along time only."""
    CALL = 2
    """Inside a call that ended. Level: along time the part of the cell that is inside calls, along calls how late."""
    MADE = 3
    """A call that ended, and nobody recorded when; along calls one that was made at no known time."""
    LATE = 4
    """The rank came last, and clearly so. Level: how late."""
    MISSING = 5
    """The rank has not come to this call. Along calls only."""
    WAITING = 6
    """A call that is open and not known to have started."""
    RUNNING = 7
    """A call that is open and has started on the device."""
    TIMED_OUT = 8


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Both of shape `(lanes, columns)`."""

    kind: NDArray[np.int8]
    """`CellKind`."""
    level: NDArray[np.int8]
    """1 to `FULL`, 0 where there is nothing."""


def cells_by_time(timeline: Timeline, lanes: Sequence[int], start: float, per_cell: float, columns: int) -> Cells:
    """
    Args:
        lanes: which lanes.
        start: instant at the left edge, ns after `timeline.newest` (negative is before it).
        per_cell: ns in a cell.
    """
    made = _none(len(lanes), columns)
    edges: NDArray[np.float64] = start + per_cell * np.arange(columns + 1, dtype=np.float64)
    for row, lane in enumerate(lanes):
        _along_time(timeline, timeline.segments(lane), edges, made.kind[row], made.level[row])
    return made


def cells_by_call(timeline: Timeline, lanes: Sequence[int], first: int, per_cell: int, columns: int) -> Cells:
    """
    Args:
        lanes: which lanes.
        first: place at the left edge.
        per_cell: calls in a cell, at least 1.
    """
    made = _none(len(lanes), columns)
    used = min(columns, max(-(-(timeline.places - first) // per_cell), 0))
    for row, lane in enumerate(lanes):
        missing = timeline.lanes[lane].missing_from
        kind, level = made.kind[row], made.level[row]
        if missing is not None:
            kind[max((missing - first) // per_cell, 0) : used] = CellKind.MISSING
            level[max((missing - first) // per_cell, 0) : used] = FULL
        _along_calls(timeline, timeline.segments(lane), first, per_cell, kind[:used], level[:used])
    return made


def lateness_level(late_s: NDArray[np.float64], scale_s: float) -> NDArray[np.int8]:
    """1 for a rank that is not behind the median or whose lateness is not known, `FULL` from `scale_s` on."""
    part = np.nan_to_num(late_s, nan=0.0) / scale_s if scale_s > 0 else np.zeros(len(late_s))
    return (1 + np.floor(np.clip(part, 0, 1) * (FULL - 1))).astype(np.int8)


def _none(lanes: int, columns: int) -> Cells:
    return Cells(np.zeros((lanes, columns), dtype=np.int8), np.zeros((lanes, columns), dtype=np.int8))


def _along_time(
    timeline: Timeline, own: Segments, edges: NDArray[np.float64], kind: NDArray[np.int8], level: NDArray[np.int8]
) -> None:
    known = own.created > 0
    if not known.any():
        return
    columns, width = len(kind), edges[1] - edges[0]
    created = (own.created - timeline.newest)[known].astype(np.float64)
    is_open, state = own.open[known], own.state[known]
    completed = np.where(own.completed > 0, own.completed - timeline.newest, np.nan)[known]
    started = np.where(own.started > 0, own.started - timeline.newest, np.nan)[known]
    ended = ~is_open & (state != CallState.TIMED_OUT)
    lasting = ended & (completed > created)
    ends = completed[lasting]
    begins = created[lasting]
    on_device = np.clip(np.where(np.isnan(started[lasting]), begins, started[lasting]), begins, ends)
    inside = _covered(begins, ends, edges)
    queued = _covered(begins, on_device, edges)
    share = np.minimum(inside / width, 1.0)
    hit = _touched(begins, ends, edges)
    kind[hit] = np.where(2 * queued > inside, CellKind.QUEUED, CellKind.CALL)[hit]
    level[hit] = np.maximum(np.ceil(share * FULL), 1)[hit]
    at = np.floor((created - edges[0]) / width)
    seen = (at >= 0) & (at < columns)
    column = np.where(seen, at, 0).astype(np.int64)
    _raise(kind, level, column[seen & ended & ~lasting], CellKind.MADE)
    late = seen & own.stands_out[known]
    _raise(kind, level, column[late], CellKind.LATE)
    for wanted, meaning in (
        (is_open & (state == CallState.SCHEDULED), CellKind.WAITING),
        (is_open & (state == CallState.STARTED), CellKind.RUNNING),
    ):
        _until_end(kind, level, created[wanted], edges, meaning)
    over = state == CallState.TIMED_OUT
    _until_end(kind, level, created[over & is_open], edges, CellKind.TIMED_OUT)
    stuck = over & ~is_open
    begins = created[stuck]
    ends = np.nan_to_num(completed[stuck], nan=0.0)
    hit = _touched(begins, np.maximum(ends, begins), edges)
    kind[hit], level[hit] = CellKind.TIMED_OUT, FULL


def _covered(begins: NDArray[np.float64], ends: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of each cell is covered by segments; where these overlap, counted for each of them."""
    return np.diff(_up_to(begins, edges) - _up_to(ends, edges))


def _up_to(instants: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each edge: the sum of what lies between each instant before it and the edge, within the window alone."""
    ordered = np.sort(np.clip(instants, edges[0], edges[-1])) - edges[0]
    sums = np.append(0.0, np.cumsum(ordered))
    count = np.searchsorted(ordered, edges - edges[0])
    return np.asarray(count * (edges - edges[0]) - sums[count], dtype=np.float64)


def _touched(begins: NDArray[np.float64], ends: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Cells in which a segment begins, ends or goes on."""
    begun = np.searchsorted(np.sort(begins), edges[1:], "left")
    over = np.searchsorted(np.sort(ends), edges[:-1], "left")
    return np.asarray(begun > over, dtype=np.bool_)


def _raise(kind: NDArray[np.int8], level: NDArray[np.int8], column: NDArray[np.int64], meaning: CellKind) -> None:
    kind[column] = np.maximum(kind[column], meaning)
    level[column] = FULL


def _until_end(
    kind: NDArray[np.int8],
    level: NDArray[np.int8],
    created: NDArray[np.float64],
    edges: NDArray[np.float64],
    meaning: CellKind,
) -> None:
    """From the first of these moments on, to the right edge."""
    if len(created):
        begin = max(int(np.floor((created.min() - edges[0]) / (edges[1] - edges[0]))), 0)
        kind[begin:] = np.maximum(kind[begin:], meaning)
        level[begin:] = FULL


def _along_calls(
    timeline: Timeline,
    own: Segments,
    first: int,
    per_cell: int,
    kind: NDArray[np.int8],
    level: NDArray[np.int8],
) -> None:
    columns = len(kind)
    at = (own.place - first) // per_cell
    seen = (own.place >= first) & (at < columns)
    if not seen.any():
        return
    column = at[seen]
    state, is_open = own.state[seen], own.open[seen]
    late = lateness_level(own.late_s[seen], timeline.scale_s)
    timed = own.created[seen] > 0
    meaning = np.where(own.stands_out[seen], CellKind.LATE, np.where(timed, CellKind.CALL, CellKind.MADE))
    meaning = np.where(is_open, np.where(state == CallState.STARTED, CellKind.RUNNING, CellKind.WAITING), meaning)
    meaning = np.where(state == CallState.TIMED_OUT, CellKind.TIMED_OUT, meaning)
    np.maximum.at(kind, column, meaning.astype(np.int8))
    np.maximum.at(level, column, late)
