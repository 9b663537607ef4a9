"""The bytes of a trace file in pieces of bounded size, unpacked where they are gzip, whatever the file is called."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from ..gzip_rest import good_part
from .repairs import Repair, Repairs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

__all__ = ["GZIP", "PIECE", "pieces"]

PIECE = 1024 * 1024
"""Most bytes of one piece: while one is decoded no other thread of this process runs."""
GZIP = b"\x1f\x8b"
_READ = 256 * 1024


def pieces(path: Path, repairs: Repairs) -> Iterator[bytes]:
    """The content of a file from its start, as far as it can be unpacked; what is wrong is counted.

    Raises:
        OSError: the file can't be read.
    """
    with path.open("rb") as file:
        packed = file.read(len(GZIP)) == GZIP
        file.seek(0)
        repairs.add(Repair.GZIP_INSIDE, packed and not path.name.endswith(".gz"))
        repairs.add(Repair.NOT_GZIP, not packed and path.name.endswith(".gz"))
        if packed:
            yield from _unpacked(file, repairs)
        else:
            while piece := file.read(PIECE):
                yield piece


def _unpacked(file: BinaryIO, repairs: Repairs) -> Iterator[bytes]:
    """gzip may be several members one after another; zeros after the last one are padding."""
    unpacker = zlib.decompressobj(wbits=31)
    waiting = b""
    while True:
        if not waiting:
            waiting = file.read(_READ)
            if not waiting:
                repairs.add(Repair.CUT_GZIP, not unpacker.eof)
                return
        if unpacker.eof:
            waiting = waiting.lstrip(b"\0")
            if not waiting:
                continue
            unpacker = zlib.decompressobj(wbits=31)
        before = unpacker.copy()
        try:
            piece = unpacker.decompress(waiting, PIECE)
        except zlib.error:
            repairs.add(Repair.BAD_GZIP)
            yield good_part(before, waiting, PIECE)
            return
        waiting = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
        if piece:
            yield piece
