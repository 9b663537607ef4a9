"""Tables of made-up jobs and of dumps written entry by entry, and their cells as texts."""

from __future__ import annotations

from collections.abc import Sequence

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.flight_recorder.looking import analysed
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.coordinates import coordinates
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.flight_recorder.dump import Dump
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.recorder_tables.browser import RecorderTables
from xpudbg.services.recorder_tables.row_filter import RowFilter
from xpudbg.services.recorder_tables.table import BrowseTable, Detail

__all__ = ["TP", "WORLD", "cells", "column", "fact", "left", "mixed_job", "tables_of"]

SOURCE = "dump_nccl_trace_json"
WORLD = FakeGroup("0", "default_pg", (0, 1, 2, 3))
TP = (FakeGroup("1", "tp", (0, 1)), FakeGroup("2", "tp", (2, 3)))
PAIRS = Call("0", pairs=((0, 1), (1, 2)))
BATCH = Call("0", "ALLGATHER_coalesced", inner=(("_broadcast_oop", 4), ("_broadcast_oop", 5)))


def tables_of(job: FakeJob | Sequence[Dump], world_size: int | None = None) -> RecorderTables:
    look = analysed(job) if isinstance(job, FakeJob) else analyse(job, world_size=world_size)
    return RecorderTables(RecorderLook(1, {SOURCE: diagnose(look)}, coordinates=coordinates(look.job.groups)), SOURCE)


def mixed_job(*faults: Fault, steps: int = 2, backend: str = "nccl", frames: bool = False) -> FakeJob:
    """Collectives of three groups, a batch of sends and receives, and a coalesced collective, in every step.

    The world's rank 3 is in no send or receive, so its program lacks that call.
    """
    program = [Call("1"), Call("2"), Call("0"), PAIRS, BATCH]
    return FakeJob(4, [WORLD, *TP], program * steps, faults=faults, backend=backend, frames=frames)


def cells(table: BrowseTable, row: int) -> dict[str, str]:
    return {field.key: table.cell(row, place).text for place, field in enumerate(table.fields)}


def column(table: BrowseTable, key: str) -> list[str]:
    place = [field.key for field in table.fields].index(key)
    return [table.cell(row, place).text for row in range(len(table))]


def left(table: BrowseTable, text: str) -> list[int]:
    """The rows that a filter leaves."""
    return [int(row) for row in table.mask(RowFilter.parse(text)).nonzero()[0]]


def fact(table: BrowseTable, row: int, label: str) -> Detail:
    """The only fact of a row with this label."""
    (found,) = [one for one in table.details(row) if one.label == label]
    return found
