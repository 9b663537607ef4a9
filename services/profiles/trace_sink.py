"""A trace on its way from a rank straight to the disk, compressed."""

from __future__ import annotations

import contextlib
import gzip
from typing import TYPE_CHECKING

from ..spool import EMPTY, Body

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TraceSink"]

LEVEL = 1
"""zlib's fastest: a trace shrinks to a tenth or less all the same."""
HEAD = 4096
"""Bytes kept in memory, for the reason that a rank gives when it refuses."""


class TraceSink:
    """A `Sink`. The file has `.part` at its end until `keep` says that it is a trace."""

    def __init__(self, path: Path) -> None:
        """
        Args:
            path: where the trace goes, `.json.gz`; nothing is there yet.
        """
        self.path = path
        self.size = 0
        """Bytes of content so far."""
        self.unwanted = False
        """Nobody waits for it any more: what still comes is dropped."""
        self._part = path.with_name(path.name + ".part")
        self._file: gzip.GzipFile | None = None
        self._head = b""

    @property
    def stored(self) -> int:
        """Bytes on the disk."""
        for path in (self.path, self._part):
            try:
                return path.stat().st_size
            except FileNotFoundError:
                continue
        return 0

    def write(self, piece: bytes) -> None:
        """
        Raises:
            OSError: the disk is full, or the folder is gone.
        """
        self.size += len(piece)
        if len(self._head) < HEAD:
            self._head += piece[: HEAD - len(self._head)]
        if self.unwanted:
            return
        if self._file is None:
            self._file = gzip.GzipFile(self._part, "wb", compresslevel=LEVEL, mtime=0)
        self._file.write(piece)

    def finish(self) -> Body:
        """
        Returns:
            The size of the content and its first bytes; the rest is on the disk alone.

        Raises:
            OSError: the disk is full.
        """
        if self._file is not None:
            self._file.close()
            self._file = None
        return Body(self.size, inline=self._head) if self.size else EMPTY

    def keep(self) -> bool:
        """Give the file its name; False when nothing of a trace has come, or a full disk has taken none of it."""
        if self.unwanted or self._head.lstrip()[:1] not in (b"{", b"[") or not self.stored:
            self.discard()
            return False
        self._part.replace(self.path)
        return True

    def discard(self) -> None:
        """Remove what came, unless it is kept."""
        self.unwanted = True
        if self._file is not None:
            with contextlib.suppress(OSError):  # it goes anyway
                self._file.close()
            self._file = None
        self._part.unlink(missing_ok=True)
