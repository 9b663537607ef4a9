"""One result of the doctor: what was looked at, what was found, why that matters, how it is mended."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ..ranksets import RankSet, ranks_said

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Check", "CheckState", "ranks_told", "worst"]

_WRITTEN = 60
"""Characters of the ranks that a sentence names; a check has all of them besides."""


class CheckState(StrEnum):
    """How it stands, the best first."""

    OK = "ok"
    UNKNOWN = "unknown"
    """It can't be known from what was read."""
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked. Texts from ranks stand in it as they came: whoever shows them makes them plain."""

    name: str
    """What was checked; the same in every run."""
    state: CheckState
    text: str
    """What was found, one sentence."""
    why: str = ""
    """Why it matters, where something is wrong or not known."""
    mend: str = ""
    """The environment variable, option or command that mends it."""
    ranks: RankSet = field(default_factory=RankSet)
    """The ranks it is about; none where it is about the job."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Numbers behind the text, as plain values."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.text[:1].upper() + self.text[1:])


def worst(checks: Iterable[Check]) -> CheckState:
    """The worst state of some checks; unknown ones count only when nothing else is there."""
    states = {check.state for check in checks}
    for state in (CheckState.PROBLEM, CheckState.WARNING, CheckState.OK):
        if state in states:
            return state
    return CheckState.UNKNOWN


def ranks_told(ranks: RankSet, one: str = "", many: str = "") -> str:
    """`rank 3`, `ranks 0-7,12`; of very scattered ones their number and the first: `3,871 ranks (0-255,319-511, …)`.

    Args:
        one, many: the verb that follows for one rank and for several.
    """
    written = str(ranks)
    if len(written) <= _WRITTEN:
        return ranks_said(ranks, one, many)
    return f"{len(ranks):,} ranks ({written[:_WRITTEN].rpartition(',')[0]}, …)" + (f" {many}" if many else "")
