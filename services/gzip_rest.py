"""What can still be had of a gzip stream that is damaged."""

from __future__ import annotations

import zlib

__all__ = ["good_part"]


def good_part(unpacker: zlib._Decompress, packed: bytes, limit: int) -> bytes:
    """What can be unpacked of bytes before the first bad one.

    Args:
        unpacker: as it was before these bytes.
        packed: they, one of them bad.
        limit: unpacked bytes after which it ends.
    """
    good = bytearray()
    for at in range(len(packed)):
        try:
            good += unpacker.decompress(packed[at : at + 1], limit)
        except zlib.error:
            break
        if len(good) >= limit:
            break
    return bytes(good)
