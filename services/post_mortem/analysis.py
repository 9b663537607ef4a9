"""The analyses of looks at files: flight recorder dumps, stacks and wait counters that a job has left behind.

Beside `look_analysis`, which is for looks at a living job: here the ranks don't answer, one look may be all there is,
and dumps of one rank may come from several hosts or runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..counters.look import SOURCE, CounterAnalyst, CounterLook
from ..events import Analysed
from ..looks.recorders import RecorderAnalyst, RecorderLook
from ..looks.stacks import SOURCES, StackAnalyst, StackLook
from ..ranksets import RankSet
from ..stacks.recorded import recorded_stacks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..findings import Finding
    from ..flight_recorder.dump import Dump
    from ..snapshot import RankReply

__all__ = ["FileAnalyst", "FileMaterial"]

NO_STACK = "no file has its stack"


@dataclass(frozen=True, slots=True)
class FileMaterial:
    """What the analyses of one look at files work on."""

    look_id: int
    taken_at: int
    """Of the newest thing in it, ns since the epoch."""
    dumps: Sequence[Dump]
    """At most one for each rank."""
    replies: Mapping[tuple[int, str], RankReply]
    """Stacks and counters, by rank and source."""
    ranks: RankSet
    """All ranks that are known or asked for."""
    world_size: int
    unreadable: Mapping[int, str] = field(default_factory=dict)
    """Ranks whose dump could not be read, and why."""
    mixed: RankSet = field(default_factory=RankSet)
    """Ranks of which dumps of several hosts or runs lie together."""
    logged: tuple[Finding, ...] = ()
    """What lines of NCCL's watchdog in logs say."""


class FileAnalyst:
    """Analyses the looks at the files of one target one after the other; used from one thread at a time."""

    def __init__(self) -> None:
        self._recorder = RecorderAnalyst(())
        self._stacks = StackAnalyst(one_look_counts=True)
        self._counters = CounterAnalyst()

    def analyse(self, look: FileMaterial) -> Analysed:
        """
        Raises:
            OSError: a body can't be read.
        """
        recorder = RecorderLook(look.look_id)
        if look.dumps or look.unreadable:
            recorder = self._recorder.judge_files(
                look.look_id, look.taken_at, look.dumps, look.world_size, look.unreadable, look.mixed
            )
        recorder = replace(recorder, logged=look.logged)
        stacks = self._read_stacks(look, recorder)
        # The texts of tools tell where a rank was at that time; what recorders kept is of the time of the call.
        recorded = recorded_stacks(recorder, look.ranks) if look.dumps and not stacks.dumps else None
        return Analysed(look.look_id, stacks, recorder, recorded, self._read_counters(look, recorder, stacks))

    def _read_stacks(self, look: FileMaterial, recorder: RecorderLook) -> StackLook:
        if not any(source in SOURCES for _, source in look.replies):
            return StackLook(look_id=0)
        stacks = self._stacks.analyse(
            look.look_id, look.taken_at, look.replies, look.ranks, stood=recorder.rested, moved=recorder.moved
        )
        told = {rank for rank, source in look.replies if source in SOURCES}
        missing = {rank: why if rank in told else NO_STACK for rank, why in stacks.missing.items()}
        return replace(stacks, missing=missing)

    def _read_counters(self, look: FileMaterial, recorder: RecorderLook, stacks: StackLook) -> CounterLook | None:
        if not any(source == SOURCE for _, source in look.replies):
            return None
        return self._counters.analyse(
            look.look_id,
            look.taken_at,
            look.replies,
            look.ranks,
            without=RankSet(),
            inside=recorder.inside | stacks.in_calls,
        )
