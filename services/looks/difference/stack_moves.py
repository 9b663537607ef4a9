"""Where main threads went: each rank's stack at both looks, equal moves together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...judging.stack_findings import place_of
from ...ranksets import RankSet
from ...stacks.alignment import same_place
from ...stacks.looks import same_function
from .values import StackDifference, StackMove

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...stacks.model import Frame
    from ...stacks.tree import StackClass
    from ..record import LookRecord
    from ..stacks import StackLook

__all__ = ["kind_of_stacks", "stack_moves"]

MOVES_KEPT = 100
"""Different moves; more are counted."""


def kind_of_stacks(record: LookRecord) -> str:
    """`live`, `recorded` (kept by a flight recorder when the call was made), or empty where there are none."""
    if record.stacks.dumps:
        return "live"
    return "recorded" if record.recorded is not None and record.recorded.dumps else ""


def stack_moves(before: LookRecord, after: LookRecord) -> StackDifference | None:
    """What became of the main threads; None when not both looks have stacks of the same kind."""
    kind = kind_of_stacks(after)
    if not kind or kind_of_stacks(before) != kind:
        return None
    was, now = _stacks(before, kind), _stacks(after, kind)
    earlier, later = _class_of(was), _class_of(now)
    pairs: dict[tuple[int, int], list[int]] = {}
    for rank, place in later.items():
        if rank in earlier:
            pairs.setdefault((earlier[rank], place), []).append(rank)
    same: list[int] = []
    found: dict[tuple[str, str], list[tuple[list[int], StackClass, StackClass]]] = {}
    for (one, other), ranks in pairs.items():
        from_, to = was.merged.classes[one], now.merged.classes[other]
        if same_place(from_.frames, to.frames):
            same += ranks
        else:
            found.setdefault(_places(from_.frames, to.frames), []).append((ranks, from_, to))
    moves = [_move(places, parts) for places, parts in found.items()]
    moves.sort(key=lambda move: (len(move.ranks), move.ranks.first))
    changed = RankSet(rank for ranks in pairs.values() for rank in ranks) - RankSet(same)
    return StackDifference(
        same=RankSet(same),
        changed=changed,
        moves=tuple(moves[:MOVES_KEPT]),
        moves_left_out=max(len(moves) - MOVES_KEPT, 0),
        only_before=RankSet(earlier) - RankSet(later),
        only_after=RankSet(later) - RankSet(earlier),
        recorded=kind == "recorded",
    )


def _stacks(record: LookRecord, kind: str) -> StackLook:
    return record.stacks if kind == "live" or record.recorded is None else record.recorded


def _class_of(look: StackLook) -> dict[int, int]:
    """By rank: which of the distinct stacks its main thread has."""
    return {rank: number for number, one in enumerate(look.merged.classes) for rank in one.ranks}


def _move(places: tuple[str, str], parts: Sequence[tuple[list[int], StackClass, StackClass]]) -> StackMove:
    ranks = RankSet(rank for members, _, _ in parts for rank in members)
    _, from_, to = min(parts, key=lambda part: part[0][0])
    lines = all(same_function(one.frames, other.frames) for _, one, other in parts)
    return StackMove(ranks, *places, lines, from_.frames, to.frames)


def _places(before: Sequence[Frame], after: Sequence[Frame]) -> tuple[str, str]:
    """Two places for a sentence: those of the user's code, and where these are equal the innermost frames."""
    one, other = place_of(before), place_of(after)
    if one != other or not before or not after:
        return one, other
    if before[0] != after[0]:
        return str(before[0]), str(after[0])
    for first, second in zip(reversed(before), reversed(after), strict=False):
        if first != second:
            return f"{one} by {first}", f"{other} by {second}"
    return one, other
