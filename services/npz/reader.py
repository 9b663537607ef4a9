"""An npz archive read as a stream, piece by piece as it comes, into arrays allocated once.

Nothing is seeked and nothing is kept beside the arrays but a header and one unpacked piece, whatever the archive's
size. What an archive claims is checked before memory is taken for it; nothing in it is unpickled or evaluated.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..plain_text import plain
from . import zip_records as records
from .errors import NpzError, NpzLimitError, NpzTruncatedError
from .npy_header import header_length, parse_header
from .zip_input import ZipInput
from .zip_tail import Listed, read_tail

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from .npy_header import NpyHeader

__all__ = ["DEFAULT_LIMITS", "NpzLimits", "NpzReader", "read_npz_chunks"]

_PIECE = 256 * 1024
_PACKED_PIECE = 16 * 1024
_DEFLATE_AT_BEST = 1032
"""One byte of a deflate stream stands for at most this many."""


@dataclass(frozen=True, slots=True)
class NpzLimits:
    """What is accepted of an archive."""

    total_bytes: int = 4 * 1024**3
    """Bytes of all arrays together, unpacked."""
    members: int = 4096


DEFAULT_LIMITS = NpzLimits()


class NpzReader:
    """Takes an archive's bytes in order: `feed` each piece, then `finish`.

    Args:
        limits: what is accepted.

    Both methods raise `NpzError` (`NpzTruncatedError`, `NpzLimitError`, `ArrayRefusedError` where that fits), whose
    message names the member; after that the reader is of no more use.
    """

    def __init__(self, limits: NpzLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._input = ZipInput()
        self._arrays: dict[str, np.ndarray] = {}
        self._listed: list[Listed] = []
        self._taken = 0
        self._steps = self._archive()
        next(self._steps)

    def feed(self, piece: bytes | bytearray | memoryview) -> None:
        """Read on. The piece is not kept; its memory may be used again afterwards."""
        if len(piece):
            self._input.give(piece)
            next(self._steps)

    def finish(self) -> dict[str, np.ndarray]:
        """Say that nothing more comes.

        Returns:
            The arrays by name (without `.npy`) in the archive's order, in the byte order and memory order written;
            bits of a dtype that NumPy lacks as V1 or V2 (see `dtypes.from_wire`).
        """
        self._input.end()
        for _ in self._steps:
            raise AssertionError("the reader waits for bytes after the end")
        return self._arrays

    def _archive(self) -> Generator[None, None, None]:
        source = self._input
        source.where = "before its first member"
        while True:
            start = yield from source.take(4)
            if start != records.LOCAL_SIGNATURE:
                break
            yield from self._member(start)
        if start not in (records.CENTRAL_SIGNATURE, records.END_SIGNATURE, records.END64_SIGNATURE):
            if not self._listed:
                rest = yield from source.take_up_to(60)
                raise NpzError(f"is no npz archive: it starts with {plain(repr(start + rest), 100)}")
            raise NpzError(f"holds something else than a member after {self._listed[-1].shown}")
        source.where = "in its list of members"
        yield from read_tail(source, start, self._listed)
        # Wait for the end: whatever still comes has no place in an archive.
        if (yield from source.take_up_to(1)):
            raise NpzError("goes on after its end")

    def _member(self, start: bytes) -> Generator[None, None, None]:
        source = self._input
        number = len(self._listed)
        source.where = f"in the record of member {number + 1}"
        if number >= self._limits.members:
            raise NpzLimitError(f"holds more than {self._limits.members:,} members")
        fixed = start + (yield from source.take(records.LOCAL.size - 4))
        _, _, flags, method, _, _, crc, packed, size, name_length, extra_length = records.LOCAL.unpack(fixed)
        raw_name = yield from source.take(name_length)
        extra = yield from source.take(extra_length)
        entry = Listed(raw_name, crc)
        name = entry.name
        source.where = f"in member {entry.shown}"
        try:
            if name in self._arrays:
                raise NpzError("is there twice")
            if flags & 1:
                raise NpzError("is encrypted")
            if method not in (records.STORED, records.DEFLATED):
                raise NpzError(f"is packed by method {method}; stored and deflated are read")
            described = bool(flags & records.DESCRIPTOR_FLAG)
            known: int | None = size
            known_packed: int | None = packed
            if described and not size:
                known = known_packed = None
            elif records.U32 in (size, packed):
                wide = _wide(extra)
                if described and wide[:2] in ([], [0, 0]):
                    known = known_packed = None
                elif len(wide) < 2:
                    raise NpzError("says its size in a field that is missing")
                else:
                    known, known_packed = wide[:2]
            if not raw_name.endswith(b".npy"):
                raise NpzError("is no array (its name does not end in .npy)")
            content = _Content(source, deflated=method == records.DEFLATED, left=known)
            array = yield from self._array(content, known, known_packed)
            source.where = f"after member {entry.shown}"
            if described:
                entry.crc = yield from _descriptor(source, content)
            if content.crc != entry.crc:
                raise NpzError("is damaged: its checksum is wrong")
            if known_packed is not None and content.packed != known_packed:
                raise NpzError(f"is damaged: {content.packed:,} packed bytes instead of {known_packed:,}")
        except NpzTruncatedError:
            raise
        except NpzError as error:
            raise type(error)(f"member {entry.shown} {error}", entry.shown) from None
        except zlib.error as error:
            raise NpzError(f"member {entry.shown} is damaged: {error}", entry.shown) from None
        self._arrays[name] = array
        self._listed.append(entry)

    def _array(self, content: _Content, size: int | None, packed: int | None) -> Generator[None, None, np.ndarray]:
        start = b""
        bounds = None
        while bounds is None:
            some = yield from content.some(12 - len(start) if len(start) >= 10 else 10 - len(start))
            if not len(some):
                raise NpzError(f"holds no array: it is {len(start)} bytes long")
            start += bytes(some)
            bounds = header_length(start)
        begin, end = bounds
        while len(start) < end:
            some = yield from content.some(end - len(start))
            if not len(some):
                raise NpzError("ends inside its header")
            start += bytes(some)
        header = parse_header(start[begin:end])
        self._check(header, end, size, packed, deflated=content.deflated)
        if content.left is None and not content.deflated:
            content.left = header.nbytes
        try:
            flat = np.empty(header.nbytes, np.uint8)
        except MemoryError:
            raise NpzLimitError(f"asks for {header.nbytes:,} bytes, which this process can't have") from None
        target = flat.data
        at = 0
        while at < header.nbytes:
            some = yield from content.some(header.nbytes - at)
            if not len(some):
                raise NpzError(f"holds {at:,} bytes of values; its header asks for {header.nbytes:,}")
            target[at : at + len(some)] = some
            at += len(some)
        if content.deflated and len((yield from content.some(1))):
            raise NpzError(f"holds more values than its header asks for ({header.nbytes:,} bytes)")
        return flat.view(header.dtype).reshape(header.shape, order="F" if header.fortran_order else "C")

    def _check(self, header: NpyHeader, start: int, size: int | None, packed: int | None, *, deflated: bool) -> None:
        """Refuse what can't be there, or is too much, before memory is taken for it."""
        wanted = header.nbytes
        if size is not None and size != start + wanted:
            raise NpzError(f"holds {size - start:,} bytes of values; its header asks for {wanted:,}")
        if deflated and packed is not None and start + wanted > packed * _DEFLATE_AT_BEST:
            raise NpzLimitError(f"asks for {wanted:,} bytes, which {packed:,} packed bytes can't hold")
        if math.prod(filter(None, header.shape)) * header.dtype.itemsize > np.iinfo(np.int64).max:
            raise NpzLimitError(f"is of a shape larger than any array: {header.shape}")
        self._taken += wanted
        if self._taken > self._limits.total_bytes:
            raise NpzLimitError(
                f"asks for {wanted:,} bytes; all members together may have {self._limits.total_bytes:,}"
            )


