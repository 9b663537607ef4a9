"""Entries of one dump as numpy columns; texts, shapes, dtypes and stacks are interned and stand as indexes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = [
    "COLUMNS",
    "Dtypes",
    "Entries",
    "Frame",
    "GroupLabel",
    "Shapes",
    "Splits",
    "Stack",
    "State",
    "Tables",
    "Thread",
]

Shapes: TypeAlias = tuple[tuple[int, ...], ...]
"""Sizes of the tensors of one side of a call; empty when the call has none there."""
Dtypes: TypeAlias = tuple[str, ...]


class State(IntEnum):
    """State of an entry as recorded; it does not say alone whether the call has ended (see `match`)."""

    SCHEDULED = 0
    STARTED = 1
    COMPLETED = 2
    UNKNOWN = 3


class Frame(NamedTuple):
    """One line of a recorded stack, innermost first; texts as recorded."""

    name: str
    filename: str
    line: int


Stack: TypeAlias = tuple[Frame, ...]


class GroupLabel(NamedTuple):
    """What an entry calls its group. Not an identity: names repeat, descriptions differ between ranks."""

    name: str
    desc: str


class Splits(NamedTuple):
    """Elements per peer of an all_to_all, in the order of the group's ranks; empty where the dump has none."""

    sent: tuple[int, ...]
    received: tuple[int, ...]


class Thread(NamedTuple):
    """The thread that made a call, as recorded."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Tables:
    """What the index columns of `Entries` point at; index 0 of each table may be in use."""

    groups: tuple[GroupLabel, ...] = ()
    names: tuple[str, ...] = ()
    shapes: tuple[Shapes, ...] = ()
    dtypes: tuple[Dtypes, ...] = ()
    splits: tuple[Splits, ...] = ()
    threads: tuple[Thread, ...] = ()
    stacks: tuple[bytes | Stack, ...] = ()
    """A stack is kept as the bytes it came in until somebody asks for it (see `decode.stack_of`)."""


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """The entries of one rank, one row each, in the order they were recorded.

    Counters are unsigned 64 bit and exact. Instants are ns since the epoch on the rank's own clock, 0 = unknown.
    """

    record_id: NDArray[np.uint64]
    """Counter of the rank: never comparable between ranks."""
    pg_id: NDArray[np.uint64]
    """Local creation index of the group, not its name."""
    collective_seq: NDArray[np.uint64]
    p2p_seq: NDArray[np.uint64]
    op_id: NDArray[np.uint64]
    created: NDArray[np.int64]
    started: NDArray[np.int64]
    completed: NDArray[np.int64]
    timeout_ms: NDArray[np.int64]
    """0 = not recorded."""
    duration_ms: NDArray[np.float64]
    """NaN where timing is off."""
    state: NDArray[np.int8]
    retired: NDArray[np.bool_]
    is_p2p: NDArray[np.bool_]
    group: NDArray[np.int32]
    name: NDArray[np.int32]
    input_shapes: NDArray[np.int32]
    output_shapes: NDArray[np.int32]
    input_dtypes: NDArray[np.int32]
    output_dtypes: NDArray[np.int32]
    splits: NDArray[np.int32]
    """-1 where the dump has no counts per peer."""
    thread: NDArray[np.int32]
    """-1 where the dump names no thread."""
    stack: NDArray[np.int32]
    """-1 where the dump has no frames."""
    tables: Tables

    def __len__(self) -> int:
        return len(self.record_id)

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]], tables: Tables) -> Entries:
        """Columns given as sequences, in the order of record_id when they are not yet.

        Raises:
            OverflowError: a counter lies outside 64 bits.
        """
        made = {name: np.array(columns[name], dtype=dtype) for name, dtype in COLUMNS.items()}
        record_id = made["record_id"]
        if len(record_id) > 1 and bool(np.any(record_id[1:] < record_id[:-1])):
            order = np.argsort(record_id, kind="stable")
            made = {name: column[order] for name, column in made.items()}
        return cls(**made, tables=tables)

    @classmethod
    def none(cls) -> Entries:
        """No entries at all."""
        return cls.of(dict.fromkeys(COLUMNS, ()), Tables())


COLUMNS: dict[str, Any] = {
    field.name: {
        "record_id": np.uint64,
        "pg_id": np.uint64,
        "collective_seq": np.uint64,
        "p2p_seq": np.uint64,
        "op_id": np.uint64,
        "created": np.int64,
        "started": np.int64,
        "completed": np.int64,
        "timeout_ms": np.int64,
        "duration_ms": np.float64,
        "state": np.int8,
        "retired": np.bool_,
        "is_p2p": np.bool_,
    }.get(field.name, np.int32)
    for field in fields(Entries)
    if field.name != "tables"
}
"""Type of each column of `Entries`."""
