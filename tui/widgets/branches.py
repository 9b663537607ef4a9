"""Lines of the stack tree as values, and which of them are open. Pure but for the nodes it reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from ...services.ranksets import RankSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.widgets.tree import TreeNode

    from ...services.stacks.model import Frame
    from ...services.stacks.tree import StackNode

__all__ = ["Branch", "Opened", "opened_below"]


@dataclass(frozen=True, slots=True)
class Branch:
    """One line: frames that only lead to one another, or what stands for branches that are not there yet."""

    chain: tuple[StackNode, ...] = ()
    """Outermost first; empty for the line that stands for others."""
    waiting: tuple[StackNode, ...] = ()
    """Those others."""

    @property
    def last(self) -> StackNode:
        return self.chain[-1]

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames of the line, outermost first."""
        return tuple(one.frame for one in self.chain if one.frame is not None)

    @property
    def ranks(self) -> RankSet:
        if self.chain:
            return self.last.ranks
        return RankSet.from_bits(reduce(or_, (one.ranks.bits for one in self.waiting), 0))

    @property
    def can_open(self) -> bool:
        """Whether anything is called from its last frame."""
        return bool(self.chain) and any(len(one.frames) > self.last.depth for one in self.last.classes)

    @property
    def path(self) -> tuple[Frame, ...]:
        """The frames from the outermost of all to the last of the line."""
        if not self.chain:
            return ()
        frames = self.last.classes[0].frames
        return frames[len(frames) - self.last.depth :][::-1]


class Opened(dict["Frame", "Opened"]):
    """What is open, as frames below frames."""

    def below(self, frames: Sequence[Frame]) -> Opened | None:
        """What is open below a line, None when the line is not open."""
        here: Opened | None = self
        for frame in frames:
            here = here.get(frame) if here is not None else None
        return here


def opened_below(root: TreeNode[Branch]) -> Opened:
    """What is open in a tree."""
    opened = Opened()
    waiting = [(root, opened)]
    while waiting:
        node, here = waiting.pop()
        for child in node.children:
            if child.is_expanded and child.data is not None and child.data.chain:
                below = here
                for frame in child.data.frames:
                    below = below.setdefault(frame, Opened())
                waiting.append((child, below))
    return opened
