"""Logical dtypes of operators and the form in which their arrays travel.

NumPy's own numbers travel as they are, little-endian. `bfloat16` travels as int16 bits, the float8 family as uint8
bits, `complex32` as float16 with a trailing axis of 2 (real, imaginary). The name of the logical dtype travels beside
the bytes: a bare 2-byte member is never guessed to be bfloat16.

Source: the remote execution protocol of hicann/ops-test-kit, commit f480a3d8, for bfloat16 and complex32. Inputs of
float8 are an extension; a server that takes them says so with the feature `FLOAT8_FEATURE` in its heartbeat.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ..plain_text import plain
from .errors import ArrayRefusedError

__all__ = [
    "FLOAT8_FEATURE",
    "LOGICAL_DTYPES",
    "RAW_BITS",
    "WireArray",
    "feature_needed",
    "from_wire",
    "logical_dtype",
    "numpy_dtype",
    "to_wire",
]

FLOAT8_FEATURE = "float8_inputs"
"""Feature of a server that takes float8 inputs; others compute with their bits as whole numbers, silently."""

NATIVE = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
RAW_BITS: dict[str, np.dtype[np.generic]] = {
    "bfloat16": np.dtype("<i2"),
    **dict.fromkeys(FLOAT8, np.dtype("u1")),
}
"""Logical dtypes that NumPy alone lacks, and the dtype of their bits on the wire."""
LOGICAL_DTYPES = (*NATIVE, "bfloat16", *FLOAT8, "complex32")
"""Everything the protocol carries."""

_OTHER_NAMES = {"float8_e8m0": "float8_e8m0fnu", "half": "float16", "float": "float32", "double": "float64"}


@dataclass(frozen=True, slots=True)
class WireArray:
    """An array ready to be written into an archive."""

    name: str
    """The input's name."""
    logical: str
    """Its logical dtype, one of `LOGICAL_DTYPES`."""
    array: np.ndarray
    """What is written: of a native little-endian dtype, the input itself or a view of it wherever possible."""
    note: str = ""
    """What was changed on the way, as a sentence for people; empty when nothing was."""

    @property
    def schema_dtype(self) -> str:
        """The `dtype` of the input schema: the logical name, and `float16` for complex32."""
        return "float16" if self.logical == "complex32" else self.logical


def numpy_dtype(logical: str) -> np.dtype[np.generic]:
    """The dtype to compute and show with; ml_dtypes' for bfloat16 and float8, float16 for complex32.

    Raises:
        ArrayRefusedError: there is no such logical dtype.
    """
    name = _OTHER_NAMES.get(logical, logical)
    if name in RAW_BITS:
        return _extended()[name]
    if name == "complex32":
        return np.dtype("float16")
    if name in NATIVE:
        return np.dtype(name)
    raise ArrayRefusedError(f"there is no dtype called {plain(logical, 60)!r}; there are: {', '.join(LOGICAL_DTYPES)}")


def logical_dtype(array: np.ndarray) -> str | None:
    """The logical dtype that an array's own dtype says, None when the protocol can't carry it or it is raw bits."""
    name = array.dtype.name
    return name if name in LOGICAL_DTYPES else None


def feature_needed(logical: str) -> str | None:
    """The feature a server must announce to take an input of this logical dtype; None when every server does."""
    return FLOAT8_FEATURE if logical in FLOAT8 else None


def to_wire(name: str, array: np.ndarray, logical: str | None = None) -> WireArray:
    """The wire form of one input.

    Args:
        name: the input's name, for messages.
        array: the input; its memory is shared, not copied, unless it is big-endian.
        logical: the declared dtype, where the array's own does not say it: bits of bfloat16 (int16, uint16 or 2 raw
            bytes) or float8 (uint8, int8 or 1 raw byte), or float16 pairs of complex32. None: the array's own.

    Raises:
        ArrayRefusedError: the protocol can't carry it; nothing has been sent.
    """
    shown = plain(name, 80)
    if type(array) is not np.ndarray:
        if isinstance(array, np.ma.MaskedArray):
            raise ArrayRefusedError(f"input {shown}: a masked array would lose its mask; fill it first", shown)
        array = np.asarray(array)
    if logical is not None:
        return _declared(name, shown, array, _OTHER_NAMES.get(logical, logical))
    said = logical_dtype(array)
    if said is None:
        raise ArrayRefusedError(f"input {shown}: {_why_not(array.dtype)}", shown)
    if said in RAW_BITS:
        return WireArray(name, said, array.view(RAW_BITS[said]))
    if array.dtype.byteorder == ">" or (array.dtype.byteorder == "=" and not np.little_endian):
        return WireArray(name, said, array.astype(array.dtype.newbyteorder("<")), "converted from big-endian")
    return WireArray(name, said, array)


