"""The header of one array: read by a narrow grammar (nothing is evaluated), and written.

Source: NumPy's format specification (numpy.lib.format), versions 1.0, 2.0 and 3.0.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from ..plain_text import plain
from .errors import ArrayRefusedError, NpzError, NpzLimitError

__all__ = ["LONGEST_HEADER", "MAGIC", "NpyHeader", "format_header", "header_length", "parse_header"]

MAGIC = b"\x93NUMPY"
LONGEST_HEADER = 10_000
"""Bytes of a header that are read; those of arrays that operators take are a tenth of it."""
MOST_AXES = 32

_ITEM = re.compile(r"""\s*(['"])(\w{1,20})\1\s*:\s*""", re.ASCII)
_VALUES = {
    "descr": re.compile(r"""(['"])([^'"\\]{1,80})\1""", re.ASCII),
    "fortran_order": re.compile(r"(True|False)"),
    "shape": re.compile(r"\(([\d\s,L]*)\)", re.ASCII),
}
_DESCR = re.compile(r"([<>|=])([biufcmMVSUO])(\d{0,9})(\[[^\]]{1,20}\])?", re.ASCII)
_NUMBERS = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"}


@dataclass(frozen=True, slots=True)
class NpyHeader:
    """What an array's header says."""

    dtype: np.dtype[np.generic]
    """As written, big-endian too. Bits of a dtype that NumPy lacks are raw: V1 or V2."""
    shape: tuple[int, ...]
    fortran_order: bool

    @property
    def nbytes(self) -> int:
        """Bytes of the values, exact (Python's own whole numbers)."""
        return math.prod(self.shape) * self.dtype.itemsize


def header_length(start: bytes) -> tuple[int, int] | None:
    """From the first 12 bytes of a member: where the header's text starts and where it ends, counted in bytes.

    Raises:
        NpzError: it is not an array, or of an unknown version, or its header is longer than `LONGEST_HEADER`.
    """
    if not start.startswith(MAGIC[: len(start)]):
        raise NpzError(f"holds no array: it starts with {plain(repr(bytes(start[:8])), 60)}")
    if len(start) < 8:
        return None
    if start[6] not in (1, 2, 3):
        raise NpzError(f"its array is of format version {start[6]}.{start[7]}; 1.0, 2.0 and 3.0 are known")
    begin = 10 if start[6] == 1 else 12
    if len(start) < begin:
        return None
    length = int.from_bytes(start[8:begin], "little")
    if length > LONGEST_HEADER:
        raise NpzLimitError(f"its header is {length:,} bytes long; {LONGEST_HEADER:,} are read")
    return begin, begin + length


def parse_header(text: bytes) -> NpyHeader:
    """Read the text of a header.

    Raises:
        NpzError: the text is not a header.
        ArrayRefusedError: it is one of an array that is not plain numbers.
    """
    left = text.decode("utf-8", "replace").strip()
    if not (left.startswith("{") and left.endswith("}")):
        raise NpzError("its header is no dictionary")
    left = left[1:-1].strip()
    found: dict[str, str] = {}
    while left:
        item = _ITEM.match(left)
        if item is None or item[2] not in _VALUES or item[2] in found:
            raise NpzError(f"its header can't be read at {plain(left, 60)!r}")
        left = left[item.end() :]
        if item[2] == "descr" and left.startswith(("[", "(")):
            raise ArrayRefusedError("is structured; only plain arrays of numbers are read")
        value = _VALUES[item[2]].match(left)
        if value is None:
            raise NpzError(f"the {item[2]} of its header can't be read: {plain(left, 60)!r}")
        found[item[2]] = value[value.re.groups]
        left = left[value.end() :].lstrip()
        if left and not left.startswith(","):
            raise NpzError(f"its header can't be read at {plain(left, 60)!r}")
        left = left[1:].strip()
    if missing := [key for key in _VALUES if key not in found]:
        raise NpzError(f"its header has no {missing[0]}")
    return NpyHeader(_dtype(found["descr"]), _shape(found["shape"]), found["fortran_order"] == "True")


def format_header(array: np.ndarray, *, fortran_order: bool, name: str = "") -> bytes:
    """Magic, version and header of an array, as NumPy writes it: ends at a multiple of 64 bytes.

    Raises:
        ArrayRefusedError: `parse_header` would not read it back as this dtype; the message names the array `name`.
    """
    try:
        same = not array.dtype.hasobject and _dtype(array.dtype.str) == array.dtype and array.ndim <= MOST_AXES
    except NpzError:
        same = False
    if not same:
        raise ArrayRefusedError(
            f"{plain(name, 80) or 'the array'}: {array.dtype} with {array.ndim} axes can't be written", name
        )
    text = f"{{'descr': '{array.dtype.str}', 'fortran_order': {fortran_order}, 'shape': {_tuple(array.shape)}, }}"
    length = len(text) + 1
    padding = -(10 + length) % 64
    return b"".join(
        (MAGIC, b"\x01\x00", (length + padding).to_bytes(2, "little"), text.encode(), b" " * padding, b"\n")
    )


def _tuple(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _shape(text: str) -> tuple[int, ...]:
    parts = text.replace("L", "").split(",")
    if not parts[-1].strip():
        parts.pop()
    if len(parts) > MOST_AXES:
        raise NpzLimitError(f"it has {len(parts):,} axes; {MOST_AXES} are read")
    sizes: list[int] = []
    for part in parts:
        size = part.strip()
        if not size.isdecimal() or len(size) > 20:
            raise NpzError(f"its shape can't be read: {plain(text, 60)!r}")
        sizes.append(int(size))
    if any(size > np.iinfo(np.int64).max for size in sizes):
        raise NpzLimitError(f"its shape ({plain(text, 60)}) is larger than any array")
    return tuple(sizes)


def _dtype(descr: str) -> np.dtype[np.generic]:
    match = _DESCR.fullmatch(descr)
    if match is None:
        raise NpzError(f"its dtype can't be read: {plain(descr, 60)!r}")
    order, kind, size, unit = match.groups()
    if kind == "O":
        raise ArrayRefusedError("holds Python objects (a pickle), which are never read")
    if kind in "SU":
        raise ArrayRefusedError("holds text; only arrays of numbers are read")
    if kind in "mM" and size == "8":
        try:
            return np.dtype(descr)
        except TypeError as error:
            raise NpzError(f"its dtype can't be read: {plain(descr, 60)!r}") from error
    if unit is not None:
        raise NpzError(f"its dtype can't be read: {plain(descr, 60)!r}")
    if (kind == "V" and size in ("1", "2")) or (kind, size) == ("f", "1"):  # ml_dtypes writes float8_e5m2 as f1
        return np.dtype(f"V{size}")
    if kind + size not in _NUMBERS:
        raise ArrayRefusedError(f"is of dtype {plain(descr, 60)!r}, which is not read")
    return np.dtype((order if order in "<>" else "|") + kind + size) if size != "1" else np.dtype(kind + size)
