"""What came of one run, as far as shrinking cares: whether it failed, and in which way."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..dispatch.errors import (
    ConnectionFailedError,
    DeadlinePassedError,
    DispatchError,
    OpFailedError,
    ServerBusyError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..comparison.compare import Comparison

__all__ = ["PASSED", "Outcome", "may_be_lost", "outcome_of_comparison", "outcome_of_error"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Two runs fail the same way when their `failure` and their `wording` are equal."""

    failure: str | None
    """The way in which it failed, without anything that depends on sizes and values; None: it passed."""
    text: str = ""
    """What was said, for people."""
    wording: str = ""
    """The words of an exception's message, without numbers: `operand has mismatch in core dimension`. One type of
    exception is raised for many reasons, and a search must not slip from one to another."""
    lost: bool = False
    """The server gave no answer and gives none to others either: this has nothing to do with the case."""
    run_id: int | None = None
    """Number in the run history."""


WORDING_LIMIT = 100
"""Characters of a wording that count: long messages go on with values and traces."""
_WORD = re.compile(r"[^\W\d_]{2,}")

PASSED = Outcome(None)


def outcome_of_error(error: DispatchError, run_id: int | None = None, *, answers: bool = False) -> Outcome:
    """What an error says of the case.

    Args:
        answers: the server answers now, so that a broken connection or a lack of time is the case's own doing.

    The same kind of error is the same failure; of an op's failure, the same type of exception in the same words."""
    kind, wording = type(error).__name__.removesuffix("Error"), ""
    if isinstance(error, OpFailedError):
        kind = f"{kind}: {error.kind or error.status}"
        wording = " ".join(_WORD.findall(error.text))[:WORDING_LIMIT]
    lost = isinstance(error, ServerBusyError) or (may_be_lost(error) and not answers)
    return Outcome(kind, str(error), wording, lost, run_id)


def may_be_lost(error: DispatchError) -> bool:
    """Whether one has to ask if the server is there before the case is blamed."""
    return isinstance(error, ConnectionFailedError | DeadlinePassedError)


def outcome_of_comparison(found: Mapping[str, Comparison], run_id: int | None = None) -> Outcome:
    """Outputs that fail their comparison are one failure, whichever they are and however much they fail; outputs of
    another size than expected are another one."""
    for name, comparison in found.items():
        if not comparison.passed:
            sized = bool(comparison.measures)
            failure = "wrong values" if sized else "not comparable"
            return Outcome(failure, f"output {name} {comparison.sentence}", run_id=run_id)
    return Outcome(None, run_id=run_id)
