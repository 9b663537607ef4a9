"""What is known of a rank beside its flight recorder: whether it waits itself, and whether it does not get on.

A recorder shows only who has not joined a call. Such a rank may wait in communication that no recorder knows (Gloo
records no send and no receive), then it is held up too. Or it may be slow: in a young job only its class or a stack
that stands still tells that it hangs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .findings import Confidence, Severity
from .flight_recorder.causes import Kind
from .flight_recorder.motion import Pace
from .ranksets import RankSet
from .snapshot import RankClass
from .stacks.activity import Activity, find_activity
from .stacks.looks import Change

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .flight_recorder.diagnosis import FlightFinding
    from .snapshot import RankState
    from .stack_look import StackLook

__all__ = ["UNSEEN", "Witness"]

_TAKE_LONG = frozenset((Activity.COMPILING, Activity.IMPORTING, Activity.CHECKPOINT))
_LASTING_LOOKS = 2
"""Looks in a row that make a held GIL something that does not pass by itself."""


class Witness:
    """What classes and stacks say about ranks; asked only about those that a finding names."""

    def __init__(self, ranks: Mapping[int, RankState] | None = None, stacks: StackLook | None = None) -> None:
        """
        Args:
            ranks: the rank table.
            stacks: the stacks of the newest look, None before the first.
        """
        self._ranks = ranks or {}
        self._stacks = stacks

    def waits(self, rank: int) -> bool:
        """Whether its stack shows a rank inside communication."""
        return self._stacks is not None and self._stacks.waits(rank)

    def stands(self, rank: int) -> bool:
        """Whether a rank is dead, stopped, or outside communication at the place where the look before saw it.

        Compiling, importing and checkpoints take long at one place in every job: they are no sign that it hangs.
        """
        state = self._ranks.get(rank)
        if state is not None and _gone(state):
            return True
        standing = self._stacks.standings.get(rank) if self._stacks is not None else None
        if standing is None or standing.change is not Change.SAME or self.waits(rank):
            return False
        return find_activity(standing.frames) not in _TAKE_LONG

    def backs(self, one: FlightFinding) -> bool:
        """Whether a finding that would be early stands all the same: all whom it accuses stand still."""
        if not one.early or one.is_usual or one.pace is not Pace.FROZEN:
            return False
        accused = [rank for rank in one.culprits if not self.waits(rank) and not self.may_wait(rank)]
        return bool(accused) and all(map(self.stands, accused))

    def may_wait(self, rank: int) -> bool:
        """Whether a rank is at a line that waits for others in C++, where its stack shows nothing of it."""
        return self._stacks is not None and rank in self._stacks.may_wait

    def weighed(self, one: FlightFinding) -> FlightFinding:
        """A finding without the culprits that wait themselves; where all do, it is only possible."""
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


_RECORDS_NO_P2P = "gloo:"
_UNSEEN_WAITS = (
    "One of these may wait for another one in what neither Gloo's recorder nor Python's stack shows: work.wait() after "
    "irecv, the store; py-spy with native frames shows it."
)

UNSEEN = Witness()
"""Nothing is known beside the recorders."""


def _gone(state: RankState) -> bool:
    if state.rank_class is RankClass.GIL_HELD:
        return state.confirmed >= _LASTING_LOOKS
    return state.rank_class in (RankClass.DEAD, RankClass.STOPPED)
