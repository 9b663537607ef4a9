"""Lines for terminals with sixteen colours or none can be read."""

from __future__ import annotations

import pytest
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from xpudbg.tui.terminal.few_colours import FewColours, NoColours
from xpudbg.tui.themes import THEMES

from ..colours import Rgb, contrast, rgb_of

XTERM = (
    "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff"
)
VGA = "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff"
PALETTES = {name: [rgb_of(f"#{one}") for one in text.split()] for name, text in (("xterm", XTERM), ("VGA", VGA))}
INKS = ("text", "text-muted", "text-disabled", *(f"text-{hue}" for hue in ("primary", "warning", "error", "success")))
PAPERS = ("background", "panel", "surface", "error-muted", "block-cursor-background", "block-cursor-blurred-background")
ALL_THEMES = {**THEMES, **{name: BUILTIN_THEMES[name] for name in ("textual-dark", "textual-light", "nord")}}


def variables_of(theme: Theme) -> dict[str, str]:
    return {**theme.to_color_system().generate(), **theme.variables}


def style_of(variables: dict[str, str], ink: str, paper: str) -> Style:
    under = Color.parse(variables["background"])
    below = under + Color.parse(variables[paper])
    automatic = variables[ink].startswith("auto ")
    above = below.get_contrast_text(0.6) if automatic else Color.parse(variables[ink])
    return Style.from_color((below + above).rich_color, below.rich_color)


def number(colour: RichColor | None) -> int:
    assert colour is not None
    assert colour.number is not None
    assert colour.number < 16
    return colour.number


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("name", ALL_THEMES)
def test_all_text_in_sixteen_colours_can_be_read(name: str, palette: str) -> None:
    variables, colours = variables_of(ALL_THEMES[name]), PALETTES[palette]
    lines = FewColours(variables)
    faint: list[tuple[str, str, float]] = []
    for ink in INKS:
        for paper in PAPERS:
            (made,) = lines.apply([Segment("x", style_of(variables, ink, paper))], Color(0, 0, 0))
            assert made.style is not None
            pair: list[Rgb] = [colours[number(one)] for one in (made.style.color, made.style.bgcolor)]
            if contrast(*pair) < 4.5:
                faint.append((ink, paper, contrast(*pair)))
    assert faint == []


@pytest.mark.parametrize("name", THEMES)
def test_sixteen_colours_still_tell_what_is_wrong_and_where_the_cursor_is(name: str) -> None:
    variables = variables_of(THEMES[name])
    lines = FewColours(variables)

    def painted(ink: str, paper: str = "background") -> tuple[int, int]:
        (made,) = lines.apply([Segment("x", style_of(variables, ink, paper))], Color(0, 0, 0))
        assert made.style is not None
        return number(made.style.color), number(made.style.bgcolor)

    assert len({painted("text"), painted("text-error"), painted("text-warning"), painted("text-primary")}) == 4
    papers = {painted("text", paper)[1] for paper in PAPERS[-2:]}
    assert len({*papers, painted("text")[1]}) == 3


def test_without_colours_none_is_sent_and_the_cursor_is_reversed() -> None:
    variables = variables_of(THEMES["xpudbg-dark"])
    link = Style.from_meta({"@click": "look"})
    line = [
        Segment("row", style_of(variables, "text", "block-cursor-background") + link),
        Segment("resting", style_of(variables, "text", "block-cursor-blurred-background")),
        Segment("dead", style_of(variables, "text-error", "background") + Style(bold=True, reverse=True)),
        Segment("typed", Style.from_color(RichColor.parse("#10151c"), RichColor.parse("#d9dfe8"))),
        Segment("plain", style_of(variables, "text-muted", "panel")),
        Segment("", None),
    ]
    styles = [one.style for one in NoColours(variables).apply(line, Color(0, 0, 0))]
    assert styles[-1] is None
    assert all(one.color is None and one.bgcolor is None for one in styles if one is not None)
    marks = [(bool(one.reverse), bool(one.underline), bool(one.bold)) for one in styles if one is not None]
    assert marks == [
        (True, False, False),
        (False, True, False),
        (True, False, True),
        (True, False, False),
        (False,) * 3,
    ]
    assert styles[0] is not None
    assert styles[0].meta == {"@click": "look"}
