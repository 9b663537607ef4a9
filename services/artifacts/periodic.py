"""Torch's periodic text dumps read into evidence (torch 2.13, `start_debug_server(dump_dir=..., dump_interval=...)`).

Each file is one moment of all ranks, seen by one handler. Bodies go into the spool of the caller.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ..flight_recorder.file_names import read_time
from ..ranksets import MAX_RANK
from ..spool import EMPTY
from ..stacks.model import Failure
from ..stacks.pyspy_errors import explain
from .artifact import Evidence
from .periodic_parts import split_parts
from .periodic_store import StoreText, read_store
from .periodic_tables import RecorderTables, read_recorder_tables
from .rank_stacks import FAULTHANDLER, PYSPY

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..spool import Body
    from .periodic_parts import Part

__all__ = ["PeriodicDump", "PeriodicKind", "read_periodic"]


class PeriodicKind(StrEnum):
    """Which of torch's handlers wrote the file; the value is how its name begins."""

    STACKS = "stacks"
    PYSPY = "pyspy_dump"
    COUNTERS = "wait_counters"
    RECORDER = "fr_trace"
    TORCHCOMMS_RECORDER = "torchcomms_fr_trace"
    STORE = "tcpstore"
    HEALTH = "torchcomms_health_check"


_SOURCES = {
    PeriodicKind.STACKS: FAULTHANDLER,
    PeriodicKind.PYSPY: PYSPY,
    PeriodicKind.COUNTERS: "wait_counter_values",
    PeriodicKind.HEALTH: "torchcomms_health_check",
}
"""The handler whose answers a file holds, where it holds answers."""
_UNHEALTHY = b"\n=== Unhealthy rank detected, triggering FR dump ===\n"
_NOT_THERE = 404


@dataclass(frozen=True, slots=True)
class PeriodicDump:
    """What one file says."""

    kind: PeriodicKind
    taken_at: int
    """From its name, else the time given by the caller; ns since the epoch."""
    evidence: tuple[Evidence, ...] = ()
    """By rank. A rank that gave no answer has an error and no body."""
    world_size: int | None = None
    """Ranks that torch asked: all of the job. None where the file does not tell."""
    store: StoreText | None = None
    recorders: tuple[RecorderTables, ...] = ()
    notes: tuple[str, ...] = ()
    """What is missing or odd, one plain line each."""


def read_periodic(
    kind: PeriodicKind, name: str, data: bytes, taken_at_fallback: int, put: Callable[[bytes], Body]
) -> PeriodicDump:
    """What one file of torch's periodic dumper says. Any bytes are read as far as they go.

    Args:
        kind: what the file is.
        name: the artifact's name; its last part may hold the time.
        data: the file.
        taken_at_fallback: the file's own time, for a name without one.
        put: stores a body and gives the handle on it.

    Raises:
        OSError: a body can't be stored.
    """
    taken_at = read_time(name.rpartition("/")[2])
    taken_at = taken_at_fallback if taken_at is None else taken_at
    match kind:
        case PeriodicKind.STORE:
            store = read_store(data)
            return PeriodicDump(kind, taken_at, store=store, notes=store.notes)
        case PeriodicKind.RECORDER | PeriodicKind.TORCHCOMMS_RECORDER:
            recorders = read_recorder_tables(data)
            notes = dict.fromkeys(note for one in recorders for note in one.notes)
            if not recorders:
                notes["no table of a flight recorder is in the file"] = None
            return PeriodicDump(kind, taken_at, recorders=recorders, notes=tuple(notes))
    return _answers(kind, name, data, taken_at, put)


def _answers(kind: PeriodicKind, name: str, data: bytes, taken_at: int, put: Callable[[bytes], Body]) -> PeriodicDump:
    source = _SOURCES[kind]
    unhealthy = data.rfind(_UNHEALTHY) if kind is PeriodicKind.HEALTH else -1
    parts = split_parts(data if unhealthy < 0 else data[:unhealthy], source)
    notes = list(parts.notes)
    if unhealthy >= 0:
        notes.append(
            "torch found a rank unhealthy by torchcomms' own check and had all ranks write their recorder's dump"
        )
    usable = [part for part in parts.parts if part.rank <= MAX_RANK]
    if kind is PeriodicKind.HEALTH:
        usable = [part for part in usable if part.status != _NOT_THERE]  # torch asks ranks without torchcomms too
    if not parts.parts:
        notes.append(f"no part of a rank is in the file: no line === Rank 0: .../handler/{source}? ===")
    evidence = tuple(
        Evidence(
            part.rank,
            source,
            EMPTY if part.error else put(part.body),
            taken_at,
            name,
            part.host,
            part.status if part.error else None,
            _error(kind, part),
        )
        for part in usable
    )
    return PeriodicDump(kind, taken_at, evidence, parts.expected or len(parts.parts) or None, notes=tuple(notes))


def _error(kind: PeriodicKind, part: Part) -> str:
    """Why a rank has no answer; a known failure of py-spy with what to do about it."""
    if kind is PeriodicKind.PYSPY and part.said:
        failure, advice = explain(part.said.split("\n"))
        if failure is not Failure.OTHER and part.status == 500:
            return advice
    return part.error