def from_wire(array: np.ndarray, logical: str | None, name: str = "") -> np.ndarray:
    """The array a member of an archive stands for.

    Args:
        array: the member as read.
        logical: the dtype named beside it; None leaves the member as it is.
        name: for messages.

    Returns:
        A view in the dtype that computes: ml_dtypes' for bfloat16 and float8; pairs of float16 for complex32.

    Raises:
        ArrayRefusedError: the name is unknown, or the member can't hold such values.
    """
    if logical is None:
        return array
    wanted = _OTHER_NAMES.get(logical, logical)
    shown = plain(name, 80) or "the array"
    bits = RAW_BITS.get(wanted)
    if bits is not None:
        if array.dtype.itemsize != bits.itemsize or array.dtype.kind not in "iuV":
            raise ArrayRefusedError(
                f"{shown}: said to be {wanted}, but holds {array.dtype} and not {8 * bits.itemsize}-bit raw values",
                name,
            )
        return array.view(numpy_dtype(wanted))
    if wanted == "complex32":
        _check_pairs(shown, array)
        return array
    if numpy_dtype(wanted) != array.dtype.newbyteorder("="):
        raise ArrayRefusedError(f"{shown}: said to be {wanted}, but holds {array.dtype}", name)
    return array


def _declared(name: str, shown: str, array: np.ndarray, logical: str) -> WireArray:
    bits = RAW_BITS.get(logical)
    if bits is not None:
        own = logical_dtype(array) == logical
        raw = array.dtype.kind in "iuV" and array.dtype.names is None and array.dtype.isnative
        if array.dtype.itemsize != bits.itemsize or not (own or raw):
            raise ArrayRefusedError(
                f"input {shown}: declared {logical}, but it is {array.dtype}; give it as {logical} or as its "
                f"{bits.name} bits",
                shown,
            )
        return WireArray(name, logical, array.view(bits))
    if logical == "complex32":
        _check_pairs(f"input {shown}", array)
        return WireArray(name, logical, to_wire(name, array).array)
    made = to_wire(name, array)
    if numpy_dtype(logical) != made.array.dtype or made.logical != logical:
        raise ArrayRefusedError(f"input {shown}: declared {logical}, but it is {made.logical}", shown)
    return made


def _check_pairs(shown: str, array: np.ndarray) -> None:
    if array.dtype.newbyteorder("=") != np.dtype("float16") or array.ndim == 0 or array.shape[-1] != 2:
        raise ArrayRefusedError(
            f"{shown}: complex32 is float16 with a last axis of 2 (real, imaginary), this is {array.dtype} of shape "
            f"{array.shape}",
            shown,
        )


def _why_not(dtype: np.dtype[np.generic]) -> str:
    if dtype.hasobject:
        return "it holds Python objects, which could only travel as a pickle; make it an array of numbers"
    if dtype.names is not None or dtype.subdtype is not None:
        return f"it is structured ({plain(str(dtype), 80)}); send its fields as inputs of their own"
    match dtype.kind:
        case "S" | "U" | "T":
            return "it holds text, which an operator can't take"
        case "M" | "m":
            return f"{dtype} can't travel; send its whole numbers (view int64)"
        case "f" | "c" if dtype.itemsize in (12, 16, 24, 32):
            return f"{dtype} differs from machine to machine; convert it to float64 or complex128"
        case "V" if dtype.name.startswith("void"):
            return f"it is {dtype.itemsize}-byte raw, its dtype unknown; say which with its logical dtype"
    return f"{dtype.name} is not a dtype the protocol carries; there are: {', '.join(LOGICAL_DTYPES)}"


@cache
def _extended() -> dict[str, np.dtype[np.generic]]:
    import ml_dtypes

    return {name: np.dtype(getattr(ml_dtypes, name)) for name in RAW_BITS}
