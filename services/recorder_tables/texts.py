"""A column of texts as distinct values and a number for each row, and the order in which people read them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["Texts", "natural"]

_DIGITS = re.compile(r"(\d{1,18})", re.ASCII)


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key under which `tp2` comes before `tp10`: digits compare as numbers. Looks at 200 characters."""
    parts = _DIGITS.split(text[:200].casefold())
    return tuple((0, int(part), "") if place % 2 else (1, 0, part) for place, part in enumerate(parts) if part)


@dataclass(frozen=True, eq=False)
class Texts:
    """One text a row."""

    values: Sequence[str]
    """Distinct texts, or nearly so; as recorded."""
    codes: NDArray[np.int32]
    """For each row the index of its text, -1 for none."""

    def having(self, fits: Callable[[str], bool]) -> NDArray[np.bool_]:
        """Rows whose text fits. Each distinct text is asked once."""
        flags = np.zeros(len(self.values) + 1, dtype=np.bool_)
        flags[:-1] = [fits(value) for value in self.values]
        found: NDArray[np.bool_] = flags[self.codes]
        return found

    @cached_property
    def keys(self) -> NDArray[np.signedinteger]:
        """The place of each row's text in the natural order; equal texts share one, the lowest number is none."""
        keyed = [(natural(value), value) for value in self.values]
        places = {key: place for place, key in enumerate(sorted(set(keyed)))}
        kind = np.min_scalar_type(-len(places) - 2)
        spread = np.array([*(places[key] for key in keyed), np.iinfo(kind).min], dtype=kind)
        found: NDArray[np.signedinteger] = spread[self.codes]
        return found

    def text(self, row: int) -> str:
        """Empty where the row has none."""
        code = int(self.codes[row])
        return self.values[code] if code >= 0 else ""
