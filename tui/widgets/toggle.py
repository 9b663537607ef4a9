"""Something that is on or off: `[x] hosts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ..actions.registry import Scope, bindings
from .painted import Painted, styled

if TYPE_CHECKING:
    from textual.geometry import Size

__all__ = ["Toggle"]


class Toggle(Painted, can_focus=True):
    """One line; space or a click switches it."""

    BINDINGS = bindings(Scope.TOGGLE)

    def __init__(self, label: str, *, id: str | None = None) -> None:
        """
        Args:
            label: plain, one cell a character.
        """
        self._label = label
        self.on = False
        super().__init__(id=id)

    def get_content_width(self, _container: Size, _viewport: Size) -> int:
        return len(self._label) + 4

    def on_mount(self) -> None:
        self._show()

    def watch_has_focus(self, _focus: bool) -> None:
        self._show()

    def on_click(self) -> None:
        self.do_turn_toggle()

    def do_turn_toggle(self) -> None:
        self.on = not self.on
        self._show()

    def _show(self) -> None:
        style = "bold reverse" if self.has_focus else ""
        box = Content.styled("[x]" if self.on else "[ ]", "bold $text-success" if self.on else "$foreground-muted")
        self.paint_with(lambda width: Content.assemble(box, " ", styled(self._label, style)).truncate(width))
