"""The line over the stacks: how many ranks at how many places, of which look, and what is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ...services.stacks.tree import ThreadChoice
from ..wording import count
from .painted import Painted

if TYPE_CHECKING:
    from ...services.stacks.tree import MergedStacks
    from ..stacks.view import StackView

__all__ = ["StackSummary", "summary_line"]


class StackSummary(Painted):
    """One line."""

    def show(self, view: StackView, part: MergedStacks, matches: int | None, without: int) -> None:
        """
        Args:
            view: what is chosen.
            part: what the filter leaves.
            matches: frames that are found, None when none is searched for.
            without: ranks that have no stack.
        """
        line = summary_line(view, part, matches, without)
        self.paint_with(lambda width: line.truncate(width, ellipsis=True))


def summary_line(view: StackView, part: MergedStacks, matches: int | None, without: int) -> Content:
    """The line; what is wrong comes early, what is chosen last."""
    muted = "$foreground-muted"
    if not view.stacks.look_id:
        return Content.styled("no look has brought stacks", muted)
    if view.are_recorded and not view.stacks.dumps:
        said = "dumps have no stacks of the ranks, and these recorders kept no frames of the calls that are not over"
        return Content.styled(said, "$text-warning")
    parts = [Content.assemble((count(len(part.ranks), "rank"), "bold"), f" at {count(len(part.classes), 'place')}")]
    if matches is not None:
        parts.append(Content.styled(f"{count(matches, 'frame')} found", "$text-accent" if matches else "$text-warning"))
    if without:
        parts.append(Content.styled(f"no stack of {without:,}", "$text-warning"))
    if view.are_recorded:
        parts.insert(1, Content.styled("recorded when the call was made", "$text-warning"))
    else:
        named = "main threads" if view.merged_threads is ThreadChoice.MAIN else "all threads"
        parts.append(Content.styled(named, muted))
    if view.merged.left_out:
        parts.append(Content.styled(f"{count(view.merged.left_out, 'boring frame')} left out", muted))
    parts.append(Content.styled(f"of look {view.stacks.look_id}", muted))
    if not view.is_current:
        parts.append(Content.styled("merging …", "$text-accent"))
    return Content.styled(" · ", muted).join(parts)
