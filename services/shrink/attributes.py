"""Simpler attributes: smaller numbers, false, shorter lists."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .search import Shrinker

__all__ = ["shrink_attributes"]


async def shrink_attributes(search: Shrinker) -> None:
    """Each attribute, and each number in a list."""
    for name in list(search.best.attrs):
        await _simplify(search, name, ())


async def _simplify(search: Shrinker, name: str, path: tuple[int, ...]) -> None:
    going = True
    while going:
        going = False
        for simpler in _simpler(_at(search.best.attrs[name], path)):
            value = _with(search.best.attrs[name], path, simpler)
            where = name + "".join(f"[{step}]" for step in path)
            candidate = replace(search.best, attrs={**search.best.attrs, name: value})
            if await search.takes(candidate, f"attribute {where} is {simpler!r:.40}"):
                going = True
                break
    now = _at(search.best.attrs[name], path)
    if isinstance(now, list | tuple) and len(path) < 3:
        for step in range(len(now)):
            await _simplify(search, name, (*path, step))


def _simpler(value: Any) -> Iterator[Any]:
    """Values that are simpler in one order: no chain of them comes back."""
    if isinstance(value, bool):
        if value:
            yield False
    elif isinstance(value, int):
        yield from (
            n
            for n in dict.fromkeys((0, 1, abs(value), value // 2 if value > 0 else -(-value // 2)))
            if _rank(n) < _rank(value)
        )
    elif isinstance(value, float):
        if math.isfinite(value):
            whole = float(math.trunc(value))
            yield from (n for n in dict.fromkeys((0.0, 1.0, whole)) if _rank(n) < _rank(value))
    elif isinstance(value, list | tuple) and value:
        half = len(value) // 2
        for shorter in (value[:half], value[half:], value[:-1], value[1:]):
            if len(shorter) < len(value):
                yield list(shorter)


def _rank(value: float) -> tuple[bool, float, bool]:
    return (isinstance(value, float) and not value.is_integer(), abs(value), value < 0)


def _at(value: Any, path: tuple[int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def _with(value: Any, path: tuple[int, ...], new: Any) -> Any:
    if not path:
        return new
    made = list(value)
    made[path[0]] = _with(made[path[0]], path[1:], new)
    return made
