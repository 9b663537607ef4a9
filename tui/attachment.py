"""What the application is attached to: the engine's events folded into the session, the interval between looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..services.bundle.events import BundleEvent
from ..services.bundle.orders import WriteIncident
from ..services.bundle.shown import BundlesShown
from ..services.console.console import Console
from ..services.console.events import ConsoleEvent
from ..services.events import (
    EngineFailed,
    LookClosed,
    LookShown,
    OpProgressed,
    RankSelected,
    TargetFailed,
    TargetOpening,
)
from ..services.flight_recorder.causes import Kind
from ..services.flight_recorder.diagnosis import SOON_S
from ..services.profiles.events import ProfileEvent
from ..services.profiles.profiles import Profiles
from ..services.session import Phase, Session
from ..services.targets import DemoTarget
from ..services.watch.session_watch import SessionWatch
from .bridge import drain
from .profiler.view import ProfilerView
from .ranks.view import RankView
from .store.view import StoreView
from .terminal.collections_spared import keep_what_is_there

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..services.attach_options import AttachOptions
    from ..services.bundle.orders import BundleOrder
    from ..services.cluster.probes import Probe
    from ..services.engine import Engine
    from ..services.events import Event
    from ..services.profiles.orders import ProfileOrder
    from ..services.ranksets import RankSet
    from ..services.settings.recent import RecentTargets
    from ..services.snapshot import RankReply
    from ..services.store_browse.orders import StoreOrder
    from ..services.targets import Target
    from ..services.watch.folder import IncidentFolder
    from ..services.watch.incident_watch import WatchOptions
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
            options: for every target that has none of its own.
            recent: where targets that could be opened are kept.
            clock: the time, ns since the epoch.
            refresh_s: seconds between looks, None when they are not taken by themselves.
        """
        self._engine = engine
        self.options = options
        """What the command line said; for a target that is opened without options of its own."""
        self._options = options
        self._recent = recent
        self._clock = clock
        self.refresh_s = refresh_s or None
        self._target: Target | None = None
        self._awaited = False
        """Whether what the engine sends may still be of the target before."""
        self.console = Console(clock)
        """The dispatch console; it outlives targets."""
        self.profiles = Profiles()
        """Captures and what they say; they outlive targets."""
        self.profiler = ProfilerView(self.profiles)
        self.bundles = BundlesShown()
        """Bundles that are being written; they outlive targets."""
        self.watch: SessionWatch | None = None
        """The watch over the job, while it is on."""
        self._refresh_before: float | None = None
        """The interval before it was switched on."""
        self._begin()

    def _begin(self) -> None:
        self.session = Session(self._options.bounds)
        self.view = RankView(self.session)
        self.store = StoreView(self.session)
        self._told = self._revisions
        """Revisions of all that the screens have been told of."""
        self._remembered = False
        self._judged = 0
        """Looks after which the selection was put on the first rank accused."""
        self._put: int | None = None
        self._looked_twice = False
        self._faults_told = 0
        self.asking: dict[tuple[int, str], int] = {}
        """What a person asked of a rank and has no answer yet: when, ns since the epoch, by rank and source."""
        self._before_asking: dict[tuple[int, str], RankReply | None] = {}
        self._packing: int | None = None
        """The look whose bodies are being moved out of the memory."""
        self.calls: list[CallUnderWay] = []
        """Handlers that a person has called, without an answer yet."""

    def open(self, target: Target, options: AttachOptions | None = None) -> None:
        """Attach to a target; only now the one before is let go of. Session and view are new ones then.

        Args:
            options: of this target; those of the command line when None.
        """
        self._options = options or self.options
        if self._target is not None:
            self.end_watch()
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
        self._pack()
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
        if isinstance(event, BundleEvent):
            self.bundles.apply(event)
            if self.watch is not None:
                self.watch.take(event)
            return
        if isinstance(event, TargetOpening | TargetFailed):
            self._awaited = False
        if not self._awaited or isinstance(event, EngineFailed):
            self.session.apply(event)
            if isinstance(event, LookClosed):
                keep_what_is_there()
            if self.watch is not None:
                self.watch.take(event)

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
        self._told = self._revisions

    @property
    def is_told(self) -> bool:
        """Whether the screens have been told of everything that was applied."""
        return self._revisions == self._told

    @property
    def _revisions(self) -> tuple[int, ...]:
        return self.session.revision, self.console.revision, self.profiles.revision, self.bundles.revision

    def new_faults(self) -> list[EngineFailed]:
        """Defects of xpudbg that came since this was last asked."""
        faults = self.session.faults[self._faults_told :]
        self._faults_told = len(self.session.faults)
        return faults

    def _remember(self) -> None:
        if self.session.phase is Phase.OPEN and self._target is not None and not self._remembered:
            self._remembered = True
            self._recent.add(self._target, self._clock(), self._options.name)

    def _select_culprit(self) -> None:
        """After each of the first two looks the selection goes to the first rank accused, unless somebody has moved
        it; after the others that came by themselves too, when nobody had been accused before."""
        session = self.session
        looks = len(session.looks)
        last = 2 if self._put is not None else MOST_BY_ITSELF
        if not self._judged < looks <= last or session.shown is not None:
            return
        self._judged = looks
        accused = [finding.culprits.first for finding in session.live_verdict.findings if finding.severity.accuses]
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

    def show_look(self, look_id: int | None) -> None:
        """Show a closed look on all screens, None for the newest state; what was let go of is read again."""
        self.change(LookShown(look_id))
        shown = self.session.shown
        if shown is not None and shown.dropped:
            before = self.session.book.before(shown.snapshot.id)
            self._engine.analyse_again(shown.snapshot, before.snapshot if before is not None else None)

    def step_look(self, step: int) -> bool:
        """Show the look before (-1) or after (1) the one that is shown. False when there is none."""
        session = self.session
        if step < 0:
            before = session.look_before
            if before is not None:
                self.show_look(before.id)
            return before is not None
        if session.shown is None:
            return False
        after = session.book.after(session.shown.snapshot.id)
        self.show_look(after.snapshot.id if after is not None else None)
        return True

    def _pack(self) -> None:
        """Have the bodies of one older look moved out of the memory, where looks take much."""
        book = self.session.book
        if book.is_packed(self._packing):
            look = book.due_for_packing()
            self._packing = look.id if look is not None else None
            if look is not None:
                self._engine.pack(look)

    def look_when_due(self) -> None:
        """One more look when the interval since the last one is over.

        Without an interval a second one comes too, and some more while others wait for a rank that may only be slow.
        """
        session, latest = self.session, self.session.latest
        if latest is None or session.phase is not Phase.OPEN or session.under_way is not None or not session.asks:
            return
        interval = self._interval()
        if interval and self.watch is not None and self.watch.next_s is not None:
            interval = min(interval, self.watch.next_s)
        if interval and self._clock() - latest.closed_at >= interval * 1e9:
            self._looked_twice = True
            self._engine.look()

    @property
    def looks_by_itself(self) -> bool:
        """Whether one more look comes although there is no interval."""
        session = self.session
        if self.refresh_s or session.phase is not Phase.OPEN or not session.asks:
            return False
        return not self._looked_twice if session.latest is None else bool(self._interval())

    def _interval(self) -> float | None:
        """Seconds from the last look to the next one; None when none comes."""
        session, latest = self.session, self.session.latest
        self._looked_twice |= len(session.looks) > 1 or (latest is not None and latest.cancelled)
        interval = self.refresh_s if self._looked_twice else SECOND_LOOK_S
        if not interval and len(session.looks) < MOST_BY_ITSELF and self._is_undecided():
            interval = SOON_S
        return interval

    def _is_undecided(self) -> bool:
        """Whether ranks wait and it is too soon to accuse anybody."""
        findings = self.session.live_verdict.findings
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

    def bundle(self, order: BundleOrder) -> None:
        """Have a bundle written; it goes on whatever is attached."""
        self.bundles.ordered(order.folder.path if isinstance(order, WriteIncident) else order.path)
        self._engine.bundle(order)

    def begin_watch(self, wanted: WatchOptions, folder: IncidentFolder | None) -> None:
        """Watch the job from now on, and look at it as often as is wanted."""
        self._refresh_before, self.refresh_s = self.refresh_s, wanted.every_s
        self.watch = SessionWatch(
            self.session,
            wanted,
            folder,
            write=self.bundle,
            clock=self._clock,
            monotonic=lambda: self._clock() / 1e9,
        )

    def end_watch(self) -> None:
        """Not any more; looks come as often as before. Files that are being written are written to their end."""
        if self.watch is not None:
            self.watch, self.refresh_s = None, self._refresh_before

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
        """The next of `INTERVALS`; after the longest none, and while the job is watched the shortest."""
        longer = [interval for interval in INTERVALS if interval and interval > (self.refresh_s or 0)]
        usual = None if self.watch is None else next(interval for interval in INTERVALS if interval)
        self.refresh_s = longer[0] if longer else usual
