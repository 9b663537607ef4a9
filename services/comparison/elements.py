"""The elements of an array in row order, block by block, in a dtype that computes.

An array may be of any rank, memory order and byte order, mapped from a file, and of a dtype that NumPy alone lacks.
Only the block asked for is read and converted.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from ..npz.dtypes import LOGICAL_DTYPES, from_wire, logical_dtype
from ..npz.errors import ArrayRefusedError
from ..plain_text import plain
from .errors import ComparisonError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["BLOCK", "Elements", "Kind", "blocks"]

BLOCK = 1 << 17
"""Elements of one block: its temporaries in float64 stay in the processor's cache, and in few MB."""

_OTHER_NAMES = {"float8_e8m0": "float8_e8m0fnu", "half": "float16", "float": "float32", "double": "float64"}
_SMALL_INTEGERS = ("int2", "int4", "uint2", "uint4")
_BITS_ONLY = ("hifloat8", "float4_e2m1", "float4_e1m2")
"""Dtypes whose values nothing here can decode: one byte an element, compared as bits."""


class Kind(Enum):
    """What the elements are."""

    INTEGER = "integer"
    """Whole numbers and truth values: compared exactly."""
    FLOAT = "float"
    COMPLEX = "complex"
    BITS = "bits"
    """Codes of a dtype whose values are not known here, read as int8."""


class Elements:
    """
    Args:
        array: numbers of any dtype of NumPy or ml_dtypes; its memory is shared.
        logical: the logical dtype where the array's own does not say it: `bfloat16` or a float8 over raw bits,
            `complex32` over pairs of float16 on the last axis, `int4`, `hifloat8`, `float4_e2m1`, ... over bytes.

    Raises:
        ComparisonError: it holds text, objects, dates or records, or can't hold what `logical` says.
    """

    def __init__(self, array: NDArray[Any], logical: str | None = None) -> None:
        if isinstance(array, np.ma.MaskedArray):
            raise ComparisonError("a masked array can't be compared without losing its mask; fill it first")
        plain_array: NDArray[Any] = np.asarray(array)
        name = _OTHER_NAMES.get(logical, logical) if logical is not None else None
        byte_codes = name in _BITS_ONLY or (name in _SMALL_INTEGERS and plain_array.dtype.kind in "iu")
        if name in LOGICAL_DTYPES and name != logical_dtype(plain_array):
            try:
                plain_array = from_wire(plain_array, name)
            except ArrayRefusedError as error:
                raise ComparisonError(str(error)) from error
        elif byte_codes:
            if plain_array.dtype.itemsize != 1 or plain_array.dtype.kind not in "iuV":
                raise ComparisonError(f"said to be {name}, but holds {plain_array.dtype} and not single bytes")
        elif name is not None and name != plain_array.dtype.name:
            raise ComparisonError(f"said to be {plain(name, 60)!r}, but holds {plain(str(plain_array.dtype), 60)}")
        self._pairs = name == "complex32"
        self.dtype = name if name is not None and (byte_codes or self._pairs) else plain_array.dtype.name
        """Name of the logical dtype."""
        if byte_codes and name in _BITS_ONLY:
            self.kind = Kind.BITS
            plain_array = plain_array.view(np.int8)
        else:
            self.kind = Kind.COMPLEX if self._pairs else _kind(plain_array.dtype)
        self.array = plain_array
        """As stored; complex32 with its last axis of 2."""
        self.shape: tuple[int, ...] = plain_array.shape[:-1] if self._pairs else plain_array.shape
        self.size = plain_array.size // 2 if self._pairs else plain_array.size
        self._row_order = bool(plain_array.flags.c_contiguous)
        self._flat: NDArray[Any] = plain_array.reshape(-1) if self._row_order else plain_array[:0]

    def stored(self, start: int, stop: int) -> NDArray[Any]:
        """Elements `start` to `stop` in row order as they are stored, in native byte order; complex32 as complex64."""
        if self._pairs:
            halves = _widened(self._cut(2 * start, 2 * stop), np.float32)
            return np.ascontiguousarray(halves).view(np.complex64)
        block = self._cut(start, stop)
        return block if block.dtype.isnative else block.astype(block.dtype.newbyteorder("="))

    def values(self, stored: NDArray[Any]) -> NDArray[Any]:
        """A stored block in a dtype that computes: int64 or uint64, float64 (longdouble), complex128."""
        match self.kind:
            case Kind.INTEGER | Kind.BITS:
                return stored.astype(np.uint64 if stored.dtype == np.uint64 else np.int64)
            case Kind.FLOAT:
                return _widened(stored, np.float64) if stored.dtype.itemsize <= 8 else stored
            case Kind.COMPLEX:
                return _widened(stored, np.complex128) if stored.dtype.itemsize <= 16 else stored

    def at(self, flat: int) -> bool | int | float | complex:
        """One element as a Python number; exact for whole numbers."""
        value = self.stored(flat, flat + 1)
        if value.dtype == np.bool_:
            return bool(value[0])
        return self.values(value)[0].item()  # type: ignore[no-any-return]

    def index(self, flat: int) -> tuple[int, ...]:
        """The index of an element in the array's own shape."""
        return tuple(int(part) for part in np.unravel_index(flat, self.shape)) if self.shape else ()

    def turned(self) -> Elements:
        """The same elements with all axes in reverse order; not for complex32."""
        return self.alike(self.array.T)

    def alike(self, part: NDArray[Any]) -> Elements:
        """Some of the elements, cut from `array`."""
        return Elements(part, self.dtype)

    def _cut(self, start: int, stop: int) -> NDArray[Any]:
        if self._row_order:
            return self._flat[start:stop]
        cut: NDArray[Any] = self.array.flat[start:stop]
        return cut


def blocks(size: int) -> Iterator[tuple[int, int]]:
    """(start, stop) of each block of `size` elements."""
    for start in range(0, size, BLOCK):
        yield start, min(start + BLOCK, size)


def _widened(stored: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    """Without the warning that NumPy has for a signalling NaN."""
    with np.errstate(invalid="ignore"):
        return stored.astype(dtype)


def _kind(dtype: np.dtype[Any]) -> Kind:
    match dtype.kind:
        case "b" | "i" | "u":
            return Kind.INTEGER
        case "f":
            return Kind.FLOAT
        case "c":
            return Kind.COMPLEX
        case "V" if dtype.name in _SMALL_INTEGERS:
            return Kind.INTEGER
        case "V" if dtype.fields is None and not dtype.name.startswith("void") and "float" in dtype.name:
            return Kind.FLOAT
    raise ComparisonError(f"{plain(str(dtype), 80)}: only numbers and truth values can be compared")
