"""What the history says of a run: immutable, read from its rows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["KeptOutput", "OutputRecord", "ProgressRecord", "RunError", "RunRecord", "RunState"]


class RunState(StrEnum):
    """How a run ended, or that it has not."""

    UNDER_WAY = "under way"
    OK = "ok"
    """It gave a result; whether that is right, the comparison says."""
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """The process that ran it ended without a word: killed, or the machine went down."""


@dataclass(frozen=True, slots=True)
class RunError:
    """Why a run gave no result."""

    kind: str
    """Name of the error's type without `Error`, e.g. `OpFailed`."""
    message: str
    hint: str = ""
    exception: str = ""
    """Type of the server's exception, e.g. `RuntimeError`; empty where there is none."""
    text: str = ""
    """The server's message."""
    status: int | None = None
    """HTTP status."""


@dataclass(frozen=True, slots=True)
class OutputRecord:
    """One output as the history describes it."""

    name: str
    """`0`, `1`, and `2.0`, `2.1` in a list."""
    dtype: str | None
    """Logical dtype; None for an output that is None."""
    shape: tuple[int, ...] = ()
    statistics: Mapping[str, Any] | None = None
    """minimum, maximum, mean, std, zeros, nan, plus_inf, minus_inf; None where the values are no numbers."""
    hash: str | None = None
    """Of the kept array; equal hashes are equal bytes."""
    note: str = ""
    """Why the array is not kept."""


@dataclass(frozen=True, slots=True)
class ProgressRecord:
    """How far a run was at some moment."""

    at_ns: int
    kind: str
    """Name of the progress type, e.g. `Uploading`."""
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run."""

    id: int
    started_ns: int
    ended_ns: int | None
    """None while it is under way, and when it was interrupted."""
    state: RunState
    title: str
    """How a person calls the operator."""
    case: Mapping[str, Any]
    """The case as JSON (case_text.py)."""
    endpoint: str
    """host:port."""
    error: RunError | None
    result: Mapping[str, Any] | None
    """api, took_s, perf, bytes and retries, notes."""
    comparison: Mapping[str, Any] | None
    """Output's name to standard, passed, sentence and the largest errors."""
    passed: bool | None
    """Whether all comparisons passed; None when nothing was compared."""
    outputs: tuple[OutputRecord, ...] = ()
    case_key: str | None = None
    """Of the case file and the case in it; None: the run is of no file, or of an older xpudbg."""

    @property
    def took_s(self) -> float | None:
        return None if self.ended_ns is None else (self.ended_ns - self.started_ns) / 1e9

    @property
    def bad(self) -> bool:
        """Whether somebody who looks for failures looks for this one."""
        return self.state in (RunState.FAILED, RunState.INTERRUPTED) or self.passed is False


@dataclass(frozen=True, slots=True, eq=False)
class KeptOutput:
    """One output with its values."""

    name: str
    dtype: str | None
    array: NDArray[Any] | None
    """Read-only, mapped from a file when large; None where it was not kept."""
    note: str = ""
