"""Finds ranks that are somewhere else while others wait inside torch.distributed (finding kind `stuck_stack`).

Pure, and slow to accuse. Nobody is named when
- nobody waits inside communication (an idle job), or all do (a deadlock is for other analyses to tell);
- a waiting rank has moved since the look before, by its stack or by what the caller knows (a moving job);
- it is about a rank whose main stack is missing at one of the looks: it is unknown, neither waiting nor outside;
- it is about a rank that may itself wait where Python's stack does not show it: it is ambiguous.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from ..findings import Confidence
from ..ranksets import RankSet
from .activity import Activity, find_activity
from .alignment import align
from .communication import Communication, CommunicationKind, find_communication, waits_for_thread
from .looks import Change
from .ownership import user_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from .communication import SourceLine
    from .looks import Standing
    from .model import Frame, StackDump, ThreadStack

__all__ = ["Doubt", "StuckRanks", "StuckReport", "Waiting", "find_stuck"]


class Doubt(StrEnum):
    """What keeps a reading from being likely."""

    PROGRESS_UNKNOWN = "progress_unknown"
    """Nothing but stacks says that the waiting ranks stand still; a slow job looks the same at every look."""
    WAITS_HIDDEN = "waits_hidden"
    """Those that wait do so in C++ or through another thread: their stacks only allow for it."""
    MOST_OUTSIDE = "most_outside"
    """More ranks are outside than wait: the ones that wait may be the odd ones."""
    LINES_CHANGE = "lines_change"
    """The rank works: its own stack changed between the looks."""
    HELPER_INSIDE = "helper_inside"
    """Another thread of the rank is inside communication."""
    ONE_LOOK = "one_look"
    """There is only one look: whether anybody stands still is not known."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Ranks that wait in the same call."""

    ranks: RankSet
    kind: CommunicationKind
    function: str
    """`all_reduce`, `recv`, `c10d::Reducer::finalize_backward`."""
    site: Frame | None
    """Where the user's code calls it."""
    sure: bool
    """False: a wait that Python's stack only allows for."""


@dataclass(frozen=True, slots=True)
class StuckRanks:
    """Ranks that are at the same place outside while others wait."""

    ranks: RankSet
    frames: tuple[Frame, ...]
    """The main stack, innermost first."""
    where: Frame | None
    """The innermost frame of the user's code; None when there is none."""
    activity: Activity
    confidence: Confidence
    doubts: frozenset[Doubt]
    """Why the confidence is not higher; empty for likely."""
    since: int
    """When the last of them came to the innermost function, ns since the epoch."""
    looks: int
    """Looks that saw all of them in it."""
    holds_gil: bool
    """Whether the main thread of each was seen holding the GIL (py-spy only)."""
    c_unseen: bool
    """The stack shows Python only: what its innermost line calls in C, a wait perhaps, is not seen."""


@dataclass(frozen=True, slots=True)
class StuckReport:
    """Who waits inside torch.distributed and who is elsewhere."""

    stuck: tuple[StuckRanks, ...] = ()
    """The odd ones first: fewest ranks, then the lowest rank."""
    waiting: tuple[Waiting, ...] = ()
    """Ranks inside communication that stood still, largest first; also when nobody is stuck."""
    ambiguous: RankSet = field(default_factory=RankSet)
    """Ranks that look outside but may wait too; not accused."""
    unknown: RankSet = field(default_factory=RankSet)
    """Ranks without a main stack at this look or the one before."""
    moving: RankSet = field(default_factory=RankSet)
    """Ranks that moved since the look before."""

    @property
    def ranks(self) -> RankSet:
        """All ranks that are stuck."""
        return _union(one.ranks for one in self.stuck)

    @property
    def waiting_ranks(self) -> RankSet:
        return _union(one.ranks for one in self.waiting)

    @property
    def receiving(self) -> tuple[Waiting, ...]:
        """Those that sit in a receive. Who should send is not known: Gloo records no send and no receive."""
        return tuple(one for one in self.waiting if one.kind is CommunicationKind.RECV)


@dataclass(frozen=True, slots=True)
class _Position:
    """One rank whose main stack was seen at two looks, or at the only one."""

    rank: int
    main: ThreadStack
    standing: Standing
    inside: Communication | None
    """The main thread's communication, or that of a thread it may wait for."""
    helper_inside: bool
    """Another thread communicates, and the main thread does not wait for it."""

    @property
    def still(self) -> bool:
        return self.standing.change in (Change.SAME, Change.FIRST)


