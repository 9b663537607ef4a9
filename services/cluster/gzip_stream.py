"""gzip unpacked piece by piece, in pieces of bounded size: a few kilobytes can stand for gigabytes."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

__all__ = ["PIECE", "NotPackedError", "unpacked"]

PIECE = 256 * 1024
"""Most bytes given out at one time."""


class NotPackedError(ValueError):
    """The bytes are no gzip, though they are said to be."""


async def unpacked(packed: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The content of a gzip stream.

    Raises:
        NotPackedError: it is none, or it ends too early.
    """
    unpacker = zlib.decompressobj(wbits=31)
    async for data in packed:
        waiting = data
        while waiting and not unpacker.eof:
            try:
                piece = unpacker.decompress(waiting, PIECE)
            except zlib.error as error:
                raise NotPackedError(f"the answer's bytes are not in the encoding it names: {error}") from None
            waiting = unpacker.unconsumed_tail
            if piece:
                yield piece
    if not unpacker.eof:
        raise NotPackedError("the answer's bytes are not in the encoding it names: gzip cut before its end")
