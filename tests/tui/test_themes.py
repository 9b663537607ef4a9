"""Our themes: complete, legible, and told apart by people who see colours otherwise."""

from __future__ import annotations

import itertools

import pytest
from textual.theme import BUILTIN_THEMES

from xpudbg.services.snapshot import RankClass
from xpudbg.tui.ranks.classes import APPEARANCES
from xpudbg.tui.themes import DEFAULT, THEMES, variable_defaults

from .colours import BLINDNESS, Rgb, contrast, distance, lab, rgb_of, seen

AT_A_GLANCE = 10.0
"""CIEDE2000."""
HUES = ("primary", "secondary", "accent", "success", "warning", "error")
PAPERS = ("background", "surface", "panel")

REVERSED = (RankClass.DEAD, RankClass.STOPPED, RankClass.GIL_HELD, RankClass.UNREACHABLE)
TINTED = (RankClass.SERVER_ERROR, RankClass.FOREIGN_PORT, RankClass.NAME_UNKNOWN)
PLAIN = (RankClass.NOT_REGISTERED, RankClass.UNKNOWN, RankClass.ALIVE)
"""How the rank grid fills a cell (styles/app.tcss)."""


def variables(name: str) -> dict[str, str]:
    theme = THEMES[name]
    return {**theme.to_color_system().generate(), **theme.variables}


def colour(name: str, variable: str) -> Rgb:
    return rgb_of(variables(name)[variable])


def test_the_usual_one_is_ours() -> None:
    assert DEFAULT == "xpudbg-dark"
    assert list(THEMES) == ["xpudbg-dark", "xpudbg-light", "xpudbg-contrast", "xpudbg-safe"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48), ("#123456", "#123456", 1.0)],
)
def test_contrast_is_that_of_the_guidelines(one: str, other: str, expected: float) -> None:
    assert contrast(rgb_of(one), rgb_of(other)) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_distance_is_that_of_the_published_pairs(
    one: tuple[float, float, float], other: tuple[float, float, float], expected: float
) -> None:
    assert distance(one, other) == pytest.approx(expected, abs=0.00006)


@pytest.mark.parametrize("name", THEMES)
def test_text_on_the_usual_papers(name: str) -> None:
    least = 7.0 if name == "xpudbg-contrast" else 4.5
    inks = ("foreground", "text-muted", "text-disabled", *(f"text-{hue}" for hue in HUES))
    faint = [
        (ink, paper) for ink in inks for paper in PAPERS if contrast(colour(name, ink), colour(name, paper)) < least
    ]
    assert faint == []


@pytest.mark.parametrize("name", THEMES)
def test_classes_that_fill_a_cell_alike_have_other_colours(name: str) -> None:
    assert apart(name, None) == []


@pytest.mark.parametrize("blindness", BLINDNESS)
def test_and_keep_them_for_people_who_see_colours_otherwise(blindness: str) -> None:
    assert apart("xpudbg-safe", blindness) == []


@pytest.mark.parametrize("blindness", BLINDNESS)
def test_what_is_wrong_waits_and_runs_keeps_its_colour(blindness: str) -> None:
    """Timeline, matrices and heat maps go by these."""
    inks = ("text-error", "text-warning", "text-success", "text-muted")
    assert too_near("xpudbg-safe", inks, blindness) == []


def apart(name: str, blindness: str | None) -> list[tuple[str, str]]:
    def ink(rank_class: RankClass) -> str:
        return APPEARANCES[rank_class].colour.removeprefix("$")

    return [pair for kinds in (REVERSED, TINTED, PLAIN) for pair in too_near(name, tuple(map(ink, kinds)), blindness)]


def too_near(name: str, inks: tuple[str, ...], blindness: str | None) -> list[tuple[str, str]]:
    def place(ink: str) -> tuple[float, float, float]:
        rgb = colour(name, ink)
        return lab(seen(rgb, blindness) if blindness else rgb)

    return [
        (one, other)
        for one, other in itertools.combinations(inks, 2)
        if distance(place(one), place(other)) < AT_A_GLANCE
    ]


def test_every_class_is_in_a_group() -> None:
    assert {*REVERSED, *TINTED, *PLAIN} == set(RankClass)


@pytest.mark.parametrize("name", sorted(BUILTIN_THEMES))
def test_themes_that_are_not_ours_have_colours_for_rank_classes_too(name: str) -> None:
    made = variable_defaults(BUILTIN_THEMES[name])
    assert {f"${one}" for one in made} == {one.colour for one in APPEARANCES.values()}
    assert all(made.values())


@pytest.mark.parametrize("name", THEMES)
def test_ours_give_them_themselves(name: str) -> None:
    assert variable_defaults(THEMES[name]) == {}
    assert {one.colour.removeprefix("$") for one in APPEARANCES.values()} <= variables(name).keys()
