"""How much the closed looks of a session may take."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["USUAL_BOUNDS", "LookBounds"]


@dataclass(frozen=True, slots=True)
class LookBounds:
    """Bounds that a person chose; the usual one holds where one is None (`look_book`, `look_disk`)."""

    looks: int | None = None
    """Closed looks kept."""
    memory: int | None = None
    """Bytes of closed looks in memory, without their analyses."""
    analyses: int | None = None
    """Bytes of the analyses of looks."""
    disk: int | None = None
    """Bytes of replies in the spool."""


USUAL_BOUNDS = LookBounds()
