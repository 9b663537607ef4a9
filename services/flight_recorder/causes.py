"""First causes out of the wait-for graph: which ranks hold up everybody and wait for nobody themselves.

Walking from a call to the calls that its blockers are inside ends at ranks outside all calls, at ranks without a dump,
at a device that does not finish, at a call that its members do not agree on, at one that only an abort has ended, or in
a circle. Everything met on the way is a follower of what it ends at.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ..ranksets import RankSet
from .components import components

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .mismatch import Mismatch
    from .waits import OpenCall, WaitGraph

__all__ = ["Cause", "Kind", "find_causes"]


class Kind(StrEnum):
    """What a finding of the flight recorder is about (the kinds of the design)."""

    NOT_JOINED = "not_joined"
    DEVICE_STUCK = "device_stuck"
    MISMATCH = "mismatch"
    DEADLOCK = "deadlock"
    P2P_UNMATCHED = "p2p_unmatched"
    NO_DUMP = "no_dump"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that holds up ranks and is itself held up by nothing."""

    kind: Kind
    culprits: RankSet
    call: OpenCall | None
    """The call in which it shows first. None for a mismatch in a call that is over."""
    waiting: RankSet
    """All ranks held up by it, directly or through others."""
    followers: tuple[OpenCall, ...] = ()
    """Other calls that wait because of it, the largest first."""
    cycle: tuple[OpenCall, ...] = ()
    """For a deadlock: each call waits for ranks that are inside the next, the last for the first."""
    mismatch: Mismatch | None = None


def find_causes(graph: WaitGraph, mismatches: Sequence[Mismatch]) -> tuple[Cause, ...]:
    """The first causes of a look, none of them twice."""
    walk = _Walk(graph, mismatches)
    causes = [*walk.of_mismatches(mismatches), *walk.of_free_ranks(), *walk.of_cycles(), *walk.of_ends()]
    return tuple(
        causes
        or walk.of_open_exchanges()
        or walk.of_full_calls()
        or walk.of_open_circles()
        or walk.of_half_done_calls()
        or walk.of_dead_ends()
    )


