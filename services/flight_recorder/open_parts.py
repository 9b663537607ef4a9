"""Parts of calls that have not ended: the oldest of each rank, and what stands behind it.

An entry that looks open need not be: counters, later calls in the same stream and dumps that leave out the end of a
batch tell against it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..ranksets import RankSet
from .operations import Kind
from .positions import Unit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .job import Job
    from .match import Matched
    from .operations import Operation
    from .positions import Positions

__all__ = ["QueuedCall", "open_parts", "queued_calls"]


@dataclass(frozen=True, slots=True)
class QueuedCall:
    """A call that ranks have called, but that is not the oldest open one of any of these ranks."""

    group: int
    seq: int
    p2p: bool
    operation: Operation
    ranks: RankSet


def open_parts(job: Job, matched: Matched, positions: Positions) -> tuple[dict[int, int], list[int]]:
    """By rank the open part with the oldest entry, and all other open parts.

    One in a group of which no other member is known can't tell whom it waits for: another one goes before it.
    """
    is_open = ~matched.ended | matched.late
    candidates = np.flatnonzero(is_open)
    first_open: dict[int, int] = {}
    others: list[int] = []
    overtaken = _overtaken_halves(job, matched, candidates)
    for part in candidates[np.argsort(matched.part_first[candidates], kind="stable")]:
        part = int(part)
        rank = int(matched.part_rank[part])
        call = int(matched.part_call[part])
        if part in overtaken or (not matched.late[part] and _counted_as_over(matched, positions, rank, call)):
            continue
        if matched.call_p2p[call] and not _surely_open(job, matched, positions, part):
            continue
        if rank in first_open and _is_alone(job, matched, first_open[rank]) and not _is_alone(job, matched, part):
            others.append(first_open[rank])
            first_open[rank] = part
        elif rank in first_open:
            others.append(part)
        else:
            first_open[rank] = part
    return first_open, others


def _is_alone(job: Job, matched: Matched, part: int) -> bool:
    """Whether it is in a group of which nobody else is known (Gloo's dumps leave members out)."""
    return len(job.groups[int(matched.call_group[matched.part_call[part]])].ranks) == 1


def queued_calls(job: Job, matched: Matched, parts: list[int]) -> tuple[QueuedCall, ...]:
    """The calls that these parts belong to, each with its ranks, in the order of the parts."""
    ranks: dict[int, list[int]] = {}
    rows: dict[int, int] = {}
    for part in parts:
        call = int(matched.part_call[part])
        ranks.setdefault(call, []).append(int(matched.part_rank[part]))
        rows.setdefault(call, int(matched.part_row[part]))
    return tuple(
        QueuedCall(
            group=int(matched.call_group[call]),
            seq=int(matched.call_seq[call]),
            p2p=bool(matched.call_p2p[call]),
            operation=job.operations[job.columns.operation[rows[call]]],
            ranks=RankSet(members),
        )
        for call, members in ranks.items()
    )


def _counted_as_over(matched: Matched, positions: Positions, rank: int, call: int) -> bool:
    """Whether the counters of the rank say that it has been through a call whose entry looks open."""
    at = positions.at(rank, int(matched.call_group[call]))
    if at is None:
        return False
    p2p = matched.call_p2p[call]
    over = at.p2p_completed if p2p else at.completed
    return (
        over is not None and at.unit is (Unit.P2P if p2p else Unit.COLLECTIVES) and int(matched.call_seq[call]) <= over
    )


def _surely_open(job: Job, matched: Matched, positions: Positions, part: int) -> bool:
    """Whether a P2P call that looks open is one.

    Where ended calls are left out, so is the end of a batch, and its members look open for ever; one whose end is still
    there is open. Else only counters tell, and only where they count P2P calls: when the last enqueued is the newest
    P2P entry, and not over.
    """
    rank, group = int(matched.part_rank[part]), int(matched.call_group[matched.part_call[part]])
    if rank not in positions.filtered or _is_closed(job, matched, part):
        return True
    at, counters = positions.at(rank, group), job.counters.get(rank, {}).get(group)
    if at is None or counters is None or at.p2p_enqueued is None:
        return False
    enqueued, completed = counters.status.enqueued, counters.status.completed
    return enqueued == at.p2p_enqueued and completed != enqueued


def _is_closed(job: Job, matched: Matched, part: int) -> bool:
    """Whether a part has the entry that ends a batch."""
    return job.operations[job.columns.operation[matched.part_row[part]]].kind is Kind.BATCH_END


def _overtaken_halves(job: Job, matched: Matched, candidates: Iterable[int]) -> set[int]:
    """Open P2P parts that cannot be open: the same rank has ended a later call of the same name in the same group.

    The calls between two ranks in one direction run in order.
    """
    open_p2p = [int(part) for part in candidates if matched.call_p2p[matched.part_call[part]]]
    if not open_p2p:
        return set()
    operation = job.columns.operation[matched.part_row]
    group = matched.call_group[matched.part_call]
    ended = matched.ended & ~matched.late & matched.call_p2p[matched.part_call]
    newest: dict[tuple[int, int, int], int] = {}
    for part in np.flatnonzero(ended):
        key = int(matched.part_rank[part]), int(group[part]), int(operation[part])
        newest[key] = max(newest.get(key, -1), int(matched.part_row[part]))
    return {
        part
        for part in open_p2p
        if newest.get((int(matched.part_rank[part]), int(group[part]), int(operation[part])), -1)
        > int(matched.part_row[part])
    }
