"""What the profiler tells, and what a person changes there: immutable events for `Profiles.apply`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

    from .saved import SavedCapture
    from .summary import ProfileSummary
    from .trace_set import TraceRow, TraceSet

__all__ = [
    "HandedOver",
    "MergeProgressed",
    "ProfileEvent",
    "ProfileSaid",
    "SavedListed",
    "SetOpened",
    "SummaryFailed",
    "SummaryMade",
    "SummaryProgressed",
    "TraceChanged",
]


@dataclass(frozen=True, slots=True)
class SetOpened:
    """A capture begins, or a saved one is opened: it is what is shown."""

    traces: TraceSet


@dataclass(frozen=True, slots=True)
class TraceChanged:
    """A rank's trace has come further."""

    set_id: str
    row: TraceRow


@dataclass(frozen=True, slots=True)
class SummaryProgressed:
    """A trace is being read."""

    path: Path
    read: int
    """Bytes of content so far."""


@dataclass(frozen=True, slots=True)
class SummaryMade:
    """A trace has been read."""

    path: Path
    summary: ProfileSummary


@dataclass(frozen=True, slots=True)
class SummaryFailed:
    """A trace can't be read."""

    path: Path
    error: str


@dataclass(frozen=True, slots=True)
class SavedListed:
    """The captures on the disk."""

    captures: tuple[SavedCapture, ...]
    folder: str
    problem: str = ""
    """Why they can't be listed, one plain line."""


@dataclass(frozen=True, slots=True)
class MergeProgressed:
    """Traces are being merged for Perfetto; `read` is None when that is over."""

    read: int | None


@dataclass(frozen=True, slots=True)
class HandedOver:
    """The merged trace is ready."""

    path: Path
    url: str
    """Of the page that hands it to Perfetto, empty when there is no browser."""
    opened: bool
    """A browser has been told to open the page."""


@dataclass(frozen=True, slots=True)
class ProfileSaid:
    """Something a person should read, one plain line."""

    text: str


ProfileEvent: TypeAlias = (
    SetOpened
    | TraceChanged
    | SummaryProgressed
    | SummaryMade
    | SummaryFailed
    | SavedListed
    | MergeProgressed
    | HandedOver
    | ProfileSaid
)
