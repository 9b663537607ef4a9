"""What follows from each look at a watched job: what is told, when it rings, which files are taken, how soon to look
again. It asks nobody and writes nothing: whoever has the looks hands them in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..snapshot import RankClass
from .deadline import capture_before
from .events import Told, WatchEvent
from .pace import JobPace
from .policy import Rules, WatchState, decide
from .rotation import PERIODIC, why_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..looks.record import LookRecord
    from ..snapshot import Snapshot
    from .policy import Alert, Decision

__all__ = ["LOOKS_IN_BUNDLE", "IncidentWatch", "WatchOptions", "nobody_answers"]

LOOKS_IN_BUNDLE = 8
"""The newest looks that an incident file holds."""
TIMEOUT = "timeout"
"""Why a file was taken right before the watchdog strikes."""
_GONE = frozenset(
    (RankClass.DEAD, RankClass.FOREIGN_PORT, RankClass.UNREACHABLE, RankClass.NAME_UNKNOWN, RankClass.NOT_REGISTERED)
)
"""Classes of an address at which no worker was met."""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """How a job is watched."""

    rules: Rules
    every_s: float = 10.0
    """Seconds from the end of a look to the next one."""
    periodic_s: float | None = None
    """Seconds between two files that are taken without an incident; None: there are none."""
    margin_s: float = 30.0
    """Seconds before the watchdog's timeout from which a file is taken; never more than half of that timeout."""
    until_end: bool = False
    """End when the job is gone, instead of waiting for it to come back."""


def nobody_answers(look: Snapshot) -> bool:
    """Whether no worker was met at any address: the job is gone."""
    return bool(look.ranks) and all(state.rank_class in _GONE for state in look.ranks.values())


class IncidentWatch:
    """The incidents of one job."""

    def __init__(
        self,
        wanted: WatchOptions,
        *,
        tell: Callable[[WatchEvent], None],
        ring: Callable[[Alert, bool], None],
        capture: Callable[[str, str], bool] | None,
        clock: Callable[[], int],
        monotonic: Callable[[], float],
    ) -> None:
        """
        Args:
            wanted: the watch.
            tell: takes each line of the log.
            ring: takes each alert, and whether a file is taken of it.
            capture: takes a file of the newest looks; gets why, as it stands in the name, and more in words. Returns
                whether there is, or will be, a file. None: no files are taken.
            clock: ns since the epoch.
            monotonic: seconds that only grow.
        """
        self._wanted = wanted
        self._tell = tell
        self._ring = ring
        self._capture = capture
        self._clock = clock
        self._monotonic = monotonic
        self._periodic_at = monotonic()
        self.begin_anew()

    @property
    def in_incident(self) -> bool:
        """It has rung, and the job has not moved on since."""
        return self._state.in_incident

    def begin_anew(self) -> None:
        """Forget the looks so far: the job is gone, or another one."""
        self._state = WatchState()
        self._captured = False
        """A file of the incident under way is there, or being written."""
        self._before_timeout = False
        """A file was taken before the timeout that strikes next."""

    def not_captured(self) -> None:
        """A file that was being written did not come about."""
        self._captured = False

    def looked(self, record: LookRecord) -> float | None:
        """Do what follows from a look.

        Returns:
            Seconds after which the next look must come, because a timeout draws near; None where nothing presses.
        """
        self._state, decision = decide(self._state, record, self._wanted.rules)
        self._tell_pace(decision)
        if decision.pace in (JobPace.MOVING, JobPace.SLOW):
            self._before_timeout = False
            self._captured &= self._state.in_incident
        if decision.over:
            self._say(Told.OVER, "the incident is over: the job moves again")
        if decision.alert is not None:
            self._alert(decision.alert)
        soon = self._before_deadline(record)
        self._periodic()
        return soon

    def _tell_pace(self, decision: Decision) -> None:
        if not decision.changed:
            return
        rate, usual = decision.ended_per_minute, decision.usual_per_minute
        text = {
            JobPace.UNKNOWN: "it can't be told whether the job moves",
            JobPace.MOVING: "the job moves" + (f": {rate:.1f} calls end a minute" if rate else ""),
            JobPace.SLOW: f"the job is slow: {rate or 0:.1f} calls end a minute, {usual or 0:.1f} are usual",
            JobPace.IDLE: "nothing moves, and nobody is inside a collective",
            JobPace.STANDING: f"the job stands still, for {decision.standing_s:.0f} s now",
        }[decision.pace]
        self._say(Told.PACE, text, pace=decision.pace.value, calls_per_minute=rate, usual_per_minute=usual)

    def _alert(self, alert: Alert) -> None:
        self._say(
            Told.ALERT,
            alert.summary,
            verdict=alert.verdict.value,
            reasons=[reason.value for reason in alert.reasons],
            findings=[{"kind": one.kind, "culprits": list(one.culprits)} for one in alert.findings],
            died=list(alert.died),
        )
        self._ring(alert, self._take(why_of(alert.why, again=self._captured)))

    def _before_deadline(self, record: LookRecord) -> float | None:
        """Take a file when the watchdog is about to strike."""
        if self._before_timeout or self._capture is None:
            return None
        now = self._clock()
        deadline = capture_before(record, now)
        if deadline is None:
            return None
        margin_s = min(self._wanted.margin_s, deadline.timeout_s / 2)  # calls of a moving job are all younger than that
        left_s = (deadline.at - now) / 1e9 - margin_s
        if left_s > 0:
            return left_s
        self._before_timeout = True
        self._take(
            why_of(TIMEOUT, again=self._captured),
            f"{deadline.op} #{deadline.seq} of {deadline.group.desc or deadline.group.name} on rank {deadline.rank} "
            f"times out in {(deadline.at - now) / 1e9:.0f} s",
        )
        return None

    def _periodic(self) -> None:
        every_s, now = self._wanted.periodic_s, self._monotonic()
        if every_s is not None and now - self._periodic_at >= every_s:
            self._periodic_at = now
            self._take(PERIODIC)

    def _take(self, why: str, text: str = "") -> bool:
        taken = self._capture is not None and self._capture(why, text)
        self._captured |= taken and why != PERIODIC
        return taken

    def _say(self, told: Told, text: str, **facts: Any) -> None:
        self._tell(WatchEvent(self._clock(), told, text, facts))