class _Walk:
    def __init__(self, graph: WaitGraph, mismatches: Sequence[Mismatch]) -> None:
        self._calls = graph.calls
        self._current = graph.current | graph.hidden
        hanging = {one.group: one for one in mismatches if not one.ended and not one.p2p}
        self._mismatched = {
            call.index
            for call in self._calls
            if not call.p2p and call.group in hanging and call.seq >= hanging[call.group].seq
        }
        self._halves_of = {id(one): self._of_halves(one) for one in mismatches if one.p2p}
        self._mismatched.update(*self._halves_of.values())
        self._next: dict[int, set[int]] = {call.index: self._edges(call) for call in self._calls}
        self._previous: dict[int, set[int]] = defaultdict(set)
        for index, following in self._next.items():
            for other in following:
                self._previous[other].add(index)

    def _of_halves(self, mismatch: Mismatch) -> set[int]:
        """The calls in which the two halves of a message are open."""
        rows = {variant.row for variant in mismatch.variants}
        return {call.index for call in self._calls if call.p2p and any(half.row in rows for half in call.halves)}

    def _edges(self, call: OpenCall) -> set[int]:
        if call.index in self._mismatched:
            return set()
        return {self._current[rank] for rank in call.blockers if rank in self._current} - {call.index}

    def _free(self, call: OpenCall) -> RankSet:
        """Ranks that have not joined and are inside no other call."""
        if call.index in self._mismatched:
            return RankSet()
        return RankSet(rank for rank in call.missing if rank not in self._current)

    def _behind(self, starts: Iterable[int]) -> tuple[RankSet, set[int]]:
        """The ranks inside these calls and all that wait for them, and the calls."""
        reached, todo = set(), list(starts)
        while todo:
            index = todo.pop()
            if index not in reached:
                reached.add(index)
                todo += self._previous[index]
        waiting = RankSet()
        for index in reached:
            waiting |= self._calls[index].inside | self._calls[index].hidden
        return waiting, reached

    def _made(
        self,
        kind: Kind,
        culprits: RankSet,
        call: OpenCall | None,
        starts: Iterable[int],
        mismatch: Mismatch | None = None,
    ) -> Cause:
        waiting, reached = self._behind(starts)
        others = [self._calls[index] for index in reached if call is None or index != call.index]
        others.sort(key=lambda one: (-len(one.inside), one.created, one.index))
        return Cause(kind, culprits, call, waiting - culprits, tuple(others), mismatch=mismatch)

    def of_mismatches(self, mismatches: Sequence[Mismatch]) -> list[Cause]:
        """One cause for each disagreement; a rank that is odd in several groups is one cause, the first of them."""
        made: list[Cause] = []
        seen: list[RankSet] = []
        for mismatch in mismatches:
            blamed = mismatch.odd or mismatch.ranks
            if any(blamed & other for other in seen):
                continue
            seen.append(blamed)
            starts = [
                call.index
                for call in self._calls
                if call.index in self._mismatched and call.group == mismatch.group and not call.p2p
            ]
            if mismatch.p2p:
                starts = sorted(self._halves_of[id(mismatch)])
            call = next((self._calls[index] for index in starts if self._calls[index].seq == mismatch.seq), None)
            made.append(self._made(Kind.MISMATCH, mismatch.odd, call, starts, mismatch))
        return made

    def of_free_ranks(self) -> list[Cause]:
        """Ranks that others wait for and that wait for nobody, by the call in which they are missed first."""
        missed: dict[int, list[OpenCall]] = defaultdict(list)
        for call in self._calls:
            for rank in self._free(call):
                missed[rank].append(call)
        made = []
        while missed:
            involved = {call.index: call for calls in missed.values() for call in calls}
            # A call that lacks ranks which wait elsewhere, or that some called on top of an older one, comes later.
            main = min(
                involved.values(),
                key=lambda call: (
                    call.missing != self._free(call),
                    bool(call.behind),
                    call.p2p,
                    call.created,
                    -len(call.inside),
                    call.index,
                ),
            )
            culprits = RankSet(rank for rank in self._free(main) if rank in missed)
            starts = {call.index for rank in culprits for call in missed.pop(rank)}
            made.append(self._made(Kind.P2P_UNMATCHED if main.p2p else Kind.NOT_JOINED, culprits, main, starts))
        return made

    def of_cycles(self) -> list[Cause]:
        """Circles of calls that wait for each other."""
        made = []
        for component in components({index: self._firm(index) for index in self._next}):
            cycle = self._circle(component)
            waiting, reached = self._behind(component)
            others = sorted(
                (self._calls[index] for index in reached - set(cycle)), key=lambda one: (-len(one.inside), one.created)
            )
            calls = tuple(self._calls[index] for index in cycle)
            made.append(Cause(Kind.DEADLOCK, RankSet(), calls[0], waiting, tuple(others), cycle=calls))
        return made

    def _firm(self, index: int) -> set[int]:
        """Edges that may close a circle: a receive posted ahead of its time holds nobody up."""
        call = self._calls[index]
        if call.missing:
            return self._next[index]
        return {other for other in self._next[index] if not _only_receives(self._calls[other])}

    def _circle(self, component: set[int]) -> list[int]:
        at = min(component, key=lambda index: (self._calls[index].created, index))
        path: list[int] = []
        while at not in path:
            path.append(at)
            at = min(self._firm(at) & component, key=lambda index: (self._calls[index].created, index))
        return path[path.index(at) :]

    def of_ends(self) -> list[Cause]:
        """Calls that nothing known holds up: a stuck device, missing dumps, an abort."""
        made = []
        no_dump: dict[tuple[int, ...], list[OpenCall]] = defaultdict(list)
        for call in self._calls:
            if call.index in self._mismatched or call.missing:
                continue
            if call.absent and not call.stuck:
                no_dump[tuple(call.absent)].append(call)
            elif call.stuck:
                made.append(self._made(Kind.DEVICE_STUCK, call.stuck, call, [call.index]))
            elif call.unseen or call.unclear:
                made.append(self._made(Kind.NOT_JOINED, RankSet(), call, [call.index]))
            elif call.left_open and self._previous[call.index]:
                made.append(self._made(Kind.DEVICE_STUCK, call.inside, call, [call.index]))
            elif call.alone and self._previous[call.index]:
                made.append(self._made(Kind.DEVICE_STUCK, call.inside | call.hidden, call, [call.index]))
            elif call.late and not call.behind:
                made.append(self._made(Kind.ABORTED, RankSet(), call, [call.index]))
        while no_dump:
            # The smallest set of suspects explains all calls that lack one of them.
            ranks = min(no_dump, key=lambda ranks: (len(ranks), -len(no_dump[ranks]), ranks))
            suspects = RankSet(ranks)
            explained = [other for other in no_dump if suspects & RankSet(other)]
            calls = [call for other in explained for call in no_dump.pop(other)]
            main = min(calls, key=lambda call: (len(call.absent), -len(call.inside), call.created, call.index))
            made.append(self._made(Kind.NO_DUMP, suspects, main, [call.index for call in calls]))
        return made

    def of_open_exchanges(self) -> list[Cause]:
        """The oldest send or receive whose other half is lacking or over, when nothing else explains why it is open:
        the peer is inside another exchange that nothing holds up, or nobody waits behind it."""
        lacking = [call for call in self._calls if call.p2p and call.missing - self._excused(call)]
        for calls in (lacking, [call for call in self._calls if call.left_open]):
            if calls:
                main = min(calls, key=lambda call: (call.created, call.index))
                lacks = main.missing - self._excused(main)
                kind, culprits = (Kind.P2P_UNMATCHED, lacks) if lacks else (Kind.DEVICE_STUCK, main.inside)
                return [self._made(kind, culprits, main, [main.index])]
        return []

    def of_open_circles(self) -> list[Cause]:
        """The oldest exchange that lacks a half at all, when only a circle of receives explains it."""
        lacking = [call for call in self._calls if call.p2p and call.missing]
        if not lacking:
            return []
        main = min(lacking, key=lambda call: (call.created, call.index))
        return [self._made(Kind.P2P_UNMATCHED, main.missing, main, [main.index])]

    def of_half_done_calls(self) -> list[Cause]:
        """The oldest call with a root that all have called and only some have completed: the others' device, or that
        of the root, when nothing else explains it."""
        half = [call for call in self._calls if call.inside and call.half_done]
        if not half:
            return []
        main = min(half, key=lambda call: (call.created, call.index))
        return [self._made(Kind.DEVICE_STUCK, main.inside, main, [main.index])]

    def of_dead_ends(self) -> list[Cause]:
        """Calls at which every chain of waits ends, though nothing is known to hold them up: nobody is named."""
        ends = [call for call in self._calls if self._previous[call.index] and not self._next[call.index]]
        ends = ends or [call for call in self._calls if call.alone]
        return [self._made(Kind.DEVICE_STUCK, RankSet(), call, [call.index]) for call in ends]

    def _excused(self, call: OpenCall) -> RankSet:
        """Missing ranks that are held up themselves, or are inside a call that stands still with others than those
        that wait here."""
        found = []
        for rank in call.missing:
            if rank not in self._current:
                continue
            theirs = self._calls[self._current[rank]]
            peers = {half.peer for half in theirs.halves if half.peer in self._current}
            stands = theirs.full or (theirs.p2p and not theirs.missing and peers - set(call.inside))
            if self._next[theirs.index] or stands:
                found.append(rank)
        return RankSet(found)

    def of_full_calls(self) -> list[Cause]:
        """The oldest call that all have called and none has completed, when nothing else explains why they wait."""
        full = [call for call in self._calls if call.full or call.both_ends]
        if not full:
            return []
        main = min(full, key=lambda call: (call.created, -len(call.inside), call.index))
        return [self._made(Kind.DEVICE_STUCK, RankSet(), main, [call.index for call in full])]


def _only_receives(call: OpenCall) -> bool:
    return bool(call.halves) and not any(half.sends for half in call.halves)
