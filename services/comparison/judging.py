"""What each comparison standard has in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .elements import Elements
    from .pairs import Pair
    from .totals import Totals

__all__ = ["BlockErrors", "Judge", "Measure", "Standard", "measure"]

Relation: TypeAlias = Literal["<", "<=", ">="]


@dataclass(frozen=True, slots=True)
class Measure:
    """One number that a standard limits."""

    name: str
    value: float
    relation: Relation
    """How the value has to stand to the limit."""
    limit: float
    within: bool

    def __str__(self) -> str:
        return f"{self.name} {_shown(self.value)} ({_WORDS[self.relation]} {_shown(self.limit)})"


_WORDS = {"<": "has to be below", "<=": "at most", ">=": "at least"}


def _shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) < 1e15 and value == int(value) else f"{value:.6g}"


def measure(name: str, value: float, relation: Relation, limit: float) -> Measure:
    """A measure with its verdict; NaN is never within a limit."""
    match relation:
        case "<":
            within = value < limit
        case "<=":
            within = value <= limit
        case ">=":
            within = value >= limit
    return Measure(name, value, relation, limit, bool(within))


@dataclass(frozen=True, slots=True)
class BlockErrors:
    """How a standard sees a block."""

    errors: NDArray[np.float64]
    """Error of each element in the standard's own unit; 0 is equal, infinite a mismatch."""
    bad: NDArray[np.bool_] | None
    """Elements beyond what the standard allows one element; None: it judges no single elements."""


class Judge(Protocol):
    """A standard at work on one pair of arrays."""

    def block(self, pair: Pair, third: Pair | None) -> BlockErrors:
        """Take the next block; `third` pairs the third party's output with the expected one."""

    def measures(self, totals: Totals, bad: int) -> tuple[Measure, ...]:
        """After the last block: what was measured. The comparison passes when all are within.

        Args:
            totals: of all pairs.
            bad: elements found bad.
        """


class Standard(Protocol):
    """A named rule that says when two outputs count as the same."""

    @property
    def name(self) -> str: ...

    @property
    def error_name(self) -> str:
        """What an element's error is measured in, in words."""

    def refusal(self, actual: Elements, expected: Elements) -> str:
        """Why arrays of these dtypes can't be the same by this rule; empty when it can be tried."""

    def judge(self) -> Judge:
        """Begin with a pair of arrays."""
