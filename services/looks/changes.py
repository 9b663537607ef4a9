"""What changed at one look against the look before, in short: findings, classes of ranks, ranks that moved.

Made once for each look, when it closes; the strip of looks shows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..ranksets import RankSet
from ..stacks.looks import Change as StackChange
from .class_changes import class_changes

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ..findings import Finding, Verdict
    from .class_changes import Change
    from .record import LookRecord

__all__ = ["LookChange", "change_at", "finding_identity"]

_ELSEWHERE = frozenset((StackChange.LINE, StackChange.MOVED))


@dataclass(frozen=True, slots=True)
class LookChange:
    """What changed at a look. Immutable; at the first look nothing is known to have come but findings that accuse."""

    look_id: int
    came: tuple[Finding, ...] = ()
    """Findings that accuse, and did not stand in the verdict before."""
    gone: tuple[Finding, ...] = ()
    """Findings that accused, and stand in the verdict no more."""
    classes: tuple[Change, ...] = ()
    """Ranks that went from one class to another, the fewest first."""
    moved: RankSet = field(default_factory=RankSet)
    """Ranks that made or ended a call, or whose main thread was at another place."""

    @property
    def reclassed(self) -> RankSet:
        """Ranks whose class changed."""
        return RankSet.from_bits(sum(change.ranks.bits for change in self.classes))  # a rank is in one of them only


def change_at(before: LookRecord | None, now: LookRecord) -> LookChange:
    """Compare a look with the one before it.

    Args:
        before: None for the first look.
        now: the look, with its analyses.
    """
    known = _accusing(before.verdict) if before is not None else {}
    found = _accusing(now.verdict)
    moved = now.recorder.moved | RankSet(
        rank for rank, standing in now.stacks.standings.items() if standing.change in _ELSEWHERE
    )
    return LookChange(
        look_id=now.snapshot.id,
        came=tuple(finding for key, finding in found.items() if key not in known),
        gone=tuple(finding for key, finding in known.items() if key not in found),
        classes=class_changes(before.snapshot.ranks, now.snapshot.ranks) if before is not None else (),
        moved=moved if before is not None else RankSet(),
    )


def finding_identity(finding: Finding) -> Hashable:
    """By what a finding is known from look to look."""
    group = (finding.group.name, finding.group.desc) if finding.group is not None else None
    return finding.kind, finding.culprits, group, finding.seq


def _accusing(verdict: Verdict) -> dict[Hashable, Finding]:
    return {finding_identity(finding): finding for finding in verdict.findings if finding.severity.accuses}
