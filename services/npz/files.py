"""Arrays from and to files: `.npz` archives and single `.npy` arrays, by the same readers as the wire."""

from __future__ import annotations

import errno
import io
from typing import TYPE_CHECKING

import numpy as np

from ..plain_text import plain
from ..whole_file import whole_file
from .errors import NpzError, NpzLimitError, NpzTruncatedError
from .npy_header import header_length, parse_header
from .reader import DEFAULT_LIMITS, NpzReader
from .writer import NpzWriter

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .reader import NpzLimits

__all__ = ["read_npy", "read_npz", "write_npz"]

_PIECE = 1024 * 1024


def read_npz(source: Path | bytes, limits: NpzLimits = DEFAULT_LIMITS) -> dict[str, np.ndarray]:
    """All arrays of an archive by name (without `.npy`), in its order.

    Args:
        source: a file, or its content.
        limits: what is accepted.

    Raises:
        NpzError: it is not a readable archive; the message starts with the file's name.
        OSError: the file can't be read.
    """
    reader = NpzReader(limits)
    buffer = bytearray(_PIECE)
    try:
        with _opened(source) as file:
            while count := file.readinto(buffer):
                reader.feed(memoryview(buffer)[:count])
        return reader.finish()
    except NpzError as error:
        raise type(error)(f"{_label(source)}: {error}", error.member) from None


def read_npy(source: Path | bytes, limits: NpzLimits = DEFAULT_LIMITS) -> np.ndarray:
    """The array of a `.npy` file; bits of a dtype that NumPy lacks as V1 or V2.

    Raises:
        NpzError: it is not a readable array; the message starts with the file's name.
        OSError: the file can't be read.
    """
    try:
        with _opened(source) as file:
            start = file.read(12)
            bounds = header_length(start)
            if bounds is None:
                raise NpzTruncatedError("ends inside its header")
            begin, end = bounds
            start += file.read(max(end - len(start), 0))
            if len(start) < end:
                raise NpzTruncatedError("ends inside its header")
            header = parse_header(start[begin:end])
            if header.nbytes > limits.total_bytes:
                raise NpzLimitError(f"asks for {header.nbytes:,} bytes; {limits.total_bytes:,} are accepted")
            flat = np.empty(header.nbytes, np.uint8)
            early = start[end:]
            if len(early) > header.nbytes:
                raise NpzError("goes on after its values")
            view = flat.data
            view[: len(early)] = early
            at = len(early)
            while at < len(view) and (count := file.readinto(view[at : at + _PIECE])):
                at += count
            if at < len(view):
                raise NpzTruncatedError(f"holds {at:,} bytes of values; its header asks for {header.nbytes:,}")
            if file.read(1):
                raise NpzError("goes on after its values")
        return flat.view(header.dtype).reshape(header.shape, order="F" if header.fortran_order else "C")
    except NpzError as error:
        raise type(error)(f"{_label(source)}: {error}", error.member) from None


def write_npz(path: Path, members: Iterable[tuple[str, np.ndarray]]) -> None:
    """Write an archive, whole or not at all.

    Args:
        path: the archive; replaced when it is there, a device or pipe is written into.
        members: name without `.npy`, and array as `dtypes.to_wire` makes it.

    Raises:
        ArrayRefusedError: an array that is not plain numbers or raw bits.
        OSError: it can't be written.
    """
    writer = NpzWriter(members)
    with whole_file(path) as file:
        file.writelines(writer)


def _opened(source: Path | bytes) -> io.BufferedIOBase:
    if isinstance(source, bytes):
        return io.BytesIO(source)
    try:
        return source.open("rb")
    except ValueError as error:  # a NUL, or what the file system's encoding has not
        raise OSError(errno.EINVAL, "no file can have such a name") from error


def _label(source: Path | bytes) -> str:
    return plain(source.name, 80) if not isinstance(source, bytes) else "the archive"
