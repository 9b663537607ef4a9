"""What is known of a rank beside its flight recorder: whether it waits itself, and whether it does not get on.

A recorder shows only who has not joined a call. Such a rank may wait in communication that no recorder knows (Gloo
records no send and no receive), then it is held up too. Or it may be slow: in a young job only its class or a stack
that stands still tells that it hangs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..findings import Confidence, Severity
from ..flight_recorder.causes import Kind
from ..flight_recorder.diagnosis import PATIENCE_S, SOON_S
from ..flight_recorder.motion import Pace
from ..ranksets import RankSet
from ..snapshot import RankClass
from ..stacks.activity import Activity, find_activity
from ..stacks.looks import Change

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..counters.look import CounterLook
    from ..flight_recorder.diagnosis import FlightFinding
    from ..looks.stacks import StackLook
    from ..snapshot import RankState
    from ..stacks.model import Frame

__all__ = ["UNSEEN", "Witness"]

_TAKE_LONG = frozenset((Activity.COMPILING, Activity.IMPORTING, Activity.CHECKPOINT))
_LATE = frozenset((Kind.NOT_JOINED, Kind.P2P_UNMATCHED))
_IMPORTS = "<frozen importlib."
_LASTING_LOOKS = 2
"""Looks in a row that make a held GIL something that does not pass by itself."""


class Witness:
    """What classes and stacks say about ranks; asked only about those that a finding names."""

    def __init__(
        self,
        ranks: Mapping[int, RankState] | None = None,
        stacks: StackLook | None = None,
        counters: CounterLook | None = None,
    ) -> None:
        """
        Args:
            ranks: the rank table.
            stacks: the stacks of the newest look, None before the first.
            counters: the wait counters of the newest look, None before the first.
        """
        self._ranks = ranks or {}
        self._stacks = stacks
        self._held = counters.waits if counters is not None else {}

    def not_asked(self, ranks: RankSet) -> RankSet:
        """Those of them that are not among the ranks looked at; none when it is not known who is."""
        return RankSet(rank for rank in ranks if rank not in self._ranks) if self._ranks else RankSet()

    def waits(self, rank: int) -> bool:
        """Whether its stack shows a rank inside communication."""
        return self._stacks is not None and self._stacks.waits(rank)

    def stands(self, rank: int) -> bool:
        """Whether a rank is dead, stopped, or outside communication at the place where the look before saw it.

        Compiling, importing and checkpoints take long at one place in every job: they are no sign that it hangs.
        """
        if self.gone(rank):
            return True
        standing = self._stacks.standings.get(rank) if self._stacks is not None else None
        if standing is None or standing.change is not Change.SAME or self.waits(rank):
            return False
        return not _takes_long(standing.frames)

    def excuses(self, one: FlightFinding) -> bool:
        """Whether all whom a finding accuses are at what takes long in every job, and not for very long yet."""
        return one.waited_s is not None and one.waited_s < PATIENCE_S and self._busy(one)

    def _busy(self, one: FlightFinding) -> bool:
        accused = self._accused(one)
        if one.kind not in _LATE or self._stacks is None or any(map(self.gone, accused)):
            return False
        mains = [self._stacks.main(rank) for rank in accused]
        return bool(mains) and all(main is not None and _takes_long(main.frames) for main in mains)

    def backs(self, one: FlightFinding) -> bool:
        """Whether a finding that would be early stands all the same.

        All whom it accuses are gone, or stand still while others have waited for `SOON_S`.
        """
        if not one.early or one.is_usual or one.pace is not Pace.FROZEN:
            return False
        accused = self._accused(one)
        if not accused or not all(map(self.stands, accused)):
            return False
        return (one.waited_s or 0.0) >= SOON_S or all(map(self.gone, accused))

    def gone(self, rank: int) -> bool:
        """Whether by its class a rank can't get on: dead, stopped, or its GIL held for good."""
        state = self._ranks.get(rank)
        return state is not None and _gone(state)

    def _accused(self, one: FlightFinding) -> list[int]:
        return [rank for rank in one.culprits if not self.waits(rank) and not self.may_wait(rank)]

    def may_wait(self, rank: int) -> bool:
        """Whether a rank is at a line that waits for others in C++, where its stack shows nothing of it, or a wait
        counter of it counts one wait for others at two looks."""
        return rank in self._held or (self._stacks is not None and rank in self._stacks.may_wait)

    def shown_by(self, ranks: RankSet) -> str:
        """What tells that these ranks wait themselves: their stacks, or nothing but a wait counter of each."""
        seen = any(self.waits(rank) or rank not in self._held for rank in ranks)
        return "stack" if seen else "wait counter"

    def weighed(self, one: FlightFinding) -> FlightFinding:
        """A finding without the culprits that wait themselves; where all do, it is only possible.

        So is one that comes soon, or early and backed by stacks alone, unless its culprits are gone; and one whose
        culprits are at what takes long in every job.
        """
        doubt = _LONG if self._busy(one) else ""
        if (one.early or one.soon) and not all(map(self.gone, self._accused(one))):
            doubt = _FIRST_STEPS if one.early else _SOON
        if doubt:
            said = f"{one.refutation} {doubt}"
            one = replace(one, severity=Severity.WARNING, confidence=Confidence.POSSIBLE, refutation=said)
        if one.kind is not Kind.NOT_JOINED:
            return one
        sure = RankSet(rank for rank in one.culprits if self.waits(rank))
        unsure = RankSet(rank for rank in one.culprits - sure if self.may_wait(rank))
        left = one.culprits - sure - unsure
        if not left and (sure or unsure):
            return replace(one, severity=Severity.WARNING, confidence=Confidence.POSSIBLE, waits_itself=True)
        made = replace(one, culprits=left, waiting=one.waiting | sure | unsure) if sure or unsure else one
        if made.confidence is Confidence.CERTAIN and unsure:
            made = replace(made, confidence=Confidence.LIKELY)
        if len(left) > 1 and (one.op or "").startswith(_RECORDS_NO_P2P):
            made = replace(made, refutation=f"{made.refutation} {_UNSEEN_WAITS}")
        return made


_FIRST_STEPS = "The job has just begun, and a first step that takes long looks the same."
_LONG = "Compiling, imports and checkpoints take long in every job."
_SOON = "So soon, a step or an evaluation that takes some seconds looks the same."
_RECORDS_NO_P2P = "gloo:"
_UNSEEN_WAITS = (
    "One of these may wait for another one in what neither Gloo's recorder nor Python's stack shows: work.wait() after "
    "irecv, the store; py-spy with native frames shows it."
)

UNSEEN = Witness()
"""Nothing is known beside the recorders."""


def _takes_long(frames: Sequence[Frame]) -> bool:
    """Whether a stack compiles, imports or has to do with a checkpoint; code of a module runs while it is imported."""
    return find_activity(frames) in _TAKE_LONG or any(frame.file.startswith(_IMPORTS) for frame in frames)


def _gone(state: RankState) -> bool:
    if state.rank_class is RankClass.GIL_HELD:
        return state.confirmed >= _LASTING_LOOKS
    return state.rank_class in (RankClass.DEAD, RankClass.STOPPED)
