"""Findings of the flight recorder as values: what is wrong, who, who waits, how sure it is and what would refute it.

A look alone cannot tell a hung job from one that was caught between two calls. Dumps from files were written because
something was wrong: they are judged as they stand. Live, a finding stands when a second look shows the same ranks in
the same call, its culprits have not moved and the wait is longer than gaps that recur in this job, or when the wait is
old; until then it is kept apart as passing. Where no gap recurs yet, ranks that are only late are not accused before
`PATIENCE_S`, unless something beside the recorder speaks against them (`joining.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..findings import Confidence, Evidence, Severity
from ..ranksets import RankSet, ranks_said
from .cadence import LONGER, Cadence, cadence_of
from .causes import Cause, Kind
from .confidence import confidence_of
from .evidence import evidence_of, refutation_of
from .motion import Motion, Pace
from .notes import contradictions_of, notes_of
from .one_look import weighed_in_time

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .analysis import Analysis
    from .groups import JobGroup
    from .mismatch import Mismatch

__all__ = ["PATIENCE_S", "SOON_S", "Diagnosis", "FlightFinding", "Follower", "Step", "diagnose"]

PATIENCE_S = 30.0
"""Live: a wait of this age, in seconds, is more than the moment between two calls, with one look or in a young job."""
SOON_S = 6.0
"""Live: a wait that is shorter, in seconds, may be a step, an evaluation, the first batch: that it is more is only
possible, and in a young job nothing but the class of a rank speaks against it before."""
_MIXED = "Dumps of several jobs or runs lie together: read those of one alone."
_LATE = frozenset((Kind.NOT_JOINED, Kind.P2P_UNMATCHED, Kind.NO_DUMP))
"""Kinds that a rank which is only slow looks like."""


@dataclass(frozen=True, slots=True)
class Follower:
    """A call that waits because of a finding, not on its own account."""

    group: JobGroup
    seq: int
    op: str
    ranks: RankSet
    """Ranks that have called it."""
    current: bool
    """It is the call they are inside; else it is queued behind one they are inside."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a deadlock."""

    group: JobGroup
    seq: int
    op: str
    inside: RankSet
    waits_for: RankSet
    """Ranks that have not come to it; they are inside the next call."""


@dataclass(frozen=True, slots=True)
class FlightFinding:
    """One first cause. Its sentence is made elsewhere."""

    kind: Kind
    severity: Severity
    confidence: Confidence
    culprits: RankSet
    """May be empty: a deadlock, one against one, an abort, a member that nothing names."""
    waiting: RankSet
    group: JobGroup | None
    op: str | None
    """As recorded."""
    base: str
    """Name of the operation without backend, that of the whole for a coalesced one."""
    seq: int | None
    inner: int = 1
    """Operations in the call, more than one when it is coalesced."""
    unknown: RankSet = field(default_factory=RankSet)
    """Members without a dump, or whose dump does not tell: nothing is said about them."""
    silent: RankSet = field(default_factory=RankSet)
    """Culprits that have recorded nothing at all in the group."""
    unseen: int = 0
    """Members of the group that are known to exist and not by number."""
    waited_s: float | None = None
    """How long the longest of the waiting ranks had waited when its dump was taken."""
    timeout_s: float | None = None
    """Timeout of the call."""
    usual_s: float | None = None
    """The longest gap between calls that recurs in this job; of a young one the longest."""
    aside: RankSet = field(default_factory=RankSet)
    """Culprits that have a dump, of another moment than the others."""
    blank: RankSet = field(default_factory=RankSet)
    """Ranks that may be culprits: their recorders are empty, or hold nothing of the group. They are not accused."""
    early: bool = False
    """Live: the job is young, and the wait too short to tell a rank that hangs from one that is slow."""
    soon: bool = False
    """Live: the wait is so short that even after many short steps a longer one looks the same."""
    waits_itself: bool = False
    """By their stacks the culprits wait in communication themselves."""
    overran_s: float | None = None
    """For a call that ended after its timeout: how long it took."""
    followers: tuple[Follower, ...] = ()
    cycle: tuple[Step, ...] = ()
    mismatch: Mismatch | None = None
    pace: Pace | None = None
    """What a second look says; None without one."""
    evidence: tuple[Evidence, ...] = ()
    refutation: str = ""

    @property
    def is_usual(self) -> bool:
        """The wait is no longer than gaps this job has shown: a slow step, a checkpoint."""
        return self.usual_s is not None and self.waited_s is not None and self.waited_s < LONGER * self.usual_s

    @property
    def everybody_inside(self) -> bool:
        """All members are inside the call, and none has completed it."""
        return self.kind is Kind.DEVICE_STUCK and not self.culprits

    @property
    def groups_behind(self) -> int:
        """Other groups that wait because of it."""
        return len({follower.group.index for follower in self.followers} - {self.group.index if self.group else -1})


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """All findings of a look, first causes only."""

    analysis: Analysis
    findings: tuple[FlightFinding, ...]
    """By severity, confidence, number of ranks waiting."""
    passing: tuple[FlightFinding, ...] = ()
    """What would be findings if it stayed so; they accuse nobody."""
    motion: Motion | None = None
    notes: tuple[str, ...] = ()
    """What limits this look, one plain line each."""
    contradictions: tuple[str, ...] = ()
    """Those of them that tell which dumps contradict the others."""

    @property
    def paces(self) -> Mapping[int, Pace]:
        """By rank, empty without a second look."""
        return self.motion.by_rank if self.motion else {}


