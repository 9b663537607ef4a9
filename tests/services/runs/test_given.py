"""One form for runs that just ended and for those of the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ml_dtypes
import numpy as np
import pytest

from tests.services.run_history.made_runs import ENDPOINT, case, floats, output, run_of
from tests.services.shown_runs import AXIS
from xpudbg.services.dispatch.errors import CaseError, RunCancelledError
from xpudbg.services.run_history.history import RunHistory
from xpudbg.services.run_history.records import RunState
from xpudbg.services.runs.given import GivenRun, run_ended, run_failed, run_from_history, run_under_way

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from xpudbg.services.dispatch.errors import DispatchError


@pytest.fixture
def history(tmp_path: Path) -> Iterator[RunHistory]:
    opened = RunHistory(tmp_path)
    yield opened
    opened.close()


def said(run: GivenRun) -> list[tuple[object, ...]]:
    return [(one.name, one.dtype, one.shape, one.logical) for one in run.outputs]


def test_a_run_comes_back_from_the_history_as_it_was(history: RunHistory) -> None:
    pairs = np.arange(12, dtype=np.float16).reshape(2, 3, 2)
    bits = np.arange(4).astype(ml_dtypes.bfloat16)
    of = case(floats(1))
    run = run_of(of, output(floats(2)), (output(pairs, "complex32"), output(bits)), None)
    number = history.begin(of, ENDPOINT)
    history.finish(number, run)
    now = run_ended(run, number)
    kept = run_from_history(history.get(number), history.outputs(number), history.case(number))
    assert said(kept) == said(now)
    assert said(now)[1] == ("1.0", "complex32", (2, 3), "complex32")
    assert (kept.title, kept.endpoint, kept.state, kept.case) == (now.title, now.endpoint, now.state, now.case)
    assert (kept.api, kept.perf, kept.notes, kept.took_s) == (now.api, now.perf, now.notes, now.took_s)
    assert kept.called == "run #1"
    for ours, theirs in zip(now.outputs[:3], kept.outputs[:3], strict=True):
        assert ours.array is not None
        assert theirs.array is not None
        assert (ours.array.dtype, ours.array.tobytes()) == (theirs.array.dtype, theirs.array.tobytes())


@pytest.mark.parametrize(
    ("error", "state"),
    [(AXIS, RunState.FAILED), (RunCancelledError("over"), RunState.CANCELLED), (CaseError("no"), RunState.FAILED)],
    ids=["op", "cancelled", "case"],
)
def test_a_failure_says_the_same_now_and_from_the_history(
    history: RunHistory, error: DispatchError, state: RunState
) -> None:
    number = history.begin(case(), ENDPOINT)
    history.fail(number, error)
    now = run_failed(case(), ENDPOINT, error, number=number)
    kept = run_from_history(history.get(number), history.outputs(number))
    assert now.state is kept.state is state
    assert now.error == kept.error
    assert now.outputs == kept.outputs == ()


def test_values_that_were_not_kept_have_a_shape_and_a_reason(history: RunHistory) -> None:
    number = history.begin(case(), ENDPOINT)
    history.finish(number, run_of(case(), output(floats(2))))
    for file in (history.folder / "arrays").rglob("*"):
        if file.is_file():
            file.unlink()
    kept = run_from_history(history.get(number), history.outputs(number)).outputs[0]
    assert kept.array is None
    assert kept.shape == (16,)
    assert kept.note


def test_a_run_under_way_is_called_by_what_and_where() -> None:
    run = run_under_way(case(), ENDPOINT)
    assert (run.state, run.called) == (RunState.UNDER_WAY, "torch.add on 127.0.0.1:9090")
