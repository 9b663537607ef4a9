"""Reads the dumps of all ranks; a text that was read at the look before is not read again."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from . import faulthandler, pyspy
from .model import Interner, StackDump, StackSource

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["StackReader"]

_READERS = {StackSource.FAULTHANDLER: faulthandler.parse, StackSource.PYSPY: pyspy.parse}
_Text = tuple[StackSource, bool, bytes]
"""Source, whether it came whole, and a digest of the text."""


class StackReader:
    """Turns texts into dumps look by look, sharing what is equal between ranks and with the look before.

    Not safe to be used from two threads at once.
    """

    def __init__(self) -> None:
        self._known: dict[_Text, StackDump] = {}

    def read(self, texts: Iterable[tuple[int, StackSource, bytes, bool]]) -> dict[int, StackDump]:
        """The dumps of one look by rank.

        Args:
            texts: rank, source, the text, and whether it came whole. Of several for one rank the last one counts.
        """
        interner = Interner()
        current: dict[_Text, StackDump] = {}
        dumps: dict[int, StackDump] = {}
        for rank, source, data, complete in texts:
            key = (source, complete, blake2b(data, digest_size=16).digest())
            dump = current.get(key) or self._known.get(key)
            if dump is None:
                dump = _READERS[source](data, interner, complete=complete)
            current[key] = dump
            dumps[rank] = dump
        # Only the last look is remembered: what is older will hardly come again.
        self._known = current
        return dumps
