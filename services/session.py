"""What is known of one job: target, rank table, looks, selection. It changes only in `Session.apply`.

A Session lives with its consumer (the UI thread, or the main thread of a command) and holds no thread, socket or
widget. The engine sends events; the consumer applies them and shows what the Session says. Ranks, verdict and analyses
are those of the look that is shown: the live state, or an older look that a person has gone back to.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from . import events
from .cluster import liveness
from .counters.look import NO_COUNTERS
from .findings import Verdict, VerdictValue
from .judging.no_rank import no_rank_said
from .looks.book import USUAL_BOUNDS, LookBook, LookBounds
from .looks.live_state import LiveState, LookUnderWay
from .ranksets import RankSet
from .snapshot import LookContext, Outcome, Snapshot
from .store_browse.events import StoreEvent
from .store_browse.shown import StoreShown
from .verdict import judge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .artifacts.artifact import Refused
    from .counters.look import CounterLook
    from .looks.record import LookRecord
    from .looks.recorders import RecorderLook
    from .looks.stacks import StackLook
    from .snapshot import RankClass, RankReply, RankState

__all__ = ["LookUnderWay", "Phase", "Session"]

_JUDGES_NOTHING = (
    *(events.RankSelected, events.RanksMarked, events.LookShown, events.LookPacked, events.AnalysedAgain),
    *(events.LookClosed, events.OpProgressed, events.OpEnded, events.TargetProgress),
)
"""Events that leave what is known as it is, or judge it themselves."""


class Phase(StrEnum):
    """Where the session stands with its target."""

    IDLE = "idle"
    OPENING = "opening"
    OPEN = "open"
    FAILED = "failed"


class Session:
    """The state of one attachment. Read it freely, change it by `apply` alone."""

    def __init__(self, bounds: LookBounds = USUAL_BOUNDS) -> None:
        self._bounds, self.revision = bounds, 0
        """Grows with each change, so that a screen can tell whether it is current."""
        self.faults: list[events.EngineFailed] = []
        """Defects of xpudbg itself that the engine reported."""
        self._verdict: Verdict | None = None
        self._begin("", Phase.IDLE)

    def _begin(self, label: str, phase: Phase) -> None:
        """Forget what belongs to the target before."""
        self.phase = phase
        self.label = label
        """The target as shown, without secrets."""
        self.live = LiveState()
        """What is known now, whatever look is shown."""
        self.notes: tuple[str, ...] = ()
        self.secure, self.of_files = "", False
        self.replayed = ""
        """Where the looks come from when the job is not asked any more; empty for a live job."""
        self.asides: tuple[str, ...] = ()
        """What is worth knowing and limits nothing, one plain line each."""
        self.unused: tuple[Refused, ...] = ()
        """Of a target of files: those that could not be used, the job's own first, then what is left aside."""
        self.reading: events.TargetProgress | None = None
        """How far the reading of files is; None when none are being read."""
        self.failure = ""
        """Why the target could not be read (phase failed), one plain line."""
        self.hint = ""
        """What to do about `failure`."""
        self.book = LookBook(self._bounds)
        """Closed looks with what was made of them."""
        self.under_way: LookUnderWay | None = None
        self._again_failed: dict[int, str] = {}
        """Why a look could not be analysed again."""
        self.asked: dict[tuple[int, str], RankReply] = {}
        """The newest answer to what a person asked of a rank, by rank and source."""
        self.store = StoreShown()
        """What is known of the job's store."""
        self.selected: int | None = None
        self.marked = RankSet()

    # what the screens read ------------------------------------------------------------------------------------

    @property
    def looks(self) -> list[Snapshot]:
        """Closed looks, oldest first."""
        return self.book.snapshots

    @property
    def latest(self) -> Snapshot | None:
        """The newest closed look."""
        return self.book.snapshots[-1] if self.book.snapshots else None

    @property
    def shown(self) -> LookRecord | None:
        """The older look that is shown because a person has gone to it; None for the live state."""
        return self.book.get(self.book.pinned)

    @property
    def look(self) -> Snapshot | None:
        """The closed look that is shown: the one gone to, else the newest."""
        shown = self.shown
        return shown.snapshot if shown is not None else self.latest

    @property
    def look_before(self) -> Snapshot | None:
        """The closed look that what is shown follows."""
        shown = self.shown
        if shown is not None:
            before = self.book.before(shown.snapshot.id)
            return before.snapshot if before is not None else None
        looks = self.looks if self.under_way is not None else self.looks[:-1]
        return looks[-1] if looks else None

    @property
    def ranks(self) -> Mapping[int, RankState]:
        """The rank table that is shown, ascending; the live one changes while a look is under way."""
        shown = self.shown
        return shown.snapshot.ranks if shown is not None else self.live.ranks

    @property
    def world_size(self) -> int:
        shown = self.shown
        return shown.snapshot.world_size if shown is not None else self.live.world_size

    @property
    def stacks(self) -> StackLook:
        """What the stacks of the newest analysed look say, or of the one shown; `look_id` is 0 where there are none."""
        return (self.shown or self.live).stacks

    @property
    def recorded_stacks(self) -> StackLook | None:
        """Of a job that is known from files: the stacks its recorders kept of the calls that are not over. They are of
        the time of the call, so nothing but the stacks screen uses them."""
        return (self.shown or self.live).recorded

    @property
    def recorder(self) -> RecorderLook:
        """What the flight recorders of that look say; `look_id` is 0 where there are none."""
        return (self.shown or self.live).recorder

    @property
    def counters(self) -> CounterLook:
        """What the wait counters of that look say; `look_id` is 0 where there are none."""
        return (self.shown or self.live).counters

    @property
    def reading_again(self) -> str:
        """Why the look shown has no analyses for now, one plain line; empty when nothing is missing."""
        shown = self.shown
        if shown is None or not shown.dropped:
            return ""
        failed = self._again_failed.get(shown.snapshot.id)
        if failed is not None:
            return f"look {shown.snapshot.id} can't be read again: {failed}"
        return f"look {shown.snapshot.id}: stacks, recorders and counters are being read again"

    @property
    def all_ranks(self) -> RankSet:
        return RankSet(self.ranks)

    @property
    def verdict(self) -> Verdict:
        """Of the look shown, as it was judged; else what is known so far."""
        shown = self.shown
        return shown.verdict if shown is not None else self.live_verdict

    @property
    def live_verdict(self) -> Verdict:
        """What is known so far, of the look under way too; computed when first asked for after a change."""
        if self._verdict is None:
            self._verdict = self._judge(self.latest, under_way=self.under_way is not None or not self.looks)
        return self._verdict

    def _judge(self, look: Snapshot | None, *, under_way: bool) -> Verdict:
        live = self.live
        if not live.ranks:
            return Verdict(VerdictValue.UNKNOWN, self.failure or no_rank_said(self), under_way=self.asks)
        waiting = self.under_way.waiting_for if self.under_way else RankSet()
        return judge(
            live.ranks,
            waiting=waiting,
            under_way=under_way,
            notes=(*(look.notes if look else ()), *self.notes),
            stacks=live.stacks if live.stacks.look_id else None,
            recorder=live.recorder if live.recorder.look_id else None,
            counters=live.counters if live.counters.look_id else None,
            world_size=live.world_size if not self.post_mortem else 0,
        )

    @property
    def post_mortem(self) -> bool:
        """Whether the job is known from files alone."""
        return self.of_files or any(state.address.file for state in self.live.ranks.values())

    @property
    def asks(self) -> bool:
        """Whether the job's ranks can be asked: it is neither known from files nor replayed from a bundle."""
        return not self.post_mortem and not self.replayed

    def counts(self) -> dict[RankClass, int]:
        """How many ranks have each class."""
        counted: dict[RankClass, int] = {}
        for state in self.ranks.values():
            counted[state.rank_class] = counted.get(state.rank_class, 0) + 1
        return counted

    def neighbour(self, step: int) -> int | None:
        """The rank `step` places from the selected one in rank order, going round at the ends."""
        order = list(self.ranks)
        if not order:
            return None
        if self.selected is None or self.selected not in self.ranks:
            return order[0]
        return order[(order.index(self.selected) + step) % len(order)]

    def frozen(self) -> Session:
        """A copy of the live state that another thread may read while this one goes on."""
        made = copy.copy(self)
        made.live, made.book, made.asked = (
            replace(self.live, ranks=dict(self.live.ranks)),
            self.book.copy(),
            dict(self.asked),
        )
        return made

    # the one place where it changes ---------------------------------------------------------------------------

    def apply(self, event: events.Event) -> None:
        """Fold one event in. Events of a look that has closed already are ignored."""
        if isinstance(event, StoreEvent):
            self.store.apply(event)
            self._verdict = self._verdict if self.live.ranks else None  # without ranks the store is what is known
            self.revision += 1
            return
        match event:
            case events.TargetOpening():
                self._begin(event.label, Phase.OPENING)
            case events.TargetProgress():
                self.reading = event
            case events.TargetOpened():
                self._opened(event)
            case events.TargetFailed():
                self.reading = None
                self.phase, self.label = Phase.FAILED, event.label
                self.failure, self.hint = event.message, event.hint
            case events.TargetClosed():
                self.phase, self.under_way = Phase.IDLE, None
            case events.LookStarted():
                self._started(event)
            case events.ReplyArrived():
                self._reply(event)
            case events.TransferProgress():
                if self.under_way is not None and self.under_way.id == event.look_id:
                    self.under_way.received[event.rank, event.source] = event.received
            case events.Analysed():
                live = self.live
                live.stacks, live.recorder, live.recorded = event.stacks, event.recorder, event.recorded
                live.counters = event.counters or NO_COUNTERS
            case events.AnalysedAgain():
                self._analysed_again(event)
            case events.LookPacked():
                if self._is_there(event.look_id, event.taken_at):
                    self.book.repack(event.look_id, event.replies)
            case events.AskedReply():
                self.asked[event.reply.rank, event.reply.source] = event.reply
                self._fold(event.reply)
            case events.LateReply():
                self._fold(event.reply)
            case events.StuckChanged():
                if event.rank in self.live.ranks:
                    self.live.ranks[event.rank] = replace(self.live.ranks[event.rank], stuck=event.handlers)
            case events.LookClosed():
                self._closed(event)
            case events.EngineFailed():
                self.faults.append(event)
            case events.RankSelected():
                if event.rank in self.ranks:
                    self.selected = event.rank
            case events.RanksMarked():
                self.marked = event.ranks & self.all_ranks
            case events.LookShown():
                self._show(event.look_id)
        if not isinstance(event, _JUDGES_NOTHING):
            self._verdict = None
        self.revision += 1

    def _opened(self, event: events.TargetOpened) -> None:
        self.phase, self.label, self.live.world_size = Phase.OPEN, event.label, event.world_size
        self.notes, self.secure, self.failure, self.hint = event.notes, event.secure, "", ""
        self.store.where, self.of_files = event.store, event.of_files
        self.replayed, self.unused, self.asides, self.reading = event.replayed, event.unused, event.asides, None
        table: dict[int, RankState] = {}
        for address in event.addresses:
            known = self.live.ranks.get(address.rank)
            if known is not None and known.address == address:
                table[address.rank] = known
            else:
                table[address.rank] = liveness.begin(address)
        self.live.ranks = table
        self._choose_within()

    def _choose_within(self) -> None:
        """Selection and marks are of ranks that are shown."""
        self.marked = self.marked & self.all_ranks
        if self.selected not in self.ranks:
            self.selected = next(iter(self.ranks), None)

    def _show(self, look_id: int | None) -> None:
        """Show a look; the newest one is the live state, as long as no look is under way."""
        latest = self.latest
        if latest is not None and look_id == latest.id and self.under_way is None:
            look_id = None
        if look_id is not None:
            self._again_failed.pop(look_id, None)
        self.book.pin(look_id)
        self._choose_within()

    def _is_there(self, look_id: int, taken_at: int) -> bool:
        record = self.book.get(look_id)
        return record is not None and record.snapshot.taken_at == taken_at

    def _analysed_again(self, event: events.AnalysedAgain) -> None:
        if not self._is_there(event.look_id, event.taken_at):
            return
        if event.found is None:
            self._again_failed[event.look_id] = event.failure
        else:
            self.book.restore(event.look_id, event.found.stacks, event.found.recorder, event.found.counters)

    def _started(self, event: events.LookStarted) -> None:
        if self.under_way is not None and self.under_way.id == event.look_id:
            self.under_way.asked = self.under_way.asked | event.ranks
        else:
            self.under_way = LookUnderWay(event.look_id, event.taken_at, event.ranks)

    def _reply(self, event: events.ReplyArrived) -> None:
        if self.under_way is None or self.under_way.id != event.look_id:
            return
        reply = event.reply
        self.under_way.replies[reply.rank, reply.source] = reply
        self.under_way.received.pop((reply.rank, reply.source), None)
        if reply.source == "ping":
            self.under_way.told.add(reply.rank)
        self._fold(reply)

    def _fold(self, reply: RankReply) -> None:
        state = self.live.ranks.get(reply.rank)
        if state is not None:
            self.live.ranks[reply.rank] = liveness.fold(state, reply)

    def _closed(self, event: events.LookClosed) -> None:
        look = self.under_way
        if look is None or look.id != event.look_id:
            return
        ranks = self.live.ranks
        if not event.cancelled and not self.post_mortem:
            for rank in look.asked & RankSet(ranks):
                ping = look.replies.get((rank, "ping"))
                if ping is None or ping.outcome is Outcome.CANCELLED:
                    why = ping.error if ping is not None else "xpudbg itself failed on it"
                    ranks[rank] = liveness.not_told(ranks[rank], why)
        ranks |= liveness.compare_hosts(ranks)
        for rank in look.told:
            if rank in ranks:
                ranks[rank] = liveness.settle(ranks[rank])
        closed = Snapshot(
            id=look.id,
            taken_at=look.taken_at,
            closed_at=event.closed_at,
            target=self.label,
            world_size=self.live.world_size,
            ranks=ranks,
            replies=look.replies,
            cancelled=event.cancelled,
            notes=event.notes,
            partial=event.partial,
            context=event.context or LookContext(),
        )
        self.under_way = None
        self._verdict = self._judge(closed, under_way=False)
        self.book.keep(self.live.record(closed, self._verdict))
