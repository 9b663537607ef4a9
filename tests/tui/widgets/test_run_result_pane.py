"""The pane of a run's result: what is chosen, what stays, how one gets from an error to its element."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest
from rich.cells import cell_len

from tests.services.run_history.made_runs import output
from tests.services.shown_runs import ended, failed, shown
from tests.tui.widgets.painting import Alone
from xpudbg.services.runs.shown import show_run
from xpudbg.tui.actions.registry import Scope
from xpudbg.tui.dispatch.result_view import ResultView
from xpudbg.tui.widgets.array_view import ArrayView
from xpudbg.tui.widgets.error_histogram import ErrorHistogram
from xpudbg.tui.widgets.heat_map import HeatMap
from xpudbg.tui.widgets.run_result_pane import RunResultPane
from xpudbg.tui.widgets.worst_table import WorstTable

if TYPE_CHECKING:
    from textual.widget import Widget

RIGHT = np.arange(4 * 30 * 20, dtype=np.float32).reshape(4, 30, 20)
OFF = RIGHT.copy()
OFF[2, 7, 11] += 5
OFF[1, 3, 4] = np.nan
EARLIER = ended(RIGHT, np.arange(3), number=13, axis=2)
WRONG = shown(OFF, np.arange(3), expected=(RIGHT, np.arange(3)), before=EARLIER)


class App(Alone):
    """Carries actions out at the nearest place, as the real one does."""

    def perform(self, name: str) -> None:
        focused = self.screen.focused
        for node in focused.ancestors_with_self if focused is not None else ():
            method = getattr(node, f"do_{name}", None)
            if method is not None:
                method()
                return


def text_of(app: Alone) -> list[str]:
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


def seen(pane: RunResultPane) -> list[str]:
    """The views that are displayed, by their id."""
    kinds: tuple[type[Widget], ...] = (ArrayView, WorstTable, ErrorHistogram, HeatMap)
    return [str(each.id) for kind in kinds for each in pane.query(kind) if each.region.area]


def view_of(pane: RunResultPane) -> ResultView:
    return pane.view


def output_of(pane: RunResultPane) -> str | None:
    """Name of the output that is looked at."""
    return pane.output.name if pane.output is not None else None


def index_of(pane: RunResultPane) -> tuple[int, ...] | None:
    """The element of the values that is looked at."""
    return pane.values.index


async def test_a_wrong_output_opens_at_its_worst_element_and_leads_to_it() -> None:
    pane = RunResultPane()
    app = App(pane)
    async with app.run_test(size=(120, 40)) as pilot:
        pane.show(WRONG)
        await pilot.pause()
        assert view_of(pane) is ResultView.WORST
        assert seen(pane) == ["result-worst"]
        lines = text_of(app)
        assert lines[0].split()[:2] == ["WRONG", "torch.add"]
        assert any("[1, 3, 4]" in line and "nan" in line for line in lines)
        pane.main_widget.focus()
        await pilot.press("down", "enter")
        assert view_of(pane) is ResultView.VALUES
        assert index_of(pane) == (2, 7, 11)
        assert app.focused is pane.values
        assert "[2, 7, 11]  1356 actual  1351 expected  +5 apart" in "\n".join(text_of(app))


async def test_v_goes_through_the_views_and_the_keys_go_along() -> None:
    pane = RunResultPane()
    app = App(pane)
    async with app.run_test(size=(120, 40)) as pilot:
        pane.show(WRONG)
        pane.main_widget.focus()
        views, scopes = [], []
        for _ in ResultView:
            await pilot.press("v")
            await pilot.pause()
            assert app.focused is pane.main_widget
            views.append(seen(pane))
            scopes.append(pane.scopes[1])
        assert views == [
            ["result-histogram"],
            ["result-heat"],
            ["result-now", "result-then"],
            ["result-values"],
            ["result-worst"],
        ]
        assert scopes == [Scope.TEXT, Scope.HEAT, Scope.ARRAY, Scope.ARRAY, Scope.TABLE]
        await pilot.press("V", "V")
        assert view_of(pane) is ResultView.BEFORE
        await pilot.press("down", "right")
        then = pane.query_one("#result-then", ArrayView)
        assert then.index == (0, 1, 1)
        assert "differ, most at [1, 3, 4]: nan, it was 664" in "\n".join(text_of(app))
        await pilot.press("enter")
        assert then.index == pane.query_one("#result-now", ArrayView).index == (1, 3, 4)
        assert "*nan" in "\n".join(text_of(app))


async def test_a_region_of_the_heat_map_leads_to_its_worst_element() -> None:
    pane = RunResultPane()
    app = App(pane)
    async with app.run_test(size=(100, 30)) as pilot:
        pane.show(WRONG)
        pane._to_view(ResultView.HEAT, focus=True)
        await pilot.pause()
        await pilot.press("enter")
        assert index_of(pane) == (1, 3, 4)
        pane._to_view(ResultView.HEAT, focus=True)
        await pilot.pause()
        heat = pane.query_one(HeatMap)
        place = next((y, heat.render_line(y).text.index("@")) for y in range(2, 12) if "@" in heat.render_line(y).text)
        await pilot.click(heat, offset=(place[1], place[0]))
        await pilot.pause()
        assert index_of(pane) == (2, 7, 11)


async def test_output_view_and_element_stay_when_it_is_run_again() -> None:
    pane = RunResultPane()
    app = App(pane)
    async with app.run_test(size=(100, 30)) as pilot:
        pane.show(shown(RIGHT, OFF, expected=(RIGHT, RIGHT)))
        await pilot.pause()
        assert (output_of(pane), pane.view) == ("1", ResultView.WORST)
        pane.main_widget.focus()
        await pilot.press("down", "enter")
        pane.show(shown(RIGHT, RIGHT, expected=(RIGHT, RIGHT)))
        await pilot.pause()
        assert (output_of(pane), pane.view, pane.values.index) == ("1", ResultView.VALUES, (2, 7, 11))
        await pilot.press("left_parenthesis", "left_parenthesis")
        assert output_of(pane) == "0"
        await pilot.press("right_parenthesis")
        assert output_of(pane) == "1"
        pane.show(show_run(failed()))
        await pilot.pause()
        assert (seen(pane), pane.scopes) == ([], ())
        assert output_of(pane) is None
        await pilot.press("v", "enter", "right_parenthesis")
        pane.show(None)
        await pilot.pause()
        assert "".join(text_of(app)) == ""


async def test_a_click_on_a_tab_or_an_output() -> None:
    pane = RunResultPane()
    app = App(pane)
    async with app.run_test(size=(120, 30)) as pilot:
        pane.show(WRONG)
        await pilot.pause()
        await pilot.click("#result-views", offset=(2, 0))
        assert view_of(pane) is ResultView.VALUES
        await pilot.click("#result-outputs", offset=(3, 2))
        await pilot.pause()
        assert output_of(pane) == "1"
        assert "int64 [3]" in "\n".join(text_of(app))


@pytest.mark.parametrize("size", [(40, 12), (60, 18), (80, 24), (120, 40)], ids=str)
async def test_lines_fit_and_hostile_names_are_literal(size: tuple[int, int]) -> None:
    pane = RunResultPane()
    app = App(pane)
    hostile = output(np.arange(6).reshape(2, 3), "[red]\x1b[31m\u202e")
    outputs: list[Any] = [hostile, np.array(True), np.zeros((0, 2), np.float32), None, np.ones(3, ml_dtypes.bfloat16)]
    run = shown(*outputs, expected=(np.arange(6),), before=ended(*outputs))
    async with app.run_test(size=size) as pilot:
        pane.show(run)
        for view in ResultView:
            for at in range(len(outputs)):
                pane._to_view(view)
                pane._to_output(at)
                await pilot.pause()
                for line in text_of(app):
                    assert cell_len(line) <= size[0]
                    assert line.isprintable()


async def test_other_shapes_are_said_not_compared() -> None:
    pane = RunResultPane()
    app = App(pane)
    async with app.run_test(size=(110, 24)) as pilot:
        pane.show(shown(np.zeros((2, 3)), expected=(np.zeros((2, 4)),)))
        for view in (ResultView.WORST, ResultView.HISTOGRAM, ResultView.HEAT):
            pane._to_view(view)
            await pilot.pause()
            text = "\n".join(text_of(app))
            assert text.count("6 elements (shape (2, 3)), 8 expected (shape (2, 4))") == 2, view
        assert "WRONG shape" in text


async def test_without_reference_and_run_before_it_says_so() -> None:
    pane = RunResultPane()
    app = App(pane)
    async with app.run_test(size=(100, 24)) as pilot:
        pane.show(shown(RIGHT))
        for view, said in (
            (ResultView.WORST, "has no reference to be compared with"),
            (ResultView.HEAT, "has no reference to be compared with"),
            (ResultView.BEFORE, "there is no run before"),
        ):
            pane._to_view(view)
            await pilot.pause()
            assert said in "\n".join(text_of(app))


async def test_another_operator_opens_at_its_own_worst_element() -> None:
    pane = RunResultPane()
    app = App(pane)
    async with app.run_test(size=(100, 24)) as pilot:
        pane.show(shown(RIGHT))
        pane.main_widget.focus()
        await pilot.press("v", "v")
        assert view_of(pane) is ResultView.HISTOGRAM
        pane.show(None)
        pane.show(replace(WRONG, run=replace(WRONG.run, title="torch.mul")))
        assert view_of(pane) is ResultView.WORST
        await pilot.pause()
        assert app.focused is pane.main_widget
