"""Inputs that fit in a text: `float32[4,8]:uniform(-1,1):seed=7`.

The same text gives the same values: PCG64 seeded with `seed`, drawn with numpy's Generator in float64 (int64 for
randint) in blocks of 1 Mi elements and cast to the dtype; a complex input draws its real part first, then the
imaginary one. numpy keeps the bits of `random` and `integers` stable in practice but promises it only for the bit
generator, and `standard_normal` may change between releases.
"""

from __future__ import annotations

import math
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..addressing.endpoints import quoted
from ..npz.dtypes import numpy_dtype
from ..npz.errors import NpzError
from .errors import CaseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["DISTRIBUTIONS", "GENERATED_FORM", "Generated", "parse_generated"]

GENERATED_FORM = "DTYPE[SHAPE]:DISTRIBUTION:seed=N, e.g. float32[4,8]:uniform(-1,1):seed=7"
DISTRIBUTIONS = {
    "uniform": (-1.0, 1.0),
    "normal": (0.0, 1.0),
    "zeros": (),
    "ones": (),
    "arange": (0.0, 1.0),
    "constant": (1.0,),
    "randint": (0.0, 10.0),
}
"""Name to default parameters: uniform(low, high), normal(mean, sigma), arange(start, step), constant(value),
randint(low, high) with high left out."""

BLOCK = 1 << 20
"""Elements drawn at a time."""
SIZE_LIMIT = 64 << 30
"""Bytes of one generated input; a text must not take all memory by a slip."""
_DIMENSIONS = 32

