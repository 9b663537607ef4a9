"""The keys of the place it was opened at, from the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen

from ...services.recorder_tables.table import Sign
from ..actions.registry import Action, Scope, actions_in, bindings, key_of, keys_shown
from ..ranks.classes import APPEARANCES
from ..recorder.rows import COLOURS, SIGNS
from ..widgets.matrix_layout import MEANINGS
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
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012

    def __init__(self, scopes: Sequence[Scope], session: Session, *, typing: bool = False) -> None:
        """
        Args:
            scopes: where it was opened.
            session: for the reasons why an action cannot be done now.
            typing: an input has the keys; those that it takes as text are left out.
        """
        super().__init__()
        self._scopes = scopes
        self._typing = typing
        self._session = session

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help") as pane:
            pane.border_title = "Keys"
            pane.border_subtitle = f"{key_of('close')} closes"
            yield Painted()

    def on_mount(self) -> None:
        self.query_one(Painted).paint_with(lambda width: Content("\n").join([*self._signs(width), *self._keys(width)]))

    def _signs(self, width: int) -> list[Content]:
        """First, since they are what one looks for; only where ranks are shown."""
        if Scope.RECORDER in self._scopes:
            return _row_signs()
        return _signs(width) if Scope.JOB in self._scopes else []

    def _keys(self, width: int) -> list[Content]:
        lines: list[Content] = []
        seen: set[str] = set()
        for scope in (*self._scopes, Scope.APP):
            actions = [action for action in actions_in((scope,)) if self._shown(action) and action.name not in seen]
            if not actions:
                continue
            seen.update(action.name for action in actions)
            lines.append(Content.styled(scope.value.capitalize(), "bold $primary"))
            for action in actions:
                lines += self._entry(action, width)
            lines.append(Content(""))
            if scope is Scope.OVERVIEW:
                lines += _progress_signs()
        return lines

    def _shown(self, action: Action) -> list[str]:
        return keys_shown(action, typing=self._typing)

    def _entry(self, action: Action, width: int) -> list[Content]:
        reason = action.why_not(self._session)
        keys = Content.styled("  " + " ".join(self._shown(action)), "bold $accent")
        said = Content.assemble(action.description, (f"  (not now: {reason})" if reason else "", "$foreground-muted"))
        return hanging(keys, said, width, KEYS_WIDTH)

    def do_close(self) -> None:
        self.dismiss(None)


def _row_signs() -> list[Content]:
    """The signs of the flight recorder's rows."""
    said = {
        Sign.MISSING: "a rank has not come to the call",
        Sign.WAITING: "the rank waits in a call that another one has not come to",
        Sign.MISMATCH: "ranks call something else than the others",
    }
    lines = [Content.assemble("  ", (SIGNS[sign], COLOURS[sign]), text) for sign, text in said.items()]
    return [Content.styled("Signs", "bold $primary"), *lines, Content("")]


def _progress_signs() -> list[Content]:
    """The signs of the progress matrix."""
    lines = [Content.assemble("  ", (f"{sign:<4}", "bold"), meaning) for sign, meaning in MEANINGS]
    return [Content.styled("Signs of the progress matrix", "bold $primary"), *lines, Content("")]


def _signs(width: int) -> list[Content]:
    """The signs of the grid, as many beside each other as fit."""
    shown = [Content.assemble((look.sign, f"bold {look.colour}"), f" {look.label}") for look in APPEARANCES.values()]
    shown.append(Content.assemble(("*", "bold $accent"), " marked"))
    shown.append(Content.assemble(("!", "bold $text-error"), " accused"))
    return [Content.styled("Signs", "bold $primary"), *_beside(shown, width), Content("")]


def _beside(parts: Sequence[Content], width: int) -> list[Content]:
    """As many parts in a line as fit."""
    pitch = max(part.cell_length for part in parts) + 2
    in_line = max((width - 2) // pitch, 1)
    padded = [part.pad_right(pitch - part.cell_length) for part in parts]
    return [Content.assemble("  ", *padded[at : at + in_line]) for at in range(0, len(padded), in_line)]
