"""When two runs fail in the same way."""

from __future__ import annotations

import numpy as np
import pytest

from xpudbg.services.comparison.compare import compare
from xpudbg.services.dispatch.errors import (
    BadReplyError,
    ConnectionFailedError,
    DispatchError,
    OpFailedError,
    RequestRefusedError,
)
from xpudbg.services.shrink.outcome import Outcome, outcome_of_comparison, outcome_of_error


def op_failed(kind: str, text: str, status: int = 500) -> OpFailedError:
    return OpFailedError("the op failed", status=status, kind=kind, text=text)


def key(outcome: Outcome) -> tuple[str | None, str]:
    return outcome.failure, outcome.wording


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (op_failed("ValueError", "size 5 is not 6"), op_failed("ValueError", "size 1 is not 222"), True),
        (op_failed("ValueError", "shapes (4,6), (5,)"), op_failed("ValueError", "shapes (1,), (2, 3)"), True),
        (op_failed("ValueError", "size 5 is not 6"), op_failed("ValueError", "no input is given"), False),
        (op_failed("ValueError", "bad"), op_failed("TypeError", "bad"), False),
        (op_failed("", "bad", 500), op_failed("", "bad", 502), False),
        (op_failed("A", "bad"), RequestRefusedError("no", status=400, kind="A", text="bad"), False),
        (ConnectionFailedError("refused"), ConnectionFailedError("reset"), True),
        (ConnectionFailedError("refused"), BadReplyError("html"), False),
    ],
)
def test_errors(one: DispatchError, other: DispatchError, same: bool) -> None:
    assert (key(outcome_of_error(one)) == key(outcome_of_error(other))) == same


def test_only_a_missing_answer_is_lost() -> None:
    assert outcome_of_error(ConnectionFailedError("refused")).lost
    assert not outcome_of_error(op_failed("A", "b")).lost


def test_comparisons() -> None:
    right = compare(np.ones(3), np.ones(3))
    wrong = compare(np.ones(3), np.zeros(3))
    other_size = compare(np.ones(3), np.zeros(4))
    assert outcome_of_comparison({"0": right}, 5) == Outcome(None, run_id=5)
    assert outcome_of_comparison({}).failure is None
    failed = outcome_of_comparison({"0": right, "1": wrong})
    assert failed.failure == "wrong values"
    assert failed.text.startswith("output 1 fails ")
    assert outcome_of_comparison({"0": other_size}).failure == "not comparable"
