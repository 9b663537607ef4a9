"""Shorter axes. Axes of one length, over all inputs, probably belong together: they are tried together first, with
whole numbers of that value in attributes, then one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..dispatch.inputs import Generated
from .leaves import Place, leaf_at, places, shape_of, with_leaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dispatch.case import Leaf, OpCase
    from .search import Shrinker

__all__ = ["shrink_shapes"]


@dataclass(frozen=True, slots=True, order=True)
class Axis:
    place: Place
    number: int


async def shrink_shapes(search: Shrinker) -> None:
    """Every axis as short as it can be."""
    tried: set[int] = set()
    while lengths := sorted({size for size in _axes(search.best).values() if size > 1} - tried, reverse=True):
        length = lengths[0]
        tried.add(length)
        together = [axis for axis, size in _axes(search.best).items() if size == length]
        if len(together) > 1 or _mentions(search.best.attrs, length):
            await _shorten(search, together, in_attrs=True)
            await _shorten(search, together)
        for axis in together:
            await _shorten(search, [axis])


async def _shorten(search: Shrinker, axes: Sequence[Axis], *, in_attrs: bool = False) -> None:
    """Find the shortest beginning that fails, then the shortest end of that."""
    sizes = _axes(search.best)
    size = sizes[axes[0]]
    if size < 2 or any(sizes[axis] != size for axis in axes):
        return
    if in_attrs and not _mentions(search.best.attrs, size):
        return

    async def window(start: int, stop: int) -> bool:
        now = _axes(search.best)[axes[0]]
        candidate = _cut(search.best, axes, start, stop)
        if in_attrs:
            candidate = replace(candidate, attrs=_renumbered(candidate.attrs, now, stop - start))
        names = ", ".join(dict.fromkeys(axis.place.name(search.best) for axis in axes))
        return await search.takes(candidate, f"{stop - start} instead of {now} along {_ordinal(axes)} of {names}")

    shortest, passes = size, 0
    if await window(0, 1):
        return
    passes = 1
    while shortest - passes > 1:
        middle = (shortest + passes) // 2
        if await window(0, middle):
            shortest = middle
        else:
            passes = middle
    if all(isinstance(leaf_at(search.best, axis.place), Generated) for axis in axes):
        return  # a generated input has no end of its own
    dropped, passes = 0, shortest
    while passes - dropped > 1:
        middle = (dropped + passes) // 2
        if await window(middle - dropped, shortest - dropped):
            dropped = middle
        else:
            passes = middle


def _axes(case: OpCase) -> dict[Axis, int]:
    return {Axis(place, number): size for place in places(case) for number, size in enumerate(shape_of(case, place))}


def _cut(case: OpCase, axes: Sequence[Axis], start: int, stop: int) -> OpCase:
    changes: dict[Place, Leaf] = {}
    for axis in axes:
        leaf = changes.get(axis.place, leaf_at(case, axis.place))
        if isinstance(leaf, Generated):
            shape = (*leaf.shape[: axis.number], stop - start, *leaf.shape[axis.number + 1 :])
            changes[axis.place] = replace(leaf, shape=shape)
        else:
            changes[axis.place] = leaf[(slice(None),) * axis.number + (slice(start, stop),)]
    return with_leaves(case, changes)


def _mentions(value: Any, number: int) -> bool:
    if isinstance(value, dict):
        return any(_mentions(one, number) for one in value.values())
    if isinstance(value, list | tuple):
        return any(_mentions(one, number) for one in value)
    return isinstance(value, int) and not isinstance(value, bool) and value == number


def _renumbered(value: Any, old: int, new: int) -> Any:
    if isinstance(value, dict):
        return {key: _renumbered(one, old, new) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_renumbered(one, old, new) for one in value]
    return new if _mentions(value, old) else value


def _ordinal(axes: Sequence[Axis]) -> str:
    numbers = sorted({axis.number for axis in axes})
    return f"ax{'is' if len(numbers) == 1 else 'es'} {', '.join(map(str, numbers))}"
