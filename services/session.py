"""What is known of one job: target, rank table, looks, selection. It changes only in `Session.apply`.

A Session lives with its consumer (the UI thread, or the main thread of a command) and holds no thread, socket or
widget. The engine sends events; the consumer applies them and shows what the Session says.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from . import events
from .cluster import liveness
from .counters.look import NO_COUNTERS
from .findings import Verdict, VerdictValue
from .ranksets import RankSet
from .recorder_look import RecorderLook
from .snapshot import LookContext, Outcome, RankClass, RankReply, RankState, Snapshot
from .stack_look import StackLook
from .store_browse.events import StoreEvent
from .store_browse.shown import StoreShown
from .verdict import judge

__all__ = ["LookUnderWay", "Phase", "Session"]

LOOKS_KEPT = 64
"""Closed looks kept; the oldest goes first."""
LOOKS_MEMORY = 256 * 1024 * 1024
"""Bytes that closed looks may take together; the newest two are always kept."""


class Phase(StrEnum):
    """Where the session stands with its target."""

    IDLE = "idle"
    OPENING = "opening"
    OPEN = "open"
    FAILED = "failed"


@dataclass(slots=True)
class LookUnderWay:
    """The look that has not closed yet."""

    id: int
    taken_at: int
    asked: RankSet
    replies: dict[tuple[int, str], RankReply] = field(default_factory=dict)
    told: set[int] = field(default_factory=set)
    """Ranks about which this look already says something (their ping has ended)."""
    received: dict[tuple[int, str], int] = field(default_factory=dict)
    """Bytes so far of large bodies on their way."""

    @property
    def waiting_for(self) -> RankSet:
        """Ranks asked of which nothing has come yet."""
        return self.asked - RankSet(self.told)


class Session:
    """The state of one attachment. Read it freely, change it by `apply` alone."""

    def __init__(self) -> None:
        self.revision = 0
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
        self.world_size = 0
        self.notes: tuple[str, ...] = ()
        self.secure = ""
        self.replayed = ""
        """Where the looks come from when the job is not asked any more; empty for a live job."""
        self.failure = ""
        """Why the target could not be read (phase failed), one plain line."""
        self.hint = ""
        """What to do about `failure`."""
        self.ranks: dict[int, RankState] = {}
        """The live rank table, ascending; changes while a look is under way."""
        self.looks: list[Snapshot] = []
        """Closed looks, oldest first."""
        self.under_way: LookUnderWay | None = None
        self.stacks = StackLook(look_id=0)
        """What the stacks of the newest analysed look say; its `look_id` is 0 before the first."""
        self.recorded_stacks: StackLook | None = None
        """Of a job that is known from files: the stacks its recorders kept of the calls that are not over. They are of
        the time of the call, so nothing but the stacks screen uses them."""
        self.recorder = RecorderLook(look_id=0)
        """What the flight recorders of the newest analysed look say; its `look_id` is 0 before the first."""
        self.counters = NO_COUNTERS
        """What the wait counters of the newest analysed look say; its `look_id` is 0 before the first."""
        self.asked: dict[tuple[int, str], RankReply] = {}
        """The newest answer to what a person asked of a rank, by rank and source."""
        self.store = StoreShown()
        """What is known of the job's store."""
        self.selected: int | None = None
        self.marked = RankSet()

    # what the screens read ------------------------------------------------------------------------------------

    @property
    def latest(self) -> Snapshot | None:
        """The newest closed look."""
        return self.looks[-1] if self.looks else None

    @property
    def all_ranks(self) -> RankSet:
        return RankSet(self.ranks)

    @property
    def verdict(self) -> Verdict:
        """What is known so far, of the look under way too; computed when first asked for after a change."""
        if self._verdict is None:
            self._verdict = self._judge()
        return self._verdict

    def _judge(self) -> Verdict:
        if not self.ranks:
            return Verdict(VerdictValue.UNKNOWN, self.failure or "no rank is known yet", under_way=True)
        waiting = self.under_way.waiting_for if self.under_way else RankSet()
        notes = (*(self.latest.notes if self.latest else ()), *self.notes)
        return judge(
            self.ranks,
            waiting=waiting,
            under_way=self.under_way is not None or not self.looks,
            notes=notes,
            stacks=self.stacks if self.stacks.look_id else None,
            recorder=self.recorder if self.recorder.look_id else None,
            counters=self.counters if self.counters.look_id else None,
            world_size=self.world_size if not self.post_mortem else 0,
        )

    @property
    def post_mortem(self) -> bool:
        """Whether the job is known from files alone."""
        return any(state.address.file for state in self.ranks.values())

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
        if self.selected not in self.ranks:
            return order[0]
        return order[(order.index(self.selected) + step) % len(order)]

    # the one place where it changes ---------------------------------------------------------------------------

    def apply(self, event: events.Event) -> None:
        """Fold one event in. Events of a look that has closed already are ignored."""
        if isinstance(event, StoreEvent):
            self.store.apply(event)
            self.revision += 1
            return
        match event:
            case events.TargetOpening():
                self._begin(event.label, Phase.OPENING)
            case events.TargetOpened():
                self._opened(event)
            case events.TargetFailed():
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
                self.stacks, self.recorder = event.stacks, event.recorder
                self.recorded_stacks = event.recorded
                self.counters = event.counters or NO_COUNTERS
            case events.AskedReply():
                self.asked[event.reply.rank, event.reply.source] = event.reply
                self._fold(event.reply)
            case events.LateReply():
                self._fold(event.reply)
            case events.StuckChanged():
                if event.rank in self.ranks:
                    self.ranks[event.rank] = replace(self.ranks[event.rank], stuck=event.handlers)
            case events.LookClosed():
                self._closed(event)
            case events.EngineFailed():
                self.faults.append(event)
            case events.RankSelected():
                if event.rank in self.ranks:
                    self.selected = event.rank
            case events.RanksMarked():
                self.marked = event.ranks & self.all_ranks
        if not isinstance(event, events.RankSelected | events.RanksMarked | events.OpProgressed | events.OpEnded):
            self._verdict = None
        self.revision += 1

    def _opened(self, event: events.TargetOpened) -> None:
        self.phase, self.label, self.world_size = Phase.OPEN, event.label, event.world_size
        self.notes, self.secure, self.failure, self.hint = event.notes, event.secure, "", ""
        self.store.where = event.store
        self.replayed = event.replayed
        table: dict[int, RankState] = {}
        for address in event.addresses:
            known = self.ranks.get(address.rank)
            if known is not None and known.address == address:
                table[address.rank] = known
            else:
                table[address.rank] = liveness.begin(address)
        self.ranks = table
        self.marked = self.marked & self.all_ranks
        if self.selected not in table:
            self.selected = next(iter(table), None)

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
        state = self.ranks.get(reply.rank)
        if state is not None:
            self.ranks[reply.rank] = liveness.fold(state, reply)

    def _closed(self, event: events.LookClosed) -> None:
        look = self.under_way
        if look is None or look.id != event.look_id:
            return
        if not event.cancelled and not self.post_mortem:
            for rank in look.asked & self.all_ranks:
                ping = look.replies.get((rank, "ping"))
                if ping is None or ping.outcome is Outcome.CANCELLED:
                    why = ping.error if ping is not None else "xpudbg itself failed on it"
                    self.ranks[rank] = liveness.not_told(self.ranks[rank], why)
        self.ranks |= liveness.compare_hosts(self.ranks)
        for rank in look.told:
            if rank in self.ranks:
                self.ranks[rank] = liveness.settle(self.ranks[rank])
        self._keep(
            Snapshot(
                id=look.id,
                taken_at=look.taken_at,
                closed_at=event.closed_at,
                target=self.label,
                world_size=self.world_size,
                ranks=self.ranks,
                replies=look.replies,
                cancelled=event.cancelled,
                notes=event.notes,
                partial=event.partial,
                context=event.context or LookContext(),
            )
        )
        self.under_way = None

    def _keep(self, snapshot: Snapshot) -> None:
        self.looks.append(snapshot)
        del self.looks[:-LOOKS_KEPT]
        left = LOOKS_MEMORY
        for number, look in enumerate(reversed(self.looks)):
            left -= look.memory()
            if left < 0 and number >= 2:
                del self.looks[: len(self.looks) - number]
                break
