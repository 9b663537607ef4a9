"""What the application is attached to: the engine's events folded into the session, the interval between looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..services.console.console import Console
from ..services.console.events import ConsoleEvent
from ..services.events import EngineFailed, OpProgressed, RankSelected, TargetFailed, TargetOpening
from ..services.flight_recorder.causes import Kind
from ..services.flight_recorder.diagnosis import SOON_S
from ..services.profiles.events import ProfileEvent
from ..services.profiles.profiles import Profiles
from ..services.session import Phase, Session
from ..services.targets import DemoTarget
from .bridge import drain
from .profile_view import ProfilerView
from .rank_view import RankView
from .store_view import StoreView

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..services.attach_options import AttachOptions
    from ..services.cluster.probes import Probe
    from ..services.engine import Engine
    from ..services.events import Event
    from ..services.profiles.orders import ProfileOrder
    from ..services.ranksets import RankSet
    from ..services.recent import RecentTargets
    from ..services.snapshot import RankReply
    from ..services.store_browse.orders import StoreOrder
    from ..services.targets import Target
    from .screens.handler_request import CallUnderWay

__all__ = ["INTERVALS", "MOST_BY_ITSELF", "SECOND_LOOK_S", "Attachment"]

INTERVALS: tuple[float | None, ...] = (None, 2.0, 5.0, 10.0, 30.0)
"""Seconds between looks that `R` goes through."""
SECOND_LOOK_S = 2.0
"""Seconds from the end of the first look to a second one, which comes by itself: one look can't tell what stands still
from what moves."""
MOST_BY_ITSELF = 8
"""Looks at a target up to which one comes by itself while it is undecided whether a rank hangs or is slow."""
_LATE = frozenset((Kind.NOT_JOINED.value, Kind.P2P_UNMATCHED.value))


class Attachment:
    """The session of one target after another, and what of it the screens have been told."""

    def __init__(
        self,
        engine: Engine,
        options: AttachOptions,
        recent: RecentTargets,
        clock: Callable[[], int],
        refresh_s: float | None,
    ) -> None:
        """
        Args:
            engine: a started engine.
            options: for every target.
            recent: where targets that could be opened are kept.
            clock: the time, ns since the epoch.
            refresh_s: seconds between looks, None when they are not taken by themselves.
        """
        self._engine = engine
        self._options = options
        self._recent = recent
        self._clock = clock
        self.refresh_s = refresh_s or None
        self._target: Target | None = None
        self._awaited = False
        """Whether what the engine sends may still be of the target before."""
        self.console = Console(clock)
        """The dispatch console; it outlives targets."""
        self._console_told = 0
        self.profiles = Profiles()
        """Captures and what they say; they outlive targets."""
        self.profiler = ProfilerView(self.profiles)
        self._profiles_told = 0
        self._begin()

    def _begin(self) -> None:
        self.session = Session()
        self.view = RankView(self.session)
        self.store = StoreView(self.session)
        self._told = 0
        self._remembered = False
        self._judged = 0
        """Looks after which the selection was put on the first rank accused."""
        self._put: int | None = None
        self._looked_twice = False
        self._faults_told = 0
        self.asking: dict[tuple[int, str], int] = {}
        """What a person asked of a rank and has no answer yet: when, ns since the epoch, by rank and source."""
        self._before_asking: dict[tuple[int, str], RankReply | None] = {}
        self.calls: list[CallUnderWay] = []
        """Handlers that a person has called, without an answer yet."""

    def open(self, target: Target) -> None:
        """Attach to a target; only now the one before is let go of. Session and view are new ones then."""
        if self._target is not None:
            self._begin()
            self._awaited = True
        self._target = target
        self._engine.attach(target, self._options)

    @property
    def demo(self) -> DemoTarget | None:
        """The target where it is a demo, and is open."""
        open_ = self.session.phase is Phase.OPEN and not self._awaited
        return self._target if open_ and isinstance(self._target, DemoTarget) else None

    # what the engine says -------------------------------------------------------------------------------------

    def drain(self) -> bool:
        """Apply a slice of what the engine has sent. True when the screens have to be told."""
        drain(self._engine.events, self)
        if self.is_told:
            return False
        self._remember()
        self._select_culprit()
        self._note_told()
        return True

    def apply(self, event: Event) -> None:
        """Apply what the engine sent, unless it is of the target before."""
        if isinstance(event, ConsoleEvent | OpProgressed):
            self.console.apply(event)
            return
        if isinstance(event, ProfileEvent):
            self.profiles.apply(event)
            return
        if isinstance(event, TargetOpening | TargetFailed):
            self._awaited = False
        if not self._awaited or isinstance(event, EngineFailed):
            self.session.apply(event)

    def change(self, event: Event) -> None:
        """Apply what a person did; the screen that asked shows it itself."""
        told = self.is_told
        if isinstance(event, ConsoleEvent):
            self.console.apply(event)
        else:
            self.session.apply(event)
        if told:
            self._note_told()

    def _note_told(self) -> None:
        self._told, self._console_told = self.session.revision, self.console.revision
        self._profiles_told = self.profiles.revision

    @property
    def is_told(self) -> bool:
        """Whether the screens have been told of everything that was applied."""
        now = (self.session.revision, self.console.revision, self.profiles.revision)
        return now == (self._told, self._console_told, self._profiles_told)

    def new_faults(self) -> list[EngineFailed]:
        """Defects of xpudbg that came since this was last asked."""
        faults = self.session.faults[self._faults_told :]
        self._faults_told = len(self.session.faults)
        return faults

    def _remember(self) -> None:
        if self.session.phase is Phase.OPEN and self._target is not None and not self._remembered:
            self._remembered = True
            self._recent.add(self._target, self._clock())

    def _select_culprit(self) -> None:
        """After each of the first two looks the selection goes to the first rank accused, unless somebody has moved
        it; after the others that came by themselves too, when nobody had been accused before."""
        session = self.session
        looks = len(session.looks)
        last = 2 if self._put is not None else MOST_BY_ITSELF
        if not self._judged < looks <= last:
            return
        self._judged = looks
        accused = [finding.culprits.first for finding in session.verdict.findings if finding.severity.accuses]
        untouched = session.selected == (next(iter(session.ranks), None) if self._put is None else self._put)
        if untouched and accused and accused[0] is not None:
            session.apply(RankSelected(accused[0]))
            self._put = accused[0]

    # looks ----------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """One more look; after a failure, open the target again."""
        if self.session.phase is Phase.FAILED and self._target is not None:
            self._engine.attach(self._target, self._options)
        else:
            self._engine.look()

    def look_when_due(self) -> None:
        """One more look when the interval since the last one is over.

        Without an interval a second one comes too, and some more while others wait for a rank that may only be slow.
        """
        session, latest = self.session, self.session.latest
        if latest is None or session.phase is not Phase.OPEN or session.under_way is not None or session.post_mortem:
            return
        self._looked_twice |= len(session.looks) > 1 or latest.cancelled
        interval = self.refresh_s if self._looked_twice else SECOND_LOOK_S
        if not interval and len(session.looks) < MOST_BY_ITSELF and self._is_undecided():
            interval = SOON_S
        if interval and self._clock() - latest.closed_at >= interval * 1e9:
            self._looked_twice = True
            self._engine.look()

    def _is_undecided(self) -> bool:
        """Whether ranks wait and it is too soon to accuse anybody."""
        findings = self.session.verdict.findings
        return any(one.kind in _LATE for one in findings) and not any(one.severity.accuses for one in findings)

    def ask(self, ranks: RankSet, probe: Probe) -> None:
        """Send one request to each of these ranks, outside of looks."""
        for rank in ranks:
            self.asking[rank, probe.source] = self._clock()
            self._before_asking[rank, probe.source] = self.session.asked.get((rank, probe.source))
        self._engine.ask(ranks, probe)

    def profile(self, order: ProfileOrder) -> None:
        """Do something for the profiler."""
        self._engine.profile(order)

    def browse_store(self, order: StoreOrder) -> None:
        """Do something with the job's store."""
        self._engine.browse_store(order)

    def answered(self, source: str) -> list[RankReply]:
        """The answers of a handler that came since this was last asked."""
        asked = self.session.asked
        came = [key for key in self.asking if key[1] == source and asked.get(key) is not self._before_asking[key]]
        for key in came:
            del self.asking[key], self._before_asking[key]
        return [asked[key] for key in came]

    def cancel_look(self) -> None:
        """End the look that is under way."""
        self._engine.cancel()

    def next_interval(self) -> None:
        """The next of `INTERVALS`; after the longest none."""
        longer = [interval for interval in INTERVALS if interval and interval > (self.refresh_s or 0)]
        self.refresh_s = longer[0] if longer else None
