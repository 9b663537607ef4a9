"""What can be wrong with arrays on the wire; every message names the input or the archive's member."""

from __future__ import annotations

__all__ = ["ArrayRefusedError", "NpzError", "NpzLimitError", "NpzTruncatedError"]


class NpzError(ValueError):
    """An archive, or a member of it, is not what it should be.

    Attributes:
        member: name of the member without `.npy`, plain text; None when it is about the whole archive.
    """

    def __init__(self, text: str, member: str | None = None) -> None:
        super().__init__(text)
        self.member = member


class NpzTruncatedError(NpzError):
    """The archive ends too early; the message says in which member."""


class NpzLimitError(NpzError):
    """The archive claims or holds more than is accepted."""


class ArrayRefusedError(NpzError):
    """An array whose dtype or form can't go over the wire, or can't be told from its bytes."""