_FORM = re.compile(
    r"(?P<dtype>[a-z][a-z0-9_]*)\[(?P<shape>[0-9, ]*)\]"
    r"(?::(?P<name>[a-z]+)(?:\((?P<params>[^()]*)\))?)?"
    r"(?::seed=(?P<seed>[0-9]{1,19}))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Generated:
    """An input that is made from its description when it is needed."""

    dtype: str
    """Name of the logical dtype: numpy's, or bfloat16, float8_e4m3fn, ..."""
    shape: tuple[int, ...]
    distribution: str
    params: tuple[float, ...]
    """As many as DISTRIBUTIONS has for it."""
    seed: int = 0

    def __str__(self) -> str:
        params = ",".join(f"{value:.17g}" for value in self.params)
        dims = ",".join(map(str, self.shape))
        return f"{self.dtype}[{dims}]:{self.distribution}{f'({params})' if params else ''}:seed={self.seed}"

    def make(self) -> NDArray[Any]:
        """The array, C-contiguous; complex32 as pairs of float16 on a last axis of 2.

        Takes time and memory for large shapes: not for an event loop.

        Raises:
            CaseError: the values do not fit the dtype.
        """
        dtype = named_dtype(self.dtype)
        out = np.empty((*self.shape, 2) if self.dtype == "complex32" else self.shape, dtype)
        flat = out.reshape(-1)
        if dtype.kind == "c" or self.dtype == "complex32":
            parts = flat.view(dtype.type(0).real.dtype).reshape(-1, 2)
            draw = self._draw()
            for part in (0, 1):
                _fill(parts[:, part], draw, self)
        else:
            _fill(flat, self._draw(), self)
        return out

    def _draw(self) -> Callable[[int, int], NDArray[Any]]:
        """A function of (first index, count) to values; called with ascending indices."""
        rng = np.random.Generator(np.random.PCG64(self.seed))
        match self.distribution, self.params:
            case "uniform", (low, high):
                return lambda _at, count: low + (high - low) * rng.random(count)
            case "normal", (mean, sigma):
                return lambda _at, count: mean + sigma * rng.standard_normal(count)
            case "randint", (low, high):
                return lambda _at, count: rng.integers(int(low), int(high), count)
            case "arange", (start, step):
                whole = start.is_integer() and step.is_integer()
                first, each = (int(start), int(step)) if whole else (start, step)
                return lambda at, count: first + each * np.arange(at, at + count)
            case "zeros", ():
                return lambda _at, _count: np.zeros(1)
            case "ones", ():
                return lambda _at, _count: np.ones(1)
            case "constant", (value,):
                return lambda _at, _count: np.array([value])
            case _:
                raise CaseError(f"{self}: no such distribution", hint=f"there are: {', '.join(DISTRIBUTIONS)}")


def parse_generated(text: str, name: str = "") -> Generated:
    """Read the text form. Without a distribution: uniform(-1,1), for integers and bool randint.

    Args:
        name: of the input. Without a seed in the text its CRC-32 is the seed, so that inputs differ from each other;
            0 for none.

    Raises:
        CaseError: not of the form, unknown dtype or distribution, values that the dtype can't hold, too large.
    """
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise CaseError(f"{quoted(text)}: not a generated input", hint=f"write {GENERATED_FORM}")
    dtype = named_dtype(found["dtype"])
    integral = dtype.kind in "biu"
    words = [word.strip() for word in found["shape"].split(",")] if found["shape"].strip() else []
    if words and not words[-1]:  # (4,) has a comma at its end
        words.pop()
    if not all(word.isdecimal() and len(word) < 20 for word in words) or len(words) > _DIMENSIONS:
        raise CaseError(f"{quoted(text)}: the shape is no list of sizes", hint=f"write {GENERATED_FORM}")
    shape = tuple(int(word) for word in words)
    distribution = found["name"] or ("randint" if integral else "uniform")
    if distribution not in DISTRIBUTIONS:
        raise CaseError(f"{quoted(text)}: no such distribution", hint=f"there are: {', '.join(DISTRIBUTIONS)}")
    defaults = (0.0, 2.0) if distribution == "randint" and dtype.kind == "b" else DISTRIBUTIONS[distribution]
    params = _params(text, found["params"], defaults)
    if math.prod(shape) * dtype.itemsize > SIZE_LIMIT:
        raise CaseError(f"{quoted(text)}: {math.prod(shape) * dtype.itemsize:,} bytes are too many to generate")
    if integral and distribution in ("uniform", "normal"):
        raise CaseError(
            f"{quoted(text)}: {distribution} gives no whole numbers", hint="use randint(low,high) for integers"
        )
    if distribution == "randint" and not (params[0] < params[1] and all(value.is_integer() for value in params)):
        raise CaseError(f"{quoted(text)}: randint(low,high) wants whole numbers with low < high")
    if distribution == "randint" and not all(abs(value) <= 2**53 for value in params):
        raise CaseError(f"{quoted(text)}: randint reaches to 2**53 at most")
    seed = int(found["seed"]) if found["seed"] is not None else zlib.crc32(name.encode("utf-8", "surrogatepass"))
    return Generated(found["dtype"], shape, distribution, params, seed)


def named_dtype(name: str) -> np.dtype[Any]:
    """The dtype that holds a logical dtype.

    Raises:
        CaseError: there is none.
    """
    try:
        return numpy_dtype(name)
    except NpzError as error:
        raise CaseError(str(error)) from error


def _params(text: str, given: str | None, defaults: tuple[float, ...]) -> tuple[float, ...]:
    if given is None or not given.strip():
        return defaults
    try:
        values = tuple(float(word) for word in given.split(","))
    except ValueError:
        values = ()
    if len(values) != len(defaults):
        raise CaseError(f"{quoted(text)}: the distribution takes {len(defaults)} numbers")
    return values


def _fill(flat: NDArray[Any], draw: Callable[[int, int], NDArray[Any]], described: Generated) -> None:
    for at in range(0, flat.size, BLOCK):
        part = flat[at : at + BLOCK]
        values = draw(at, part.size)
        if flat.dtype.kind in "biu":
            _fits(values, flat.dtype, described)
        with np.errstate(over="ignore", invalid="ignore"):  # 1e9 as float16 is inf, as it would be on any machine
            part[...] = values.astype(flat.dtype)


def _fits(values: NDArray[Any], dtype: np.dtype[Any], described: Generated) -> None:
    low, high = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    if values.size and not bool(np.all((values == np.trunc(values)) & (values >= low) & (values <= high))):
        raise CaseError(f"{described}: some values do not fit {dtype.name} ({low} to {high}, whole)")
