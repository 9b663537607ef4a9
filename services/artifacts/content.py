"""The bytes of an artifact with gzip undone, as a stream or whole: bounded, and honest about what is missing.

What could be unpacked counts, also of a file that is cut; nothing here waits on a FIFO or a device.
"""

from __future__ import annotations

import io
import os
import stat
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..gzip_rest import good_part
from .limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from ..spool import Body
    from .artifact import Artifact

__all__ = ["GZIP", "MAX", "Content", "ContentReader", "content", "gunzipped_head", "open_body", "open_regular"]

GZIP = b"\x1f\x8b"
MAX = Limits().member_bytes
"""Bytes of one artifact that are read at most, after unpacking."""
PIECE = 1 << 20
_READ = 256 * 1024


@dataclass(frozen=True, slots=True)
class Content:
    """What could be read of an artifact."""

    data: bytes
    """gzip undone."""
    cut: bool
    """Something is missing at the end."""
    why: str
    """Why, one plain line. Also said, without a cut, of what stands behind a gzip and is passed over."""


def open_regular(path: Path) -> tuple[BinaryIO, os.stat_result]:
    """A regular file, opened for reading without ever waiting, and what it is.

    Raises:
        OSError: it is gone, may not be read, or is no regular file (any more).
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("not a regular file")
        return os.fdopen(handle, "rb", buffering=0), status
    except BaseException:
        os.close(handle)
        raise


def open_body(body: Body) -> BinaryIO:
    """The file or the memory in which a body that is not deflated stands, at its first byte.

    Raises:
        OSError: it can't be opened.
    """
    if body.path is None or body.deflated is not None:
        return io.BytesIO(body.read())
    file, _ = open_regular(body.path)
    file.seek(body.offset)
    return file


class ContentReader:
    """Iterate over it for the content in pieces; then `cut` and `why` tell whether that was all.

    Memory: about one piece of 1 MiB.
    """

    def __init__(self, artifact: Artifact, limit: int = MAX, limits: Limits | None = None) -> None:
        """
        Args:
            artifact: what is read.
            limit: bytes after unpacking.
            limits: what counts as a bomb.
        """
        self._body = artifact.body
        self._limit = limit
        self._limits = limits or Limits()
        self._left = self._body.size
        """Bytes as they lie there that are still to come; what a file has grown by is not read."""
        self.cut = False
        """Something is missing at the end."""
        self.why = ""

    def __iter__(self) -> Iterator[bytes]:
        """
        Raises:
            OSError: it can't be opened or read.
        """
        self.cut, self.why = False, ""
        self._left = self._body.size
        with open_body(self._body) as file:
            first = self._read(file)
            pieces = self._unpacked(file, first) if first.startswith(GZIP) else self._plain(file, first)
            came = 0
            for piece in pieces:
                came += len(piece)
                if came > self._limit:
                    self.cut, self.why = True, f"only the first {self._limit:,} bytes are read"
                    yield piece[: len(piece) - (came - self._limit)]
                    return
                if piece:
                    yield piece

    def _read(self, file: BinaryIO) -> bytes:
        data = file.read(min(_READ, self._left))
        self._left -= len(data)
        return data

    def _plain(self, file: BinaryIO, piece: bytes) -> Iterator[bytes]:
        while piece:
            yield piece
            piece = self._read(file)
        if self._left:
            self.cut, self.why = (
                True,
                f"{self._left:,} bytes fewer than when it was found: it was cut or overwritten meanwhile",
            )

    def _unpacked(self, file: BinaryIO, waiting: bytes) -> Iterator[bytes]:
        """gzip may be several members one after another; zeros behind the last are padding, other bytes are said."""
        unpacker = zlib.decompressobj(wbits=31)
        size = self._body.size
        unpacked = 0
        while True:
            waiting = waiting or self._read(file)
            if not waiting:
                if not unpacker.eof:
                    self.cut, self.why = True, f"gzip cut at byte {size - self._left:,}"
                return
            if unpacker.eof:
                waiting = waiting.lstrip(b"\0")
                if not waiting:
                    continue
                if not GZIP.startswith(waiting[:2]):
                    self.why = (
                        f"what stands behind its gzip from byte {size - self._left - len(waiting):,} on is not read"
                    )
                    return
                unpacker = zlib.decompressobj(wbits=31)
            before = unpacker.copy()
            try:
                piece = unpacker.decompress(waiting, PIECE)
            except zlib.error as error:
                self.cut, self.why = True, f"gzip damaged before byte {size - self._left:,} ({error})"
                yield good_part(before, waiting, PIECE)
                return
            waiting = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
            unpacked += len(piece)
            yield piece
            if self._limits.is_bomb(size - self._left, unpacked):
                self.cut, self.why = (
                    True,
                    f"gzip that expands more than {self._limits.ratio} times; the rest is not read",
                )
                return


def content(artifact: Artifact, limit: int = MAX) -> Content:
    """The bytes of an artifact, gzip undone, at most `limit` of them from the start.

    Raises:
        OSError: it can't be opened or read.
    """
    reader = ContentReader(artifact, limit)
    data = b"".join(reader)
    return Content(data, reader.cut, reader.why)


def gunzipped_head(raw: bytes, limit: int) -> bytes:
    """The first bytes of a content whose first bytes as it lies are `raw`; as far as they can be unpacked."""
    if not raw.startswith(GZIP):
        return raw[:limit]
    unpacker = zlib.decompressobj(wbits=31)
    try:
        return unpacker.decompress(raw, limit)
    except zlib.error:
        return b""
