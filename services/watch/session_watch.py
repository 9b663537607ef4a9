"""Watches the job of a session that somebody looks at: judges each look, has files of incidents written, keeps what is
to be told. Who owns the session takes the looks, and hands the events in after the session has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import events
from ..bundle.events import BundleFailed, FolderRotated
from ..bundle.from_session import SessionFacts
from ..bundle.orders import WriteIncident
from .events import Told, WatchEvent
from .incident_watch import LOOKS_IN_BUNDLE, IncidentWatch, nobody_answers

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..looks.record import LookRecord
    from ..session import Session
    from .folder import IncidentFolder
    from .incident_watch import WatchOptions
    from .policy import Alert

__all__ = ["LastIncident", "SessionWatch"]


@dataclass(frozen=True, slots=True)
class LastIncident:
    """What it rang for last."""

    at: int
    """ns since the epoch."""
    why: str
    """In one word: the kind of the finding, `died` or `standing`."""
    summary: str
    """One sentence; not made plain."""


class SessionWatch:
    """One watch, from being switched on to being switched off."""

    def __init__(
        self,
        session: Session,
        wanted: WatchOptions,
        folder: IncidentFolder | None,
        *,
        write: Callable[[WriteIncident], None],
        clock: Callable[[], int],
        monotonic: Callable[[], float],
    ) -> None:
        """
        Args:
            session: the newest of its looks counts as the first look of the watch.
            wanted: how it is watched; looks are taken by the owner of the session.
            folder: where incident files go; None: there are none.
            write: has one written, beside whatever else runs.
            clock: ns since the epoch.
            monotonic: seconds that only grow.
        """
        self.wanted = wanted
        self.folder = folder
        self.last: LastIncident | None = None
        self.gone = False
        """No rank answers any more."""
        self.next_s: float | None = None
        """Seconds after the newest look at which there must be another, because a timeout draws near."""
        self.revision = 0
        """Grows with each look that was judged."""
        self._session = session
        self._write = write
        self._clock = clock
        self._told: list[WatchEvent] = []
        self._over_told = False
        """It was said that the folder is over its bounds."""
        self._incidents = IncidentWatch(
            wanted,
            tell=self._told.append,
            ring=self._rung,
            capture=None if folder is None else self._capture,
            clock=clock,
            monotonic=monotonic,
        )
        newest = session.book.get(session.latest.id) if session.latest is not None else None
        if newest is not None:
            self._looked(newest)

    def take(self, event: events.Event) -> None:
        """Do what follows from an event that the session has."""
        match event:
            case events.LookClosed():
                record = self._session.book.get(event.look_id)
                if record is not None and not event.more:
                    self._looked(record)
            case events.TargetOpening():
                self._incidents.begin_anew()
            case BundleFailed():
                if event.why:
                    self._incidents.not_captured()
            case FolderRotated():
                self._rotated(event)

    def new_events(self) -> list[WatchEvent]:
        """What is to be told since this was last asked."""
        told = list(self._told)
        self._told.clear()
        return told

    @property
    def in_incident(self) -> bool:
        """It has rung, and the job has not moved on since."""
        return self._incidents.in_incident

    def _looked(self, record: LookRecord) -> None:
        self.revision += 1
        self.next_s = None
        if nobody_answers(record.snapshot):
            if not self.gone:
                self._say(Told.LOST, f"no rank answers any more: {record.verdict.summary}")
            self.gone = True
            self._incidents.begin_anew()
            return
        self.gone = False
        self.next_s = self._incidents.looked(record)

    def _rung(self, alert: Alert, _taken: bool) -> None:
        self.last = LastIncident(self._clock(), alert.why, alert.summary)

    def _capture(self, why: str, text: str) -> bool:
        assert self.folder is not None
        looks = tuple(self._session.book.records[-LOOKS_IN_BUNDLE:])
        facts = SessionFacts.later(self._session, looks[-1].snapshot.id)
        self._write(WriteIncident(self.folder, self._clock(), why, looks, facts))
        if text:
            self._say(Told.CAPTURED, f"a file is taken: {text}")
        return True

    def _rotated(self, event: FolderRotated) -> None:
        if self.folder is None or event.folder != self.folder.path:
            return
        if event.failure:
            self._say(Told.FAILED, event.failure)
        if event.over and not self._over_told:
            self._say(Told.FAILED, "the folder is over its bounds: the first file of an incident is never removed")
        self._over_told = event.over

    def _say(self, told: Told, text: str) -> None:
        self._told.append(WatchEvent(self._clock(), told, text))
