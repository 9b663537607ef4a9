"""What a watch does after each look: says how the job gets on, and rings once for each incident. Pure.

An incident begins when the job has stood still for long, when a critical finding comes or when ranks die. It rings once
for the same findings; when the job moves again, what has gone by then may ring anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from statistics import mean, median
from typing import TYPE_CHECKING

from ..findings import Severity, VerdictValue
from ..looks.difference.finding_changes import identity
from ..ranksets import RankSet, ranks_said
from ..snapshot import RankClass
from .pace import JobPace, motion_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ..findings import Finding
    from ..looks.record import LookRecord
    from .pace import LookMotion

__all__ = ["Alert", "Decision", "Reason", "Rules", "WatchState", "decide"]

_PACES_KEPT = 64
"""Paces remembered, of which the median is the usual one."""
_LATELY = 3
"""Looks whose mean is the pace now: steps that are longer than the time between looks end now and then."""

LEAST_LOOKS = 2
"""Looks in a row that have to give a rank the same class before that rings; dead is never a matter of patience."""
_PASSING = frozenset(one.value for one in RankClass) - {RankClass.DEAD.value}


class Reason(StrEnum):
    """Why it rings."""

    STANDING = "standing"
    FINDING = "finding"
    DIED = "died"


@dataclass(frozen=True, slots=True)
class Rules:
    """What counts."""

    stall_s: float = 60.0
    """A job that stands still for so long has stalled."""
    slowdown: float = 4.0
    """A job that ends fewer calls a minute than its usual number divided by this is slow."""
    least_paces: int = 5
    """Looks at a moving job from which its usual pace is known."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One ring."""

    reasons: tuple[Reason, ...]
    verdict: VerdictValue
    """That of the look; `hang` for a job that stands without anybody being accused yet."""
    summary: str
    """One sentence; not made plain."""
    findings: tuple[Finding, ...] = ()
    """The critical findings that came."""
    died: RankSet = field(default_factory=RankSet)
    first: bool = True
    """The first of its incident; a later one tells more of the same."""

    @property
    def why(self) -> str:
        """In one word: the kind of the first finding that came, else the reason."""
        return self.findings[0].kind if self.findings else self.reasons[0].value


@dataclass(frozen=True, slots=True)
class Decision:
    """What a look leads to."""

    pace: JobPace
    changed: bool
    """The pace is another one than after the look before."""
    standing_since: int | None
    """ns since the epoch, while the job stands."""
    standing_s: float
    ended_per_minute: float | None
    usual_per_minute: float | None
    """Its usual pace; None as long as that is not known."""
    alert: Alert | None
    over: bool
    """The incident is over: the job moves again."""


@dataclass(frozen=True, slots=True)
class WatchState:
    """What is remembered from look to look. Immutable."""

    last: LookRecord | None = None
    pace: JobPace = JobPace.UNKNOWN
    standing_since: int | None = None
    paces: tuple[float, ...] = ()
    """Calls ended a minute at the looks that saw the job move, newest last."""
    rung: frozenset[Hashable] = frozenset()
    """Findings for which it has rung, while they stand."""
    dead: RankSet = field(default_factory=RankSet)
    """Ranks whose death has rung, while they are dead."""
    stalled: bool = False
    """It has rung because the job stands."""

    @property
    def in_incident(self) -> bool:
        return self.stalled or bool(self.rung) or bool(self.dead)


