"""What is known at the profiler: the set that is shown, summaries, saved captures. It changes only in `apply`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import events
from .difference import DifferenceRow, from_median

if TYPE_CHECKING:
    from pathlib import Path

    from .events import ProfileEvent
    from .saved import SavedCapture
    from .summary import ProfileSummary
    from .trace_set import TraceRow, TraceSet

__all__ = ["Profiles"]

SUMMARIES_KEPT = 1_024
"""The oldest goes first; a trace can be read again."""
MEDIAN_OF = 256
"""Ranks that a median is of at the most, evenly chosen: it is worked out while somebody waits for it."""


class Profiles:
    """The state of the profiler. Read it freely, change it by `apply` alone."""

    def __init__(self) -> None:
        self.revision = 0
        """Grows with each change."""
        self.shown: TraceSet | None = None
        self.capturing: TraceSet | None = None
        """The newest capture, until all its ranks are through."""
        self.summaries: dict[Path, ProfileSummary] = {}
        self.failures: dict[Path, str] = {}
        """Why a trace can't be read."""
        self.reading: tuple[Path, int] | None = None
        """The trace that is being read, and bytes of its content so far."""
        self.merging: int | None = None
        """Bytes read for the merged trace; None when none is being made."""
        self.handed: events.HandedOver | None = None
        self.saved: tuple[SavedCapture, ...] | None = None
        """Captures on the disk, newest first; None before they have been listed."""
        self.saved_folder = ""
        self.saved_problem = ""
        self.said: list[str] = []
        """What was told to the person, in order."""
        self._out: set[int] = set()
        """Ranks of the newest capture that are not through."""
        self._differences: dict[tuple[int, int | None, int], tuple[DifferenceRow, ...]] = {}

    # what the screens read ------------------------------------------------------------------------------------

    def row(self, rank: int | None) -> TraceRow | None:
        """A rank's trace in the set that is shown."""
        return self.shown.rows.get(rank) if self.shown is not None and rank is not None else None

    def summary(self, rank: int | None) -> ProfileSummary | None:
        """Of a rank's trace, once it has been read."""
        row = self.row(rank)
        return self.summaries.get(row.path) if row is not None and row.path is not None else None

    def read_ranks(self) -> list[int]:
        """Ranks of the set whose trace has been read."""
        rows = self.shown.rows if self.shown is not None else {}
        return [rank for rank, row in rows.items() if row.path is not None and row.path in self.summaries]

    def median_ranks(self, rank: int) -> list[int]:
        """The ranks that a rank is compared with: all others that have been read, or as many as a median is of."""
        others = [one for one in self.read_ranks() if one != rank]
        step = -(-len(others) // MEDIAN_OF) or 1
        return others[::step]

    def difference(self, rank: int, other: int | None) -> tuple[DifferenceRow, ...]:
        """A rank against another one, or (None) against the median of all others that have been read; empty while
        one of them has not been."""
        here = self.summary(rank)
        ranks = self.median_ranks(rank) if other is None else [other]
        there = [summary for one in ranks if (summary := self.summary(one)) is not None]
        if here is None or not there:
            return ()
        key = (id(here), other, len(there))
        if key not in self._differences:
            self._differences.clear()
            self._differences[key] = from_median(here, there)
        return self._differences[key]

    # the one place where it changes ---------------------------------------------------------------------------

    def apply(self, event: ProfileEvent) -> None:
        """Fold one event in."""
        match event:
            case events.SetOpened():
                self.shown = replace(event.traces, rows=dict(event.traces.rows))
                self._differences.clear()
                if self.shown.under_way:
                    self.capturing = self.shown
                    self._out = {rank for rank, row in self.shown.rows.items() if not row.state.is_over}
            case events.TraceChanged():
                self._changed(event)
            case events.SummaryProgressed():
                self.reading = (event.path, event.read)
            case events.SummaryMade():
                while len(self.summaries) >= SUMMARIES_KEPT:
                    del self.summaries[next(iter(self.summaries))]
                self.summaries[event.path] = event.summary
                self.failures.pop(event.path, None)
                self.reading = None
            case events.SummaryFailed():
                self.failures[event.path] = event.error
                self.reading = None
            case events.SavedListed():
                self.saved, self.saved_folder = event.captures, event.folder
                self.saved_problem = event.problem
            case events.MergeProgressed():
                self.merging = event.read
            case events.HandedOver():
                self.handed = event
            case events.ProfileSaid():
                self.said.append(event.text)
        self.revision += 1

    def _changed(self, event: events.TraceChanged) -> None:
        if self.capturing is not None and self.capturing.id == event.set_id:
            self.capturing.rows[event.row.rank] = event.row
            if event.row.state.is_over:
                self._out.discard(event.row.rank)
                if not self._out:
                    self.capturing = None
        if self.shown is not None and self.shown.id == event.set_id:
            self.shown.rows[event.row.rank] = event.row