_SEVERITIES = list(Severity)
_CONFIDENCES = list(Confidence)


def diagnose(
    now: Analysis, before: Analysis | None = None, *, live: bool = False, mixed: RankSet | None = None
) -> Diagnosis:
    """Judge a look.

    Args:
        now: the look.
        before: an earlier one of the same job, when there is one.
        live: the job runs: what has not stood for long enough passes.
        mixed: ranks of which dumps of several hosts or runs lie together: then nothing is certain.
    """
    motion = Motion(before, now) if before is not None else None
    standing: list[FlightFinding] = []
    passing: list[FlightFinding] = []
    for cause in now.causes:
        finding = _finding(now, cause, motion, live)
        if mixed and finding.confidence is Confidence.CERTAIN:
            finding = replace(finding, confidence=Confidence.LIKELY, refutation=f"{finding.refutation} {_MIXED}")
        (standing if _stands(cause, finding, motion, live) else passing).append(finding)
    standing = [_beside(finding, standing, now) for finding in standing]
    standing.sort(
        key=lambda finding: (
            _SEVERITIES.index(finding.severity),
            _CONFIDENCES.index(finding.confidence),
            -len(finding.waiting),
        )
    )
    return Diagnosis(now, tuple(standing), tuple(passing), motion, notes_of(now), contradictions_of(now))


def _stands(cause: Cause, finding: FlightFinding, motion: Motion | None, live: bool) -> bool:
    if cause.call is None:
        return True  # a mismatch in a call that is over: nothing that moves can undo it
    if motion is not None:
        calls = cause.cycle or (cause.call,)
        still = all(motion.still_inside(call) for call in calls) and not any(map(motion.moved, cause.culprits))
        return still and not (live and (finding.is_usual or finding.early))
    if not live:
        return True
    old = finding.waited_s is not None and finding.waited_s >= PATIENCE_S
    return old and not finding.is_usual and not finding.early


def _finding(now: Analysis, cause: Cause, motion: Motion | None, live: bool) -> FlightFinding:
    job = now.job
    call, mismatch = cause.call, cause.mismatch
    place = call.group if call else mismatch.group if mismatch else None
    group = None if place is None else job.groups[place]
    operation = call.operation if call else mismatch.variants[0].said.operation if mismatch else None
    blank = RankSet(rank for rank in cause.culprits if (rank, place) in now.waits.blank)
    entries = _Timing(now, cause)
    cadence = cadence_of(now, call) if call else None
    made = FlightFinding(
        kind=cause.kind,
        severity=_severity(cause),
        confidence=Confidence.POSSIBLE if blank else confidence_of(now, cause),
        culprits=cause.culprits - blank,
        waiting=cause.waiting,
        group=group,
        op=(operation.recorded or None) if operation else None,
        base=operation.base if operation else "",
        seq=mismatch.seq if mismatch else call.seq if call else None,
        inner=call.inner if call else 1,
        blank=blank,
        unknown=(call.absent | call.unclear) - cause.culprits if call else RankSet(),
        silent=call.silent & cause.culprits if call else RankSet(),
        aside=cause.culprits & now.aside,
        unseen=call.unseen if call and not call.missing else 0,
        waited_s=entries.waited_s,
        timeout_s=entries.timeout_s,
        usual_s=(cadence.usual_s or None) if cadence else None,
        early=live and cadence is not None and _early(cause, cadence, entries.waited_s),
        soon=live and cause.kind in _LATE and entries.waited_s is not None and entries.waited_s < SOON_S,
        overran_s=entries.overran_s,
        followers=_followers(now, cause),
        cycle=_steps(now, cause),
        mismatch=mismatch,
        pace=None if motion is None else _pace(motion, cause),
        evidence=evidence_of(now, cause),
        refutation=refutation_of(now, cause),
    )
    return weighed_in_time(made, now, call) if motion is None and not live else made


