"""A run in one form, whether it ended just now, is under way or is read from the history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..dispatch.errors import OpFailedError, RunCancelledError
from ..dispatch.replies import Perf
from ..dispatch.run_result import named_outputs
from ..run_history.records import RunError, RunState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from ..dispatch.case import OpCase
    from ..dispatch.endpoint import OpEndpoint
    from ..dispatch.errors import DispatchError
    from ..dispatch.run_loop import OpRun
    from ..run_history.records import KeptOutput, RunRecord

__all__ = ["GivenOutput", "GivenRun", "run_ended", "run_failed", "run_from_history", "run_under_way"]


@dataclass(frozen=True, slots=True, eq=False)
class GivenOutput:
    """One output, with its values where there are any."""

    name: str
    """`0`, `1`, and `2.0`, `2.1` in a list."""
    dtype: str | None
    """Logical dtype; None for an output that is None."""
    array: NDArray[Any] | None
    """Possibly mapped from a file; None for an output that is None and for values that were not kept."""
    shape: tuple[int, ...] = ()
    """In elements: complex32 without its last axis."""
    note: str = ""
    """Why there are no values."""

    @property
    def logical(self) -> str | None:
        """The logical dtype where the array's own does not say it."""
        return None if self.array is None or self.dtype == self.array.dtype.name else self.dtype


@dataclass(frozen=True, slots=True, eq=False)
class GivenRun:
    """What is known of a run."""

    title: str
    """How a person calls the operator."""
    endpoint: str
    """host:port."""
    state: RunState
    case: OpCase | None = None
    """What was run; None where the history could not give it back."""
    number: int | None = None
    """In the history."""
    started_ns: int | None = None
    took_s: float | None = None
    api: str = ""
    """What really ran, as the server says it."""
    perf: Perf | None = None
    notes: tuple[str, ...] = ()
    error: RunError | None = None
    outputs: tuple[GivenOutput, ...] = ()

    @property
    def called(self) -> str:
        """How a person tells it from others."""
        return f"run #{self.number}" if self.number is not None else f"{self.title} on {self.endpoint}"


def run_ended(run: OpRun, number: int | None = None) -> GivenRun:
    """A run that gave a result."""
    outputs = tuple(
        GivenOutput(name, None, None)
        if output is None
        else GivenOutput(name, output.dtype, output.array, _shape(output.array, output.dtype))
        for name, output in named_outputs(run)
    )
    return GivenRun(
        run.case.title,
        str(run.endpoint),
        RunState.OK,
        run.case,
        number,
        run.started_at,
        run.took_s,
        run.api,
        run.perf,
        run.notes,
        None,
        outputs,
    )


def run_failed(
    case: OpCase,
    endpoint: OpEndpoint,
    error: DispatchError,
    *,
    number: int | None = None,
    started_ns: int | None = None,
    took_s: float | None = None,
) -> GivenRun:
    """A run that gave no result, or that a person ended."""
    kind = type(error).__name__.removesuffix("Error")
    said = RunError(kind, str(error), error.hint)
    api = ""
    if isinstance(error, OpFailedError):
        said, api = RunError(kind, str(error), error.hint, error.kind, error.text, error.status), error.api
    state = RunState.CANCELLED if isinstance(error, RunCancelledError) else RunState.FAILED
    return GivenRun(case.title, str(endpoint), state, case, number, started_ns, took_s, api, error=said)


def run_under_way(
    case: OpCase, endpoint: OpEndpoint, *, number: int | None = None, started_ns: int | None = None
) -> GivenRun:
    """A run that has not ended."""
    return GivenRun(case.title, str(endpoint), RunState.UNDER_WAY, case, number, started_ns)


def run_from_history(record: RunRecord, outputs: Iterable[KeptOutput], case: OpCase | None = None) -> GivenRun:
    """A run of the history.

    Args:
        outputs: as `HistoryReader.outputs` gives them.
        case: as `HistoryReader.case` gives it, where it can.
    """
    shapes = {output.name: output.shape for output in record.outputs}
    said: Mapping[str, Any] = record.result or {}
    perf = said.get("perf")
    return GivenRun(
        record.title,
        record.endpoint,
        record.state,
        case,
        record.id,
        record.started_ns,
        said.get("took_s", record.took_s),
        said.get("api", ""),
        None if perf is None else Perf(perf.get("device_us"), perf.get("peak_memory_mb")),
        tuple(said.get("notes", ())),
        record.error,
        tuple(
            GivenOutput(
                output.name,
                output.dtype,
                output.array,
                _shape(output.array, output.dtype)
                if output.array is not None
                else _logical_shape(shapes.get(output.name, ()), output.dtype),
                output.note,
            )
            for output in outputs
        ),
    )


def _shape(array: NDArray[Any], dtype: str | None) -> tuple[int, ...]:
    return _logical_shape(array.shape, dtype)


def _logical_shape(shape: tuple[int, ...], dtype: str | None) -> tuple[int, ...]:
    return shape[:-1] if dtype == "complex32" else shape
