"""The standards written down once more, element by element over whole arrays, and arrays to try them on."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from xpudbg.services.comparison import elements, matrix

FLOATS = (np.dtype("f2"), np.dtype("f4"), np.dtype("f8"), np.dtype(ml_dtypes.bfloat16), np.dtype(ml_dtypes.float8_e5m2))
SPECIALS = (0.0, -0.0, math.nan, math.inf, -math.inf, 1e-3, -1e-3, 1.0, 2.0, 57344.0)


def small_blocks(monkeypatch: Any, size: int) -> None:
    """Blocks of a few elements, so that a small array has several."""
    monkeypatch.setattr(elements, "BLOCK", size)
    monkeypatch.setattr(matrix, "BLOCK", size)


@st.composite
def float_pairs(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two arrays of one shape and dtype: mostly close, here and there a special or something else altogether."""
    shape = tuple(draw(st.lists(st.integers(1, 4), max_size=3)))
    size = math.prod(shape)
    expected = draw(st.lists(st.one_of(st.floats(-4, 4), st.sampled_from(SPECIALS)), min_size=size, max_size=size))
    steps = draw(st.lists(st.sampled_from((0.0, 1e-7, 1e-5, 1e-3, 0.5)), min_size=size, max_size=size))
    actual = [value + step for value, step in zip(expected, steps, strict=True)]
    for place in draw(st.lists(st.integers(0, size - 1), max_size=2)):
        actual[place] = draw(st.sampled_from(SPECIALS))
    dtype = draw(st.sampled_from(FLOATS))
    with np.errstate(over="ignore"):
        return np.array(actual).astype(dtype).reshape(shape), np.array(expected).astype(dtype).reshape(shape)


def absolute_errors(actual: NDArray[Any], expected: NDArray[Any]) -> list[float]:
    found = []
    for a, e in zip(actual.ravel().tolist(), expected.ravel().tolist(), strict=True):
        if a == e or (a != a and e != e):
            found.append(0.0)
        elif math.isfinite(a) and math.isfinite(e):
            found.append(abs(a - e))
        else:
            found.append(math.inf)
    return found


def finite_pairs(actual: NDArray[Any], expected: NDArray[Any]) -> list[tuple[float, float]]:
    both = zip(actual.ravel().tolist(), expected.ravel().tolist(), strict=True)
    return [(a, e) for a, e in both if math.isfinite(a) and math.isfinite(e)]


def passes_mixed(actual: NDArray[Any], expected: NDArray[Any], rtol: float, atol: float, limit: float) -> bool:
    errors = absolute_errors(actual, expected)
    magnitudes = [abs(e) if math.isfinite(e) else 0.0 for e in expected.ravel().tolist()]
    matched = sum(error <= atol + rtol * size for error, size in zip(errors, magnitudes, strict=True))
    return matched / len(errors) >= 0.99 and max(errors) <= limit


def passes_stat_rel_err(actual: NDArray[Any], expected: NDArray[Any], threshold: float) -> bool:
    if math.inf in absolute_errors(actual, expected):
        return False
    relative = [abs(a - e) / (abs(e) + 1e-7) for a, e in finite_pairs(actual, expected)]
    return not relative or (math.fsum(relative) / len(relative) < threshold and max(relative) < 10 * threshold)


def passes_binary(actual: NDArray[Any], expected: NDArray[Any]) -> bool:
    width = actual.dtype.itemsize
    ours, theirs = actual.tobytes(), expected.tobytes()
    for place, (a, e) in enumerate(zip(actual.ravel().tolist(), expected.ravel().tolist(), strict=True)):
        here = slice(place * width, (place + 1) * width)
        if ours[here] != theirs[here] and not (a != a and e != e):
            return False
    return True
