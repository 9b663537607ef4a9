"""What the console's state is changed by: what a person did, and what the engine's work on it gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..dispatch.case import OpCase
    from ..dispatch.endpoint import OpEndpoint
    from ..runs.case_standard import CaseStandard
    from ..runs.references import Reference
    from ..runs.shown import RunShown
    from .case import ConsoleCase
    from .runs import RunLine

__all__ = [
    "CaseEdited",
    "CasesOpened",
    "ConsoleEvent",
    "ConsoleRefused",
    "EditRefused",
    "EditWaiting",
    "EditsUndone",
    "EndpointsChosen",
    "KeptRunShown",
    "KeptRunsRead",
    "ReferenceChosen",
    "RunBegun",
    "RunCancelling",
    "RunCompared",
    "RunComparing",
    "Said",
]


@dataclass(frozen=True, slots=True)
class CasesOpened:
    """Cases came in, from a file or with the demo. Those with a known id take the place of the older ones."""

    label: str
    cases: tuple[ConsoleCase, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConsoleRefused:
    """Something that was asked for could not be done."""

    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """Something that was asked for has been done."""

    message: str


@dataclass(frozen=True, slots=True)
class EditWaiting:
    """A field is being set from a file."""

    case_id: str
    field: str


@dataclass(frozen=True, slots=True)
class CaseEdited:
    """A field of a case is another one."""

    case_id: str
    case: OpCase


@dataclass(frozen=True, slots=True)
class EditRefused:
    """What was typed can't be; the case is as it was."""

    case_id: str
    field: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class EditsUndone:
    """A person took back the latest edit, or all of them."""

    case_id: str
    all: bool = False


@dataclass(frozen=True, slots=True)
class EndpointsChosen:
    """The op servers that runs go to."""

    chosen: tuple[OpEndpoint, ...]


@dataclass(frozen=True, slots=True)
class ReferenceChosen:
    """What a case's outputs are compared with."""

    case_id: str
    reference: Reference | None
    standard: CaseStandard | None = None
    """By what they are compared."""


@dataclass(frozen=True, slots=True)
class RunBegun:
    """A run of a case was sent on its way."""

    key: str
    case_id: str
    case: OpCase
    endpoint: OpEndpoint
    batch: int


@dataclass(frozen=True, slots=True)
class RunCancelling:
    """A person wants a run to end."""

    key: str


@dataclass(frozen=True, slots=True)
class RunComparing:
    """The op has run; what came back is compared."""

    key: str


@dataclass(frozen=True, slots=True)
class RunCompared:
    """A run is over, its outputs described and compared."""

    key: str
    shown: RunShown
    note: str = ""
    """What is wrong with the history, one plain line."""


@dataclass(frozen=True, slots=True)
class KeptRunsRead:
    """Runs of earlier sessions, by the case they belong to, newest first."""

    lines: Mapping[str, tuple[RunLine, ...]]
    interrupted: tuple[int, ...] = ()
    """Numbers of the runs that were under way when their process ended."""
    note: str = ""
    """Why the history can't be read, one plain line."""


@dataclass(frozen=True, slots=True)
class KeptRunShown:
    """A run of the history was read and compared anew."""

    key: str
    shown: RunShown


ConsoleEvent: TypeAlias = (
    CasesOpened
    | ConsoleRefused
    | Said
    | EditWaiting
    | CaseEdited
    | EditRefused
    | EditsUndone
    | EndpointsChosen
    | ReferenceChosen
    | RunBegun
    | RunCancelling
    | RunComparing
    | RunCompared
    | KeptRunsRead
    | KeptRunShown
)
