"""Stacks of many ranks merged: equal ones first, then a prefix tree with the ranks of each branch.

A tree is a view on the distinct stacks: the children of a node are made when they are asked for, so merging costs
what the distinct stacks cost, however large the tree would be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from ..ranksets import RankSet
from .alignment import align
from .boring import elide
from .model import Frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .model import StackDump, ThreadStack

__all__ = ["MISSING_FRAMES", "MergedStacks", "StackClass", "StackNode", "ThreadChoice", "merge"]

MISSING_FRAMES = Frame("<outer frames not in the dump>")
"""Stands outermost in a stack that the dump has cut off there."""


class ThreadChoice(StrEnum):
    """Which threads of a process are merged."""

    MAIN = "main"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class StackClass:
    """Threads that stand at the same place."""

    frames: tuple[Frame, ...]
    """Innermost first; boring frames left out where that was asked for."""
    ranks: RankSet
    threads: int
    """How many threads, over all ranks."""
    names: tuple[str, ...] = ()
    """Names of the threads, where the dumps have them; each once, the first few."""


@dataclass(frozen=True, slots=True, eq=False)
class StackNode:
    """One frame in the tree with all that is called from it. The root has no frame."""

    frame: Frame | None
    depth: int
    """Frames from the outermost to this one; 0 for the root."""
    ranks: RankSet
    threads: int
    classes: tuple[StackClass, ...]
    """The distinct stacks that pass through here."""
    ends: RankSet
    """Ranks with a thread whose innermost frame this is."""

    def children(self) -> tuple[StackNode, ...]:
        """What is called from here: most ranks first, then by the lowest rank."""
        branches: dict[Frame, list[StackClass]] = {}
        for one in self.classes:
            if len(one.frames) > self.depth:
                branches.setdefault(one.frames[-1 - self.depth], []).append(one)
        nodes = [_node(frame, self.depth + 1, tuple(classes)) for frame, classes in branches.items()]
        return tuple(sorted(nodes, key=lambda node: (-len(node.ranks), node.ranks.first or 0)))

    def chain(self) -> tuple[StackNode, ...]:
        """This node and those below it as long as each calls one thing and no thread ends there: one line to fold."""
        nodes = [self]
        while True:
            node = nodes[-1]
            depth = node.depth
            first = node.classes[0].frames if node.classes else ()
            if len(first) <= depth:
                return tuple(nodes)
            frame = first[-1 - depth]
            if any(len(one.frames) <= depth or one.frames[-1 - depth] != frame for one in node.classes):
                return tuple(nodes)
            deeper = any(len(one.frames) == depth + 1 for one in node.classes)
            ends = _ranks(one.ranks for one in node.classes if len(one.frames) == depth + 1) if deeper else RankSet()
            nodes.append(StackNode(frame, depth + 1, node.ranks, node.threads, node.classes, ends))

    def walk(self) -> Iterator[StackNode]:
        """This node and all below it, each before its children. As large as the tree."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children()))


@dataclass(frozen=True, slots=True, eq=False)
class MergedStacks:
    """The stacks of all ranks, merged."""

    classes: tuple[StackClass, ...]
    """The odd ones first: fewest ranks, then the lowest rank."""
    ranks: RankSet
    """Ranks with a stack in here."""
    without: RankSet
    """Ranks whose dump gave no such stack: nothing returned, failed, cut before the main thread."""
    left_out: int
    """Boring frames left out, over the distinct stacks."""
    root: StackNode
    _by_frame: dict[Frame, RankSet] = field(default_factory=dict, repr=False)

    def having(self, frame: Frame) -> RankSet:
        """The ranks that have this frame anywhere in a merged stack."""
        found = self._by_frame.get(frame)
        if found is None:
            found = self._by_frame[frame] = _ranks(one.ranks for one in self.classes if frame in one.frames)
        return found

    def lacking(self, frame: Frame) -> RankSet:
        """The ranks with a merged stack that do not have this frame in any."""
        return self.ranks - self.having(frame)

    def matching(self, text: str) -> tuple[Frame, ...]:
        """The frames in whose text (function, file, line, library) `text` occurs, upper and lower case alike."""
        wanted = text.casefold()
        frames = {frame: None for one in self.classes for frame in reversed(one.frames)}
        return tuple(frame for frame in frames if wanted in str(frame).casefold())


_NAMES_KEPT = 8


class _Gathered:
    """A class while its members come in."""

    __slots__ = ("names", "ranks", "threads")

    def __init__(self) -> None:
        self.ranks: list[int] = []
        self.names: dict[str, None] = {}
        self.threads = 0


def merge(
    dumps: Mapping[int, StackDump], *, threads: ThreadChoice = ThreadChoice.MAIN, show_boring: bool = False
) -> MergedStacks:
    """Merge the dumps of all ranks; sources are brought to one notation first.

    Args:
        dumps: by rank.
        threads: the main thread of each rank, or all threads.
        show_boring: keep the frames that `boring` leaves out.
    """
    gathered: dict[tuple[Frame, ...], _Gathered] = {}
    shown: dict[tuple[tuple[Frame, ...], bool], tuple[Frame, ...]] = {}
    left_out = 0
    present: list[int] = []
    for rank, dump in align(dumps).items():
        chosen = _chosen(dump, threads)
        if chosen:
            present.append(rank)
        for thread in chosen:
            key = (thread.frames, thread.truncated)
            frames = shown.get(key)
            if frames is None:
                frames = thread.frames
                if not show_boring:
                    elided = elide(frames)
                    frames = elided.frames
                    left_out += elided.left_out
                if thread.truncated:
                    frames = (*frames, MISSING_FRAMES)
                shown[key] = frames
            one = gathered.get(frames)
            if one is None:
                one = gathered[frames] = _Gathered()
            one.ranks.append(rank)
            one.threads += 1
            if thread.name and len(one.names) < _NAMES_KEPT:
                one.names[thread.name] = None
    classes = [
        StackClass(frames, RankSet(one.ranks), one.threads, tuple(one.names)) for frames, one in gathered.items()
    ]
    classes.sort(key=lambda one: (len(one.ranks), one.ranks.first or 0))
    ranks = RankSet(present)
    root = _node(None, 0, tuple(classes))
    return MergedStacks(tuple(classes), ranks, RankSet(dumps) - ranks, left_out, root)


def _chosen(dump: StackDump, threads: ThreadChoice) -> list[ThreadStack]:
    if threads is ThreadChoice.MAIN:
        main = dump.main_thread
        return [main] if main is not None and main.frames else []
    return [thread for thread in dump.threads if thread.frames]


def _node(frame: Frame | None, depth: int, classes: tuple[StackClass, ...]) -> StackNode:
    return StackNode(
        frame,
        depth,
        _ranks(one.ranks for one in classes),
        sum(one.threads for one in classes),
        classes,
        _ranks(one.ranks for one in classes if len(one.frames) == depth),
    )


def _ranks(sets: Iterable[RankSet]) -> RankSet:
    return RankSet.from_bits(reduce(or_, (one.bits for one in sets), 0))
