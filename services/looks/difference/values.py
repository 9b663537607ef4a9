"""The difference of two looks as values. Immutable; texts of ranks are as they came, made plain where they are shown.

What could be long is bounded, and what is left out is counted beside it; rank sets are always whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...findings import VerdictValue
from ...ranksets import RankSet

if TYPE_CHECKING:
    from ...findings import Finding, Group
    from ...stacks.model import Frame
    from ..class_changes import Change

__all__ = [
    "CounterChange",
    "CounterDifference",
    "CounterRate",
    "FindingChange",
    "FindingDifference",
    "GroupMotion",
    "LookDifference",
    "LookHead",
    "MotionDifference",
    "RankDifference",
    "StackDifference",
    "StackMove",
    "Step",
    "VerdictChange",
]

_CALM = frozenset((VerdictValue.OK, VerdictValue.MOVING))


@dataclass(frozen=True, slots=True)
class LookHead:
    """Which look it is."""

    target: str
    id: int
    taken_at: int
    """ns since the epoch."""
    world_size: int
    partial: bool
    """Something is missing in it: cancelled, not read, ranks of which it says nothing."""


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """The verdict of both looks."""

    before: VerdictValue
    after: VerdictValue
    summary_before: str
    summary_after: str

    @property
    def changed(self) -> bool:
        return self.before is not self.after


@dataclass(frozen=True, slots=True)
class FindingChange:
    """A finding that both looks have, and that is not the same in both."""

    before: Finding
    after: Finding


@dataclass(frozen=True, slots=True)
class FindingDifference:
    """Findings are the same when kind, group, operation, sequence number and culprits are."""

    came: tuple[Finding, ...] = ()
    gone: tuple[Finding, ...] = ()
    changed: tuple[FindingChange, ...] = ()
    """Severity, confidence or the ranks that wait are others."""
    same: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class RankDifference:
    """The rank tables."""

    came: RankSet = field(default_factory=RankSet)
    """Ranks that only the later look knows."""
    went: RankSet = field(default_factory=RankSet)
    """Ranks that only the earlier look knows."""
    classes: tuple[Change, ...] = ()
    """Ranks that went from one class to another, the fewest first."""
    readdressed: RankSet = field(default_factory=RankSet)
    """Ranks whose worker registered another address: their process is another one."""
    kept: RankSet = field(default_factory=RankSet)
    """Ranks of both looks that have the same class."""


@dataclass(frozen=True, slots=True)
class Step:
    """Ranks whose position in a group changed in the same way. None = not known."""

    ranks: RankSet
    enqueued: tuple[int | None, int | None]
    """The newest collective called, before and after."""
    completed: tuple[int | None, int | None]
    """Collectives up to this one are over."""
    p2p: tuple[int | None, int | None] = (None, None)
    """The newest send or receive called."""
    p2p_completed: tuple[int | None, int | None] = (None, None)

    @property
    def begun(self) -> int | None:
        """Calls of each rank begun in between; None when that is not known."""
        return _sum(_gain(self.enqueued), _gain(self.p2p))

    @property
    def ended(self) -> int | None:
        """Calls of each rank ended in between."""
        return _sum(_gain(self.completed), _gain(self.p2p_completed))

    @property
    def back(self) -> bool:
        """A number has fallen: the recorder began anew."""
        pairs = (self.enqueued, self.completed, self.p2p, self.p2p_completed)
        return any(was is not None and now is not None and now < was for was, now in pairs)


@dataclass(frozen=True, slots=True)
class GroupMotion:
    """What the members of one group did."""

    source: str
    """The recorder that says so."""
    group: Group
    steps: tuple[Step, ...]
    """Those that moved, the fewest ranks first."""
    steps_left_out: int
    moved: RankSet
    stood: RankSet
    back: RankSet
    """Ranks whose numbers have fallen."""


@dataclass(frozen=True, slots=True)
class MotionDifference:
    """What the flight recorders of both looks say of who got on."""

    moved: RankSet
    """Ranks that have begun or ended a call in any group."""
    stood: RankSet
    """Ranks that have not, in any group."""
    back: RankSet
    """Ranks whose recorder began anew; they are in neither of the others."""
    inside: RankSet
    """Ranks that are inside a call at the later look."""
    groups: tuple[GroupMotion, ...]
    """Groups in which somebody moved: first those in which others stood."""
    groups_left_out: int
    groups_still: int
    """Groups in which nobody moved."""
    only_before: RankSet
    """Ranks whose dump only the earlier look has."""
    only_after: RankSet


@dataclass(frozen=True, slots=True)
class StackMove:
    """Main threads that went from one place to another."""

    ranks: RankSet
    before: str
    """The place, for a sentence: `step (job/train.py:42)`."""
    after: str
    line_only: bool
    """The same functions, and only the innermost one is at another line."""
    frames_before: tuple[Frame, ...] = ()
    """Innermost first, of the first of these ranks."""
    frames_after: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class StackDifference:
    """Where the main threads are."""

    same: RankSet
    changed: RankSet
    moves: tuple[StackMove, ...]
    """The fewest ranks first."""
    moves_left_out: int
    only_before: RankSet
    """Ranks whose stack only the earlier look has."""
    only_after: RankSet
    recorded: bool = False
    """They are of the time when the calls were made: recorders kept them."""


@dataclass(frozen=True, slots=True)
class CounterChange:
    """Who began and who ended to wait in a counter."""

    name: str
    """Without torch's prefix."""
    came: RankSet
    gone: RankSet
    still: RankSet


@dataclass(frozen=True, slots=True)
class CounterRate:
    """How much of the time between the looks was waited in a counter."""

    name: str
    rank: int
    """Where that was the most."""
    share: float
    """Seconds waited a second; more than 1 where several threads wait."""
    median: float
    """Of all ranks of which it is known."""


@dataclass(frozen=True, slots=True)
class CounterDifference:
    """The wait counters."""

    changes: tuple[CounterChange, ...]
    """Only counters in which somebody began or ended to wait, most ranks first."""
    changes_left_out: int
    rates: tuple[CounterRate, ...]
    """The greatest first; none where the looks don't lie apart."""
    restarted: RankSet
    """Ranks whose counters began anew."""
    only_before: RankSet
    only_after: RankSet


@dataclass(frozen=True, slots=True)
class LookDifference:
    """All of it."""

    before: LookHead
    after: LookHead
    verdict: VerdictChange
    findings: FindingDifference
    ranks: RankDifference
    motion: MotionDifference | None
    """None when not both looks have read a flight recorder."""
    stacks: StackDifference | None
    """None when not both looks have stacks."""
    counters: CounterDifference | None
    """None when not both looks have wait counters."""
    notes: tuple[str, ...]
    """What limits the comparison, one plain line each."""

    @property
    def apart_s(self) -> float:
        """Seconds from the one look to the other; negative when the second is the older one."""
        return (self.after.taken_at - self.before.taken_at) / 1e9

    @property
    def differs(self) -> bool:
        """Whether it matters: the verdict is another one, or a finding that accuses came.

        Whether a job without a problem is known to move (`moving`) or not (`ok`) does not matter.
        """
        came = (*self.findings.came, *(one.after for one in self.findings.changed if not one.before.severity.accuses))
        both = {self.verdict.before, self.verdict.after}
        return (self.verdict.changed and not both <= _CALM) or any(finding.severity.accuses for finding in came)

    @property
    def partial(self) -> bool:
        """One of the looks lacks something."""
        return self.before.partial or self.after.partial


def _gain(pair: tuple[int | None, int | None]) -> int | None:
    was, now = pair
    return now - was if was is not None and now is not None and now >= was else None


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other