class _Content:
    """The content of one member, unpacked, with its running checksum."""

    def __init__(self, source: ZipInput, *, deflated: bool, left: int | None) -> None:
        self.deflated = deflated
        self.left = left
        """Stored bytes still to come; None while unknown."""
        self.size = 0
        self.crc = 0
        self._source = source
        self._start = source.position
        self._unpacker = zlib.decompressobj(-15) if deflated else None
        self._tail: bytes | memoryview = b""
        self._over = False

    @property
    def packed(self) -> int:
        return self._source.position - self._start

    def some(self, most: int) -> Generator[None, None, bytes | memoryview]:
        """At least one and at most `most` bytes, to be used before the next call; none at the content's end."""
        if self._unpacker is None:
            some: bytes | memoryview = yield from self._stored(most)
        else:
            some = yield from self._unpacked(self._unpacker, min(most, _PIECE))
        self.size += len(some)
        self.crc = zlib.crc32(some, self.crc)
        return some

    def _stored(self, most: int) -> Generator[None, None, memoryview]:
        if self.left is not None:
            most = min(most, self.left)
        if most == 0:
            return memoryview(b"")
        some = yield from self._source.some(most)
        if self.left is not None:
            self.left -= len(some)
        return some

    def _unpacked(self, unpacker: zlib._Decompress, most: int) -> Generator[None, None, bytes]:
        while not self._over:
            if not len(self._tail):
                self._tail = yield from self._source.some(_PACKED_PIECE)
            made = unpacker.decompress(self._tail, most)
            self._tail = unpacker.unconsumed_tail
            self._over = unpacker.eof
            if self._over:
                self._source.give_back(unpacker.unused_data)
            if made:
                return made
        return b""


def _wide(extra: bytes) -> list[int]:
    try:
        return records.zip64_extra(extra)
    except ValueError as error:
        raise NpzError(f"has a record that can't be read: {error}") from None


def _descriptor(source: ZipInput, content: _Content) -> Generator[None, None, int]:
    """The CRC of the record behind a member: with or without signature, with sizes of 4 or of 8 bytes."""
    packed, size = content.packed, content.size
    first = yield from source.take(4)
    if first == records.DESCRIPTOR_SIGNATURE:
        first = yield from source.take(4)
    sizes = yield from source.take(8)
    if sizes != (packed & records.U32).to_bytes(4, "little") + (size & records.U32).to_bytes(4, "little") or (
        packed > records.U32 or size > records.U32
    ):
        sizes += yield from source.take(8)
        if sizes != packed.to_bytes(8, "little") + size.to_bytes(8, "little"):
            raise NpzError("is damaged: the sizes behind it are wrong")
    return int.from_bytes(first, "little")


def read_npz_chunks(
    chunks: Iterable[bytes | bytearray | memoryview], limits: NpzLimits = DEFAULT_LIMITS
) -> dict[str, np.ndarray]:
    """All arrays of an archive that comes in pieces; see `NpzReader`."""
    reader = NpzReader(limits)
    for chunk in chunks:
        reader.feed(chunk)
    return reader.finish()
