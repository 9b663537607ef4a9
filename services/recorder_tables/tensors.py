"""Tensors of a call as people write them: `[1024, 4096] bf16 8 MiB`. Exact numbers are for the details."""

from __future__ import annotations

from itertools import groupby
from math import prod
from typing import TYPE_CHECKING

from ..sizes import number_text, size_text

if TYPE_CHECKING:
    from ..flight_recorder.columns import Dtypes, Shapes

__all__ = [
    "bytes_of",
    "dtype_short",
    "paired_dtypes",
    "shapes_text",
    "tensors_exact",
    "tensors_text",
]

_DTYPES = {
    "Float": ("f32", 4),
    "Double": ("f64", 8),
    "Half": ("f16", 2),
    "BFloat16": ("bf16", 2),
    "Long": ("i64", 8),
    "Int": ("i32", 4),
    "Short": ("i16", 2),
    "Char": ("i8", 1),
    "Byte": ("u8", 1),
    "UInt16": ("u16", 2),
    "UInt32": ("u32", 4),
    "UInt64": ("u64", 8),
    "Bool": ("bool", 1),
    "ComplexHalf": ("c32", 4),
    "ComplexFloat": ("c64", 8),
    "ComplexDouble": ("c128", 16),
    "Float8_e5m2": ("f8e5m2", 1),
    "Float8_e4m3fn": ("f8e4m3", 1),
    "Float8_e5m2fnuz": ("f8e5m2fnuz", 1),
    "Float8_e4m3fnuz": ("f8e4m3fnuz", 1),
    "Float8_e8m0fnu": ("f8e8m0", 1),
    "Float4_e2m1fn_x2": ("f4x2", 1),
    "QInt8": ("qi8", 1),
    "QUInt8": ("qu8", 1),
    "QInt32": ("qi32", 4),
}
"""By torch's name of a scalar type: the short one, and bytes of an element."""

_SHOWN = 2
"""Different tensors of one side that a cell spells out."""
_LISTED = 64
"""Tensors that the details list one by one."""


def dtype_short(dtype: str) -> str:
    """`bf16` for `BFloat16`; what is not known stays as recorded."""
    return _DTYPES[dtype][0] if dtype in _DTYPES else dtype


def bytes_of(shapes: Shapes, dtypes: Dtypes) -> int | None:
    """Bytes of all tensors of one side; None when a dtype is missing or not known."""
    found = 0
    for shape, dtype in zip(shapes, paired_dtypes(shapes, dtypes), strict=True):
        known = _DTYPES.get(dtype)
        if known is None:
            return None
        found += prod(shape) * known[1]
    return found


def paired_dtypes(shapes: Shapes, dtypes: Dtypes) -> Dtypes:
    """One dtype for each tensor, empty where it is not told."""
    if len(dtypes) == len(shapes):
        return dtypes
    return (dtypes[0] if len(set(dtypes)) == 1 else "",) * len(shapes)


def _shape_text(shape: tuple[int, ...]) -> str:
    return f"[{', '.join(str(size) if size.bit_length() <= 64 else number_text(size) for size in shape)}]"


def shapes_text(shapes: Shapes) -> str:
    """`[1024, 4096]`, `8 x [16]`; several different ones one after the other, the rest counted."""
    return _joined([(shape, "") for shape in shapes])


def _joined(tensors: list[tuple[tuple[int, ...], str]]) -> str:
    runs = [(tensor, sum(1 for _ in same)) for tensor, same in groupby(tensors)]
    told = []
    for (shape, dtype), count in runs[:_SHOWN]:
        told.append(f"{f'{count} x ' if count > 1 else ''}{_shape_text(shape)}{f' {dtype}' if dtype else ''}")
    left = sum(count for _, count in runs[_SHOWN:])
    return ", ".join(told) + (f" and {left:,} more" if left else "")


def tensors_text(shapes: Shapes, dtypes: Dtypes) -> str:
    """`[1024, 4096] bf16 8 MiB`; empty for no tensor."""
    if not shapes:
        return ""
    paired = [dtype_short(dtype) for dtype in paired_dtypes(shapes, dtypes)]
    if len(set(paired)) == 1 and len(shapes) > 1:
        told = shapes_text(shapes) + (f" {paired[0]}" if paired[0] else "")
    else:
        told = _joined(list(zip(shapes, paired, strict=True)))
    size = bytes_of(shapes, dtypes)
    return told if size is None else f"{told} {size_text(size)}"


def tensors_exact(shapes: Shapes, dtypes: Dtypes) -> list[str]:
    """Every tensor with dtype, elements and bytes; the first 64 of them."""
    lines = []
    for shape, dtype in list(zip(shapes, paired_dtypes(shapes, dtypes), strict=True))[:_LISTED]:
        known = _DTYPES.get(dtype)
        count = prod(shape)
        size = "" if known is None else f", {number_text(count * known[1])} bytes"
        plural = "element" if count == 1 else "elements"
        lines.append(f"{_shape_text(shape)} {dtype or 'dtype not recorded'}, {number_text(count)} {plural}{size}")
    if len(shapes) > _LISTED:
        lines.append(f"and {len(shapes) - _LISTED:,} more")
    return lines
