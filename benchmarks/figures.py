"""What a benchmark has measured, for a program to read: one JSON object a line in the file that XPUDBG_BENCH_FIGURES
names. Without the variable nothing is written; what a benchmark prints for people is its own affair.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["VARIABLE", "Figure", "read_figures", "record", "record_all"]

VARIABLE = "XPUDBG_BENCH_FIGURES"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured thing. Smaller is better in all of them."""

    name: str
    ours: float
    unit: str
    peer: float | None = None
    """The same for what it is compared with, in the same run."""
    against: str = ""
    """What it is compared with."""
    at_most: float | None = None
    """The goal for ours, in its unit."""
    times_at_most: float | None = None
    """The goal for ours / peer."""


def record(
    name: str,
    ours: float,
    unit: str,
    *,
    peer: float | None = None,
    against: str = "",
    at_most: float | None = None,
    times_at_most: float | None = None,
) -> None:
    """Keep one figure, where somebody asks for figures.

    Args:
        name: what was measured, unlike all other names of the benchmark.
        peer: the same of what it is compared with.
        against: what that is.
        at_most: the goal for ours.
        times_at_most: the goal for ours / peer.
    """
    path = os.environ.get(VARIABLE)
    if path:
        figure = Figure(name, float(ours), unit, peer, against, at_most, times_at_most)
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(figure)) + "\n")


def record_all(figures: Iterable[tuple[str, float]], unit: str, prefix: str = "") -> None:
    """Keep figures that are compared with nothing."""
    for name, ours in figures:
        record(f"{prefix}{name}", ours, unit)


def read_figures(path: Path) -> list[Figure]:
    """The figures of one run, in their order."""
    if not path.exists():
        return []
    return [Figure(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
