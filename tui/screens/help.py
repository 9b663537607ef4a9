"""The keys of the place it was opened at, from the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen

from ..actions import Action, Scope, actions_in, bindings, keys_shown
from ..rank_classes import APPEARANCES
from ..widgets.painted import Painted, hanging

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from ...services.session import Session

__all__ = ["HelpScreen"]

KEYS_WIDTH = 16


class HelpScreen(ModalScreen[None]):
    """Closed by the keys that open it, Esc or q."""

    BINDINGS = bindings(Scope.HELP)

    def __init__(self, scopes: Sequence[Scope], session: Session) -> None:
        """
        Args:
            scopes: where it was opened.
            session: for the reasons why an action cannot be done now.
        """
        super().__init__()
        self._scopes = scopes
        self._session = session

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help") as pane:
            pane.border_title = "Keys"
            pane.border_subtitle = "esc closes"
            yield Painted()

    def on_mount(self) -> None:
        self.query_one(Painted).paint_with(lambda width: Content("\n").join([*self._keys(width), *_signs()]))

    def _keys(self, width: int) -> list[Content]:
        lines: list[Content] = []
        seen: set[str] = set()
        for scope in (*self._scopes, Scope.APP):
            actions = [action for action in actions_in((scope,)) if action.keys and action.name not in seen]
            if not actions:
                continue
            seen.update(action.name for action in actions)
            lines.append(Content.styled(scope.value.capitalize(), "bold $primary"))
            for action in actions:
                lines += self._entry(action, width)
            lines.append(Content(""))
        return lines

    def _entry(self, action: Action, width: int) -> list[Content]:
        reason = action.why_not(self._session)
        keys = Content.styled("  " + " ".join(keys_shown(action)), "bold $accent")
        said = Content.assemble(action.description, (f"  (not now: {reason})" if reason else "", "$foreground-muted"))
        return hanging(keys, said, width, KEYS_WIDTH)

    def do_close(self) -> None:
        self.dismiss(None)


def _signs() -> list[Content]:
    lines = [Content.styled("Signs", "bold $primary")]
    for look in APPEARANCES.values():
        sign = Content.styled(f"  {look.sign}", f"bold {look.colour}")
        lines += hanging(sign, Content(look.label), KEYS_WIDTH * 3, KEYS_WIDTH)
    lines.append(Content.assemble(("  *".ljust(KEYS_WIDTH), "bold $accent"), "marked (underlined in the grid)"))
    return lines
