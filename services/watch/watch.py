"""Watches one job: looks at an interval, rings, keeps incident files, goes on; also when the job is gone for a while.

It holds no thread and never waits: whoever runs it hands it the engine's events with `take`, and calls `tick` when
`wait_s` is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import events
from ..bundle.errors import BundleError
from ..bundle.from_session import SessionFacts
from ..session import Phase, Session
from .events import Told, WatchEvent
from .incident_watch import LOOKS_IN_BUNDLE, IncidentWatch, nobody_answers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ..attach_options import AttachOptions
    from ..engine import Engine
    from ..findings import Verdict
    from ..looks.record import LookRecord
    from ..targets import Target
    from .folder import IncidentFolder
    from .incident_watch import WatchOptions
    from .policy import Alert

__all__ = ["Watch"]

FIRST_BACKOFF_S = 1.0
MOST_BACKOFF_S = 60.0
"""Seconds between two tries to find a job that is gone: doubled from the first up to this."""


class Watch:
    """One watch."""

    def __init__(
        self,
        engine: Engine,
        target: Target,
        options: AttachOptions,
        wanted: WatchOptions,
        folder: IncidentFolder | None,
        *,
        tell: Callable[[WatchEvent], None],
        ring: Callable[[Alert, Path | None], None],
        clock: Callable[[], int],
        monotonic: Callable[[], float],
    ) -> None:
        """
        Args:
            engine: a started engine that nobody else listens to.
            target: the job.
            options: how it is looked at.
            wanted: the watch.
            folder: where incident files go; None: there are none.
            tell: takes each line of the log.
            ring: takes each alert, with the file that was taken of it.
            clock: ns since the epoch.
            monotonic: seconds that only grow.
        """
        self.session = Session(options.bounds)
        self.ended = False
        self.last_verdict: Verdict | None = None
        """Of the last look at which a rank answered."""
        self.last_partial = False
        """Whether that look lacks something."""
        self._engine = engine
        self._target = target
        self._options = options
        self._wanted = wanted
        self._folder = folder
        self._tell = tell
        self._ring = ring
        self._clock = clock
        self._monotonic = monotonic
        self._incidents = IncidentWatch(
            wanted,
            tell=tell,
            ring=self._rung,
            capture=None if folder is None else self._capture,
            clock=clock,
            monotonic=monotonic,
        )
        self._file: Path | None = None
        """The file that was taken last."""
        self._look_at: float | None = None
        self._attach_at: float | None = None
        self._backoff_s = FIRST_BACKOFF_S
        self._lost = False
        self._opened = False
        self._over_told = False
        """It was said that the folder is over its bounds."""

    # for whoever runs it --------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Attach to the job."""
        self._engine.attach(self._target, self._options)

    def wait_s(self) -> float | None:
        """Seconds until `tick` has something to do; None when only an event can bring it on."""
        due = [at for at in (self._look_at, self._attach_at) if at is not None]
        return max(min(due) - self._monotonic(), 0.0) if due else None

    def tick(self) -> None:
        """Do what is due."""
        now = self._monotonic()
        if self._attach_at is not None and now >= self._attach_at:
            self._attach_at = None
            self._engine.attach(self._target, self._options)
        if self._look_at is not None and now >= self._look_at:
            self._look_at = None
            self._engine.look()

    def take(self, event: events.Event) -> None:
        """Apply what the engine says, and do what follows from it."""
        self.session.apply(event)
        match event:
            case events.TargetFailed():
                self._is_lost(f"{event.message}; {event.hint}" if event.hint else event.message)
            case events.EngineFailed():
                self._say(Told.FAILED, f"xpudbg itself failed while {event.doing}: {event.error}")
                if self.session.phase is not Phase.OPEN:
                    self._is_lost("it could not be opened")
                elif self._look_at is None:  # a look that failed may never close; one that goes on is not disturbed
                    self._look_in(self._wanted.every_s)
            case events.LookClosed():
                record = self.session.book.get(event.look_id)
                if record is not None and not event.more:
                    self._looked(record)

    # looks ----------------------------------------------------------------------------------------------------

    def _looked(self, record: LookRecord) -> None:
        look = record.snapshot
        if nobody_answers(look):
            self._is_lost(f"no rank answers any more: {record.verdict.summary}")
            return
        if not self._opened:
            self._opened = True
            self._say(Told.OPENED, f"{look.target}, world size {look.world_size:,}", world_size=look.world_size)
        self._lost, self._backoff_s = False, FIRST_BACKOFF_S
        self.last_verdict = record.verdict
        self.last_partial = bool(record.verdict.missing) or look.cancelled or look.partial
        soon_s = self._incidents.looked(record)
        every_s = self._wanted.every_s
        self._look_in(every_s if soon_s is None else min(every_s, soon_s))

    # files ----------------------------------------------------------------------------------------------------

    def _rung(self, alert: Alert, taken: bool) -> None:
        self._ring(alert, self._file if taken else None)

    def _capture(self, why: str, text: str) -> bool:
        """Write the newest looks into a file; False where that fails."""
        assert self._folder is not None
        looks = self.session.book.records[-LOOKS_IN_BUNDLE:]
        try:
            written = self._folder.write(self._clock(), why, looks, SessionFacts.of(self.session))
        except (BundleError, OSError) as error:
            self._say(Told.FAILED, f"the bundle could not be written: {error}")
            return False
        self._file = written.path
        self._say(
            Told.CAPTURED,
            f"{written.path} ({written.size:,} bytes)" + (f": {text}" if text else ""),
            bundle=str(written.path),
            size=written.size,
            why=why,
        )
        self._rotate(self._folder)
        return True

    def _rotate(self, folder: IncidentFolder) -> None:
        try:
            made = folder.rotate()
        except OSError as error:
            self._say(Told.FAILED, f"old bundles could not be removed: {error}")
            return
        for name in made.remove:
            self._say(Told.REMOVED, f"{name}: there are enough newer ones", file=name)
        if made.over and not self._over_told:
            self._say(Told.FAILED, "the folder is over its bounds: the first file of an incident is never removed")
        self._over_told = made.over

    # the job is gone ------------------------------------------------------------------------------------------

    def _is_lost(self, why: str) -> None:
        self._look_at = None
        if self._wanted.until_end:
            self._say(Told.LOST, why)
            self.ended = True
            return
        if not self._lost:
            self._say(Told.LOST, f"{why}; trying again from time to time")
        self._lost, self._opened = True, False
        self._incidents.begin_anew()
        self._attach_at = self._monotonic() + self._backoff_s
        self._backoff_s = min(2 * self._backoff_s, MOST_BACKOFF_S)

    # small things ---------------------------------------------------------------------------------------------

    def _look_in(self, seconds: float) -> None:
        self._look_at = self._monotonic() + seconds

    def _say(self, told: Told, text: str, **facts: Any) -> None:
        self._tell(WatchEvent(self._clock(), told, text, facts))
