"""Why a bundle can't be written or opened."""

from __future__ import annotations

__all__ = ["BundleError", "UnredactableError"]


class BundleError(ValueError):
    """The file is no bundle, or can't be used as one; the message is one plain line.

    Attributes:
        hint: what to do about it, one plain line.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UnredactableError(ValueError):
    """A body can't be rewritten without risk, so that redaction leaves it out; the message says why."""
