"""How sure a cause is: certain where the data exclude every other reading, likely where one inference lies between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..findings import Confidence
from ..ranksets import RankSet
from .causes import Kind
from .doubts import guessed, may_have_older

if TYPE_CHECKING:
    from .analysis import Analysis
    from .causes import Cause
    from .open_call import OpenCall

__all__ = ["confidence_of"]


def confidence_of(now: Analysis, cause: Cause) -> Confidence:
    """Certain: the data exclude every other reading. Likely: one inference lies between."""
    call = cause.call
    group = now.job.groups[call.group] if call is not None else None
    inferred = group is not None and (group.inferred or bool(group.disputed))
    match cause.kind:
        case Kind.NOT_JOINED | Kind.P2P_UNMATCHED if call is not None:
            if not cause.culprits:
                return Confidence.POSSIBLE
            concluded = cause.culprits & (call.silent | call.unsure | RankSet(now.waits.current))
            if any(guessed(now, rank, call) for rank in cause.culprits) or (group and cause.culprits & group.concluded):
                return Confidence.POSSIBLE
            shaky = not call.inside or any(_shaky(now, rank, call.group) for rank in cause.culprits)
            return Confidence.LIKELY if inferred or concluded or shaky else Confidence.CERTAIN
        case Kind.DEVICE_STUCK if not cause.culprits:
            return Confidence.POSSIBLE
        case Kind.DEVICE_STUCK if call is not None:
            one_sided = call.operation.rooted or call.p2p or call.alone  # a peer may be through before the other end is
            if call.half_done or any(may_have_older(now, rank, call) for rank in cause.culprits):
                return Confidence.POSSIBLE
            return Confidence.LIKELY if inferred or one_sided or call.unsure else Confidence.CERTAIN
        case Kind.MISMATCH if cause.mismatch is not None and cause.mismatch.pairs:
            return Confidence.LIKELY if cause.mismatch.odd or inferred else Confidence.CERTAIN
        case Kind.NO_DUMP:
            if cause.culprits <= now.aside or (call is not None and _most_are_through(call)):
                return Confidence.POSSIBLE
            few = 2 * len(cause.culprits) <= len(now.job.world)
            return Confidence.LIKELY if few else Confidence.POSSIBLE
    return Confidence.LIKELY


def _most_are_through(call: OpenCall) -> bool:
    """Whether so many have completed a call that it may be the devices of those inside that keep them there."""
    return bool(call.done) and (not call.operation.rooted or len(call.done) >= len(call.inside))


def _shaky(now: Analysis, rank: int, group: int) -> bool:
    """Whether the position of a rank hangs on borrowed counters while the rank has calls that those could belong to."""
    at = now.positions.at(rank, group)
    dump = now.job.dump_of(rank)
    if at is None or dump is None or not at.borrowed:
        return False
    return any(status.enqueued != status.completed for status in dump.statuses.values())
