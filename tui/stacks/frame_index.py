"""Frames of merged stacks: who has each, and which have a text in them, as it was recorded or as it is shown."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from ...services.filters.expressions import SEARCHED
from ...services.plain_text import plain
from ...services.ranksets import RankSet

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from ...services.stacks.model import Frame
    from ...services.stacks.tree import MergedStacks

__all__ = ["FrameIndex"]


class FrameIndex:
    """Over the frames of merged stacks; made when first asked, each answer is kept."""

    def __init__(self, merged: MergedStacks) -> None:
        self._merged = merged
        self._bits: dict[Frame, int] | None = None
        self._texts: dict[Frame, str] | None = None
        self._frames: dict[str | re.Pattern[str], frozenset[Frame]] = {}
        self._ranks: dict[str | re.Pattern[str], RankSet] = {}

    def having(self, frame: Frame) -> RankSet:
        """The ranks that have this frame anywhere. All frames are gone through once, at the first question."""
        if self._bits is None:
            self._bits = {}
            for one in self._merged.classes:
                bits = one.ranks.bits
                for each in one.frames:
                    self._bits[each] = self._bits.get(each, 0) | bits
        return RankSet.from_bits(self._bits.get(frame, 0))

    def frames(self, sought: str | re.Pattern[str]) -> frozenset[Frame]:
        """The frames in whose text a text occurs, upper and lower case alike, or an expression is found."""
        wanted = _wanted(sought)
        found = self._frames.get(wanted)
        if found is None:
            if isinstance(wanted, str):
                found = frozenset(frame for frame, said in self._all().items() if wanted in said)
            else:
                found = frozenset(frame for frame in self._all() if wanted.search(str(frame), 0, SEARCHED))
            self._frames[wanted] = found
        return found

    def frames_of_any(self, sought: Iterable[str | re.Pattern[str]]) -> frozenset[Frame]:
        """The frames in which one of the texts or expressions is found."""
        return frozenset().union(*map(self.frames, sought))

    def ranks(self, sought: str | re.Pattern[str]) -> RankSet:
        """The ranks with such a frame."""
        wanted = _wanted(sought)
        found = self._ranks.get(wanted)
        if found is None:
            frames = self.frames(wanted)
            classes = self._merged.classes if frames else ()
            bits = [one.ranks.bits for one in classes if not frames.isdisjoint(one.frames)]
            found = self._ranks[wanted] = RankSet.from_bits(reduce(or_, bits, 0))
        return found

    def _all(self) -> dict[Frame, str]:
        if self._texts is None:
            frames = dict.fromkeys(frame for one in self._merged.classes for frame in one.frames)
            self._texts = {frame: _said(frame) for frame in frames}
        return self._texts


def _wanted(sought: str | re.Pattern[str]) -> str | re.Pattern[str]:
    return sought.casefold() if isinstance(sought, str) else sought


def _said(frame: Frame) -> str:
    """What is searched in: the text, and beside it what is painted where that is another."""
    text = str(frame)
    shown = plain(text, len(text))
    return text.casefold() if shown == text else f"{text}\n{shown}".casefold()
