"""A hint for who is new, one quiet line above the footer; most of the time it is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ..actions.registry import key_of
from .painted import Painted

if TYPE_CHECKING:
    from ..notices.hints import Hint

__all__ = ["HintLine"]


class HintLine(Painted):
    """Takes a line only while there is a hint."""

    def show(self, hint: Hint | None) -> None:
        self.display = hint is not None
        if hint is not None:
            self.paint_with(lambda width: _line(hint, width))


def _line(hint: Hint, width: int) -> Content:
    """The hint, and how it goes away, where there is room for that."""
    parts = [Content.assemble((keys, "bold $accent"), f" {said}") for keys, said in hint.words()]
    said = Content.assemble(("new here? ", "$foreground-muted"), Content(", ").join(parts))
    away = Content.styled(f"   {key_of('back')} takes this away", "$foreground-muted")
    line = said + away if said.cell_length + away.cell_length <= width else said
    return line.truncate(width, ellipsis=True)
