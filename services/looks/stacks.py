"""The stacks of one look: read, merged, followed over time, and judged.

`StackAnalyst` keeps what carries over from look to look; it is used from one thread at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..judging.history import History
from ..ranksets import RankSet
from ..snapshot import Outcome
from ..stacks.communication import CommunicationKind, find_communication
from ..stacks.looks import Standing, follow
from ..stacks.model import StackSource
from ..stacks.reading import StackReader
from ..stacks.stuck import StuckReport, find_stuck
from ..stacks.tree import MergedStacks, merge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..snapshot import RankReply
    from ..stacks.model import Frame, StackDump, ThreadStack

__all__ = ["SOURCES", "StackAnalyst", "StackLook"]

SOURCES = {"dump_traceback": StackSource.FAULTHANDLER, "pyspy_dump": StackSource.PYSPY}
"""Replies that hold stacks, by source; of several for one rank the last that has threads counts."""

_CALLS = frozenset((CommunicationKind.COLLECTIVE, CommunicationKind.SEND, CommunicationKind.RECV))


@dataclass(frozen=True, slots=True)
class StackLook:
    """What the stacks of one look say. Immutable; ranks without a stack stand in `missing` with the reason."""

    look_id: int
    dumps: Mapping[int, StackDump] = field(default_factory=dict)
    merged: MergedStacks = field(default_factory=lambda: merge({}))
    """Main threads, boring frames left out."""
    standings: Mapping[int, Standing] = field(default_factory=dict)
    stuck: StuckReport = field(default_factory=StuckReport)
    missing: Mapping[int, str] = field(default_factory=dict)
    """Why a rank has no stack, one plain line."""
    may_wait: RankSet = field(default_factory=RankSet)
    """Ranks that a recorder names and whose line in the source waits for others, unseen by Python's stack."""

    def main(self, rank: int) -> ThreadStack | None:
        """The main thread of a rank at this look."""
        dump = self.dumps.get(rank)
        return None if dump is None else dump.main_thread

    @property
    def in_calls(self) -> RankSet:
        """Ranks whose main thread is surely inside a collective, a send or a recv."""
        known: dict[tuple[Frame, ...], bool] = {}
        found = []
        for rank, dump in self.dumps.items():
            main = dump.main_thread
            if main is None or not main.frames:
                continue
            if main.frames not in known:
                inside = find_communication(main.frames)
                known[main.frames] = inside is not None and inside.sure and inside.kind in _CALLS
            if known[main.frames]:
                found.append(rank)
        return RankSet(found)

    def waits(self, rank: int) -> bool:
        """Whether the main thread of a rank is surely inside communication."""
        main = self.main(rank)
        inside = find_communication(main.frames) if main is not None and main.frames else None
        return inside is not None and inside.sure


class StackAnalyst:
    """Reads and judges the stacks of one attachment look by look."""

    def __init__(self, *, one_look_counts: bool = False) -> None:
        """
        Args:
            one_look_counts: a look without one before it is all there is and will be (files), and is judged as such.
        """
        self._reader = StackReader()
        self._standings: History[dict[int, Standing]] = History()
        self._one_look_counts = one_look_counts

    def analyse(
        self,
        look_id: int,
        taken_at: int,
        replies: Mapping[tuple[int, str], RankReply],
        ranks: RankSet,
        *,
        stood: RankSet | None = None,
        moved: RankSet | None = None,
    ) -> StackLook:
        """The stacks of a look.

        Args:
            look_id: number of the look.
            taken_at: when it was taken, ns since the epoch.
            replies: the replies of the look, by rank and source.
            ranks: the ranks that were asked.
            stood: ranks known to have completed no collective since the look before.
            moved: ranks known to have completed some.

        Raises:
            OSError: a spooled body can't be read.
        """
        dumps: dict[int, StackDump] = {}
        missing: dict[int, str] = {}
        read = self._reader.read(_texts(replies))
        for rank in ranks:
            dump = read.get(rank)
            if dump is not None and dump.threads:
                dumps[rank] = dump
            else:
                missing[rank] = _why(rank, replies, dump)
        before = self._standings.before(taken_at) or {}
        standings = follow(before, dumps, taken_at)
        self._standings.add(taken_at, standings)
        one_look = self._one_look_counts and not before
        stuck = find_stuck(dumps, standings, ranks=ranks, stood=stood, moved=moved, one_look=one_look)
        return StackLook(look_id, dumps, merge(dumps), standings, stuck, missing)


def _texts(replies: Mapping[tuple[int, str], RankReply]) -> Iterator[tuple[int, StackSource, bytes, bool]]:
    """The texts with stacks, the ones that count last: a traceback, and py-spy only where that is none."""
    for (rank, source), reply in replies.items():
        if source not in SOURCES or not reply.body.size:
            continue
        other = replies.get((rank, "dump_traceback"))
        if source == "pyspy_dump" and other is not None and other.outcome is Outcome.OK:
            continue
        if source == "dump_traceback" and reply.outcome is Outcome.HTTP_ERROR:
            continue
        yield rank, SOURCES[source], reply.body.read(), reply.outcome in (Outcome.OK, Outcome.HTTP_ERROR)


def _why(rank: int, replies: Mapping[tuple[int, str], RankReply], dump: StackDump | None) -> str:
    if dump is not None and (dump.error or dump.notes):
        return dump.error or dump.notes[0]
    for source in ("pyspy_dump", "dump_traceback", "ping"):
        reply = replies.get((rank, source))
        if reply is not None and reply.error:
            return f"{source}: {reply.error}"
    if any((rank, source) in replies for source in SOURCES):
        return "the answer is empty"
    return "no stack was asked for"
