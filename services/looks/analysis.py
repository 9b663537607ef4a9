"""The heavy analyses of one look of a job: flight recorders, stacks and wait counters, in this order.

The same for a look taken now and for one that is read from a bundle: `LookAnalyst` keeps what carries over from look to
look. It is used from one thread at a time and knows nothing of where replies come from.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..cluster.probes import RECORDERS
from ..counters.look import CounterAnalyst, CounterLook
from ..judging.hidden_waits import HiddenWaits
from ..snapshot import LookContext
from .recorders import RecorderAnalyst, RecorderLook
from .stacks import StackAnalyst, StackLook

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ranksets import RankSet
    from ..snapshot import RankReply

__all__ = ["LookAnalyst", "LookFindings", "LookMaterial"]


@dataclass(frozen=True, slots=True)
class LookMaterial:
    """What the analyses of a look work on."""

    look_id: int
    taken_at: int
    """When the look began, ns since the epoch."""
    replies: Mapping[tuple[int, str], RankReply]
    """By rank and source."""
    world_size: int
    ranks: RankSet
    """The ranks that were asked."""
    hosts: Mapping[int, str] = field(default_factory=dict)
    """Host of each rank."""
    context: LookContext = field(default_factory=LookContext)


@dataclass(frozen=True, slots=True)
class LookFindings:
    """What the analyses made of it."""

    stacks: StackLook
    recorder: RecorderLook
    counters: CounterLook


class LookAnalyst:
    """Analyses the looks of one attachment one after the other."""

    def __init__(self) -> None:
        self._stacks = StackAnalyst()
        self._hidden_waits = HiddenWaits()
        self._counters = CounterAnalyst()
        self._recorders = RecorderAnalyst(probe.source for probe in RECORDERS)

    def analyse(self, look: LookMaterial) -> LookFindings:
        """
        Raises:
            OSError: a spooled body can't be read.
        """
        recorder = self._recorders.analyse(
            look.look_id,
            look.taken_at,
            look.replies,
            look.world_size,
            look.ranks,
            sizes=look.context.group_sizes,
            hosts=look.hosts,
            memberships=look.context.memberships,
        )
        stacks = self._stacks.analyse(
            look.look_id, look.taken_at, look.replies, look.ranks, stood=recorder.rested, moved=recorder.moved
        )
        may_wait = look.context.may_wait
        if may_wait is None:
            may_wait = self._hidden_waits.among(stacks, recorder.not_joined)
        counters = self._counters.analyse(
            look.look_id,
            look.taken_at,
            look.replies,
            look.ranks,
            without=look.context.without_counters,
            inside=recorder.inside | stacks.in_calls,
        )
        return LookFindings(replace(stacks, may_wait=may_wait), recorder, counters)

    def close(self) -> None:
        """Let go of the source files that were read."""
        self._hidden_waits.close()
