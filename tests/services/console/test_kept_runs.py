"""Which case a run of the history belongs to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.services.console.console_cases import console_case, ended, op_case
from tests.services.run_history.made_runs import ENDPOINT
from tests.services.shown_runs import AXIS
from xpudbg.services.console.kept_runs import kept_lines
from xpudbg.services.dispatch.case import Slot, SpecSource
from xpudbg.services.run_history.history import RunHistory


def kept(tmp_path: Path, *cases: Any) -> RunHistory:
    history = RunHistory(tmp_path / "runs")
    for case in cases:
        history.fail(history.begin(case, ENDPOINT), AXIS)
    return history


def test_a_run_goes_to_the_case_it_equals_and_an_edited_one_to_the_nearest(tmp_path: Path) -> None:
    first, second = op_case(attrs={"axis": 2}), op_case(attrs={"axis": 0, "dtype": "float16"})
    cases = (console_case("a", first), console_case("b", second))
    edited = op_case(attrs={"axis": 1, "dtype": "float16"})
    history = kept(tmp_path, first, second, edited, op_case(api="numpy.stack"))
    lines = kept_lines(history.latest(), cases)
    assert {case_id: [line.number for line in of_case] for case_id, of_case in lines.items()} == {
        "id-a": [1],
        "id-b": [3, 2],
    }
    assert [line.changes for line in lines["id-b"]] == [(("attr.axis", "1"),), ()]
    history.close()


def test_a_run_with_a_key_is_of_its_case_alone(tmp_path: Path) -> None:
    same = op_case()
    first, second = console_case("a", same, key="a.toml"), console_case("b", same, key="b.toml")
    history = RunHistory(tmp_path / "runs")
    other = op_case(api="numpy.stack")
    for case, key in ((same, "b.toml"), (other, "a.toml"), (same, "c.toml"), (same, None)):
        history.fail(history.begin(case, ENDPOINT, key), AXIS)
    lines = kept_lines(history.latest(), (first, second))
    assert {case_id: [line.number for line in of_case] for case_id, of_case in lines.items()} == {
        "id-a": [4, 2],
        "id-b": [1],
    }
    assert lines["id-a"][1].changes == (("api", "numpy.stack"),)
    history.close()


def test_equal_fields_of_other_operators_are_no_match(tmp_path: Path) -> None:
    file = tmp_path / "op.py"
    one, two = (op_case(api=None, op_name="my_op", spec=SpecSource(file, name)) for name in ("One", "Two"))
    history = kept(tmp_path, two)
    lines = kept_lines(history.latest(), (console_case("a", one), console_case("b", two)))
    assert list(lines) == ["id-b"]
    history.close()


def test_the_line_says_what_the_server_said(tmp_path: Path) -> None:
    history = kept(tmp_path, op_case())
    (line,) = kept_lines(history.latest(), (console_case(),))["id-join"]
    assert line.said == "AxisError: axis 2 is out of bounds for array of dimension 2"
    assert (line.key, line.batch, line.bad) == ("#1", 0, True)
    history.close()


def test_array_inputs_count_by_dtype_and_shape(tmp_path: Path) -> None:
    case = op_case(inputs=(Slot("x", np.arange(3)),))
    history = kept(tmp_path, case)
    other = op_case(inputs=(Slot("x", np.ones(3, np.int64)),))
    (line,) = kept_lines(history.latest(), (console_case(case=other),))["id-join"]
    assert line.changes == ()
    history.close()


def test_cases_that_can_not_run_have_no_runs(tmp_path: Path) -> None:
    history = kept(tmp_path, op_case())
    assert kept_lines(history.latest(), ()) == {}
    history.close()


def test_a_result_without_a_comparison_says_nothing(tmp_path: Path) -> None:
    history = RunHistory(tmp_path / "runs")
    given = ended(np.ones(2, np.float32))
    assert given.case is not None
    history.begin(given.case, ENDPOINT)
    (record,) = history.latest()
    (line,) = kept_lines([record], (console_case(case=given.case),))["id-join"]
    assert line.said == "under way"
    history.close()
