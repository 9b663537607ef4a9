"""The bytes of an archive as they come, for a reader written as a generator that waits at each `yield`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import NpzTruncatedError

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["ZipInput"]


class ZipInput:
    """One piece at a time; what asks for more than is there yields until `give` or `end` has been called.

    Attributes:
        where: the place in the archive, for the message when it ends there.
        position: bytes taken so far.
    """

    def __init__(self) -> None:
        self.where = ""
        self.position = 0
        self._piece = memoryview(b"")
        self._ended = False

    def give(self, piece: bytes | bytearray | memoryview) -> None:
        """The next piece; all of the one before has been taken."""
        self._piece = memoryview(piece).cast("B")

    def end(self) -> None:
        """No piece comes any more."""
        self._ended = True

    def some(self, most: int) -> Generator[None, None, memoryview]:
        """At least one and at most `most` bytes, as a view that holds until the next yield.

        Raises:
            NpzTruncatedError: there are none any more.
        """
        while not len(self._piece):
            if self._ended:
                raise NpzTruncatedError(f"ends too early, {self.where}")
            self._piece = memoryview(b"")
            yield
        some = self._piece[:most]
        self._piece = self._piece[most:]
        self.position += len(some)
        return some

    def take(self, count: int) -> Generator[None, None, bytes]:
        """Exactly `count` bytes."""
        taken = b""
        while len(taken) < count:
            taken += yield from self.some(count - len(taken))
        return taken

    def take_up_to(self, count: int) -> Generator[None, None, bytes]:
        """`count` bytes, or what is left when the archive ends before."""
        taken = b""
        while len(taken) < count:
            while not len(self._piece):
                if self._ended:
                    return taken
                yield
            taken += yield from self.some(count - len(taken))
        return taken

    def give_back(self, taken: bytes) -> None:
        """Put bytes back that were taken last."""
        if taken:
            self.position -= len(taken)
            self._piece = memoryview(taken + bytes(self._piece))
