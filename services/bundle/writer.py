"""Writes a bundle member by member, so that whatever ends the program leaves what came before.

Each member is handed to the system in one call, its record with sizes and CRC before its bytes. Nothing that stands in
the file is written again. `finish` adds the manifest and the list of members that every zip program wants.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import time
import zlib
from typing import TYPE_CHECKING

from ..whole_file import is_no_file
from . import members, records
from .errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from .members import Member
    from .records import MetaRecord

__all__ = ["BundleWriter"]

_LEVEL = 1
_SMALL = 64
"""Bytes below which deflating is not tried."""
_SAMPLE = 64 * 1024
_PAYS = 0.9
"""Deflated when it takes less than this part of its size."""
_PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
"""Beginnings of what is packed already."""


class BundleWriter:
    """One file under way. Used from one thread at a time; `finish` or `close` ends it."""

    def __init__(self, path: Path, *, force: bool = False, clock: Callable[[], int] = time.time_ns) -> None:
        """Make the file, which must not be there.

        Args:
            path: the file.
            force: put it in the place of a file that is there.
            clock: gives the times of members, ns since the epoch.

        Raises:
            FileExistsError: it is there, and `force` is not set.
            OSError: it can't be made.
        """
        if is_no_file(path):
            raise OSError(errno.EINVAL, "a bundle wants a regular file, and something else is there", str(path))
        if force:
            with contextlib.suppress(FileNotFoundError):
                path.unlink()  # a new file: who reads the old one is not disturbed
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)
        self._is_open = True
        self._clock = clock
        self._members: list[Member] = []
        self._names: set[str] = set()
        self._hashes: list[str] = []
        self._at = 0

    def __enter__(self) -> BundleWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_open and not self.begun:  # nothing came into it (a full disk): it is of no use to anybody
            self.abandon()
        self.close()

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self._at

    @property
    def begun(self) -> bool:
        """Whether it holds anything."""
        return bool(self._members)

    def begin(self, meta: MetaRecord) -> None:
        """Write `meta.json`; the first thing that is written.

        Raises:
            OSError: it can't be written.
        """
        self.add("meta.json", records.encode(meta) + b"\n", deflate=False)

    def body(self, data: bytes) -> str:
        """Write a body unless the bundle holds it already.

        Returns:
            The SHA-256 of its content in hex: its member is `bodies/<that>`.

        Raises:
            BundleError: it is too large, or the bundle holds as many members as it may.
            OSError: it can't be written.
        """
        digest = hashlib.sha256(data).hexdigest()
        name = f"bodies/{digest}"
        if name not in self._names:
            self._add(name, data, digest, deflate=not data.startswith(_PACKED))
        return digest

    def add(self, name: str, data: bytes, *, deflate: bool = True) -> None:
        """Write one member.

        Raises:
            BundleError: it is too large, or the bundle holds as many members as it may.
            OSError: it can't be written.
        """
        assert name not in self._names, f"{name} is written twice"
        self._add(name, data, hashlib.sha256(data).hexdigest(), deflate=deflate)

    def finish(self) -> None:
        """Write the manifest and the list of members, and close the file.

        Raises:
            OSError: it can't be written; what stands in the file can be opened all the same.
        """
        listed = {
            member.name: records.ListedMember(member.size, digest)
            for member, digest in zip(self._members, self._hashes, strict=True)
        }
        data = records.encode(records.ManifestRecord(listed)) + b"\n"
        self._add("manifest.json", data, hashlib.sha256(data).hexdigest(), deflate=True, last=True)
        self._write(members.directory(self._members, self._at))
        os.fsync(self._file)
        self.close()

    def close(self) -> None:
        """Close the file as it is. May be called more than once."""
        if self._is_open:
            self._is_open = False
            os.close(self._file)

    def abandon(self) -> None:
        """Close the file and remove it."""
        self.close()
        self.path.unlink(missing_ok=True)

    # ----------------------------------------------------------------------------------------------------------

    def _add(self, name: str, data: bytes, digest: str, *, deflate: bool, last: bool = False) -> None:
        if len(data) > members.SIZE_LIMIT:
            raise BundleError(f"{len(data):,} bytes are more than a member of a bundle may have")
        if len(self._members) >= members.MOST_MEMBERS - (not last):
            raise BundleError(f"the bundle holds {len(self._members):,} members, as many as it may")
        packed = _deflated(data) if deflate else None
        content = data if packed is None else packed
        stamp = members.dos_time(self._clock())
        member = members.Member(name, packed is not None, zlib.crc32(data), len(content), len(data), stamp, self._at)
        self._write(members.local_record(member), content)
        self._members.append(member)
        self._names.add(name)
        self._hashes.append(digest)

    def _write(self, *pieces: bytes) -> None:
        """All of it in one call where the system takes it so; on an error nothing of it stays."""
        whole = sum(map(len, pieces))
        left = [memoryview(piece) for piece in pieces if piece]
        try:
            while left:
                written = os.writev(self._file, left)
                while left and written >= len(left[0]):
                    written -= len(left.pop(0))
                if left:
                    left[0] = left[0][written:]
        except BaseException:  # an interrupt between two calls too: a member that is cut would hide those after it
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._at)
                os.lseek(self._file, self._at, os.SEEK_SET)
            raise
        self._at += whole


def _deflated(data: bytes) -> bytes | None:
    """The bytes deflated; None where that does not pay."""
    if len(data) < _SMALL:
        return None
    if len(data) > 4 * _SAMPLE:
        middle = len(data) // 2
        sample = data[middle : middle + _SAMPLE]
        if len(zlib.compress(sample, _LEVEL)) > len(sample) * _PAYS:
            return None
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(data) + packer.flush()
    return packed if len(packed) < len(data) * _PAYS else None
