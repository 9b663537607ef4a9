"""Simpler values: all zero, all one, all equal; then zeros wherever the failure does not need another value."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dispatch.inputs import Generated
from ..npz.dtypes import LOGICAL_DTYPES, RAW_BITS
from .leaves import leaf_at, places, shape_of, with_leaves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..dispatch.case import OpCase
    from .leaves import Place
    from .search import Shrinker

__all__ = ["RANDOM", "shrink_values"]

RANDOM = ("uniform", "normal", "randint", "arange")
"""Distributions whose elements differ from each other."""


async def shrink_values(search: Shrinker) -> None:
    """Each array by itself."""
    for place in places(search.best):
        if not await _made_constant(search, place):
            leaf = leaf_at(search.best, place)
            if not isinstance(leaf, Generated):
                await _zeroed(search, place, leaf)


async def _made_constant(search: Shrinker, place: Place) -> bool:
    for simpler in _constants(search.best, place):
        tried = f"{place.name(search.best)} all {simpler.distribution} {simpler.params[0] if simpler.params else ''}"
        if await search.takes(with_leaves(search.best, {place: simpler}), tried.rstrip()):
            return True
    return isinstance(leaf_at(search.best, place), Generated)


def _constants(case: OpCase, place: Place) -> Iterator[Generated]:
    """The constants that are simpler than what is there, simplest first."""
    leaf, shape = leaf_at(case, place), shape_of(case, place)
    dtype = case.inputs[place.slot].logical_dtype or (leaf.dtype if isinstance(leaf, Generated) else leaf.dtype.name)
    if dtype not in LOGICAL_DTYPES:
        return
    here = leaf.distribution if isinstance(leaf, Generated) else ""
    if here == "zeros":
        return
    yield Generated(dtype, shape, "zeros", ())
    if here == "ones":
        return
    yield Generated(dtype, shape, "ones", ())
    if not isinstance(leaf, Generated) and leaf.dtype.name == dtype:
        for value in _telling(leaf):
            yield Generated(dtype, shape, "constant", (value,))


def _telling(array: NDArray[Any]) -> list[float]:
    """Values that a failure may be about: the first that is not finite, the largest, the first."""
    if array.size == 0 or array.dtype.kind == "c" or array.dtype.name == "complex32":
        return []
    flat = array.reshape(-1)
    wide = flat.astype(np.float64)
    odd = np.flatnonzero(~np.isfinite(wide))
    finite = np.where(np.isfinite(wide), np.abs(wide), -1)
    found = [int(odd[0])] if odd.size else []
    found += [int(finite.argmax()), 0]
    values = [float(wide[at]) for at in found]
    exact = [
        value
        for at, value in zip(found, values, strict=True)
        if array.dtype.kind not in "iu" or int(value) == int(flat[at])
    ]
    return list({math.nan if math.isnan(value) else value: None for value in exact})


async def _zeroed(search: Shrinker, place: Place, leaf: NDArray[Any]) -> None:
    """Zeros in ever smaller blocks of the elements that are not zero yet."""
    if leaf.dtype.name in RAW_BITS or leaf.dtype.kind in "biufc":
        zero = np.zeros((), leaf.dtype)
    else:
        return
    left = np.flatnonzero(_bits_set(leaf))
    part = (left.size + 1) // 2
    while part and left.size > 1:
        start = 0
        while start < left.size and left.size > 1:
            gone = left[start : start + part]
            simpler = np.array(leaf, order="C")
            simpler.reshape(-1)[gone] = zero
            tried = f"zeros in {gone.size:,} of {left.size:,} elements of {place.name(search.best)}"
            if gone.size < left.size and await search.takes(with_leaves(search.best, {place: simpler}), tried):
                leaf = simpler
                left = np.concatenate((left[:start], left[start + part :]))
            else:
                start += part
        part = 0 if part == 1 else min((part + 1) // 2, max(left.size // 2, 1))


def _bits_set(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each element is something else than plain zero; minus zero is."""
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(array.size, -1)
    return np.asarray(raw.any(axis=1))
