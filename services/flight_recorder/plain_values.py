"""Values of a dump from plain Python data, column by column: numbers, sizes, dtypes, names.

Distinct values are checked once, when they are new. A pickle may refer to one object many times: it is converted once.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .columns import Dtypes, GroupLabel, Shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = [
    "checked_counts",
    "checked_dtypes",
    "checked_label",
    "checked_name",
    "checked_shapes",
    "counters",
    "flat",
    "flat_one",
    "group_label",
    "instants",
    "kind_of",
    "nested",
    "whole_number",
]

_U64 = 2**64 - 1
_I64 = 2**63 - 1
_MOST_SIZES = 1_000_000
"""Tensors of one side of one call that are read; a list over all ranks has one for each."""
_MOST_DIMENSIONS = 64
"""Dimensions of a tensor; torch has no more."""


def whole_number(value: Any) -> int:
    """An integer, however it is written; -1 for what stands for none."""
    if type(value) is int:
        return value
    if value is None or value == "":
        return -1
    if isinstance(value, float):
        return int(value) if math.isfinite(value) else -1
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError(f"{kind_of(value)} where a number is expected")
    if isinstance(value, str) and len(value) > 24:
        raise ValueError("a number of more than 64 bits")
    return int(value)


def counters(values: list[Any]) -> list[int]:
    """Unsigned counters; 0 for what stands for none."""
    if set(map(type, values)) != {int}:
        values = list(map(whole_number, values))
    if values and (min(values) < 0 or max(values) > _U64):
        if max(values) > _U64:
            raise OverflowError("a counter of more than 64 bits")
        values = [max(value, 0) for value in values]
    return values


def instants(values: list[Any]) -> list[int]:
    """Times; 0 for an unknown one."""
    kinds = set(map(type, values))
    if kinds == {int, type(None)}:
        values = [value or 0 for value in values]
    elif kinds != {int}:
        values = list(map(whole_number, values))
    if values and (min(values) < 0 or max(values) > _I64):
        values = [min(max(value, 0), _I64) for value in values]
    return values


def group_label(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    """The name and description of an entry's process group, unchecked; an older dump has a name or a number alone."""
    label = entry.get("process_group")
    if label is None:
        name = entry.get("pg_name")
        return str(entry.get("pg_id", 0) if name is None else name), ""
    return tuple(label) if isinstance(label, list | tuple) else (label,)


def nested(values: list[Any]) -> Iterable[tuple[Any, ...]]:
    """Sizes as something hashable: lists of lists as tuples of tuples."""
    usual = set(map(type, values)) <= {list} and all(
        type(sizes) is list and len(sizes) <= _MOST_DIMENSIONS for value in values for sizes in value
    )
    if usual:
        return [tuple(map(tuple, value)) for value in values]
    return _each_once(values, _nested_one)


def _nested_one(value: Any) -> tuple[Any, ...]:
    if not value:
        return ()
    if not isinstance(value, list | tuple) or len(value) > _MOST_SIZES:
        raise TypeError("sizes are no list of lists")
    # One tensor was once written without the list around it.
    nested = value if isinstance(value[0], list | tuple) else (value,)
    if any(len(sizes) > _MOST_DIMENSIONS for sizes in nested):
        raise ValueError("more dimensions than any tensor has")
    return tuple(map(tuple, nested))


def flat(values: list[Any]) -> Iterable[tuple[Any, ...]]:
    """Lists as tuples."""
    if set(map(type, values)) <= {list} and max(map(len, values), default=0) <= _MOST_DIMENSIONS:
        return map(tuple, values)
    return _each_once(values, flat_one)


def _each_once(values: list[Any], convert: Callable[[Any], tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Each object converted once, however often a pickle refers to it."""
    converted: dict[int, tuple[Any, ...]] = {}
    for value in values:
        if id(value) not in converted:
            converted[id(value)] = convert(value)
    return [converted[id(value)] for value in values]


def flat_one(value: Any) -> tuple[Any, ...]:
    """A flat list as a tuple, its values unchecked. TypeError when it is no list or too long."""
    if not value:
        return ()
    if not isinstance(value, list | tuple) or len(value) > _MOST_SIZES:
        raise TypeError(f"{kind_of(value)} where a list is expected")
    return tuple(value)


def checked_label(label: tuple[Any, ...]) -> GroupLabel:
    """What `group_label` gives, as texts. TypeError when it is no pair."""
    if len(label) != 2:
        raise TypeError("process_group is no pair of name and description")
    return GroupLabel(str(label[0]), str(label[1]))


def checked_name(name: Any) -> str:
    """An operation as recorded. TypeError when it is no text."""
    if not isinstance(name, str):
        raise TypeError("profiling_name is no text")
    return name


def checked_shapes(shapes: tuple[tuple[Any, ...], ...]) -> Shapes:
    """Shapes in elements; a negative size counts as 0. TypeError when one is no number."""
    return tuple(tuple(max(whole_number(size), 0) for size in sizes) for sizes in shapes)


def checked_counts(counts: tuple[Any, ...]) -> tuple[int, ...]:
    """Counts of elements; a negative one counts as 0. TypeError when one is no number."""
    return tuple(max(whole_number(count), 0) for count in counts)


def checked_dtypes(dtypes: tuple[Any, ...]) -> Dtypes:
    """Torch's names of scalar types, whatever they are."""
    return tuple(map(str, dtypes))


def kind_of(value: object) -> str:
    """What a value is, for the sentence of an error."""
    names = {dict: "an object", list: "a list", tuple: "a list", str: "a text", bytes: "bytes", bool: "true or false"}
    return "nothing" if value is None else names.get(type(value), f"a {type(value).__name__}")
