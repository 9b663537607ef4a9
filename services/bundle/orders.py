"""What the engine is told to do for the incident bundle. Each is answered by events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ..looks.record import LookRecord
    from ..snapshot import Snapshot
    from ..watch.folder import IncidentFolder
    from .from_session import SessionFacts

__all__ = ["BundleOrder", "WriteBundle", "WriteIncident"]


@dataclass(frozen=True, slots=True)
class WriteBundle:
    """Write looks into a new bundle: BundleProgress, then BundleWritten or BundleFailed."""

    path: Path
    looks: tuple[LookRecord | Snapshot, ...]
    """Closed looks, the earliest first."""
    facts: SessionFacts | Callable[[], SessionFacts]
    """What belongs to them, or what takes it, on the thread that writes."""
    redacted: frozenset[str] = frozenset()
    """Some of `redaction.KINDS`."""
    force: bool = False
    """Put it in the place of a file that is there."""


@dataclass(frozen=True, slots=True)
class WriteIncident:
    """Write looks into a new file of a watch's folder, then remove what is too much there: BundleProgress, then
    BundleWritten or BundleFailed with `why`, after the former FolderRotated."""

    folder: IncidentFolder
    at: int
    """ns since the epoch, for the name."""
    why: str
    """For the name, as `watch.rotation.why_of` gives it."""
    looks: tuple[LookRecord | Snapshot, ...]
    """As in `WriteBundle`."""
    facts: SessionFacts | Callable[[], SessionFacts]


BundleOrder: TypeAlias = WriteBundle | WriteIncident