def _beside(finding: FlightFinding, others: list[FlightFinding], now: Analysis) -> FlightFinding:
    """Ranks without a dump may wait themselves for ranks that are at fault for sure: those that share a group."""
    if finding.kind is not Kind.NO_DUMP or finding.confidence is Confidence.POSSIBLE:
        return finding
    critical = [one for one in others if one.kind is not Kind.NO_DUMP and one.severity is Severity.CRITICAL]
    sure = RankSet(rank for one in critical for rank in one.culprits)
    met = RankSet()
    for group in now.job.groups:
        if finding.culprits & group.members and sure & group.members:
            met |= sure & group.members
    if not met:
        return finding
    doubt = f"A rank without a dump may itself wait for {ranks_said(met)}, with which it shares a group."
    return replace(finding, confidence=Confidence.POSSIBLE, refutation=f"{finding.refutation} {doubt}")


def _early(cause: Cause, cadence: Cadence, waited_s: float | None) -> bool:
    if cause.kind is Kind.DEVICE_STUCK and not cause.culprits:
        return waited_s is None or waited_s < PATIENCE_S  # long work on a device looks the same
    patience = max(PATIENCE_S, LONGER * cadence.leading_s)
    return cadence.young and cause.kind in _LATE and (waited_s is None or waited_s < patience)


class _Timing:
    """How long the ranks inside the call of a cause have waited, by their own clocks."""

    def __init__(self, now: Analysis, cause: Cause) -> None:
        self.waited_s: float | None = None
        self.timeout_s: float | None = None
        self.overran_s: float | None = None
        if cause.call is None:
            return
        columns = now.job.columns
        for rank, row in cause.call.rows.items():
            created, completed = int(columns.created[row]), int(columns.completed[row])
            timeout = int(columns.timeout_ms[row])
            if timeout:
                self.timeout_s = max(self.timeout_s or 0.0, timeout / 1e3)
            if completed and created > 0 and rank in cause.call.late:
                self.overran_s = max(self.overran_s or 0.0, (completed - created) / 1e9)
            dump = now.job.dump_of(rank)
            if dump is not None and dump.taken_at is not None and created > 0:
                self.waited_s = max(self.waited_s or 0.0, (dump.taken_at - created) / 1e9)


def _severity(cause: Cause) -> Severity:
    full = cause.kind is Kind.DEVICE_STUCK and not cause.culprits
    if cause.kind is Kind.NO_DUMP or full or (cause.mismatch is not None and cause.mismatch.ended):
        return Severity.WARNING
    return Severity.CRITICAL


def _followers(now: Analysis, cause: Cause) -> tuple[Follower, ...]:
    groups = now.job.groups
    own = {(call.group, call.p2p, call.seq) for call in (*cause.cycle, *((cause.call,) if cause.call else ()))}
    direct = [
        Follower(groups[call.group], call.seq, call.operation.recorded, call.inside, True)
        for call in cause.followers
        if (call.group, call.p2p, call.seq) not in own
    ]
    involved = cause.waiting | cause.culprits
    queued = [
        Follower(groups[call.group], call.seq, call.operation.recorded, call.ranks & involved, False)
        for call in now.waits.queued
        if call.ranks & involved and (call.group, call.p2p, call.seq) not in own
    ]
    return (*direct, *queued)


def _steps(now: Analysis, cause: Cause) -> tuple[Step, ...]:
    steps = []
    for place, call in enumerate(cause.cycle):
        following = cause.cycle[(place + 1) % len(cause.cycle)]
        steps.append(
            Step(
                now.job.groups[call.group],
                call.seq,
                call.operation.recorded,
                call.inside,
                call.blockers & following.inside,
            )
        )
    return tuple(steps)


def _pace(motion: Motion, cause: Cause) -> Pace:
    inside = cause.call.inside if cause.call else cause.waiting
    paces = {motion.by_rank.get(rank, Pace.IDLE) for rank in inside | cause.culprits}
    for pace in (Pace.MOVING, Pace.CRAWLING, Pace.FROZEN):
        if pace in paces:
            return pace
    return Pace.IDLE
