"""The heat map: signs, cursor, legend, clicks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rich.cells import cell_len

from tests.tui.widgets.painting import Alone, line_texts
from xpudbg.services.comparison.heatmap import error_heatmap
from xpudbg.tui.widgets.heat_map import HeatMap

if TYPE_CHECKING:
    from textual.message import Message

    from xpudbg.services.comparison.heatmap import Heatmap


class App(Alone):
    def on_heat_map_chosen(self, message: Message) -> None:
        self.messages.append(message)


def made(rows: int = 40, columns: int = 200) -> Heatmap:
    expected = np.zeros((rows, columns))
    actual = expected.copy()
    actual[0, 0] = 1e-6
    actual[10, 100] = 1.0
    actual[30, 50] = np.nan
    return error_heatmap(actual, expected, 64, 160)


def rows_of(widget: HeatMap) -> int | None:
    """Rows of the map as it is shown."""
    return None if widget.cell is None else int(widget.cell[0].cells.shape[0])


async def test_signs_say_it_without_colours() -> None:
    widget = HeatMap()
    async with Alone(widget).run_test(size=(50, 12)) as pilot:
        widget.show(made())
        await pilot.pause()
        lines = line_texts(widget)
        assert {cell_len(line) for line in lines} == {50}
        cells = "".join(line[5:] for line in lines[2:11])
        assert {sign: cells.count(sign) for sign in "-@!"} == {"-": 1, "@": 1, "!": 1}
        assert lines[0].strip().startswith("rows 26-30")
        assert "a NaN or infinity" in lines[0]
        assert lines[-1].split()[:2] == [".", "equal"]


async def test_keys_and_clicks() -> None:
    widget = HeatMap()
    app = App(widget)
    async with app.run_test(size=(100, 12)) as pilot:
        widget.show(made())
        widget.focus()
        await pilot.press("g")
        assert widget.cell is not None
        assert widget.cell[1:] == (0, 0)
        assert "largest error 1e-06" in line_texts(widget)[0]
        await pilot.press("right", "down", "pagedown", "G", "up")
        assert "no error" in line_texts(widget)[0]
        at = next((y, line.index("@")) for y, line in enumerate(line_texts(widget)[2:-1]) if "@" in line)
        await pilot.click(widget, offset=(at[1], at[0] + 2))
        chosen = app.messages[0]
        assert isinstance(chosen, HeatMap.Chosen)
        assert chosen.heat.cells[chosen.row, chosen.column] == 1.0
        await pilot.click(widget, offset=(2, 0))
        await pilot.click(widget, offset=(1, 4))
        assert len(app.messages) == 1


async def test_rows_of_more_axes_are_named_by_their_index() -> None:
    widget = HeatMap()
    expected = np.zeros((4, 8, 6), np.float32)
    actual = expected.copy()
    actual[2, 3, 4] = 1
    async with Alone(widget).run_test(size=(80, 40)) as pilot:
        widget.show(error_heatmap(actual, expected, 64, 160), shape=(4, 8, 6))
        await pilot.pause()
        assert line_texts(widget)[0].strip() == "row 19 ([2, 3, :]), column 4: largest error 1"
        assert "@@@@" in line_texts(widget)[21]  # few columns are painted wide


async def test_nothing_and_no_error_and_smaller() -> None:
    widget = HeatMap()
    async with Alone(widget).run_test(size=(60, 10)) as pilot:
        widget.show(None, "output 0: [b]no[/b] reference")
        widget.focus()
        await pilot.press("down", "G")
        assert "[b]no[/b] reference" in line_texts(widget)[1]
        assert rows_of(widget) is None
        widget.show(error_heatmap(np.zeros((0, 3)), np.zeros((0, 3)), 4, 4))
        await pilot.press("down", "G")
        assert "no elements" in line_texts(widget)[1]
        widget.show(error_heatmap(np.ones((3, 3)), np.ones((3, 3)), 4, 4))
        await pilot.press("G")
        assert "no error" in line_texts(widget)[0]
        await pilot.resize_terminal(12, 4)
        for _ in range(1000):  # the new size comes as an event
            if rows_of(widget) == 1:
                break
            await pilot.pause(0.01)
        assert rows_of(widget) == 1
