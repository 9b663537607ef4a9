"""Where each rank stands in the rank grid: by host when that fits, else in rows of eights like a hex dump. Pure."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from .text import cell_len, fit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Density", "GridLayout", "arrange"]

LABEL_LIMIT = 20
"""Terminal cells of a host name in the grid."""
BLOCK_GAP = 3
"""Blank cells between two host blocks."""
GROUP = 8
"""Ranks between two gaps of a row, and the most ranks of one host on one line."""

Host = tuple[str, "Sequence[int]"]


class Density(Enum):
    """How much room a rank gets."""

    NUMBERED = "numbered"
    """Number and sign."""
    SPACED = "spaced"
    """Sign and a blank."""
    DENSE = "dense"
    """The sign alone."""


@dataclass(slots=True)
class GridLine:
    """One line of the grid, from left to right."""

    labels: list[tuple[int, str]] = field(default_factory=list)
    xs: list[int] = field(default_factory=list)
    """Where each cell begins, ascending."""
    ranks: list[int] = field(default_factory=list)


@dataclass(slots=True)
class GridLayout:
    """Lines of cells, and the place of each rank."""

    density: Density
    cell_width: int
    """Terminal cells of one rank, its trailing gap not counted."""
    number_width: int
    lines: list[GridLine] = field(default_factory=list)
    places: dict[int, tuple[int, int]] = field(default_factory=dict)
    """(x, y) of each rank."""

    def put(self, rank: int, x: int, y: int) -> None:
        line = self.line(y)
        line.xs.append(x)
        line.ranks.append(rank)
        self.places[rank] = (x, y)

    def line(self, y: int) -> GridLine:
        while len(self.lines) <= y:
            self.lines.append(GridLine())
        return self.lines[y]

    def rank_at(self, x: int, y: int) -> int | None:
        """The rank painted at a point, None between them."""
        if not 0 <= y < len(self.lines):
            return None
        line = self.lines[y]
        index = bisect_right(line.xs, x) - 1
        if index < 0 or x >= line.xs[index] + max(self.cell_width, 2 if self.density is Density.SPACED else 1):
            return None
        return line.ranks[index]

    def above_or_below(self, rank: int, step: int) -> int:
        """The nearest rank on the next line up (-1) or down (1) that has any; the rank itself at the edge."""
        x, y = self.places[rank]
        y += step
        while 0 <= y < len(self.lines):
            line = self.lines[y]
            if line.xs:
                return min(zip(line.xs, line.ranks, strict=True), key=lambda cell: abs(cell[0] - x))[1]
            y += step
        return rank


def arrange(hosts: Sequence[Host], width: int, height: int) -> GridLayout:
    """The roomiest layout that fits without scrolling; when none does, the densest one.

    Args:
        hosts: name and ranks of each host, hosts in order of their first rank.
        width: terminal cells there are.
        height: lines there are.
    """
    for layout in _candidates(hosts, width, height):
        if len(layout.lines) <= height:
            return layout
    return _in_rows(hosts, width, Density.DENSE, even=False)


def _candidates(hosts: Sequence[Host], width: int, height: int) -> Iterator[GridLayout]:
    for density in (Density.NUMBERED, Density.SPACED):
        if len(hosts) > 1:
            for per_line in (GROUP, GROUP // 2):
                by_host = _by_host(hosts, (width, height), density, per_line)
                if by_host is not None:
                    yield by_host
        yield _in_rows(hosts, width, density)
    yield _in_rows(hosts, width, Density.DENSE)


def _empty(hosts: Sequence[Host], density: Density) -> tuple[GridLayout, int]:
    """A layout without cells, and the distance from one cell to the next."""
    highest = max((rank for _, ranks in hosts for rank in ranks), default=0)
    digits = len(str(highest))
    match density:
        case Density.NUMBERED:
            return GridLayout(density, digits + 2, digits), digits + 4
        case Density.SPACED:
            return GridLayout(density, 1, digits), 2
    return GridLayout(density, 1, digits), 1


def _by_host(hosts: Sequence[Host], size: tuple[int, int], density: Density, per_line: int) -> GridLayout | None:
    """A block for each host, its name before its ranks; hosts follow each other down a column, then in the next one.
    None when not even one block fits beside the edge."""
    width, height = size
    layout, pitch = _empty(hosts, density)
    label = min(max(cell_len(name) for name, _ in hosts), LABEL_LIMIT)
    most = max(len(ranks) for _, ranks in hosts)
    per_line = min(most, per_line)
    block_width = label + 2 + (per_line - 1) * pitch + layout.cell_width
    if block_width > width:
        return None
    block_height = -(-most // per_line)
    columns = (width + BLOCK_GAP) // (block_width + BLOCK_GAP)
    columns = min(columns, -(-len(hosts) // max(height // block_height, 1)))  # as few as fit, evenly filled
    in_column = -(-len(hosts) // columns)
    for index, (name, ranks) in enumerate(hosts):
        left, top = index // in_column * (block_width + BLOCK_GAP), index % in_column * block_height
        layout.line(top).labels.append((left, fit(name, label)))
        for place, rank in enumerate(ranks):
            layout.put(rank, left + label + 2 + place % per_line * pitch, top + place // per_line)
    return layout


def _in_rows(hosts: Sequence[Host], width: int, density: Density, *, even: bool = True) -> GridLayout:
    """All ranks in order, a gap after each eight; rows of bare signs begin with the number of their first rank.

    Args:
        even: keep rows to a power of two, which is easier to read; otherwise they are as long as fits.
    """
    layout, pitch = _empty(hosts, density)
    ranks = sorted(rank for _, of_host in hosts for rank in of_host)
    left = 0 if density is Density.NUMBERED else layout.number_width + 2
    groups = (width - left + 1) // (GROUP * pitch + 1)
    if groups > 0:
        per_row = GROUP << (groups.bit_length() - 1) if even else GROUP * groups
    else:
        per_row = 1 << (max((width - left) // pitch, 1).bit_length() - 1)
    for place, rank in enumerate(ranks):
        y, column = divmod(place, per_row)
        if column == 0 and left:
            layout.line(y).labels.append((0, str(rank).rjust(layout.number_width)))
        layout.put(rank, left + column * pitch + column // GROUP, y)
    return layout
