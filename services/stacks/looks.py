"""Stacks over time: is each rank's main thread where it was at the look before, and since when."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ..ranksets import RankSet
from .alignment import align, same_place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .model import Frame, StackDump

__all__ = ["Change", "ClassStanding", "Standing", "follow", "same_function", "standing_of"]


class Change(StrEnum):
    """What became of a main thread since the look before."""

    FIRST = "first"
    """Seen for the first time."""
    SAME = "same"
    """The same frames at the same lines."""
    LINE = "line"
    """The same functions, and only the innermost one is at another line: a loop, or slow progress in one function."""
    MOVED = "moved"
    UNSEEN = "unseen"
    """The latest look has no main thread of this rank; the rest is what was known before."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the main thread of one rank stands."""

    rank: int
    frames: tuple[Frame, ...]
    """At the last look that had it, innermost first."""
    change: Change
    since: int
    """When it was first seen at this very place without being seen elsewhere since, ns since the epoch."""
    looks: int
    """Looks that saw it there, the first one counted."""
    seen_at: int
    """When it was last seen, ns since the epoch."""
    function_since: int
    """Like `since`, not minding the line in the innermost function."""
    function_looks: int
    """Like `looks`, not minding the line in the innermost function."""


@dataclass(frozen=True, slots=True)
class ClassStanding:
    """What the ranks of one class of stacks did since the look before."""

    same: RankSet
    moved: RankSet
    """At another line or in another function than before."""
    new: RankSet
    """Not seen before."""
    since: int | None
    """When the last of the ranks in `same` came to this place, ns since the epoch; None when there is none."""


def follow(before: Mapping[int, Standing], dumps: Mapping[int, StackDump], at: int) -> dict[int, Standing]:
    """The standings after one more look.

    Args:
        before: the standings after the look before; empty at the first look.
        dumps: the dumps of the look, by rank.
        at: when the look was taken, ns since the epoch.
    """
    after = {rank: _unseen(standing) for rank, standing in before.items()}
    for rank, dump in align(dumps).items():
        main = dump.main_thread
        if main is not None and main.frames:
            after[rank] = _next(before.get(rank), rank, main.frames, at)
    return after


def standing_of(ranks: RankSet, standings: Mapping[int, Standing]) -> ClassStanding:
    """Sum up the standings of the ranks of one class."""
    seen = [standings[rank] for rank in ranks if rank in standings]
    same = [one for one in seen if one.change is Change.SAME]
    return ClassStanding(
        same=RankSet(one.rank for one in same),
        moved=RankSet(one.rank for one in seen if one.change in (Change.LINE, Change.MOVED)),
        new=RankSet(one.rank for one in seen if one.change is Change.FIRST),
        since=max((one.since for one in same), default=None),
    )


def _unseen(standing: Standing) -> Standing:
    return _stood(standing, standing.frames, Change.UNSEEN)


def _stood(before: Standing, frames: tuple[Frame, ...], change: Change) -> Standing:
    return Standing(
        before.rank,
        frames,
        change,
        before.since,
        before.looks,
        before.seen_at,
        before.function_since,
        before.function_looks,
    )


def _next(before: Standing | None, rank: int, frames: tuple[Frame, ...], at: int) -> Standing:
    if before is None:
        return Standing(rank, frames, Change.FIRST, at, 1, at, at, 1)
    if same_place(before.frames, frames):
        return Standing(
            rank,
            frames,
            Change.SAME,
            before.since,
            before.looks + 1,
            at,
            before.function_since,
            before.function_looks + 1,
        )
    if same_function(before.frames, frames):
        return Standing(rank, frames, Change.LINE, at, 1, at, before.function_since, before.function_looks + 1)
    return Standing(rank, frames, Change.MOVED, at, 1, at, at, 1)


def same_function(one: tuple[Frame, ...], other: tuple[Frame, ...]) -> bool:
    """Whether two stacks have the same functions, and no line but the innermost function's may be another one."""
    first = [frame for frame in one if not frame.native]
    second = [frame for frame in other if not frame.native]
    if not first or len(first) != len(second) or not same_place(tuple(first[1:]), tuple(second[1:])):
        return False
    return (first[0].name, _base(first[0].file)) == (second[0].name, _base(second[0].file))


def _base(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[2]
