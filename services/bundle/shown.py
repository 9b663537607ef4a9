"""What is known of bundles that are being written: what the screens say of them. It outlives targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from . import events

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["BundleEnd", "BundlesShown"]

BundleEnd: TypeAlias = events.BundleWritten | events.BundleFailed


class BundlesShown:
    """Bundles are written one after the other, as they were ordered."""

    def __init__(self) -> None:
        self.revision = 0
        """Grows with each change."""
        self.under_way: list[Path] = []
        """Ordered and not over, the one that is being written first; for a file of a watch its folder."""
        self.progress: events.BundleProgress | None = None
        """Of the first of them; None as long as it has not told."""
        self._ends: list[BundleEnd] = []

    def ordered(self, path: Path) -> None:
        """One more has been ordered.

        Args:
            path: the file, or the folder of a watch.
        """
        self.under_way.append(path)
        self.revision += 1

    def apply(self, event: events.BundleEvent) -> None:
        match event:
            case events.BundleProgress():
                self.progress = event
            case events.BundleWritten() | events.BundleFailed():
                del self.under_way[:1]
                self.progress = None
                self._ends.append(event)
        self.revision += 1

    def new_ends(self) -> list[BundleEnd]:
        """Those that are over since this was last asked."""
        ends, self._ends = self._ends, []
        return ends
