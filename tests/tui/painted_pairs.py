"""What is painted on a screen as pairs of ink and paper, each with a text that has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rich.color import Color, ColorSystem
from textual.geometry import Region

from .colours import contrast

if TYPE_CHECKING:
    from rich.segment import Segment
    from textual.app import App

    from .colours import Rgb

__all__ = ["DECORATION", "GRAPHICS", "Pair", "pairs_on", "too_faint"]

DECORATION = frozenset("│┃├└┌┐┘╭╮╯╰─━┄╷·▔▕▏▎▊▐")
"""Borders, guides of trees, rules and scroll bars: nothing is lost without them."""
GRAPHICS = frozenset("▁▂▃▄▅▆▇█▉▋▌▍░▒◆┄")
"""Bars and fields: something to see, nothing to read (WCAG 2.2, 1.4.11: 3:1)."""


class Pair(NamedTuple):
    ink: Rgb
    paper: Rgb

    def as_of(self, system: ColorSystem) -> Pair:
        """As a terminal with fewer colours shows it."""

        ink, paper = (_rgb(Color.from_rgb(*colour).downgrade(system)) for colour in self)
        return Pair(ink, paper)


def pairs_on(app: App[Any]) -> dict[Pair, str]:
    """Each pair that has a text other than blanks, with the longest such text. Of a dialog: what is in it, not the
    dimmed screen behind."""
    found: dict[Pair, str] = {}
    part = app.screen.region
    if app.screen.is_modal:
        inside = [one for child in app.screen.children if child.display for one in (child, *child.query("*"))]
        part = Region.from_union([app.screen.find_widget(one).visible_region for one in inside if one.region])
    for strip in app.screen._compositor.render_strips()[part.y : part.bottom]:
        for segment in strip.crop(part.x, part.right):
            text = segment.text.strip()
            if text:
                pair = _pair(segment)
                found[pair] = max(found.get(pair, ""), text, key=lambda one: (_least(one), len(one)))
    return found


def _pair(segment: Segment) -> Pair:
    style = segment.style
    assert style is not None, segment
    assert style.color is not None, segment
    assert style.bgcolor is not None, segment
    ink, paper = (_rgb(colour) for colour in (style.color, style.bgcolor))
    return Pair(paper, ink) if style.reverse else Pair(ink, paper)


def _rgb(colour: Color) -> Rgb:
    red, green, blue = colour.get_truecolor()
    return red, green, blue


def _least(text: str) -> float:
    marks = set(text) - {" "}
    return 0.0 if marks <= DECORATION else 3.0 if marks <= GRAPHICS | DECORATION else 4.5


def too_faint(pairs: dict[Pair, str], text_contrast: float = 4.5) -> list[str]:
    """What cannot be read well, in words."""
    said = []
    for pair, text in pairs.items():
        least = _least(text)
        least = text_contrast if least == 4.5 else least
        if (ratio := contrast(*pair)) < least:
            ink, paper = (f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in pair)
            said.append(f"{text[:40]!r} {ratio:.2f} ({ink} on {paper})")
    return said
