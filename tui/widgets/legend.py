"""What the signs of the grid mean, with the number of ranks of each class, worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ..rank_classes import APPEARANCES
from .painted import Painted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...services.snapshot import RankClass

__all__ = ["Legend", "legend_lines"]


class Legend(Painted):
    """One line, or two when many classes are there."""

    def show(self, counts: Mapping[RankClass, int]) -> None:
        self.paint_with(lambda width: legend_lines(counts, width))


def legend_lines(counts: Mapping[RankClass, int], width: int) -> Content:
    """The legend for a width; classes that no rank has are left out."""
    lines: list[Content] = [Content("")]
    for rank_class, look in APPEARANCES.items():
        number = counts.get(rank_class, 0)
        if not number:
            continue
        part = Content.assemble((look.sign, f"bold {look.colour}"), f" {number:,} ", (look.label, "$foreground-muted"))
        if not lines[-1]:
            lines[-1] = part
        elif lines[-1].cell_length + 3 + part.cell_length <= width:
            lines[-1] = lines[-1] + Content("   ") + part
        else:
            lines.append(part)
    return Content("\n").join(lines)
