"""Which findings came, went, or are judged differently now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .values import FindingChange, FindingDifference

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from ...findings import Finding

__all__ = ["finding_changes", "identity"]


def identity(finding: Finding) -> Hashable:
    """What makes two findings the same one: kind, group, operation, sequence number and culprits."""
    group = finding.group
    named = None if group is None else (group.name, group.desc)
    return finding.kind, named, finding.op, finding.seq, finding.culprits


def finding_changes(before: Sequence[Finding], after: Sequence[Finding]) -> FindingDifference:
    """Both in their order; of several with one identity the first belongs to the first."""
    left: dict[Hashable, list[Finding]] = {}
    for finding in before:
        left.setdefault(identity(finding), []).append(finding)
    came, changed, same = [], [], []
    for finding in after:
        alike = left.get(identity(finding))
        if not alike:
            came.append(finding)
            continue
        earlier = alike.pop(0)
        if _judged(earlier) == _judged(finding):
            same.append(finding)
        else:
            changed.append(FindingChange(earlier, finding))
    remaining = {id(finding) for found in left.values() for finding in found}
    gone = [finding for finding in before if id(finding) in remaining]
    return FindingDifference(tuple(came), tuple(gone), tuple(changed), tuple(same))


def _judged(finding: Finding) -> Hashable:
    return finding.severity, finding.confidence, finding.waiting