def find_stuck(
    dumps: Mapping[int, StackDump],
    standings: Mapping[int, Standing],
    *,
    ranks: RankSet | None = None,
    stood: RankSet | None = None,
    moved: RankSet | None = None,
    source_line: SourceLine | None = None,
    one_look: bool = False,
) -> StuckReport:
    """Judge the latest look against the one before.

    Args:
        dumps: the dumps of the latest look, by rank.
        standings: where each rank stands after that look (`looks.follow`).
        ranks: the ranks that are looked at; those without a dump are unknown. Default: those with a dump.
        stood: ranks known from other sources (flight recorder, counters of collectives) to have completed nothing
            since the look before. Where it does not cover those that wait, no finding is more than possible, and a
            rank that works is not named at all.
        moved: ranks known from other sources to have completed something since the look before.
        source_line: reads a line of a source file where it is at hand, see `communication.find_communication`.
        one_look: there is no look before and none will follow (files): who is outside is told with that doubt.
    """
    stood = stood or RankSet()
    moved = moved or RankSet()
    positions = list(_positions(align(dumps), standings, source_line, one_look=one_look))
    unknown = (RankSet(dumps) if ranks is None else ranks) - RankSet(one.rank for one in positions)
    moving = RankSet(one.rank for one in positions if not one.still or one.rank in moved)
    inside = [one for one in positions if one.inside is not None]
    outside = [one for one in positions if one.inside is None]
    # Where some surely wait, a stack that only allows for a wait may be what they wait for.
    any_sure = any(one.inside is not None and one.inside.sure for one in inside)
    unsure = [one for one in inside if any_sure and one.inside is not None and not one.inside.sure]
    waiting = _waiting(one for one in inside if one not in unsure and one.rank not in moving)
    waiting_ranks = _union(one.ranks for one in waiting)
    waiters_stood = bool(waiting) and waiting_ranks <= stood
    somebody_moves = bool(RankSet(one.rank for one in inside) & moving) or any(
        one.rank in moved or not (one.still or waiters_stood) for one in outside
    )
    sites = {one.site for one in waiting}
    ambiguous = [one for one in outside if one.main.frames[0] in sites and not one.main.holds_gil]
    report = StuckReport(
        waiting=waiting,
        ambiguous=RankSet(one.rank for one in (*unsure, *ambiguous)),
        unknown=unknown,
        moving=moving,
    )
    if not waiting or somebody_moves:
        return report
    doubts: set[Doubt] = {Doubt.ONE_LOOK} if one_look else set()
    if not waiters_stood:
        doubts.add(Doubt.PROGRESS_UNKNOWN)
    if not any_sure:
        doubts.add(Doubt.WAITS_HIDDEN)
    if len(outside) > len(waiting_ranks):
        doubts.add(Doubt.MOST_OUTSIDE)
    if Doubt.MOST_OUTSIDE in doubts and len(outside) > 1 and report.receiving == waiting:
        return report  # one of them should send, which one no stack tells; the others need not be inside anything
    return replace(report, stuck=_grouped([one for one in outside if one not in ambiguous], doubts))


def _positions(
    dumps: Mapping[int, StackDump],
    standings: Mapping[int, Standing],
    source_line: SourceLine | None,
    *,
    one_look: bool,
) -> Iterator[_Position]:
    found: dict[tuple[Frame, ...], Communication | None] = {}

    def communication(thread: ThreadStack) -> Communication | None:
        if thread.frames not in found:
            found[thread.frames] = find_communication(thread.frames, source_line)
        return found[thread.frames]

    unjudged = {Change.UNSEEN} if one_look else {Change.UNSEEN, Change.FIRST}
    for rank, dump in sorted(dumps.items()):
        main, standing = dump.main_thread, standings.get(rank)
        if main is None or not main.frames or standing is None or standing.change in unjudged:
            continue
        inside = communication(main)
        if inside is not None and not inside.sure and main.holds_gil:
            # A wait in C++ gives the GIL away.
            inside = None
        helper = next((one for one in map(communication, dump.threads) if one is not None and one.sure), None)
        if inside is None and helper is not None and waits_for_thread(main.frames):
            inside, helper = replace(helper, sure=False), None
        yield _Position(rank, main, standing, inside, helper is not None and inside is None)


def _waiting(positions: Iterable[_Position]) -> tuple[Waiting, ...]:
    calls: dict[tuple[CommunicationKind, str, Frame | None, bool], list[int]] = {}
    for one in positions:
        call = one.inside
        if call is not None:
            calls.setdefault((call.kind, call.function, call.site, call.sure), []).append(one.rank)
    made = [Waiting(RankSet(ranks), *call) for call, ranks in calls.items()]
    return tuple(sorted(made, key=lambda one: (-len(one.ranks), one.ranks.first or 0)))


def _grouped(accused: Iterable[_Position], doubts: AbstractSet[Doubt]) -> tuple[StuckRanks, ...]:
    places: dict[tuple[Frame, ...], list[_Position]] = {}
    for one in accused:
        places.setdefault(one.main.frames, []).append(one)
    made = [_stuck_ranks(frames, members, doubts) for frames, members in places.items()]
    return tuple(sorted(made, key=lambda one: (len(one.ranks), one.ranks.first or 0)))


def _stuck_ranks(frames: tuple[Frame, ...], members: list[_Position], doubts: AbstractSet[Doubt]) -> StuckRanks:
    own = set(doubts)
    if not all(one.still for one in members):
        own.add(Doubt.LINES_CHANGE)
    if any(one.helper_inside for one in members):
        own.add(Doubt.HELPER_INSIDE)
    standings = [one.standing for one in members]
    return StuckRanks(
        ranks=RankSet(one.rank for one in members),
        frames=frames,
        where=user_frame(frames),
        activity=find_activity(frames),
        confidence=Confidence.POSSIBLE if own else Confidence.LIKELY,
        doubts=frozenset(own),
        since=max(one.function_since for one in standings),
        looks=min(one.function_looks for one in standings),
        holds_gil=all(one.main.holds_gil for one in members),
        c_unseen=not any(frame.native for frame in frames) and any(not one.main.holds_gil for one in members),
    )


def _union(sets: Iterable[RankSet]) -> RankSet:
    return RankSet.from_bits(reduce(or_, (one.bits for one in sets), 0))
