"""What the signs of the grid mean, with the number of ranks of each class, worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ...services.snapshot import RankClass
from ..ranks.classes import APPEARANCES, POST_MORTEM
from .painted import Painted

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Legend", "legend_lines"]


class Legend(Painted):
    """One line, or two when many classes are there."""

    def show(self, counts: Mapping[RankClass, int], *, accused: int = 0, post_mortem: bool = False) -> None:
        self.paint_with(lambda width: legend_lines(counts, width, accused=accused, post_mortem=post_mortem))


def legend_lines(
    counts: Mapping[RankClass, int], width: int, *, accused: int = 0, post_mortem: bool = False
) -> Content:
    """The legend for a width; classes that no rank has are left out.

    Args:
        accused: how many ranks have the sign of the accused.
        post_mortem: the ranks are known from files, which tell no class.
    """
    lines: list[Content] = [Content("")]
    told = [("!", "$text-error", accused, "accused")]
    for rank_class, look in APPEARANCES.items():
        label = POST_MORTEM if post_mortem and rank_class is RankClass.UNKNOWN else look.label
        told.append((look.sign, look.colour, counts.get(rank_class, 0), label))
    for sign, colour, number, label in told:
        if not number:
            continue
        part = Content.assemble((sign, f"bold {colour}"), f" {number:,} ", (label, "$foreground-muted"))
        if not lines[-1]:
            lines[-1] = part
        elif lines[-1].cell_length + 3 + part.cell_length <= width:
            lines[-1] = lines[-1] + Content("   ") + part
        else:
            lines.append(part)
    return Content("\n").join(lines)
