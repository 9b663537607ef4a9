"""Lines for terminals with 16 colours or none, made of what the themes paint when a line leaves for the terminal.

A theme's colours brought to the nearest of sixteen often cannot be read: muted text becomes dark grey, backgrounds
become grey too. Here the background is black or white, text is one of the few colours that keep 4.5:1 on it in the
usual palettes (xterm, VGA, Linux console), and the cursor is a bar.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.color_triplet import ColorTriplet

__all__ = ["MEANINGFUL", "FewColours", "NoColours"]

_UNDER = ("background", "surface", "panel")
_BARS = ("panel-lighten-2", "scrollbar-hover", "scrollbar-active")
MEANINGFUL = (*_UNDER, *_BARS, "block-cursor-background", "block-cursor-blurred-background")
"""Theme variables that say what a background means."""

BLACK, WHITE, BRIGHT_WHITE = 0, 7, 15
ON_BLACK = {"red": 9, "yellow": 11, "green": 10, "blue": 14, "magenta": 13}
ON_WHITE = {"red": 1, "yellow": 5, "green": 0, "blue": 4, "magenta": 5}
"""Numbers of ANSI colours for hues; bright blue on black and green or yellow on white cannot be read."""
CURSOR = (BLACK, 6)
RESTING = (BRIGHT_WHITE, 4)
"""Ink and paper of the cursor where the keys go, and elsewhere."""
GREY_CHROMA = 0.2
"""Share of the full range between the largest and the smallest part of a colour below which it is a grey."""
STANDS_OUT = 0.4
"""Difference in brightness, 0 to 1, from which a paper is a mark of its own: the cursor of an entry."""


class _Papers:
    """The papers of a theme that mean something."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        """
        Args:
            variables: the theme's, as `App.theme_variables`.
        """
        self._base = Color.parse(variables["background"])
        under = [Color.parse(variables[name]) for name in _UNDER]
        self._cursor = self._over(under, variables["block-cursor-background"])
        self._resting = self._over(under, variables["block-cursor-blurred-background"])
        self._bars = frozenset(Color.parse(variables[name]).rgb for name in _BARS)
        self.dark = self._base.brightness < 0.5

    @staticmethod
    def _over(papers: list[Color], tint: str) -> frozenset[tuple[int, int, int]]:
        return frozenset((paper + Color.parse(tint)).rgb for paper in papers)

    def is_cursor(self, paper: ColorTriplet) -> bool:
        return tuple(paper) in self._cursor

    def is_resting(self, paper: ColorTriplet) -> bool:
        return tuple(paper) in self._resting

    def stands_out(self, paper: ColorTriplet) -> bool:
        """The cursor of an entry, a scroll bar."""
        return tuple(paper) in self._bars or abs(Color(*paper).brightness - self._base.brightness) >= STANDS_OUT


class _Repainted(LineFilter):
    """Gives each style another one; the same for the same."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        super().__init__()
        self._papers = _Papers(variables)
        self._again = lru_cache(4096)(self._repaint)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's
        return [
            Segment(text, None if style is None else self._again(style), control) for text, style, control in segments
        ]

    def _repaint(self, style: Style) -> Style:
        raise NotImplementedError


class FewColours(_Repainted):
    """For terminals with sixteen colours."""

    def _repaint(self, style: Style) -> Style:
        ink, paper = self._colours(_triplet(style.color), _triplet(style.bgcolor))
        return style + Style.from_color(RichColor.from_ansi(ink), RichColor.from_ansi(paper)) + Style(dim=False)

    def _colours(self, ink: ColorTriplet | None, paper: ColorTriplet | None) -> tuple[int, int]:
        papers = self._papers
        if paper is not None:
            if papers.is_cursor(paper):
                return CURSOR
            if papers.is_resting(paper):
                return RESTING
            if papers.stands_out(paper):
                return (BLACK, WHITE) if papers.dark else (BRIGHT_WHITE, BLACK)
        hue = None if ink is None else _hue(ink)
        if papers.dark:
            grey = BRIGHT_WHITE if ink is None or Color(*ink).brightness > 0.75 else WHITE
            return (grey if hue is None else ON_BLACK[hue]), BLACK
        return (BLACK if hue is None else ON_WHITE[hue]), BRIGHT_WHITE


class NoColours(_Repainted):
    """For terminals without colours, and for people who want none: the cursor is reversed, and underlined where the
    keys do not go."""

    def _repaint(self, style: Style) -> Style:
        paper = _triplet(style.bgcolor)
        reverse, underline = style.reverse, style.underline
        if paper is not None:
            if self._papers.is_cursor(paper) or (not reverse and self._papers.stands_out(paper)):
                reverse = True
            elif self._papers.is_resting(paper):
                underline = True
        return Style(
            bold=style.bold,
            italic=style.italic,
            underline=underline,
            reverse=reverse,
            strike=style.strike,
            link=style.link,
            meta=style.meta,
        )


def _triplet(colour: RichColor | None) -> ColorTriplet | None:
    return None if colour is None or colour.is_default else colour.get_truecolor()


def _hue(ink: ColorTriplet) -> str | None:
    """The name of a colour's hue, None of a grey."""
    if (max(ink) - min(ink)) / 255 < GREY_CHROMA:
        return None
    degrees = Color(*ink).hsl.h * 360
    for end, name in ((28, "red"), (75, "yellow"), (165, "green"), (265, "blue"), (335, "magenta")):
        if degrees < end:
            return name
    return "red"
