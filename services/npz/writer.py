"""An npz archive written as a stream whose length is known ahead, in constant extra memory and without a file.

Members are stored; one is deflated only where a few blocks of it show that this at least halves it. Every local record
holds its CRC and sizes (no data descriptors), so any reader can take the members as they come.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from . import zip_records as records
from .errors import NpzError
from .npy_header import format_header

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["CHUNK", "NpzWriter"]

CHUNK = 256 * 1024
"""Most bytes of one piece of the stream."""

_LEVEL = 1
_SAMPLE_FROM = 256 * 1024
"""Members smaller than this are stored: packing them saves no time on any link."""
_SAMPLE_BLOCKS, _SAMPLE_BYTES = 8, 16 * 1024
_PAYS = 0.5
_KEPT_PACKED = 8 * 1024 * 1024
"""Packed bytes kept from measuring their length; members that need more are packed a second time as they are sent."""
_DATE = 0 << 9 | 1 << 5 | 1  # 1980-01-01, so that equal arrays make equal bytes


@dataclass(slots=True)
class _Member:
    name: bytes
    array: np.ndarray
    """C-contiguous, or the transposed view of a Fortran array, or neither."""
    header: bytes
    crc: int = 0
    packed_size: int = 0
    deflated: bool = False
    kept: list[bytes] | None = None
    offset: int = 0

    @property
    def size(self) -> int:
        return len(self.header) + self.array.nbytes


class NpzWriter:
    """One archive, to be iterated as pieces of at most `CHUNK` bytes; it can be iterated again for a retry.

    `plan` (or the first use of `content_length`) reads every array once for its CRC, some 5 GB/s, and packs what is to
    be deflated: on an event loop, call it in a thread. After it, pieces of stored members are views of the arrays.
    The arrays must not change until they are sent.

    Args:
        members: name without `.npy`, and array: NumPy's own numbers or raw bits (`dtypes.to_wire`).
        deflate: `auto` packs a member where a sample shows it pays, `never` and `always` as they say.

    Raises:
        ArrayRefusedError: an array that is not plain numbers.
        NpzError: a name is given twice or too long.
    """

    def __init__(
        self, members: Iterable[tuple[str, np.ndarray]], *, deflate: Literal["auto", "never", "always"] = "auto"
    ) -> None:
        self._members: list[_Member] = []
        self._deflate = deflate
        self._planned = False
        names: set[bytes] = set()
        for name, array in members:
            encoded = f"{name}.npy".encode("utf-8", "surrogatepass")
            if encoded in names or len(encoded) > records.U16:
                raise NpzError(f"the member name {name[:80]!r} is given twice or too long", name)
            names.add(encoded)
            fortran = array.flags.f_contiguous and not array.flags.c_contiguous
            header = format_header(array, fortran_order=fortran, name=name)
            self._members.append(_Member(encoded, array.T if fortran else array, header))

    @property
    def content_length(self) -> int:
        """Bytes of the whole archive, exact."""
        self.plan()
        directory = sum(len(_central(member)) for member in self._members)
        return self._directory_offset() + directory + len(self._end(directory))

    def plan(self) -> None:
        """Compute CRCs, and pack what is to be deflated; done once."""
        if self._planned:
            return
        budget = _KEPT_PACKED
        offset = 0
        for member in self._members:
            member.packed_size = member.size
            pack = self._deflate == "always" or (self._deflate == "auto" and _pays(member))
            crc = 0
            for piece in _content(member):
                crc = zlib.crc32(piece, crc)
            member.crc = crc
            if pack:
                budget -= _measure(member, budget)
            member.offset = offset
            offset += len(_local(member)) + member.packed_size
        self._planned = True

    def __iter__(self) -> Iterator[bytes | memoryview]:
        """The archive's pieces in order.

        Raises:
            NpzError: an array that is deflated has changed since `plan`.
        """
        self.plan()
        for member in self._members:
            yield _local(member)
            if member.kept is not None:
                yield from member.kept
            elif member.deflated:
                sent = 0
                for piece in _packed(member):
                    sent += len(piece)
                    yield piece
                if sent != member.packed_size:
                    raise NpzError("the array has changed while it was sent", member.name.decode(errors="replace"))
            else:
                yield from _content(member)
        directory = b"".join(_central(member) for member in self._members)
        for start in range(0, len(directory), CHUNK):
            yield directory[start : start + CHUNK]
        yield self._end(len(directory))

    def _directory_offset(self) -> int:
        if not self._members:
            return 0
        last = self._members[-1]
        return last.offset + len(_local(last)) + last.packed_size

    def _end(self, size: int) -> bytes:
        offset = self._directory_offset()
        count = len(self._members)
        wide = b""
        if count >= records.U16 or offset >= records.U32 or size >= records.U32:
            wide = records.END64.pack(
                *(records.END64_SIGNATURE, records.END64.size - 12, 45, 45, 0, 0, count, count, size, offset)
            ) + records.END64_LOCATOR.pack(records.END64_LOCATOR_SIGNATURE, 0, offset + size, 1)
        short = min(count, records.U16)
        narrow = (min(size, records.U32), min(offset, records.U32), 0)
        return wide + records.END.pack(records.END_SIGNATURE, 0, 0, short, short, *narrow)


def _content(member: _Member) -> Iterator[bytes | memoryview]:
    yield member.header
    array = member.array
    if array.flags.c_contiguous:
        flat = array.reshape(-1).view(np.uint8).data
        for start in range(0, len(flat), CHUNK):
            yield flat[start : start + CHUNK]
    elif array.size:
        values = max(CHUNK // array.dtype.itemsize, 1)
        blocks = np.nditer(array, flags=["external_loop", "buffered"], buffersize=values, order="C")
        for block in blocks:
            data = memoryview(np.asarray(block).tobytes())
            for start in range(0, len(data), CHUNK):
                yield data[start : start + CHUNK]


def _packed(member: _Member) -> Iterator[bytes]:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15)
    for piece in _content(member):
        if made := packer.compress(piece):
            yield made
    yield packer.flush()


def _measure(member: _Member, budget: int) -> int:
    """Pack once for the length; keeps the bytes while they fit. Returns what is kept, in bytes."""
    kept: list[bytes] | None = []
    size = 0
    for piece in _packed(member):
        size += len(piece)
        if kept is not None:
            kept.append(piece)
            if size > budget:
                kept = None
        if size >= member.size:  # the sample was not like the rest
            return 0
    member.packed_size, member.deflated, member.kept = size, True, kept
    return size if kept is not None else 0


def _pays(member: _Member) -> bool:
    array = member.array
    if array.nbytes < _SAMPLE_FROM:
        return False
    values = _SAMPLE_BYTES // array.dtype.itemsize
    taken = packed = 0
    for block in range(_SAMPLE_BLOCKS):
        start = (array.size - values) * block // (_SAMPLE_BLOCKS - 1)
        sample = array.flat[start : start + values].tobytes()
        taken += len(sample)
        packed += len(zlib.compress(sample, _LEVEL))
    return packed <= taken * _PAYS


def _flags(member: _Member) -> int:
    return 0 if member.name.isascii() else records.UTF8_FLAG


def _local(member: _Member) -> bytes:
    size, packed, extra = member.size, member.packed_size, b""
    if size >= records.U32 or packed >= records.U32:
        extra = b"\x01\x00\x10\x00" + size.to_bytes(8, "little") + packed.to_bytes(8, "little")
        size = packed = records.U32
    method = records.DEFLATED if member.deflated else records.STORED
    fixed = (records.LOCAL_SIGNATURE, 45 if extra else 20, _flags(member), method, 0, _DATE, member.crc, packed, size)
    return records.LOCAL.pack(*fixed, len(member.name), len(extra)) + member.name + extra


def _central(member: _Member) -> bytes:
    wide: list[int] = []
    shown: list[int] = []
    for number in (member.size, member.packed_size, member.offset):
        shown.append(min(number, records.U32))
        if number >= records.U32:
            wide.append(number)
    extra = b""
    if wide:
        extra = b"\x01\x00" + (8 * len(wide)).to_bytes(2, "little") + b"".join(n.to_bytes(8, "little") for n in wide)
    size, packed, offset = shown
    method = records.DEFLATED if member.deflated else records.STORED
    needed = 45 if extra or member.size >= records.U32 else 20
    fixed = (records.CENTRAL_SIGNATURE, needed, needed, _flags(member), method, 0, _DATE, member.crc, packed, size)
    lengths = (len(member.name), len(extra), 0)
    return records.CENTRAL.pack(*fixed, *lengths, 0, 0, 0o600 << 16, offset) + member.name + extra
