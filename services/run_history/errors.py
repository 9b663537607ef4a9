"""What can be wrong with the run history. None of it ever ends a run: it goes on, and the fault is said."""

from __future__ import annotations

from ..plain_text import plain

__all__ = ["DamagedHistoryError", "HistoryError", "NewerHistoryError", "NotKeptError", "UnknownRunError"]


class HistoryError(Exception):
    """The history can't be read or written.

    Attributes:
        hint: what to do about it, one plain line; may be empty.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(plain(message))
        self.hint = plain(hint)


class DamagedHistoryError(HistoryError):
    """The file is no database, or is broken inside."""


class NewerHistoryError(HistoryError):
    """A newer xpudbg wrote it in a way that this one does not know."""


class UnknownRunError(HistoryError):
    """No run has this number, or nothing answers to the word."""


class NotKeptError(HistoryError):
    """The run is there, but an array of it is not: too large, pruned, or unreadable."""
