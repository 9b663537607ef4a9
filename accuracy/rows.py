"""What is true of a job, what was said about it, and how good that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from xpudbg.services.findings import Verdict, VerdictValue
from xpudbg.services.ranksets import RankSet

__all__ = ["Row", "Said", "Score", "Truth", "said_by_verdict", "score"]

_NOBODY = RankSet()


class Score(StrEnum):
    RIGHT = "right"
    """The ranks at fault and nobody else; nothing, where nothing is wrong or nobody is to blame."""
    PART = "in part"
    """Something is said to be wrong, no innocent rank is named, and not every guilty one is."""
    WRONG = "wrong"
    """An innocent rank is named, or a fault where there is none."""
    NOTHING = "nothing said"
    """There is a fault, and it is not said."""
    FAILED = "failed"
    """It ended with an error or did not end in time."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of a job because it was made so."""

    story: str
    faulty: bool = True
    """Whether something is wrong."""
    culprits: RankSet = _NOBODY
    """Who is at fault; empty when nothing is wrong, or nobody is to blame alone (a deadlock, one against one)."""

    @classmethod
    def of(cls, story: str, culprits: str = "", *, faulty: bool = True) -> Truth:
        """A truth whose culprits are written as `0-7,12`."""
        return cls(story, faulty, RankSet.parse(culprits) if culprits else _NOBODY)

    @property
    def text(self) -> str:
        if not self.faulty:
            return f"{self.story}: nothing wrong"
        return f"{self.story}: {_ranks(self.culprits)}" if self.culprits else f"{self.story}: nobody alone"


@dataclass(frozen=True, slots=True)
class Said:
    """What a tool said, in its own terms and in ours."""

    text: str
    """For the page."""
    accuses: bool = False
    """A fault is said."""
    named: RankSet = _NOBODY
    """The ranks that are named as guilty or missing."""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the page."""

    name: str
    truth: Truth
    torch: Said | None
    """What torch's analyzer said; None where there is nothing that it reads."""
    ours: Said


def score(truth: Truth, said: Said) -> Score:
    """How good an answer is. The same measure for everybody."""
    if said.failed:
        return Score.FAILED
    if said.named - truth.culprits or (said.accuses and not truth.faulty):
        return Score.WRONG
    if truth.faulty and not said.accuses:
        return Score.NOTHING
    return Score.RIGHT if said.named == truth.culprits else Score.PART


def said_by_verdict(verdict: Verdict) -> Said:
    """What a verdict says: its findings with how sure they are; those that accuse nobody are marked as info."""
    named = RankSet(rank for one in verdict.findings if one.severity.accuses for rank in one.culprits)
    parts = [
        f"{one.kind}{_of(one.culprits)}, {one.confidence.value if one.severity.accuses else 'info'}"
        for one in verdict.findings
    ]
    value = "nothing wrong" if verdict.value in (VerdictValue.OK, VerdictValue.MOVING) else verdict.value.value
    return Said(f"{value}: {'; '.join(parts)}" if parts else value, verdict.accuses, named)


def _of(ranks: RankSet) -> str:
    return f" {ranks}" if ranks else ""


def _ranks(ranks: Iterable[int]) -> str:
    some = RankSet(ranks)
    return f"rank{'s' * (len(some) > 1)} {some}"
