"""What is said of an output in one of the ways to look at it, and why there is nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.services.shown_runs import ended, shown
from xpudbg.tui.dispatch.result_view import ResultView, counted, is_wrong, why_not, why_not_before

RIGHT = np.arange(6, dtype=np.float32)
OFF = RIGHT + np.array([0, 0, 9, 0, 9, 0], np.float32)


@pytest.mark.parametrize(
    ("array", "expected", "wrong"), [(OFF, (RIGHT,), True), (RIGHT, (RIGHT,), False), (OFF, None, False)]
)
def test_only_what_was_compared_and_fails_is_wrong(
    array: np.ndarray, expected: tuple[np.ndarray] | None, wrong: bool
) -> None:
    assert is_wrong(shown(array, expected=expected).outputs[0].reference) is wrong


def test_the_elements_that_are_off_are_counted_beside_the_worst() -> None:
    output = shown(OFF, expected=(RIGHT,)).outputs[0]
    assert [counted(view, output) for view in ResultView] == ["", "2 off", "", "", ""]
    assert [counted(view, None) for view in ResultView] == [""] * 5


def test_why_nothing_is_seen_of_errors() -> None:
    bare, compared = shown(OFF).outputs[0], shown(OFF, expected=(RIGHT,)).outputs[0]
    other = shown(OFF, expected=(RIGHT[:2],)).outputs[0]
    assert why_not(bare, bare.reference) == "has no reference to be compared with"
    assert why_not(compared, compared.reference) == ""
    assert "shape" in why_not(other, other.reference)


def test_why_nothing_is_seen_of_the_run_before() -> None:
    alone = shown(OFF)
    assert why_not_before(alone, alone.outputs[0]) == "there is no run before"
    after = shown(OFF, RIGHT, before=ended(OFF))
    assert why_not_before(after, after.outputs[0]) == ""
    assert why_not_before(after, after.outputs[1]).endswith("gave no such output")
