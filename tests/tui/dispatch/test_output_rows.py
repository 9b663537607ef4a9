"""Outputs as rows: verdicts in words."""

from __future__ import annotations

import numpy as np
import pytest

from tests.services.run_history.made_runs import floats
from tests.services.shown_runs import ended, shown
from xpudbg.services.runs.shown import Compared, RunShown
from xpudbg.tui.dispatch.output_rows import OutputRows, before_sentence, before_text, reference_text


def row(run: RunShown, at: int = 0) -> dict[str, str]:
    rows = OutputRows(run)
    return {column.key: rows.cell(at, place)[0] for place, column in enumerate(rows.columns)}


def test_a_row_has_what_is_known() -> None:
    array = np.array([[1.5, np.nan, np.inf], [-2.0, 0.0, -np.inf]], np.float32)
    assert row(shown(array)) == {
        "name": "0",
        "dtype": "float32",
        "shape": "[2, 3]",
        "min": "-2",
        "max": "1.5",
        "mean": "-0.166667",
        "NaN": "1",
        "inf": "2",
        "note": "",
    }


def test_an_output_that_is_none_and_one_without_numbers() -> None:
    run = shown(None, np.zeros(2, "V4"))
    assert (row(run)["dtype"], row(run)["shape"], row(run)["min"]) == ("None", "", "")
    assert "only numbers" in row(run, 1)["note"]


def test_whole_numbers_are_exact() -> None:
    assert row(shown(np.array([2**63 - 1, -1])))["max"] == "9223372036854775807"


def verdict(run: RunShown) -> str:
    return reference_text(run.outputs[0].reference)[0]


def test_verdicts_against_the_reference() -> None:
    right = floats(1)
    half = right.copy()
    half[:8] += 1
    assert verdict(shown(right, expected=(right,))) == "passes mixed"
    assert verdict(shown(half, expected=(right,))) == "WRONG mixed, 50.00% off"
    assert verdict(shown(right, expected=(right[:3],))) == "WRONG shape"
    assert verdict(shown(right.astype(np.int32), expected=(right,))) == "WRONG dtype"
    assert verdict(shown(right, expected=())) == "not compared"
    assert reference_text(None) == ("", "")


@pytest.mark.parametrize(
    ("before", "short", "long"),
    [
        (floats(1), "the same", "is the same as in the run before"),
        (np.zeros(4, np.float32), "shape was [4]", "can't be compared with the run before: 16 elements"),
        (floats(1).reshape(4, 4), "shape was [4, 4]", "is the same as in the run before"),
        (floats(1).astype(np.float64), "was float64", "is the same as in the run before"),
        (floats(1) + np.eye(1, 16, 5, np.float32)[0], "1 differ", "1 of 16 elements differ, most at [5]: "),
    ],
    ids=["same", "size", "shape", "dtype", "values"],
)
def test_against_the_run_before(before: np.ndarray, short: str, long: str) -> None:
    found = shown(floats(1), before=ended(before)).outputs[0].before
    assert found is not None
    assert before_text(found)[0] == short
    assert before_sentence(found).startswith(long)


def test_nothing_before_and_values_that_are_gone() -> None:
    assert before_text(None) == ("", "")
    gone = Compared(None, None, None, None, "it was pruned")
    assert before_text(gone)[0] == "not compared"
    assert before_sentence(gone) == "it was pruned"


def test_columns_are_there_when_something_was_compared() -> None:
    assert "reference" not in row(shown(floats(1)))
    assert "before" in row(shown(floats(1), before=ended(floats(1))))
