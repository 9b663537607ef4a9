"""Everything known about one row of a table of the flight recorder, and its stack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.content import Content

from ..actions.registry import key_of
from ..recorder.rows import COLOURS, SIGNS
from .painted import Painted, hanging, styled
from .text import cell_len, fit, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from ...services.recorder_tables.table import Detail

__all__ = ["RowDetail", "RowFacts", "detail_lines"]

LABEL = 18
"""Widest label that stands beside its text."""
WIDE = 60
"""Terminal cells from which labels have twice that."""
NARROW = 40
"""Terminal cells below which texts go under their labels."""
TEXT_LINES = 12
"""Lines that one fact takes at most; copying gives all of it."""


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What the pane says."""

    title: str = ""
    details: Sequence[Detail] = ()
    stack_title: str = ""
    """What the frames are, or why there are none; empty when the row is not about a place in a program."""
    frames: Sequence[str] = ()
    """Innermost first."""


class RowDetail(VerticalScroll, can_focus=False):
    """Scrolled by mouse, and by the keys of the screen."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._title = ""

    def compose(self) -> ComposeResult:
        yield Painted()

    def show(self, facts: RowFacts) -> None:
        """Show another row from its top."""
        if facts.title != self._title:
            self._title = facts.title
            self.scroll_home(animate=False, immediate=True)
        self.query_one(Painted).paint_with(lambda width: Content("\n").join(detail_lines(facts, width)))


def detail_lines(facts: RowFacts, width: int) -> list[Content]:
    """The lines of the pane."""
    if not facts.title:
        return []
    lines = styled(facts.title, "bold").wrap(width)
    widest = max((cell_len(plain(detail.label)) for detail in facts.details), default=0)
    indent = min(widest, LABEL if width < WIDE else 2 * LABEL) + 2
    for detail in facts.details:
        label = Content.styled(fit(plain(detail.label), indent - 1), "$foreground-muted")
        said = styled(SIGNS.get(detail.sign, "") + detail.text, COLOURS[detail.sign])
        made = hanging(label, said, width, indent if width >= NARROW else min(indent, 10))
        if len(made) > TEXT_LINES:
            made[TEXT_LINES - 1 :] = [
                Content.styled(f"… {len(made) - TEXT_LINES + 1} more lines; {key_of('copy')} copies all")
            ]
        lines += [line.truncate(width, ellipsis=True) for line in made]
    if facts.stack_title:
        lines += [Content(""), *styled(facts.stack_title, "$foreground-muted").wrap(width)]
        lines += [styled(f"  {frame}").truncate(width, ellipsis=True) for frame in facts.frames]
    return lines
