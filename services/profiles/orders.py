"""What the engine is told to do for the profiler. Each is answered by events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

    from ..ranksets import RankSet

__all__ = ["CancelCapture", "Capture", "HandToPerfetto", "ListSaved", "OpenTraces", "ProfileOrder", "ReadTraces"]


@dataclass(frozen=True, slots=True)
class Capture:
    """Run the profiler on ranks of the attached job, all at the same time: SetOpened, TraceChanged for each."""

    ranks: RankSet
    duration_s: float


@dataclass(frozen=True, slots=True)
class CancelCapture:
    """Wait no longer for the ranks that have not answered. Their profilers run to their end all the same."""


@dataclass(frozen=True, slots=True)
class ListSaved:
    """Read which captures are on the disk: SavedListed."""


@dataclass(frozen=True, slots=True)
class OpenTraces:
    """Open trace files or the folder of a capture: SetOpened, or ProfileSaid why not."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class ReadTraces:
    """Read these next, before others that wait: SummaryMade or SummaryFailed for each that has not been read."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class HandToPerfetto:
    """Merge traces and serve them once to a page that opens Perfetto: HandedOver, or ProfileSaid why not."""

    traces: tuple[tuple[int, Path], ...]
    """Rank and file."""
    into: Path | None
    """Folder for the merged trace; that of captures when None."""


ProfileOrder: TypeAlias = Capture | CancelCapture | ListSaved | OpenTraces | ReadTraces | HandToPerfetto
