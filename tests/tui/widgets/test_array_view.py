"""The view of values: lines, cursor, planes, modes, what is read of a large array."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest
from rich.cells import cell_len

from tests.tui.widgets.painting import Alone, line_texts
from xpudbg.tui.dispatch.arrays_shown import ArraysShown, ValueMode
from xpudbg.tui.widgets.array_view import ArrayView

if TYPE_CHECKING:
    from textual.message import Message

GIB = 1 << 30


class App(Alone):
    def on_array_view_moved(self, message: Message) -> None:
        self.messages.append(message)


def cut(view: ArrayView, lines: int) -> list[list[str]]:
    return [line.split() for line in line_texts(view)[:lines]]


def mode_of(view: ArrayView) -> ValueMode:
    return view.mode


def index_of(view: ArrayView) -> tuple[int, ...] | None:
    return view.index


async def test_lines_are_aligned_and_the_cursor_has_all_digits() -> None:
    view = ArrayView()
    array = np.arange(24, dtype=np.float32).reshape(4, 6) / 3
    async with Alone(view).run_test(size=(64, 10)) as pilot:
        view.show(ArraysShown(array))
        await pilot.pause()
        lines = line_texts(view)
        width = view.scrollable_content_region.width
        assert {cell_len(line) for line in lines} == {width}
        assert cut(view, 4) == [
            ["[actual]", "float32", "[4,", "6]"],
            ["[0,", "0]", "0"],
            ["0", "1", "2", "3", "›"],
            ["0", "0", "0.333333", "0.666667", "1"],
        ]
        ends = [line.rstrip().rfind(text) + len(text) for line, text in ((lines[2], "3"), (lines[3], "1"))]
        assert ends[0] == ends[1]


async def test_keys_and_clicks_move_the_cursor_and_tell() -> None:
    view = ArrayView()
    app = App(view)
    array = np.arange(2 * 100 * 50).reshape(2, 100, 50)
    async with app.run_test(size=(60, 10)) as pilot:
        view.show(ArraysShown(array))
        view.focus()
        await pilot.press("down", "right", "right")
        assert index_of(view) == (0, 1, 2)
        await pilot.press("G")
        assert index_of(view) == (0, 99, 49)
        assert "4999" in line_texts(view)[-2]
        await pilot.press("greater_than_sign")
        assert index_of(view) == (1, 99, 49)
        assert "[1, :, :] 2/2" in line_texts(view)[0]
        await pilot.press("greater_than_sign", "g", "less_than_sign", "pagedown")
        assert index_of(view) == (0, 6, 0)
        await pilot.click(view, offset=(12, 5))
        assert view.index is not None
        assert view.index[0] == 0
        assert [message.index for message in app.messages][:3] == [(0, 1, 0), (0, 1, 1), (0, 1, 2)]  # type: ignore[attr-defined]


async def test_actual_expected_and_difference_in_one_place() -> None:
    view = ArrayView()
    actual = np.array([[1.5, np.nan], [3.0, 4.0]], np.float32)
    expected = np.array([[1.0, 2.0], [3.0, np.inf]])
    async with Alone(view).run_test(size=(90, 8)) as pilot:
        view.show(ArraysShown(actual, None, expected, None))
        view.focus()
        await pilot.press("down", "right")
        assert line_texts(view)[1].split() == ["[1,", "1]", "4", "actual", "inf", "expected", "4/inf", "apart"]
        await pilot.press("m")
        assert cut(view, 5)[3:] == [["0", "1", "2"], ["1", "3", "inf"]]
        await pilot.press("m")
        assert cut(view, 5)[3:] == [["0", "+0.5", "nan/2"], ["1", "=", "4/inf"]]
        assert "[difference]" in line_texts(view)[0]
        assert index_of(view) == (1, 1)
        await pilot.press("m")
        assert mode_of(view) is ValueMode.ACTUAL


async def test_without_anything_to_compare_with_it_says_so() -> None:
    view = ArrayView()
    async with Alone(view).run_test(size=(60, 8), notifications=True) as pilot:
        view.show(ArraysShown(np.zeros((2, 2))))
        view.focus()
        await pilot.press("m")
        assert mode_of(view) is ValueMode.ACTUAL
        assert [one.message for one in pilot.app._notifications] == ["there is nothing to compare with"]


async def test_other_shapes_have_no_difference() -> None:
    view = ArrayView()
    async with Alone(view).run_test(size=(80, 8)) as pilot:
        view.show(ArraysShown(np.zeros((2, 3)), None, np.ones((5, 1)), None))
        view.focus()
        await pilot.pause()
        assert "shapes differ" in line_texts(view)[1]
        assert "difference" not in line_texts(view)[0]
        await pilot.press("right", "m")
        assert mode_of(view) is ValueMode.EXPECTED
        assert "[5, 1]" in line_texts(view)[0]
        await pilot.press("m")
        assert mode_of(view) is ValueMode.ACTUAL


@pytest.mark.parametrize("width", [48, 49, 50, 51, 52])
async def test_only_whole_values_are_painted_and_a_sign_says_that_there_are_more(width: int) -> None:
    view = ArrayView()
    array = np.full((4, 9), 0.123456789)
    async with Alone(view).run_test(size=(width, 8)) as pilot:
        view.show(ArraysShown(array))
        view.focus()
        await pilot.pause()
        seen = line_texts(view)[2].split()
        assert seen in (["0", "1", "›"], ["0", "1", "2", "›"])
        assert line_texts(view)[3].split() == ["0", *["0.123457"] * (len(seen) - 1)]
        await pilot.press("G")
        assert line_texts(view)[2].split() == ["‹", *["6", "7", "8"][4 - len(seen) :]]
        assert index_of(view) == (3, 8)


async def test_values_that_are_not_the_same_are_marked_where_that_is_wanted() -> None:
    view = ArrayView()
    now, then = np.array([[1, 2], [3, 4]]), np.array([[1, 5], [3, 4]])
    async with Alone(view).run_test(size=(70, 8)) as pilot:
        view.show(ArraysShown(now, None, then, None, "this run", "before", mark_differing=True))
        view.focus()
        await pilot.pause()
        assert cut(view, 5)[3:] == [["0", "1", "*2"], ["1", "3", "4"]]
        await pilot.press("m")
        assert cut(view, 5)[3:] == [["0", "1", "*5"], ["1", "3", "4"]]
        await pilot.press("m")
        assert cut(view, 5)[3:] == [["0", "=", "-3"], ["1", "=", "="]]


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        (ArraysShown(np.zeros((0, 4), np.int8)), "no elements: int8 of shape [0, 4]"),
        (ArraysShown(np.zeros(3, "V3")), "only numbers"),
        (None, "the output is None"),
    ],
    ids=["empty", "raw", "none"],
)
async def test_nothing_to_show_is_said(arrays: ArraysShown | None, said: str) -> None:
    view = ArrayView()
    async with Alone(view).run_test(size=(80, 8)) as pilot:
        view.show(arrays, "the output is None")
        view.focus()
        await pilot.press("down", "G", "greater_than_sign", "m")
        view.go_to((0, 0))
        assert said in "".join(line_texts(view))


@pytest.mark.parametrize(
    ("array", "logical", "said"),
    [
        (np.array(2.5), None, "[] 2.5"),
        (np.array([1.5], ml_dtypes.bfloat16), None, "[0] 1.5"),
        (np.array([True]), None, "[0] True"),
        (np.array([1 + 2j]), None, "[0] 1+2j"),
        (np.ones((1, 2), np.float16), "complex32", "[0] 1+1j"),
    ],
    ids=["0-d", "bfloat16", "bool", "complex", "complex32"],
)
async def test_dtypes(array: Any, logical: str | None, said: str) -> None:
    view = ArrayView()
    async with Alone(view).run_test(size=(60, 8)) as pilot:
        view.show(ArraysShown(array, logical))
        await pilot.pause()
        assert " ".join(line_texts(view)[1].split()) == said


async def test_the_cursor_stays_when_another_run_is_shown() -> None:
    view = ArrayView()
    async with Alone(view).run_test(size=(60, 10)) as pilot:
        view.show(ArraysShown(np.zeros((50, 50))))
        view.go_to((40, 30))
        view.show(ArraysShown(np.ones((50, 50))))
        await pilot.pause()
        assert index_of(view) == (40, 30)
        assert "[40, 30] 1" in " ".join(line_texts(view)[1].split())
        view.show(ArraysShown(np.ones(5)))
        assert index_of(view) == (0,)
        view.go_to((7,))
        view.go_to((1, 1))
        assert index_of(view) == (0,)


async def test_names_are_painted_literally() -> None:
    view = ArrayView()
    arrays = ArraysShown(np.zeros(1), None, np.zeros(1), None, "[red]a[/]\x1b[31m", "b\u202e")
    async with Alone(view).run_test(size=(90, 8)) as pilot:
        view.show(arrays)
        await pilot.pause()
        assert "[red]a[/]\\x1b[31m" in line_texts(view)[0]
        assert all(line.isprintable() for line in line_texts(view))


def resident() -> int:
    """Bytes of memory of this process (Linux)."""
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("needs /proc")
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmRSS")) << 10


@pytest.mark.parametrize("shape", [(16384, 16384), (GIB // 4,)], ids=["matrix", "vector"])
async def test_of_a_gibibyte_only_what_is_seen_is_read(tmp_path: Path, shape: tuple[int, ...]) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(GIB)
    array = np.memmap(tmp_path / "sparse", np.float32, "r", 0, shape)
    view = ArrayView()
    async with Alone(view).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        before = resident()
        tracemalloc.start()
        try:
            view.show(ArraysShown(array, None, array, None))
            view.focus()
            await pilot.press("G", "pageup", "m", "m", "g", "pagedown")
            assert view.index is not None
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 32 << 20
        assert resident() - before < 100 << 20
        view.go_to(tuple(extent - 1 for extent in shape))
        assert line_texts(view)[1].split()[-2:] == ["=", "apart"]
