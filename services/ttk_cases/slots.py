"""Inputs and outputs of a row: nested tuples of shapes, dtypes, formats and ranges, laid side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

from .errors import CellError

__all__ = ["CaseSlot", "Nested", "Range", "lay_over", "logical_name", "read_dtypes", "read_ranges", "read_shapes"]

Shape: TypeAlias = tuple[int, ...]

_DIMENSIONS = 32
_EXTENT = 1 << 48
_SLOTS = 4096


_OTHER_NAMES = {
    "fp16": "float16",
    "half": "float16",
    "fp32": "float32",
    "float": "float32",
    "fp64": "float64",
    "double": "float64",
    "bf16": "bfloat16",
    "c32": "complex32",
    "c64": "complex64",
    "c128": "complex128",
    "float8_e8m0": "float8_e8m0fnu",
}


@dataclass(frozen=True, slots=True)
class Range:
    """Values to draw from, both ends included; an infinity stands for the dtype's own bound."""

    low: float = -2
    high: float = 2
    always: tuple[float, ...] = ()
    """Values that have to be among those drawn."""


@dataclass(frozen=True, slots=True)
class CaseSlot:
    """One input or output of a row. The tuples hold one entry for each of its tensors."""

    is_list: bool
    """A list of tensors, possibly of one."""
    shapes: tuple[Shape, ...]
    dtypes: tuple[str, ...]
    formats: tuple[str | None, ...]
    ranges: tuple[Range | None, ...]
    """None: not given, which is -2 to 2."""


Nested: TypeAlias = tuple[Any, ...]
"""One entry a slot: None (absent), a value, or a list of values."""


def read_shapes(value: Any) -> Nested:
    """Slots as None, a shape (tuple), or a list of shapes.

    Raises:
        CellError: something in it is no shape.
    """
    if not isinstance(value, tuple | list):
        raise CellError(f"{value!r} is no tuple of shapes; write ((2, 3),)")
    if len(value) > _SLOTS:
        raise CellError(f"{len(value):,} inputs; at most {_SLOTS:,} are read")
    if value and all(_is_extent(each) for each in value):
        raise CellError(f"{tuple(value)} is one shape, not a tuple of shapes; write ({tuple(value)},)")
    slots: list[Any] = []
    for number, slot in enumerate(value):
        if slot is None:
            slots.append(None)
        elif isinstance(slot, tuple | list) and slot and all(isinstance(each, tuple | list) for each in slot):
            slots.append([_shape(each, number) for each in slot])
        else:
            slots.append(_shape(slot, number))
    return tuple(slots)


def read_dtypes(value: Any) -> Nested:
    """Slots as None, a text, or a list of texts and None; a bare text is one slot.

    Raises:
        CellError: something in it is no text.
    """
    if isinstance(value, str):
        return (value.strip(),)
    if not isinstance(value, tuple | list):
        raise CellError(f"{value!r} is no tuple of names; write ('float32',)")
    return tuple(_names(slot, number) for number, slot in enumerate(value))


def read_ranges(value: Any) -> Nested:
    """Slots as None, a range, or a list of ranges and None.

    Raises:
        CellError: something in it is no pair of numbers, or its low end lies above its high one.
    """
    if not isinstance(value, tuple | list):
        raise CellError(f"{value!r} is no tuple of ranges; write ((-1, 1),)")
    if len(value) >= 2 and all(_is_number(each) for each in value):
        raise CellError(f"{tuple(value)} is one range, not a tuple of ranges; write ({tuple(value)},)")
    slots: list[Any] = []
    for number, slot in enumerate(value):
        if isinstance(slot, tuple | list) and any(isinstance(each, tuple | list) for each in slot):
            slots.append([_range(each, number) for each in slot])
        else:
            slots.append(_range(slot, number))
    return tuple(slots)


def logical_name(name: str) -> str:
    """The logical dtype that a case file's name stands for: `fp16` is float16."""
    return _OTHER_NAMES.get(name, name)


def lay_over(shapes: Nested, other: Nested, what: str, *, fill: bool = False) -> Nested:
    """Another column's slots made to fit the shapes: one alone holds for all, also within a list of tensors.

    Args:
        shapes: as `read_shapes` gives them.
        other: slots of the other column; empty: None everywhere.
        what: name of what they are, for messages.
        fill: missing ones at the end are None.

    Returns:
        One entry a slot: a list as long as the slot has tensors, [] for an absent slot.

    Raises:
        CellError: there are more or fewer than shapes, or a list where there is one tensor.
    """
    if len(other) == 1 and len(shapes) > 1:
        other = other * len(shapes)
    if len(other) < len(shapes) and (fill or not other):
        other = (*other, *[None] * (len(shapes) - len(other)))
    if len(other) != len(shapes):
        raise CellError(f"{len(other)} {what} for {len(shapes)} shapes; give one for each, or one for all")
    pairs = enumerate(zip(shapes, other, strict=True))
    return tuple(_over_slot(shape, each, what, number) for number, (shape, each) in pairs)


def _over_slot(shape: Any, each: Any, what: str, number: int) -> list[Any]:
    if shape is None:
        return []
    count = len(shape) if isinstance(shape, list) else 1
    if not isinstance(each, list):
        return [each] * count
    if len(each) == 1:
        return each * count
    if len(each) != count:
        raise CellError(f"{len(each)} {what} for the {count} tensors of input {number}")
    return each


def _shape(value: Any, number: int) -> Shape:
    if not isinstance(value, tuple | list) or not all(_is_extent(each) for each in value):
        raise CellError(f"input {number}: {value!r} is no shape")
    if any(extent < 0 for extent in value):
        raise CellError(f"input {number}: {tuple(value)} has an extent that is not known; put a number there")
    if len(value) > _DIMENSIONS or math.prod(value) > _EXTENT or max(value, default=0) > _EXTENT:
        raise CellError(f"input {number}: {tuple(value)} is larger than any tensor")
    return tuple(value)


def _names(slot: Any, number: int) -> Any:
    if slot is None or isinstance(slot, str):
        return slot.strip() if slot else None
    if isinstance(slot, tuple | list) and all(each is None or isinstance(each, str) for each in slot):
        return [each.strip() if each else None for each in slot]
    raise CellError(f"input {number}: {slot!r} is no name")


def _range(value: Any, number: int) -> Range | None:
    if value is None or value == ():
        return None
    pair = isinstance(value, tuple | list) and len(value) >= 2
    if not pair or not all(_is_number(each) or (each is None and at < 2) for at, each in enumerate(value)):
        raise CellError(f"input {number}: {value!r} is no (low, high)")
    if value[0] is None and value[1] is None and len(value) == 2:
        return None
    low, high = (-2 if value[0] is None else value[0]), (2 if value[1] is None else value[1])
    if not low <= high:
        raise CellError(f"input {number}: no number lies between {low} and {high}")
    return Range(low, high, tuple(value[2:]))


def _is_extent(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
