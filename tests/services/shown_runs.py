"""Runs of an operator as the screens show them, made without a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.services.run_history.made_runs import ENDPOINT, case, output, run_of
from xpudbg.services.dispatch.errors import OpFailedError
from xpudbg.services.runs.given import run_ended, run_failed
from xpudbg.services.runs.references import ReferenceArrays
from xpudbg.services.runs.shown import show_run

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from xpudbg.services.dispatch.replies import Output
    from xpudbg.services.runs.given import GivenRun
    from xpudbg.services.runs.shown import RunShown

AXIS = OpFailedError(
    "127.0.0.1:9090: the op failed (HTTP 500): AxisError: axis 2 is out of bounds",
    status=500,
    kind="AxisError",
    text="axis 2 is out of bounds for array of dimension 2",
    api="numpy.concatenate",
    hint="look at the attribute",
)


def ended(*arrays: NDArray[Any] | Output | None, number: int | None = 14, **attrs: Any) -> GivenRun:
    """A run that gave these outputs."""
    made = [output(each) if isinstance(each, np.ndarray) else each for each in arrays]
    return run_ended(run_of(case(attrs=attrs), *made), number)


def failed(number: int | None = 13, **attrs: Any) -> GivenRun:
    """A run that the server refused."""
    return run_failed(case(attrs=attrs), ENDPOINT, AXIS, number=number, took_s=0.05)


def golden(*arrays: NDArray[Any] | Output) -> ReferenceArrays:
    """A reference with these arrays."""
    return ReferenceArrays("golden.npz", ended(*arrays).outputs)


def shown(
    *arrays: NDArray[Any] | Output | None, expected: tuple[Any, ...] | None = None, before: GivenRun | None = None
) -> RunShown:
    """A run with these outputs against a reference and a run before."""
    return show_run(ended(*arrays, axis=1), golden(*expected) if expected is not None else None, before)
