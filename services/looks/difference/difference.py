"""The difference of two looks, of one job or of two. Pure, and linear in ranks and groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ranksets import RankSet
from ..class_changes import class_changes
from .comparable import limits
from .counter_changes import counter_changes
from .finding_changes import finding_changes
from .motion import motion_between
from .stack_moves import stack_moves
from .values import LookDifference, LookHead, RankDifference, VerdictChange

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...snapshot import RankState
    from ..record import LookRecord

__all__ = ["difference"]


def difference(before: LookRecord, after: LookRecord) -> LookDifference:
    """What is different at the second look.

    Args:
        before: the look that is compared with.
        after: the look that is asked about; usually the later one, which is not required.
    """
    ranks = _ranks(before.snapshot.ranks, after.snapshot.ranks)
    return LookDifference(
        before=_head(before),
        after=_head(after),
        verdict=VerdictChange(before.verdict.value, after.verdict.value, before.verdict.summary, after.verdict.summary),
        findings=finding_changes(before.verdict.findings, after.verdict.findings),
        ranks=ranks,
        motion=motion_between(before.recorder, after.recorder, ranks.readdressed),
        stacks=stack_moves(before, after),
        counters=counter_changes(before.counters, after.counters, ranks.readdressed),
        notes=limits(before, after, ranks),
    )


def _head(record: LookRecord) -> LookHead:
    look, verdict = record.snapshot, record.verdict
    partial = look.cancelled or look.partial or bool(verdict.missing)
    return LookHead(look.target, look.id, look.taken_at, look.world_size, partial)


def _ranks(before: Mapping[int, RankState], after: Mapping[int, RankState]) -> RankDifference:
    earlier, later = RankSet(before), RankSet(after)
    classes = tuple(change for change in class_changes(before, after) if change.before is not None)
    changed = RankSet(rank for change in classes for rank in change.ranks)
    both = earlier & later
    readdressed = RankSet(
        rank
        for rank in both
        if (was := before[rank].address.registered) and (now := after[rank].address.registered) and was != now
    )
    return RankDifference(later - earlier, earlier - later, classes, readdressed, both - changed)
