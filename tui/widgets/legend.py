"""What the signs of the grid mean, with the number of ranks of each class, worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ...services.snapshot import RankClass
from ..rank_classes import APPEARANCES, POST_MORTEM
from .painted import Painted

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Legend", "legend_lines"]


class Legend(Painted):
    """One line, or two when many classes are there."""

    def show(self, counts: Mapping[RankClass, int], *, post_mortem: bool = False) -> None:
        self.paint_with(lambda width: legend_lines(counts, width, post_mortem=post_mortem))


def legend_lines(counts: Mapping[RankClass, int], width: int, *, post_mortem: bool = False) -> Content:
    """The legend for a width; classes that no rank has are left out.

    Args:
        post_mortem: the ranks are known from files, which tell no class.
    """
    lines: list[Content] = [Content("")]
    for rank_class, look in APPEARANCES.items():
        number = counts.get(rank_class, 0)
        if not number:
            continue
        label = POST_MORTEM if post_mortem and rank_class is RankClass.UNKNOWN else look.label
        part = Content.assemble((look.sign, f"bold {look.colour}"), f" {number:,} ", (label, "$foreground-muted"))
        if not lines[-1]:
            lines[-1] = part
        elif lines[-1].cell_length + 3 + part.cell_length <= width:
            lines[-1] = lines[-1] + Content("   ") + part
        else:
            lines.append(part)
    return Content("\n").join(lines)
