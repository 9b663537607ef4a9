"""Collectives in a trace: what they were, in which group, how much they moved.

NCCL's are told by the arguments that torch's record_param_comms gives to its own event on the host and to the kernel
on the device; Gloo's by the name of the event, `gloo:all_reduce`. Where a trace has kernels, they count; else the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import TYPE_CHECKING, Any

import msgspec

from .trace_event import UNREADABLE

if TYPE_CHECKING:
    from .trace_event import TraceEvent

__all__ = ["Collected", "CollectiveRow", "Where", "may_be_collective"]

MOST_ROWS = 10_000
NAME_LIMIT = 200
_SIGNS = ("nccl", "rccl", "hccl", "xccl", "record_param_comms", "gloo:", "mpi:", "ucc:")
_BYTES = {
    **dict.fromkeys(("byte", "bool", "char", "uint8", "int8", "float8_e4m3fn", "float8_e5m2"), 1),
    **dict.fromkeys(("half", "bfloat16", "short", "int16", "float16", "c10::half", "c10::bfloat16"), 2),
    **dict.fromkeys(("float", "int", "int32", "float32"), 4),
    **dict.fromkeys(("double", "long", "int64", "float64", "long int"), 8),
}


class Where(StrEnum):
    """Where a collective was timed."""

    DEVICE = "device"
    HOST = "host"


class _Arguments(msgspec.Struct, rename=None):
    collective: str = msgspec.field(default="", name="Collective name")
    group: str = msgspec.field(default="", name="Process Group Name")
    described: str = msgspec.field(default="", name="Process Group Description")
    size: int | None = msgspec.field(default=None, name="Group size")
    elements_in: int = msgspec.field(default=0, name="In msg nelems")
    dtype: str = msgspec.field(default="", name="dtype")
    dims: Any = msgspec.field(default=None, name="Input Dims")
    types: Any = msgspec.field(default=None, name="Input type")


_DECODER = msgspec.json.Decoder(_Arguments, strict=False)


@dataclass(slots=True)
class CollectiveRow:
    """All calls of one collective in one group. Times are in microseconds."""

    name: str
    group: str
    """Name and description as torch gives them, empty when the trace does not say."""
    group_size: int | None
    where: Where
    calls: int = 0
    total: float = 0.0
    longest: float = 0.0
    size: int = 0
    """Bytes that went in, where dtype and sizes are known."""


class Collected:
    """Adds up collectives as they are met."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str, Where], CollectiveRow] = {}

    def add(self, event: TraceEvent) -> None:
        """Count an event whose name may be a collective's."""
        try:
            arguments = _DECODER.decode(event.args) if len(event.args) else _Arguments()
        except UNREADABLE:
            arguments = _Arguments()
        backend, colon, operation = event.name.partition(":")
        device = event.cat == "kernel"
        if arguments.collective:
            name = arguments.collective
        elif colon and not device and " " not in operation and f"{backend}:" in _SIGNS:
            name = operation
        elif device and "nccl" in event.name.lower():
            name = event.name.partition("(")[0]
        else:
            return
        described = arguments.described if arguments.described not in ("", "undefined") else ""
        group = f"{arguments.group} ({described})" if described and described != arguments.group else arguments.group
        where = Where.DEVICE if device else Where.HOST
        name, group = name[:NAME_LIMIT], group[:NAME_LIMIT]
        key = (name, group, where)
        row = self._rows.get(key)
        if row is None:
            if len(self._rows) >= MOST_ROWS:
                return
            row = self._rows[key] = CollectiveRow(name, group, arguments.size, where)
        lasted = event.dur if event.dur is not None and event.dur > 0 else 0.0
        row.calls += 1
        row.total += lasted
        row.longest = max(row.longest, lasted)
        row.size += _bytes(arguments)

    def rows(self) -> tuple[CollectiveRow, ...]:
        """Longest in all first; those of the device alone when there are any."""
        rows = [row for row in self._rows.values() if row.where is Where.DEVICE] or list(self._rows.values())
        return tuple(sorted(rows, key=lambda row: (-row.total, row.name, row.group)))


def may_be_collective(name: str) -> bool:
    """Whether an event of this name is worth a look at its arguments."""
    lower = name[:300].lower()
    return any(sign in lower for sign in _SIGNS)


def _bytes(arguments: _Arguments) -> int:
    width = _BYTES.get(arguments.dtype.lower(), 0)
    if arguments.elements_in > 0:
        return arguments.elements_in * width
    dims, types = arguments.dims, arguments.types
    if not isinstance(dims, list) or not isinstance(types, list) or len(dims) != len(types):
        return 0
    total = 0
    for shape, dtype in zip(dims, types, strict=True):
        if isinstance(shape, list) and shape and isinstance(dtype, str):
            whole = [one for one in shape if isinstance(one, int) and one >= 0]
            if len(whole) == len(shape):
                total += prod(whole) * _BYTES.get(dtype.lower(), 0)
    return total
