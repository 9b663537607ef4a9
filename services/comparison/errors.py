"""What can't be compared or shown."""

from __future__ import annotations

__all__ = ["ComparisonError"]


class ComparisonError(ValueError):
    """The arrays hold no numbers, or the standard does not exist or does not fit; the message says which and why."""
