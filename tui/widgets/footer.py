"""The bottom line: the keys that work here, the most important ones first to stay when it is narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ...services.session import Phase
from ..actions.registry import Action, Scope, actions_in, keys_shown
from ..keys.key_names import footer_keys
from .painted import Painted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from ...services.session import Session

__all__ = ["KeyFooter", "chosen"]

GAP = 2
_AWAY_FROM_JOB = frozenset(
    (Scope.START, Scope.HELP, Scope.QUESTION, Scope.FILTER, Scope.ENTRY, Scope.REQUEST, Scope.FORM, Scope.TOGGLE)
)
"""Places that are of use without a job."""


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
        self._typing_scopes: tuple[Scope, ...] = ()
        self._ends: list[tuple[int, Action]] = []

    def show(
        self,
        session: Session,
        words: dict[str, str] | None = None,
        *,
        scopes: Sequence[Scope] = (),
        typing: Sequence[Scope] = (),
    ) -> None:
        """
        Args:
            words: labels that say a state, by action name, in place of the usual ones.
            scopes: where the keys come from now, when that is another place than before.
            typing: where the keys come from while an input has them; those it takes as text are left out.
        """
        self._scopes = tuple(scopes) or self._scopes
        self._typing_scopes = tuple(typing)
        self.paint_with(lambda width: self._line(session, words or {}, width))

    def _line(self, session: Session, words: dict[str, str], width: int) -> Content:
        parts: list[Content] = []
        self._ends = []
        x = 0
        typing = bool(self._typing_scopes)
        scopes = self._typing_scopes or self._scopes
        failed = session.phase is Phase.FAILED and not session.ranks and Scope.DISPATCH not in scopes
        for action in chosen(scopes, words, width, self._here, typing=typing, failed=failed):
            keys, label = _said(action, words, typing=typing)
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


def chosen(
    scopes: Sequence[Scope],
    words: dict[str, str],
    width: int,
    here: str = "",
    *,
    typing: bool = False,
    failed: bool = False,
) -> list[Action]:
    """The actions that fit into `width`, by importance, in the order of the registry.

    Args:
        typing: an input has the keys, so that actions whose keys are all characters are left out.
        failed: the target could not be opened: only what is of use then.
    """
    named = [action for action in actions_in(scopes) if action.importance and action.name != here]
    named = [action for action in named if keys_shown(action, typing=typing)]
    if failed:
        named = [action for action in named if action.after_failure or _AWAY_FROM_JOB & set(action.scopes)]
    kept: list[Action] = []
    used = 0
    for action in sorted(named, key=lambda action: -action.importance):
        keys, label = _said(action, words, typing=typing)
        needed = len(keys) + 1 + len(label) + (GAP if kept else 0)
        if used + needed > width:
            break
        kept.append(action)
        used += needed
    return [action for action in named if action in kept]


def _said(action: Action, words: dict[str, str], *, typing: bool = False) -> tuple[str, str]:
    return footer_keys(action, typing=typing), words.get(action.name, action.label)
