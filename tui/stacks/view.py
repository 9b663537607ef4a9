"""Which of the stacks are shown: which threads, with or without boring frames, of which ranks; and what is selected.

Merging takes long on a big job, so another choice is merged beside the screen; until then the old stacks are shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...services.judging.pending_calls import PendingCalls
from ...services.stacks.boring import elide
from ...services.stacks.looks import ClassStanding, standing_of
from ...services.stacks.ownership import user_frame
from ...services.stacks.tree import MergedStacks, ThreadChoice, merge
from .choice import Hit, find_hits, restrict
from .frame_index import FrameIndex

if TYPE_CHECKING:
    from ...services.looks.recorders import RecorderLook
    from ...services.looks.stacks import StackLook
    from ...services.ranksets import RankSet
    from ...services.session import Session
    from ...services.stacks.model import Frame
    from ..ranks.filter import RankFilter

__all__ = ["MergeOrder", "StackView"]


@dataclass(frozen=True, slots=True, eq=False)
class MergeOrder:
    """A merge that has to be done."""

    stacks: StackLook = field(repr=False)
    threads: ThreadChoice
    show_boring: bool

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MergeOrder)
            and other.stacks is self.stacks
            and (other.threads, other.show_boring) == (self.threads, self.show_boring)
        )

    __hash__ = None  # type: ignore[assignment]

    def carry_out(self) -> MergedStacks:
        """Slow: not on the thread of the screen."""
        return merge(self.stacks.dumps, threads=self.threads, show_boring=self.show_boring)


class StackView:
    """The choice over the stacks of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.threads = ThreadChoice.MAIN
        self.show_boring = False
        self.revision = 0
        """Grows when other stacks are shown."""
        self.stacks: StackLook = session.stacks
        """The look that `merged` is from."""
        self.merged: MergedStacks = session.stacks.merged
        """What is shown, before the filter."""
        self.merged_threads = ThreadChoice.MAIN
        """The threads that `merged` is of."""
        self.merged_boring = False
        """Whether `merged` has the boring frames too."""
        self.index = FrameIndex(self.merged)
        self.turned: set[tuple[Frame, ...]] = set()
        """Threads that a person has opened or closed against the usual."""
        self._part: MergedStacks = self.merged
        self._part_of: object = None
        self._hits: list[Hit] | None = None
        self._where: dict[int, Frame | None] = {}
        self._where_of: StackLook | None = None
        self._calls: PendingCalls | None = None
        self._calls_of: RecorderLook | None = None
        self._standings: dict[RankSet, ClassStanding] = {}

    # what has to be merged ------------------------------------------------------------------------------------

    def update(self) -> MergeOrder | None:
        """Take over the newest stacks; when they have to be merged first, tell how, and show the old ones so long."""
        newest = self._newest
        if self.is_current:
            return None
        if self.threads is ThreadChoice.MAIN and not self.show_boring:
            self._show(newest, newest.merged, self.threads, boring=False)
            return None
        return MergeOrder(newest, self.threads, self.show_boring)

    @property
    def is_current(self) -> bool:
        """Whether what is shown is what is wanted."""
        shown = (self.merged_threads, self.merged_boring)
        return self.stacks is self._newest and shown == (self.threads, self.show_boring)

    @property
    def _newest(self) -> StackLook:
        """The stacks of the look that is shown; of a job known from files without any those that its recorders kept."""
        stacks, recorded = self._session.stacks, self._session.recorded_stacks
        return stacks if recorded is None or stacks.dumps else recorded

    @property
    def are_recorded(self) -> bool:
        """Whether these are stacks that flight recorders kept when the calls were made."""
        return self.stacks is self._session.recorded_stacks

    @property
    def calls(self) -> PendingCalls:
        """Which call each rank is inside."""
        recorder = self._session.recorder
        if self._calls is None or self._calls_of is not recorder:
            self._calls, self._calls_of = PendingCalls(recorder), recorder
        return self._calls

    def take(self, order: MergeOrder, merged: MergedStacks) -> bool:
        """A merge is done. False when something else is wanted meanwhile."""
        if order != MergeOrder(self._newest, self.threads, self.show_boring):
            return False
        self._show(order.stacks, merged, order.threads, boring=order.show_boring)
        return True

    def _show(self, stacks: StackLook, merged: MergedStacks, threads: ThreadChoice, *, boring: bool) -> None:
        self.stacks, self.merged, self.merged_threads, self.merged_boring = stacks, merged, threads, boring
        self.index = FrameIndex(merged)
        self._standings.clear()
        self.revision += 1

    # what the filter leaves -----------------------------------------------------------------------------------

    def matched(self, chosen: RankFilter | None) -> frozenset[Frame]:
        """The frames that the filter's texts occur in."""
        return self.index.frames_of_any(chosen.texts) if chosen else frozenset()

    def part(self, chosen: RankFilter | None, ranks: RankSet) -> MergedStacks:
        """The stacks that the filter leaves.

        Args:
            chosen: the filter, None for all.
            ranks: the ranks that match it.
        """
        made_for = (self.revision, chosen.text if chosen else "", ranks)
        if self._part_of != made_for:
            self._part = restrict(self.merged, ranks, self.matched(chosen)) if chosen else self.merged
            self._part_of, self._hits = made_for, None
        return self._part

    def hits(self, chosen: RankFilter | None, ranks: RankSet) -> list[Hit]:
        """The places of the tree that the filter's texts occur in; its classes are those of `part`."""
        part = self.part(chosen, ranks)
        if self._hits is None:
            self._hits = find_hits(part.classes, self.matched(chosen))
        return self._hits

    # single facts ---------------------------------------------------------------------------------------------

    def where(self, rank: int) -> Frame | None:
        """Where the main thread of a rank is: its innermost frame of the user's code, else its innermost frame."""
        stacks = self._session.stacks
        if stacks is not self._where_of:
            self._where, self._where_of = {}, stacks
        if rank not in self._where:
            main = stacks.main(rank)
            frames = main.frames if main is not None else ()
            self._where[rank] = user_frame(frames) or next(iter(frames), None)
        return self._where[rank]

    def called_at(self, rank: int) -> Frame | None:
        """Where a rank made the call it is inside, of a job known from files: innermost frame of the user's code."""
        recorded = self._session.recorded_stacks
        main = recorded.main(rank) if recorded is not None else None
        frames = main.frames if main is not None else ()
        return user_frame(frames) or next(iter(frames), None)

    def top(self, rank: int | None) -> tuple[Frame, ...]:
        """The main thread of a rank, innermost frame first, boring ones left out."""
        main = self._session.stacks.main(rank) if rank is not None else None
        return elide(main.frames).frames if main is not None else ()

    def standing(self, ranks: RankSet) -> ClassStanding:
        """What the main threads of these ranks did since the look before."""
        found = self._standings.get(ranks)
        if found is None:
            found = self._standings[ranks] = standing_of(ranks, self.stacks.standings)
        return found
