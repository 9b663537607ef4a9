"""The bytes of an archive in order: as they lie, or unpacked from gzip, bzip2 or xz while they are counted."""

from __future__ import annotations

import bz2
import lzma
import zlib
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from typing import BinaryIO

    from .limits import Budget

__all__ = ["Packing", "PlainStream", "Stream", "UnpackedStream"]

_READ = 256 * 1024
_PIECE = 1 << 20
_XZ_MEMORY = 256 << 20
"""Bytes that an xz stream may demand for its dictionary; `xz -9` needs 65 MiB."""


class Packing(StrEnum):
    """How a stream is packed, told by its first bytes."""

    GZIP = "gzip"
    BZIP2 = "bzip2"
    XZ = "xz"


_MAGIC = {Packing.GZIP: b"\x1f\x8b", Packing.BZIP2: b"BZh", Packing.XZ: b"\xfd7zXZ\x00"}


class Stream(Protocol):
    """Bytes that are read once, from the start."""

    position: int
    """Bytes taken so far."""
    trouble: str
    """Why there is no more, one plain line; empty at a regular end."""

    def read(self, count: int) -> bytes:
        """Up to `count` bytes, fewer only at the end.

        Raises:
            LimitReachedError: too much came out.
            OSError: it can't be read.
        """
        ...

    def skip(self, count: int) -> int:
        """Pass over up to `count` bytes; returns how many there were."""
        ...


class PlainStream:
    """A file as it lies, up to the size it had when it was found."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self.position = 0
        self.trouble = ""

    def read(self, count: int) -> bytes:
        parts = []
        wanted = min(count, self._size - self.position)
        while wanted > 0:
            part = self._file.read(wanted)
            if not part:
                self._size = self.position
                self.trouble = "it was cut while it was read"
                break
            parts.append(part)
            wanted -= len(part)
            self.position += len(part)
        return b"".join(parts)

    def skip(self, count: int) -> int:
        passed = min(count, self._size - self.position)
        self._file.seek(passed, 1)
        self.position += passed
        return passed


class UnpackedStream:
    """A compressed file, unpacked as it is read; several streams one after another are one."""

    def __init__(self, file: BinaryIO, size: int, packing: Packing, budget: Budget) -> None:
        self.position = 0
        self.trouble = ""
        self._file = file
        self._size = size
        self._packing = packing
        self._budget = budget
        self._packed = 0
        """Packed bytes taken so far."""
        self._waiting = b""
        self._ready = b""
        self._ended = False
        self._unpacker = _unpacker(packing)

    def read(self, count: int) -> bytes:
        parts = []
        while count > 0 and (self._ready or self._fill()):
            part, self._ready = self._ready[:count], self._ready[count:]
            parts.append(part)
            count -= len(part)
            self.position += len(part)
        return b"".join(parts)

    def skip(self, count: int) -> int:
        passed = 0
        while passed < count and (self._ready or self._fill()):
            step = min(count - passed, len(self._ready))
            self._ready = self._ready[step:]
            passed += step
            self.position += step
        return passed

    def _fill(self) -> bool:
        """Unpack some more; False at the end."""
        while not self._ended and not self._ready:
            if self._unpacker.eof and not self._next():
                break
            data = self._waiting
            if not data and self._wants_input():
                data = self._more()
                if not data:
                    self._stop(f"{self._packing} cut at byte {self._packed:,}")
                    break
            try:
                self._ready = self._unpack(data)
            except (zlib.error, OSError, lzma.LZMAError, EOFError, ValueError) as error:
                self._stop(f"{self._packing} damaged before byte {self._packed:,} ({error})")
                break
            self._budget.unpack(len(self._ready))
            unpacked = self.position + len(self._ready)
            if self._budget.limits.is_bomb(self._packed, unpacked):
                self._stop(f"it expands more than {self._budget.limits.ratio} times; the rest is not read")
        return bool(self._ready)

    def _unpack(self, data: bytes) -> bytes:
        unpacker = self._unpacker
        if isinstance(unpacker, bz2.BZ2Decompressor | lzma.LZMADecompressor):
            piece = unpacker.decompress(data, _PIECE)  # keeps what it has not taken
            self._waiting = unpacker.unused_data
            return piece
        piece = unpacker.decompress(data, _PIECE)
        self._waiting = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
        return piece

    def _wants_input(self) -> bool:
        unpacker = self._unpacker
        return not isinstance(unpacker, bz2.BZ2Decompressor | lzma.LZMADecompressor) or unpacker.needs_input

    def _next(self) -> bool:
        """Begin with a further stream behind one that has ended; zeros between them are padding."""
        while not self._waiting.strip(b"\0"):
            self._waiting = self._more()
            if not self._waiting:
                self._ended = True
                return False
        self._waiting = self._waiting.lstrip(b"\0")
        magic = _MAGIC[self._packing]
        if not self._waiting.startswith(magic[: len(self._waiting)]):
            self._stop(f"something that is not {self._packing} stands behind it")
            return False
        self._unpacker = _unpacker(self._packing)
        return True

    def _more(self) -> bytes:
        data = self._file.read(min(_READ, self._size - self._packed))
        self._packed += len(data)
        return data

    def _stop(self, why: str) -> None:
        self._ended = True
        self.trouble = why


def _unpacker(packing: Packing) -> zlib._Decompress | bz2.BZ2Decompressor | lzma.LZMADecompressor:
    if packing is Packing.GZIP:
        return zlib.decompressobj(wbits=31)
    if packing is Packing.BZIP2:
        return bz2.BZ2Decompressor()
    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
