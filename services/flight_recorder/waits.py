"""Who waits for whom: the call each rank is inside now, and what keeps each of these calls from ending.

A rank is inside its oldest call that has not ended. A call is held up by the members that have not called it; when all
have, by members that are still inside an earlier call of theirs; and when a member has completed it and another has
not, by nobody but that other one's device.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..ranksets import RankSet
from .blank_recorders import blank_recorders
from .hidden_calls import hidden_calls
from .open_call import OpenCall
from .open_parts import QueuedCall, open_parts, queued_calls
from .operations import Kind, operation
from .p2p import Exchanges, Half
from .positions import Unit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .groups import JobGroup
    from .job import Job
    from .match import Matched
    from .positions import Position, Positions

__all__ = ["OpenCall", "QueuedCall", "WaitGraph", "find_waits"]

_NOT_RECORDED = 2**63 - 1
"""Instant of a call that no entry shows: later than all others."""


@dataclass(frozen=True, slots=True, eq=False)
class WaitGraph:
    """The open calls of a look and the ranks inside them."""

    calls: tuple[OpenCall, ...]
    current: dict[int, int]
    """By rank: index of the call it is inside. Ranks outside all calls are not in it."""
    hidden: dict[int, int] = field(default_factory=dict)
    """The same for ranks whose entries do not show that call; their counters do."""
    queued: tuple[QueuedCall, ...] = ()
    """What stands behind those calls."""
    blank: dict[tuple[int, int], int] = field(default_factory=dict)
    """Ranks whose dump has nothing of a group (by index) that they have taken part in, and up to which call."""


def find_waits(job: Job, matched: Matched, positions: Positions) -> WaitGraph:
    """The wait-for graph of a look."""
    parts, waiting = open_parts(job, matched, positions)
    blank = blank_recorders(job, matched, positions)
    exchanges = Exchanges(job, matched, positions)
    calls: list[OpenCall] = []
    current: dict[int, int] = {}
    of_call: dict[int, int] = {}
    for rank, part in sorted(parts.items()):
        call = int(matched.part_call[part])
        index = of_call.get(call) if not matched.call_p2p[call] else None
        if index is None:
            index = len(calls)
            calls.append(_opened(job, matched, part, index, exchanges))
            if not matched.call_p2p[call]:
                of_call[call] = index
        made = calls[index]
        current[rank] = index
        made.inside |= RankSet((rank,))
        made.rows[rank] = int(matched.part_row[part])
        made.created = min(made.created, int(job.columns.created[matched.part_first[part]]))
        if matched.late[part]:
            made.late |= RankSet((rank,))
    numbers = {index: number for number, index in of_call.items()}
    hidden = _hide(matched, positions, calls, current)
    known = current | hidden
    for made in calls:
        if made.p2p:
            _meet(made, calls, known, exchanges, blank)
        else:
            parts_of = matched.parts_of(numbers[made.index]) if made.index in numbers else ()
            members = {int(matched.part_rank[part]): part for part in parts_of}
            _gather(job.groups[made.group], made, known, positions, matched, members, len(job.world) > 1, blank)
    return WaitGraph(tuple(calls), current, hidden, queued_calls(job, matched, waiting), blank)


def _hide(matched: Matched, positions: Positions, calls: list[OpenCall], current: dict[int, int]) -> dict[int, int]:
    """Put the ranks whose rings have lost the call they are inside into it; made anew where no other rank shows it."""
    places = {(call.group, call.seq): call for call in calls if not call.p2p}
    found: dict[int, int] = {}
    for rank, (group, seq) in hidden_calls(matched, positions, current).items():
        call = places.get((group, seq))
        if call is None:
            call = places[group, seq] = OpenCall(
                len(calls), group, seq, False, operation(""), RankSet(), {}, _NOT_RECORDED
            )
            calls.append(call)
        call.hidden |= RankSet((rank,))
        found[rank] = call.index
    return found


def _opened(job: Job, matched: Matched, part: int, index: int, exchanges: Exchanges) -> OpenCall:
    call = int(matched.part_call[part])
    p2p = bool(matched.call_p2p[call])
    return OpenCall(
        index=index,
        group=int(matched.call_group[call]),
        seq=int(matched.call_seq[call]),
        p2p=p2p,
        operation=job.operations[job.columns.operation[matched.part_row[part]]],
        inside=RankSet(),
        rows={},
        created=int(job.columns.created[matched.part_first[part]]),
        inner=_inner(job, matched, part),
        halves=tuple(exchanges.of_part(part)) if p2p else (),
    )


def _inner(job: Job, matched: Matched, part: int) -> int:
    rows = matched.rows_of(part)
    closing = sum(job.operations[number].kind is Kind.BATCH_END for number in job.columns.operation[rows])
    return max(len(rows) - closing, 1)


def _gather(
    group: JobGroup,
    call: OpenCall,
    current: dict[int, int],
    positions: Positions,
    matched: Matched,
    parts: dict[int, int],
    others_exist: bool,
    blank: Mapping[tuple[int, int], int],
) -> None:
    """Tell the members of a collective apart."""
    missing: list[int] = []
    unsure: list[int] = []
    silent: list[int] = []
    absent: list[int] = []
    behind: list[int] = []
    done: list[int] = []
    for rank in group.ranks:
        if current.get(rank) == call.index:
            continue
        at = positions.at(rank, call.group)
        part = parts.get(rank)
        if at is None or blank.get((rank, call.group), call.seq) < call.seq:
            absent.append(rank)
        elif part is not None:
            (done if matched.ended[part] and not matched.late[part] else behind).append(rank)
        elif at.completed is not None and at.completed >= call.seq:
            done.append(rank)
        elif at.enqueued is None:
            # Its counters do not say it. Outside all calls it is ahead of all others, or they wait for it.
            (behind if rank in current or positions.inside_something(rank) else unsure).append(rank)
        elif at.enqueued < call.seq:
            missing.append(rank)
            if at.silent:
                silent.append(rank)
        elif at.filtered and at.unit is not Unit.OPERATIONS and not at.ends_counted and _goes_back(at, call.seq):
            done.append(rank)  # called, and left out because it has ended
    if len(call.inside) > 1 or missing:
        # That it alone got through, or is ahead while others have not even joined, is the less likely of the two.
        missing += unsure
    else:
        call.unclear = RankSet(unsure)
    call.missing, call.absent = RankSet(missing), RankSet(absent)
    call.unsure, call.silent = RankSet(unsure) & call.missing, RankSet(silent)
    call.behind, call.done, call.unseen = RankSet(behind), RankSet(done), group.unseen
    call.alone = group.size == 1 and not group.inferred
    if group.inferred and group.size == 1 and others_exist:
        call.unseen = 1  # alone it would have ended at once


def _goes_back(at: Position, seq: int) -> bool:
    """Whether the ring of a rank has older calls of the group than this one, which it would have too."""
    return at.first is not None and at.first < seq


def _meet(
    call: OpenCall,
    calls: list[OpenCall],
    current: dict[int, int],
    exchanges: Exchanges,
    blank: Mapping[tuple[int, int], int],
) -> None:
    """Look for the other halves of open sends and receives."""
    missing, unsure, lost, absent, behind, done = set(), set(), set(), set(), set(), set()
    met: list[tuple[Half, Half]] = []
    for half in call.halves:
        if half.peer is None:
            continue
        posted = exchanges.posted(half)
        theirs = current.get(half.peer)
        if posted is not None and posted.sure and posted.half is not None:
            met.append((half, posted.half))
            if posted.half.ended and not half.ended:
                done.add(half.peer)
        if posted is None or (half.peer, call.group) in blank:
            absent.add(half.peer)
        elif theirs is not None and any(
            other.peer == half.rank and other.sends != half.sends for other in calls[theirs].halves
        ):
            continue  # both ends are in it now
        elif not posted.there:
            missing.add(half.peer)
            if not posted.sure:
                unsure.add(half.peer)
            if posted.lost:
                lost.add(half.peer)
        elif theirs is not None and (posted.half is None or not posted.half.ended):
            behind.add(half.peer)
    call.missing, call.unsure, call.lost, call.absent = map(RankSet, (missing, unsure, lost, absent))
    call.behind, call.done = RankSet(behind), RankSet(done) - RankSet(missing) - RankSet(behind)
    call.met = tuple(met)
