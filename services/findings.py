"""Findings and the verdict as values; `verdict.judge` makes them, screens and the report show them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from .ranksets import RankSet

__all__ = ["Confidence", "Evidence", "Finding", "Group", "Severity", "Verdict", "VerdictValue"]


class VerdictValue(StrEnum):
    """The one word for the state of the job."""

    OK = "ok"
    MOVING = "moving"
    SLOW = "slow"
    HANG = "hang"
    DEADLOCK = "deadlock"
    MISMATCH = "mismatch"
    DEAD = "dead"
    UNKNOWN = "unknown"


class Severity(StrEnum):
    """Only critical and warning findings accuse."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"

    @property
    def accuses(self) -> bool:
        return self is not Severity.INFO


class Confidence(StrEnum):
    """How sure a finding is (design, "Decisions")."""

    CERTAIN = "certain"
    """The data exclude every other reading."""
    LIKELY = "likely"
    """One inference lies between the data and the finding."""
    POSSIBLE = "possible"
    """A hint."""


@dataclass(frozen=True, slots=True)
class Group:
    """A process group."""

    name: str
    desc: str
    ranks: RankSet


@dataclass(frozen=True, slots=True)
class Evidence:
    """One fact a finding rests on."""

    source: str
    """Handler or reader it came from: `ping`, `store`, `dump_traceback`."""
    rank: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about the job, with how sure it is and what would refute it. All texts are plain, unescaped."""

    kind: str
    """A RankClass that is wrong (`stopped`, `dead`, ...) or a kind of the flight recorder and stack analyses."""
    severity: Severity
    confidence: Confidence
    culprits: RankSet
    """The ranks it is about; they are accused only when the severity accuses. May be empty."""
    text: str
    """The finding in one sentence."""
    advice: str
    """What to do next, one sentence."""
    refutation: str
    """What would show that it is wrong, one sentence."""
    evidence: tuple[Evidence, ...] = ()
    waiting: RankSet = field(default_factory=RankSet)
    """Ranks that are held up by it."""
    group: Group | None = None
    op: str | None = None
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known about the job so far: first cause first."""

    value: VerdictValue
    summary: str
    """One sentence."""
    findings: tuple[Finding, ...] = ()
    """Ordered by severity, then confidence, then number of ranks waiting."""
    missing: RankSet = field(default_factory=RankSet)
    """Ranks about which the look says nothing, so that the verdict is partial."""
    under_way: bool = False
    """The look has not closed: more may come."""

    @property
    def accuses(self) -> bool:
        """Whether a problem was found (exit code 1)."""
        return any(finding.severity.accuses for finding in self.findings)

    @property
    def partial(self) -> bool:
        return bool(self.missing) or self.under_way
