"""Bodies of replies: small ones in memory, those over 64 KiB on disk by content hash, those of older looks packed."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
import weakref
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["EMPTY", "INLINE_LIMIT", "PACK_LEAST", "Body", "BodyWriter", "Sink", "Spool"]

INLINE_LIMIT = 64 * 1024
"""Bytes up to which a body stays in memory."""
PACK_LEAST = 256
"""Bytes from which a body is worth packing: a handle on a packed one takes about as much."""


class PackedFile:
    """A file that holds many bodies, as long as one of them is in use."""

    __slots__ = ("__weakref__",)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Body:
    """A handle on the bytes of a reply."""

    size: int
    inline: bytes | None = None
    path: Path | None = None
    """File that holds it: in the spool, named by the SHA-256 of its content, or one that holds several; None for an
    inline body."""
    offset: int = 0
    """Where in the file it begins."""
    deflated: int | None = None
    """Bytes that it takes in the file when it stands there deflated (raw, as in a zip); None where it stands as it
    is."""
    spooled: bool = False
    """Whether the file is a spool's, which removes it with the last body that lies there."""
    keeper: PackedFile | None = field(default=None, compare=False, repr=False)
    """Stands for the file where that holds many bodies: it goes with the last one that has this."""

    def read(self, limit: int | None = None) -> bytes:
        """The bytes, at most `limit` of them from the start, never more than `size`.

        Raises:
            OSError: the file is gone, unreadable, or does not hold what it should.
        """
        wanted = self.size if limit is None else min(limit, self.size)
        if self.inline is not None:
            return self.inline if wanted >= len(self.inline) else self.inline[:wanted]
        if self.path is None:
            return b""
        with self.path.open("rb") as file:
            file.seek(self.offset)
            if self.deflated is None:
                return file.read(wanted)
            try:
                return zlib.decompressobj(-zlib.MAX_WBITS).decompress(file.read(self.deflated), wanted or 1)[:wanted]
            except zlib.error as error:
                raise OSError(f"{self.path.name}: damaged at byte {self.offset:,} ({error})") from None

    def text(self, limit: int | None = None) -> str:
        """The bytes as UTF-8 text; what is not UTF-8 becomes replacement marks."""
        return self.read(limit).decode("utf-8", errors="replace")


EMPTY = Body(size=0, inline=b"")


class Sink(Protocol):
    """Takes a body in pieces; ended by `finish` or `discard`."""

    size: int

    def write(self, piece: bytes) -> None:
        """
        Raises:
            OSError: it can't be stored.
        """
        ...

    def finish(self) -> Body:
        """
        Raises:
            OSError: it can't be stored.
        """
        ...

    def discard(self) -> None: ...


class Spool:
    """A private folder for large bodies, removed by `close`."""

    def __init__(self, parent: Path | None = None) -> None:
        """
        Args:
            parent: folder in which the spool folder is made; the system's temporary folder when None.
        """
        self._parent = parent
        self._folder: Path | None = None
        self._inline: WeakValueDictionary[bytes, Body] = WeakValueDictionary()
        self._uses: Counter[Path] = Counter()
        """How many bodies in use have this file; a file without any is removed."""
        self._guard = threading.RLock()
        """Bodies may be let go of at any time, also while it is held."""

    @property
    def folder(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="xpudbg-", dir=self._parent))
        return self._folder

    def writer(self) -> BodyWriter:
        return BodyWriter(self)

    def inline(self, data: bytes) -> Body:
        """A body in memory; equal ones are one as long as any is in use: thousands of ranks say the same."""
        if not data:
            return EMPTY
        known = self._inline.get(data)
        if known is None:
            known = self._inline[data] = Body(size=len(data), inline=data)
        return known

    def put(self, data: bytes) -> Body:
        """Store `data` and return its handle."""
        writer = self.writer()
        writer.write(data)
        return writer.finish()

    def pack(self, bodies: Iterable[Body]) -> list[Body]:
        """Write bodies that lie in memory into one file, to free the memory; it is removed when none is in use.

        Returns:
            One body for each, in order: equal ones are one; small ones and those that lie in a file are given back.

        Raises:
            OSError: the disk is full or the spool folder is gone.
        """
        made: list[Body] = []
        packed: dict[bytes, Body] = {}
        handle, name = tempfile.mkstemp(prefix="look-", dir=self.folder)
        path, keeper = Path(name), PackedFile()
        self._count(keeper, path)
        with os.fdopen(handle, "wb") as file:
            for body in bodies:
                data = body.inline
                if data is None or len(data) < PACK_LEAST:
                    made.append(body)
                    continue
                if data not in packed:
                    packed[data] = Body(len(data), None, path, file.tell(), spooled=True, keeper=keeper)
                    file.write(data)
                made.append(packed[data])
        return made

    def _stored(self, path: Path, size: int) -> Body:
        body = Body(size=size, path=path, spooled=True)
        self._count(body, path)
        return body

    def _count(self, user: Body | PackedFile, path: Path) -> None:
        """The file is in use as long as this is."""
        with self._guard:
            self._uses[path] += 1
        weakref.finalize(user, self._released, path).atexit = False

    def _released(self, path: Path) -> None:
        with self._guard:
            self._uses[path] -= 1
            if self._uses[path] > 0:
                return
            del self._uses[path]
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Remove the folder with all bodies. May be called more than once."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


class BodyWriter:
    """Takes a body in pieces; end it with `finish` or `discard`."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._pieces: list[bytes] = []
        self._file: BinaryIO | None = None
        self._path: Path | None = None
        self._hash = hashlib.sha256()
        self.size = 0
        """Bytes taken so far."""

    def write(self, piece: bytes) -> None:
        """
        Raises:
            OSError: the disk is full or the spool folder is gone.
        """
        self.size += len(piece)
        if self._file is None and self.size <= INLINE_LIMIT:
            self._pieces.append(piece)
            return
        if self._file is None:
            handle, name = tempfile.mkstemp(prefix="part-", dir=self._spool.folder)
            self._file, self._path = os.fdopen(handle, "wb"), Path(name)
            for earlier in self._pieces:
                self._append(earlier)
            self._pieces.clear()
        self._append(piece)

    def _append(self, piece: bytes) -> None:
        assert self._file is not None
        self._hash.update(piece)
        self._file.write(piece)

    def finish(self) -> Body:
        """Close the body; equal contents share one file."""
        if self._file is None or self._path is None:
            return self._spool.inline(b"".join(self._pieces))
        self._file.close()
        final = self._spool.folder / self._hash.hexdigest()
        body = self._spool._stored(final, self.size)  # before the file is there: an equal body may be let go meanwhile
        self._path.replace(final)
        return body

    def discard(self) -> None:
        """Drop what was taken."""
        if self._file is not None:
            self._file.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)
        self._pieces.clear()
