"""The search: passes over shapes, inputs, values and attributes, again and again until none finds anything.

Greedy and deterministic: a smaller case is taken when it fails the same way as the first one, and the search goes on
from it. One run is under way at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ..dispatch.errors import CaseError
from ..dispatch.inputs import Generated
from .attributes import shrink_attributes
from .dropping import drop_parts
from .leaves import case_key, case_size, elements, leaf_at, places, with_leaves
from .shapes import shrink_shapes
from .values import RANDOM, shrink_values

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..dispatch.case import OpCase
    from .outcome import Outcome

__all__ = ["NothingFailsError", "ShrinkStep", "Shrinker", "Shrunk"]

Run: TypeAlias = "Callable[[OpCase], Awaitable[Outcome]]"

LOST_IN_A_ROW = 3
"""Runs without an answer after which the server counts as gone."""
MADE_BYTES = 64 << 20
"""Generated inputs up to this size are made, so that parts of them can be taken away."""
_PASSES = (drop_parts, shrink_shapes, shrink_values, shrink_attributes)


class NothingFailsError(Exception):
    """The case to shrink did not fail when it was run."""


@dataclass(frozen=True, slots=True)
class ShrinkStep:
    """One run of the search."""

    runs: int
    budget: int
    tried: str
    """What was taken away, for people."""
    accepted: bool
    size: str
    """How large the smallest failing case is now."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """What the search found."""

    case: OpCase
    """The smallest case found that fails in the same way."""
    outcome: Outcome
    """Of its run."""
    runs: int
    complete: bool
    """Nothing more could be taken away; else `reason` says why the search ended."""
    reason: str = ""


class _SearchOver(Exception):  # noqa: N818 - no error
    pass


class Shrinker:
    """One search. Cancelling its task ends it; `best` is the smallest failing case so far at any time.

    Args:
        case: fails.
        run: runs a case; called one at a time. An exception of it ends the search.
        budget: most runs, the first one included.
        tell: is told each step; must not block or raise.
        same: whether an outcome (second) is the failure looked for (first); by default in kind and in words.
    """

    def __init__(
        self,
        case: OpCase,
        run: Run,
        *,
        budget: int = 200,
        tell: Callable[[ShrinkStep], None] | None = None,
        same: Callable[[Outcome, Outcome], bool] | None = None,
    ) -> None:
        self.best = case
        self.runs = 0
        self.outcome: Outcome | None = None
        """Of `best`'s run."""
        self._run = run
        self._budget = budget
        self._tell = tell
        self._same = same or _same_failure
        self._seen = {case_key(case)}
        self._lost = 0
        self._reason = ""

    async def go(self) -> Shrunk:
        """
        Raises:
            NothingFailsError: the case passes.
        """
        first = await self._run(self.best)
        self.runs = 1
        if first.failure is None:
            raise NothingFailsError(f"{self.best.title} does not fail now, so there is nothing to shrink")
        self.outcome = first
        self._wanted = first
        if first.lost:
            return Shrunk(self.best, first, self.runs, False, f"the server gave no answer: {first.text}")
        complete = True
        try:
            await self._until_nothing_goes()
            await self._with_values_made()
        except _SearchOver:
            complete = False
        return Shrunk(self.best, self.outcome, self.runs, complete, self._reason)

    async def takes(self, candidate: OpCase, tried: str) -> bool:
        """Run a smaller case; when it fails the same way it is `best` from now on.

        Args:
            tried: what is different, for people.
        """
        try:
            candidate.check()
        except CaseError:
            return False
        key = case_key(candidate)
        if key in self._seen:
            return False
        if self.runs >= self._budget:
            self._end(f"{self._budget} runs were made")
        self._seen.add(key)
        outcome = await self._run(candidate)
        self.runs += 1
        accepted = outcome.failure is not None and not outcome.lost and self._same(self._wanted, outcome)
        if accepted:
            self.best, self.outcome = candidate, outcome
        self._lost = self._lost + 1 if outcome.lost else 0
        if self._tell is not None:
            self._tell(ShrinkStep(self.runs, self._budget, tried, accepted, case_size(self.best)))
        if self._lost >= LOST_IN_A_ROW:
            self._end(f"the server gave no answer {self._lost} times: {outcome.text}")
        return accepted

    def _end(self, reason: str) -> None:
        self._reason = reason
        raise _SearchOver

    async def _until_nothing_goes(self) -> None:
        while True:
            before = self.best
            for each in _PASSES:
                await each(self)
            if self.best is before:
                return

    async def _with_values_made(self) -> None:
        """Where generated inputs are left, look for the elements of them that matter. Kept only when it takes elements
        away: a text is better than an array of the same size."""
        before, outcome = self.best, self.outcome
        made = {
            place: leaf.make()
            for place in places(before)
            if isinstance(leaf := leaf_at(before, place), Generated) and leaf.distribution in RANDOM
        }
        if not made or elements(before) < 2 or sum(array.nbytes for array in made.values()) > MADE_BYTES:
            return
        self.best = with_leaves(before, made)
        self._seen.add(case_key(self.best))  # the same values: it needs no run
        try:
            await self._until_nothing_goes()
        finally:
            if elements(self.best) >= elements(before):
                self.best, self.outcome = before, outcome


def _same_failure(wanted: Outcome, outcome: Outcome) -> bool:
    return (outcome.failure, outcome.wording) == (wanted.failure, wanted.wording)