def decide(state: WatchState, now: LookRecord, rules: Rules) -> tuple[WatchState, Decision]:
    """What a look leads to, and what to remember of it.

    A look that was cancelled tells nothing: the state stays.
    """
    if now.snapshot.cancelled:
        return state, _decision(state, state, None, None, over=False, at=now.snapshot.taken_at, rules=rules)
    motion = motion_of(state.last, now)
    pace, since = _judge(state, motion, rules)
    moves = pace in (JobPace.MOVING, JobPace.SLOW)
    critical = [one for one in now.verdict.findings if one.severity is Severity.CRITICAL and _lasts(one, now)]
    dead = now.snapshot.of_class(RankClass.DEAD)
    standing_s = 0.0 if since is None else (motion.taken_at - since) / 1e9
    stall = pace is JobPace.STANDING and standing_s >= rules.stall_s and not state.stalled
    came = [one for one in critical if identity(one) not in state.rung]
    died = dead - state.dead
    told = _told(state, critical) if moves else state.rung
    alert = _alert(state, now, came, died, stalled=_stalled(now, motion.inside, standing_s) if stall else "")
    after = WatchState(
        last=now,
        pace=pace,
        standing_since=since,
        paces=_with(state.paces, motion.ended_per_minute) if moves else state.paces,
        rung=told | {identity(one) for one in came},
        dead=dead if moves else state.dead | dead,
        stalled=(state.stalled or stall) and not moves,
    )
    over = state.in_incident and not after.in_incident
    return after, _decision(state, after, motion.ended_per_minute, alert, over=over, at=motion.taken_at, rules=rules)


def _judge(state: WatchState, motion: LookMotion, rules: Rules) -> tuple[JobPace, int | None]:
    """The pace, and since when the job stands."""
    if not motion.known:
        return JobPace.UNKNOWN, state.standing_since
    if motion.moved:
        usual, lately = _usual(state, rules), _with(state.paces, motion.ended_per_minute)[-_LATELY:]
        slow = usual is not None and mean(lately) * rules.slowdown < usual
        return JobPace.SLOW if slow else JobPace.MOVING, None
    if not motion.inside:
        return JobPace.IDLE, None
    since = state.standing_since
    if since is None:
        since = state.last.snapshot.taken_at if state.last is not None else motion.taken_at
    return JobPace.STANDING, since


def _usual(state: WatchState, rules: Rules) -> float | None:
    return median(state.paces) if len(state.paces) >= max(rules.least_paces, 1) else None


def _with(paces: tuple[float, ...], pace: float | None) -> tuple[float, ...]:
    return paces if pace is None else (*paces, pace)[-_PACES_KEPT:]


def _lasts(finding: Finding, now: LookRecord) -> bool:
    """Whether it is more than one answer that did not come: a class other than dead has to be seen at two looks."""
    if finding.kind not in _PASSING:
        return True
    states = [now.snapshot.ranks[rank] for rank in finding.culprits if rank in now.snapshot.ranks]
    return all(state.confirmed >= LEAST_LOOKS for state in states)


def _told(state: WatchState, critical: list[Finding]) -> frozenset[Hashable]:
    """What has rung already and still stands."""
    return state.rung & {identity(one) for one in critical}


def _stalled(now: LookRecord, inside: RankSet, standing_s: float) -> str:
    """One sentence on a job that stands; the looks may not tell yet who holds it up."""
    said = f"The job has stood still for {standing_s:.0f} s, {ranks_said(inside)} inside collectives"
    if now.verdict.accuses:
        return f"{said}. {now.verdict.summary}"
    hints = [finding.text for finding in now.verdict.findings]
    return f"{said}; nobody is found at fault yet." + (f" {hints[0]}" if hints else "")


def _alert(state: WatchState, now: LookRecord, came: list[Finding], died: RankSet, *, stalled: str) -> Alert | None:
    reasons = [
        reason
        for reason, holds in ((Reason.DIED, died), (Reason.FINDING, came), (Reason.STANDING, stalled))
        if holds and not (reason is Reason.STANDING and state.rung)  # the findings have told it
    ]
    if not reasons:
        return None
    verdict, summary = now.verdict.value, now.verdict.summary
    if reasons == [Reason.STANDING]:
        summary = stalled
        verdict = verdict if now.verdict.accuses else VerdictValue.HANG
    return Alert(tuple(reasons), verdict, summary, tuple(came), died, first=not state.in_incident)


def _decision(
    before: WatchState,
    after: WatchState,
    rate: float | None,
    alert: Alert | None,
    *,
    over: bool,
    at: int,
    rules: Rules,
) -> Decision:
    since = after.standing_since
    return Decision(
        pace=after.pace,
        changed=after.pace is not before.pace,
        standing_since=since,
        standing_s=0.0 if since is None else (at - since) / 1e9,
        ended_per_minute=rate,
        usual_per_minute=_usual(after, rules),
        alert=alert,
        over=over,
    )
