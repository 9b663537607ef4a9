"""What is found out about a run for the screens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest

from tests.services.run_history.made_runs import floats, output
from tests.services.shown_runs import ended, failed, golden, shown
from xpudbg.services.run_history.records import RunState
from xpudbg.services.runs.case_standard import CaseStandard
from xpudbg.services.runs.shown import Compared, RunShown, show_run

if TYPE_CHECKING:
    from numpy.typing import NDArray


def against(run: RunShown, at: int = 0) -> Compared:
    found = run.outputs[at].reference
    assert found is not None
    return found


def test_alone_it_has_statistics_and_no_verdict() -> None:
    run = shown(floats(1), None, np.array(["x"]).view("V4"))
    assert run.passed is None
    assert (run.reference, run.before) == ("", "")
    statistics = run.outputs[0].statistics
    assert statistics is not None
    assert statistics.maximum == float(floats(1).max())
    assert (run.outputs[1].dtype, run.outputs[1].statistics, run.outputs[1].note) == (None, None, "")
    assert run.outputs[2].statistics is None
    assert "only numbers" in run.outputs[2].note


def test_right_and_wrong_against_the_reference() -> None:
    wrong = floats(1).copy()
    wrong[7] += 1
    assert shown(floats(1), expected=(floats(1),)).passed is True
    run = shown(floats(1), wrong, expected=(floats(1), floats(1)))
    assert run.passed is False
    assert run.reference == "golden.npz"
    comparison, heat = against(run, 1).comparison, against(run, 1).heatmap
    assert comparison is not None
    assert heat is not None
    assert (comparison.standard, comparison.worst[0].index) == ("mixed", (7,))
    assert heat.cells.max() == np.abs(wrong - floats(1)).max()


def test_the_limits_and_the_declaration_of_the_case_count() -> None:
    near = floats(1) * np.float32(1.01)
    limits = ({"rtol": 0.0, "ptol": 0.0}, {"rtol": 0.1, "ptol": 0.0})
    run = show_run(ended(near, near), golden(floats(1), floats(1)), standard=CaseStandard("close", limits=limits))
    found = [against(run, at).comparison for at in range(2)]
    assert [one is not None and one.passed for one in found] == [False, True]
    declared = CaseStandard(declared={"float32": {"standard": "cosine"}, "int8": {"standard": "quant"}})
    run = show_run(ended(near, np.ones(2, np.int8)), golden(floats(1), np.ones(2, np.int8)), standard=declared)
    first = against(run, 0).comparison
    assert first is not None
    assert (first.standard, first.passed) == ("cosine", True)


@pytest.mark.parametrize(
    ("standard", "passed"), [(None, True), ("binary", False), ("cosine", True)], ids=["default", "binary", "cosine"]
)
def test_the_standard_asked_for_judges(standard: str | None, passed: bool) -> None:
    near = floats(1) * np.float32(1 + 1e-6)
    run = show_run(ended(near), golden(floats(1)), standard=standard)
    assert run.passed is passed


def test_what_could_not_be_compared_is_neither_right_nor_wrong() -> None:
    run = shown(floats(1), floats(2), expected=(floats(1),))
    assert run.passed is None
    assert against(run, 1).problem == "the reference has no output 1; it has 0"
    assert shown(floats(1) + 1, floats(2), expected=(floats(1),)).passed is False
    run = shown(floats(1), None, expected=(floats(1), floats(2)))
    assert run.passed is None
    assert against(run, 1).problem == "is None, and the reference has values"
    assert shown(floats(1), None, expected=(floats(1),)).passed is True


def test_nothing_compared_is_no_verdict() -> None:
    run = show_run(ended(floats(1), floats(1)), golden())
    assert run.passed is None


def test_other_shapes_are_not_compared_element_by_element() -> None:
    run = shown(np.zeros((2, 3)), expected=(np.zeros((2, 4)),))
    comparison = against(run).comparison
    assert run.passed is False
    assert comparison is not None
    assert comparison.measures == ()
    assert against(run).heatmap is None


def test_a_standard_that_is_not_there_is_a_problem_of_the_output() -> None:
    run = show_run(ended(floats(1)), golden(floats(1)), standard="nice")
    assert "there is no standard 'nice'" in against(run).problem
    assert run.passed is None


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_, np.complex64, ml_dtypes.bfloat16, np.float16])
def test_the_run_before_bit_by_bit(dtype: type) -> None:
    array: NDArray[Any] = np.arange(12).reshape(3, 4).astype(dtype)
    other = array.copy()
    other[2, 3] = 0
    for last, same in ((array, True), (other, False)):
        before = shown(array, before=ended(last, number=13, axis=2)).outputs[0].before
        assert before is not None
        assert before.comparison is not None
        assert before.comparison.passed is same
        assert before.comparison.bad == (0 if same else 1)


def test_another_dtype_before_and_pairs() -> None:
    run = shown(floats(1), before=ended(floats(1).astype(np.float16)))
    assert run.outputs[0].before is not None
    assert run.outputs[0].before.comparison is not None
    assert run.outputs[0].before.comparison.dtypes_differ
    pairs = output(np.ones((3, 2), np.float16), "complex32")
    run = shown(pairs, before=ended(pairs))
    assert run.outputs[0].shape == (3,)
    assert run.outputs[0].before is not None
    assert run.outputs[0].before.comparison is not None
    assert run.outputs[0].before.comparison.passed


def test_after_a_failure_the_change_is_told() -> None:
    run = shown(floats(1), before=failed(axis=2))
    assert (run.before, run.before_state) == ("run #13", RunState.FAILED)
    assert [(one.field, one.before, one.after) for one in run.changes] == [("attr.axis", "2", "1")]
    assert run.outputs[0].before is None


def test_a_failure_has_no_outputs_and_keeps_its_reason() -> None:
    run = show_run(failed(axis=2), None, ended(floats(1), axis=1), reference_problem="golden.npz can't be read")
    assert run.run.error is not None
    assert run.run.error.exception == "AxisError"
    assert (run.outputs, run.passed, run.reference_problem) == ((), None, "golden.npz can't be read")


def test_it_can_be_ended_on_the_way() -> None:
    def stop(_done: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        show_run(ended(floats(1)), golden(floats(1)), watch=stop)
