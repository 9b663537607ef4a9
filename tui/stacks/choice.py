"""A part of merged stacks: those of some ranks, or that pass through some frames. Pure."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from ...services.ranksets import RankSet
from ...services.stacks.tree import MergedStacks, StackNode

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ...services.stacks.model import Frame
    from ...services.stacks.tree import StackClass

__all__ = ["Hit", "find_hits", "restrict"]

Hit = tuple[int, int]
"""A frame found: number of the class in the merged stacks, and the frame's depth (the outermost is 1)."""


def restrict(merged: MergedStacks, ranks: RankSet, frames: Collection[Frame]) -> MergedStacks:
    """The stacks of these ranks; with `frames`, only stacks that have one of them.

    Threads of a class of which some ranks are left out are counted as one a rank.
    """
    wanted = frozenset(frames)
    classes: list[StackClass] = []
    for one in merged.classes:
        if wanted and wanted.isdisjoint(one.frames):
            continue
        kept = one.ranks & ranks
        if kept == one.ranks:
            classes.append(one)
        elif kept:
            classes.append(replace(one, ranks=kept, threads=len(kept)))
    classes.sort(key=lambda one: (len(one.ranks), one.ranks.first or 0))
    present = RankSet.from_bits(reduce(or_, (one.ranks.bits for one in classes), 0))
    root = StackNode(None, 0, present, sum(one.threads for one in classes), tuple(classes), RankSet())
    return MergedStacks(tuple(classes), present, merged.without & ranks, merged.left_out, root)


def find_hits(classes: Sequence[StackClass], frames: Collection[Frame]) -> list[Hit]:
    """Each place of the tree with one of the frames, in the order of the classes, outermost first.

    A place that several classes pass through is told once.
    """
    wanted = frozenset(frames)
    seen: set[tuple[Frame, ...]] = set()
    hits: list[Hit] = []
    for number, one in enumerate(classes):
        length = len(one.frames)
        for index in range(length - 1, -1, -1):
            if one.frames[index] in wanted:
                path = one.frames[index:]
                if path not in seen:
                    seen.add(path)
                    hits.append((number, length - index))
    return hits
