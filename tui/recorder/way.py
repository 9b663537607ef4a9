"""Jumps within the flight recorder's tables, and from elsewhere to them: what Esc goes back along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .spots import Tab
    from .view import TabState

__all__ = ["Visit", "way_of"]


@dataclass(frozen=True, slots=True)
class Visit:
    """A jump that can be gone back from."""

    tab: Tab
    """Where it came from."""
    source: str
    to: Tab
    before: TabState
    """What was chosen there before the jump."""
    outside: bool
    """It came from another screen."""


def way_of(visits: Sequence[Visit], here: str) -> tuple[str, ...]:
    """The tabs that jumps led through since another screen led here, and what is shown now; nothing without a jump.

    Args:
        here: what is shown now.
    """
    if not visits:
        return ()
    outside = next((at for at in reversed(range(len(visits))) if visits[at].outside), -1)
    return (*(visit.tab for visit in visits[outside + 1 :]), here)
