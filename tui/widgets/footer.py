"""The bottom line: the keys that work here, the most important ones first to stay when it is narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ..actions import Action, Scope, actions_in, keys_shown
from .painted import Painted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from ...services.session import Session

__all__ = ["KeyFooter", "chosen"]

GAP = 2


class KeyFooter(Painted):
    """Made from the registry; a click does what the key does."""

    def __init__(self, scopes: Sequence[Scope], here: str = "") -> None:
        """
        Args:
            scopes: where the keys come from.
            here: name of the action that leads to this very place; it is left out.
        """
        super().__init__()
        self._scopes = tuple(scopes)
        self._here = here
        self._ends: list[tuple[int, Action]] = []

    def show(self, session: Session, words: dict[str, str] | None = None) -> None:
        """
        Args:
            words: labels that say a state, by action name, in place of the usual ones.
        """
        self.paint_with(lambda width: self._line(session, words or {}, width))

    def _line(self, session: Session, words: dict[str, str], width: int) -> Content:
        parts: list[Content] = []
        self._ends = []
        x = 0
        for action in chosen(self._scopes, words, width, self._here):
            keys, label = _said(action, words)
            works = not action.why_not(session)
            part = Content.assemble(
                (keys, "bold $accent" if works else "$foreground-disabled"),
                " ",
                (label, "" if works else "$foreground-disabled"),
            )
            parts.append(part)
            x += part.cell_length + GAP
            self._ends.append((x, action))
        return Content(" " * GAP).join(parts)

    async def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for end, action in self._ends:
            if offset.x < end - GAP:
                await self.run_action(f"app.perform('{action.name}')")
                return


def chosen(scopes: Sequence[Scope], words: dict[str, str], width: int, here: str = "") -> list[Action]:
    """The actions that fit into `width`, by importance, in the order of the registry."""
    named = [action for action in actions_in(scopes) if action.importance and action.name != here]
    kept: list[Action] = []
    used = 0
    for action in sorted(named, key=lambda action: -action.importance):
        keys, label = _said(action, words)
        needed = len(keys) + 1 + len(label) + (GAP if kept else 0)
        if used + needed > width:
            break
        kept.append(action)
        used += needed
    return [action for action in named if action in kept]


def _said(action: Action, words: dict[str, str]) -> tuple[str, str]:
    return action.footer_keys or keys_shown(action)[0], words.get(action.name, action.label)
