"""What is done to each line that leaves for a terminal which cannot show everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..signs import AsciiSigns
from .few_colours import MEANINGFUL, FewColours, NoColours
from .kind import Colours

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.filter import LineFilter

    from .kind import TerminalKind

__all__ = ["TerminalPaint"]


class TerminalPaint:
    """The filters for one kind of terminal, made anew when the theme is another."""

    def __init__(self, kind: TerminalKind) -> None:
        self.kind = kind
        self._made_of: tuple[str, ...] = ()
        self._colours: list[LineFilter] = []
        self._signs: list[LineFilter] = [AsciiSigns()] if kind.ascii else []

    def filters(self, variables: Mapping[str, str]) -> list[LineFilter]:
        """What lines go through, in this order.

        Args:
            variables: the theme's.
        """
        if self.kind.colours is not Colours.MANY:
            made_of = tuple(variables[name] for name in MEANINGFUL)
            if made_of != self._made_of:
                self._made_of = made_of
                few = self.kind.colours is Colours.FEW
                self._colours = [FewColours(variables) if few else NoColours(variables)]
        return self._colours + self._signs
