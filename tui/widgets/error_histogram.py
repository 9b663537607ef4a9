"""How the errors of an output are spread over the powers of two, as bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.content import Content

from ..actions.registry import Scope, bindings
from .painted import Painted, styled
from .text import fit

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ...services.comparison.compare import Comparison

__all__ = ["ErrorHistogram", "histogram_lines"]

ALLOWED = "times what is allowed"
"""Unit of errors in which 1 is the limit."""
BLOCKS = " ▏▎▍▌▋▊▉█"
LONGEST_BAR = 60


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of the picture."""

    label: str
    count: int
    bad: bool
    """Beyond what is allowed."""


class ErrorHistogram(VerticalScroll, can_focus=True, inherit_bindings=False):
    """A line for each power of two, small errors first."""

    BINDINGS = bindings(Scope.TEXT)

    def compose(self) -> ComposeResult:
        yield Painted()

    def show(self, found: Comparison | None, why: str = "") -> None:
        """
        Args:
            found: None: nothing was compared.
            why: why not, one line.
        """

        def lines(width: int) -> Content:
            if found is None or not found.measures:
                said = why or (found.sentence if found is not None else "")
                return Content("\n").join([Content(""), styled(f"  {said}", "$foreground-muted").truncate(width)])
            return Content("\n").join(histogram_lines(found, width))

        self.query_one(Painted).paint_with(lines)

    def do_up(self) -> None:
        self.scroll_up(animate=False)

    def do_down(self) -> None:
        self.scroll_down(animate=False)

    def do_left(self) -> None:
        """The bars are as wide as the pane."""

    def do_right(self) -> None:
        """The bars are as wide as the pane."""

    def do_page_up(self) -> None:
        self.scroll_page_up(animate=False)

    def do_page_down(self) -> None:
        self.scroll_page_down(animate=False)

    def do_first(self) -> None:
        self.scroll_home(animate=False)

    def do_last(self) -> None:
        self.scroll_end(animate=False)


def histogram_lines(found: Comparison, width: int) -> list[Content]:
    """The picture of a comparison's errors."""
    spread = found.histogram
    bars = [Bar("no error", spread.zeros, bad=False)]
    for at, count in enumerate(spread.counts):
        exponent = spread.lowest + at
        bars.append(
            Bar(
                f"{2.0**exponent:.2g} to {2.0 ** (exponent + 1):.2g}",
                count,
                found.error_name == ALLOWED and exponent >= 0,
            )
        )
    if spread.infinite:
        bars.append(Bar("mismatch", spread.infinite, bad=True))
    label = max(len(bar.label) for bar in bars)
    number = max(len(f"{bar.count:,}") for bar in bars)
    most = max((bar.count for bar in bars[1:]), default=0) or 1
    total = sum(bar.count for bar in bars) or 1
    room = max(min(width - label - number - 6, LONGEST_BAR), 1)
    lines = [styled(f"  errors, {found.error_name}", "$foreground-muted").truncate(width, ellipsis=True)]
    for bar in bars:
        colour = "$text-error" if bar.bad else "$text-success" if bar.label == "no error" else "$text-primary"
        beside = f"{bar.count / total:.2%} of all" if bar is bars[0] else _bar(bar.count / most, room)
        sign = "!" if bar.bad and bar.count else " "
        lines.append(
            Content.assemble(
                (f"{sign} ", "bold $text-error"),
                (fit(bar.label, label, "right"), "$foreground-muted"),
                f"  {bar.count:>{number},}  ",
                (beside, colour),
            ).truncate(width)
        )
    return lines


def _bar(share: float, room: int) -> str:
    """A bar in eighths of a cell; at least one eighth for what is there at all."""
    eighths = max(round(share * room * 8), 1) if share > 0 else 0
    whole, rest = divmod(eighths, 8)
    return BLOCKS[-1] * whole + (BLOCKS[rest] if rest else "")
