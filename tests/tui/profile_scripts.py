"""Captures as events, their summaries made of real traces."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.fakes.traces import trace_text
from xpudbg.services.profiles.events import SavedListed, SetOpened, SummaryMade, TraceChanged
from xpudbg.services.profiles.saved import SavedCapture
from xpudbg.services.profiles.summary import ProfileSummary, summarise
from xpudbg.services.profiles.trace_set import TraceRow, TraceSet, TraceState

from .scripted import NOW, SECOND

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xpudbg.services.events import Event

FOLDER = Path("/profiles/20251009T085320Z")


@cache
def summary(rank: int, slow: float = 1.0) -> ProfileSummary:
    """What a trace of a rank says."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        path.write_text(trace_text(20, rank, slow))
        return summarise(path)


def trace_row(rank: int, state: TraceState = TraceState.DONE, error: str = "") -> TraceRow:
    """A rank's row."""
    begun = NOW + rank * 100_000
    if not state.has_file:
        took = None if not state.is_over else 63.0
        return TraceRow(rank, state, error=error, started_at=begun, took_s=took)
    path = FOLDER / f"rank-{rank:05d}.json.gz"
    return TraceRow(rank, state, path, 152_400_000 + rank, 14_100_000, error, begun, 12.0 + rank / 10)


def opened_set(rows: Iterable[TraceRow], began_at: int = NOW) -> SetOpened:
    """A capture."""
    found = {row.rank: row for row in rows}
    return SetOpened(TraceSet(str(FOLDER), FOLDER.name, FOLDER, 10.0, began_at, found, "store head-0:29500"))


def captured(slow: int = 2, failed: bool = True) -> list[Event]:
    """Four ranks captured and read, one of them slow, and two that gave nothing."""
    rows = [trace_row(rank) for rank in range(4)]
    if failed:
        rows.append(trace_row(4, TraceState.FAILED, "HTTP 500: RuntimeError: no \x1b[31mprofiler"))
        rows.append(trace_row(5, TraceState.CANCELLED, "its profiler runs to its end all the same"))
    made = [
        SummaryMade(FOLDER / f"rank-{rank:05d}.json.gz", summary(rank, 1.2 if rank == slow else 1.0))
        for rank in range(4)
    ]
    return [opened_set(rows), *made, SavedListed(saved(), "/profiles")]


def saved() -> tuple[SavedCapture, ...]:
    """Captures on the disk."""
    return (
        SavedCapture(FOLDER, "store head-0:29500", NOW, 10.0, 4, 56_400_000),
        SavedCapture(Path("/profiles/older"), "", None, None, 1, 900),
    )


def under_way() -> list[Event]:
    """A capture in which one rank is done, one sends, one profiles, and one is late."""
    rows = [trace_row(rank, TraceState.ASKED) for rank in range(4)]
    sending = TraceRow(1, TraceState.RECEIVING, None, 34_000_000, 3_100_000, started_at=NOW)
    late = TraceRow(3, TraceState.ASKED, started_at=NOW - 30 * SECOND)
    changed = [TraceChanged(str(FOLDER), row) for row in (trace_row(0), sending, late)]
    return [opened_set(rows), *changed]
