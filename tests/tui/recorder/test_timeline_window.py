"""The part of an axis on the screen: fit, zoom, pan, and what never happens."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.tui.recorder.timeline_window import FINEST_NS, WIDEST_CALL, Window
from xpudbg.tui.widgets.timeline_ruler import instant_said, ruler

moves = st.lists(
    st.tuples(st.sampled_from(["zoomed", "panned", "showing", "resized", "fit"]), st.integers(-9, 200)), max_size=12
)


@st.composite
def windows(draw: st.DrawFn) -> Window:
    by_call = draw(st.booleans())
    high = draw(st.integers(0, 5_000)) if by_call else draw(st.integers(0, 10**13))
    low = 0 if by_call else -draw(st.integers(0, 10**13))
    window = Window.whole(low, high, draw(st.integers(1, 200)), by_call=by_call)
    for name, number in draw(moves):
        x = low + (high - low) * min(abs(number) / 200, 0.999)
        if name == "zoomed":
            window = window.zoomed(max(min(number, 6), -6), x)
        elif name == "showing":
            window = window.showing(x)
        elif name == "fit":
            window = window.fit()
        else:
            window = getattr(window, name)(number)
    return window


@given(windows())
def test_it_never_leaves_the_axis(window: Window) -> None:
    assert window.start >= window.low
    seen = window.start + window.per_cell * window.columns
    assert window.start == window.low or seen <= window.high + (1 if window.by_call else window.per_cell / 1e3)
    if window.by_call:
        assert window.start < window.high or window.high == 0
        assert window.start == int(window.start)
        assert window.per_cell == int(window.per_cell) or 1 / window.per_cell == pytest.approx(window.cells_per_call)
        assert window.per_cell >= 1 / WIDEST_CALL
    else:
        assert window.per_cell >= FINEST_NS


@given(windows())
def test_all_of_the_axis_fits(window: Window) -> None:
    fitted = window.fit()
    assert fitted.sees(fitted.low)
    assert fitted.start + fitted.per_cell * (fitted.columns + 1e-6) >= fitted.high


@given(windows(), st.floats(0, 0.999))
def test_what_is_to_be_shown_is_shown(window: Window, share: float) -> None:
    x = window.low + (window.high - window.low) * share
    shown = window.showing(math.floor(x) if window.by_call else x)
    assert 0 <= shown.column(math.floor(x) if window.by_call else x) < shown.columns


def test_zoom_keeps_its_place() -> None:
    window = Window.whole(-1e9, 0, 100, by_call=False)
    closer = window.zoomed(2, -5e8)
    assert closer.per_cell == pytest.approx(window.per_cell / 4)
    assert closer.column(-5e8) == window.column(-5e8)
    assert closer.zoomed(-2, -5e8) == window
    assert not closer.fitted


def test_calls_become_whole_cells() -> None:
    window = Window.whole(0, 1000, 100, by_call=True)
    steps = [window.zoomed(number, 0).per_cell for number in range(7)]
    assert steps == [10, 5, 2, 1, 0.5, 0.25, 0.25]
    assert window.zoomed(5, 0).cells_per_call == 4
    assert Window.whole(0, 30, 100, by_call=True).cells_per_call == 3
    assert Window.whole(0, 0, 100, by_call=True).cells_per_call == 4


def test_another_size_shows_all_as_long_as_nobody_zoomed() -> None:
    window = Window.whole(0, 1000, 100, by_call=True)
    assert window.resized(50).per_cell == 20
    zoomed = window.zoomed(2, 500).resized(50)
    assert (zoomed.per_cell, zoomed.columns) == (2, 50)


@given(windows())
def test_a_ruler_is_as_wide_as_the_window(window: Window) -> None:
    assert len(ruler(window, instant_said)) == window.columns


def test_ticks_stand_at_round_places() -> None:
    window = Window(-1e9, 0, 80, False, start=-1e9, per_cell=1e9 / 80)
    line = ruler(window, instant_said)
    assert line.split() == ["╷-1,000", "ms", "╷-800", "ms", "╷-600", "ms", "╷-400", "ms", "╷-200", "ms"]
    assert line.index("╷-600") == 32
    assert ruler(Window.whole(0, 400, 40, by_call=True), lambda x, _: f"#{x:.0f}").split() == [
        "╷#0",
        "╷#100",
        "╷#200",
        "╷#300",
    ]


@pytest.mark.parametrize(
    ("x", "step", "said"),
    [
        *[
            (0, 1e9, "0"),
            (-4e8, 1e8, "-400 ms"),
            (2e9, 1e9, "+2 s"),
            (-9e10, 3e10, "-1:30"),
            (-7.5e12, 6e11, "-2:05:00"),
        ],
        *[(-1.5e3, 500, "-1,500 ns"), (-2e4, 1e4, "-20 µs"), (-12.5e9, 5e8, "-12.5 s")],
    ],
)
def test_instants_are_said_in_the_unit_of_the_step(x: float, step: float, said: str) -> None:
    assert instant_said(x, step) == said
