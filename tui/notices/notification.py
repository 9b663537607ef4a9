"""A notification that the terminal shows outside of the screen, where it knows OSC 9."""

from __future__ import annotations

from ...services.plain_text import plain

__all__ = ["notification"]

LONGEST = 200


def notification(text: str) -> str:
    """What to send to the terminal.

    Args:
        text: of ranks perhaps; it is made plain.
    """
    return f"\x1b]9;xpudbg: {plain(text, LONGEST)}\x07"
