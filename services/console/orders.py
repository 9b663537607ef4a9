"""What the engine is told to do for the console. Each is answered by events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

    from ..dispatch.case import OpCase
    from ..dispatch.endpoint import DispatchSettings, OpEndpoint
    from ..runs.case_standard import CaseStandard
    from ..runs.given import GivenRun
    from ..runs.references import Reference
    from .case import ConsoleCase

__all__ = [
    "CancelRun",
    "EditFromFile",
    "OpenCases",
    "OpenDemoCases",
    "Order",
    "ReadKeptRuns",
    "ShowKeptRun",
    "ShowRunAgain",
    "StartRun",
    "WriteCase",
]


@dataclass(frozen=True, slots=True)
class OpenCases:
    """Read case files: CasesOpened or ConsoleRefused for each."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class OpenDemoCases:
    """Start the op server of the demo that is attached: CasesOpened and EndpointsChosen; without a demo nothing."""


@dataclass(frozen=True, slots=True)
class ReadKeptRuns:
    """Read which runs the history has of these cases: KeptRunsRead."""

    cases: tuple[ConsoleCase, ...]


@dataclass(frozen=True, slots=True)
class EditFromFile:
    """Set a field from a file: CaseEdited or EditRefused."""

    case_id: str
    case: OpCase
    field: str
    text: str
    folder: Path


@dataclass(frozen=True, slots=True)
class StartRun:
    """Run a case: OpProgressed, RunComparing, RunCompared."""

    key: str
    """No other run under way may have it."""
    case: OpCase
    endpoint: OpEndpoint
    reference: Reference | None = None
    standard: CaseStandard | None = None
    before: GivenRun | int | None = None
    """The run before of the same case, or its number in the history."""
    settings: DispatchSettings | None = None
    case_key: str | None = None
    """Of the case, in the run history."""


@dataclass(frozen=True, slots=True)
class CancelRun:
    """End a run, whatever it is at: its RunCompared follows."""

    key: str


@dataclass(frozen=True, slots=True)
class ShowKeptRun:
    """Read a run of the history and compare it: KeptRunShown or ConsoleRefused."""

    key: str
    number: int
    reference: Reference | None = None
    standard: CaseStandard | None = None
    before: GivenRun | int | None = None


@dataclass(frozen=True, slots=True)
class ShowRunAgain:
    """Compare a run that is in memory anew, with another reference: KeptRunShown."""

    key: str
    run: GivenRun
    reference: Reference | None = None
    standard: CaseStandard | None = None
    before: GivenRun | int | None = None


@dataclass(frozen=True, slots=True)
class WriteCase:
    """Write a case as TOML, its arrays beside it: Said or ConsoleRefused. Never over a file that is there."""

    case: OpCase
    path: Path


Order: TypeAlias = (
    OpenCases
    | OpenDemoCases
    | ReadKeptRuns
    | EditFromFile
    | StartRun
    | CancelRun
    | ShowKeptRun
    | ShowRunAgain
    | WriteCase
)
