"""The worst elements as a table, and the histogram of errors."""

from __future__ import annotations

import numpy as np
import pytest
from rich.cells import cell_len

from tests.tui.widgets.painting import Alone, line_texts
from xpudbg.services.comparison.compare import Comparison, compare
from xpudbg.tui.widgets.error_histogram import ErrorHistogram, histogram_lines
from xpudbg.tui.widgets.painted import Painted
from xpudbg.tui.widgets.worst_table import WorstTable


def found(standard: str | None = None) -> Comparison:
    expected = np.zeros((4, 6), np.float32)
    actual = expected.copy()
    actual[1, 2], actual[3, 4], actual[0, 5], actual[2, 2] = 2**-17, 0.25, 0.5, np.nan
    return compare(actual, expected, standard)


async def test_the_worst_come_first_with_their_index() -> None:
    table = WorstTable()
    async with Alone(table).run_test(size=(110, 10)) as pilot:
        table.show_worst(found())
        table.focus()
        await pilot.press("down")
        lines = [line.split() for line in line_texts(table)]
        assert lines[0] == [
            "#",
            "index",
            "actual",
            "expected",
            "absolute",
            "relative",
            *["times", "what", "is", "allowed"],
        ]
        assert lines[1] == ["1", "[2,", "2]", "nan", "0", "mismatch", "mismatch", "mismatch"]
        assert lines[2][:5] == ["2", "[0,", "5]", "0.5", "0"]
        assert table.index == (0, 5)


async def test_no_errors_are_said() -> None:
    table = WorstTable()
    async with Alone(table).run_test(size=(60, 6)) as pilot:
        table.show_worst(compare(np.ones(3), np.ones(3)), "No element has an error.")
        await pilot.pause()
        assert "No element has an error." in line_texts(table)[2]
        assert table.index is None
        table.show_worst(None, "[b]there is no reference[/b]")
        await pilot.pause()
        assert "[b]there is no reference[/b]" in line_texts(table)[2]


def test_bars_are_as_long_as_their_counts_and_beyond_the_limit_marked() -> None:
    texts = [line.plain for line in histogram_lines(found(), 80)]
    assert texts[0] == "  errors, times what is allowed"
    assert texts[1].split() == ["no", "error", "20", "83.33%", "of", "all"]
    assert texts[2].split()[:4] == ["0.5", "to", "1", "1"]
    assert [line[0] for line in texts[1:3]] == [" ", " "]
    assert [line[0] for line in texts[-1:]] == ["!"]
    assert texts[-1].split()[:3] == ["!", "mismatch", "1"]
    ones = [line for line in texts[2:] if "█" in line]
    assert len(ones) == 4
    assert len({line.count("█") for line in ones}) == 1


def test_other_units_have_no_limit_in_the_picture() -> None:
    texts = [line.plain for line in histogram_lines(found("binary"), 80)]
    assert texts[0] == "  errors, absolute error"
    assert [line for line in texts[1:-1] if line.startswith("!")] == []


@pytest.mark.parametrize("width", [10, 30, 80, 200])
def test_lines_fit(width: int) -> None:
    assert all(cell_len(line.plain) <= width for line in histogram_lines(found(), width))


async def test_a_long_histogram_scrolls_and_a_missing_one_says_why() -> None:
    widget = ErrorHistogram()
    spread = np.concatenate([2.0 ** np.arange(-60, 60, dtype=np.float64), np.zeros(8)])
    async with Alone(widget).run_test(size=(70, 10)) as pilot:
        widget.show(compare(spread, np.zeros(spread.size), "binary"))
        widget.focus()
        await pilot.press("G")
        assert widget.scroll_offset.y > 100
        await pilot.press("g", "down", "pagedown", "up", "pageup", "left", "right")
        assert widget.scroll_offset.y == 0
        widget.show(None, "it has no [reference]")
        await pilot.pause()
        assert "it has no [reference]" in widget.query_one(Painted).content_shown.plain
        widget.show(compare(np.zeros(3), np.zeros(4)))
        await pilot.pause()
        assert "3 elements" in widget.query_one(Painted).content_shown.plain
