"""The command palette, made from the registry: what can be done at the place where it was opened."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.markup import escape

from ..services.plain_text import plain
from .actions.registry import Action, Scope, actions_in, keys_shown
from .widgets.choice_list import has_lines

if TYPE_CHECKING:
    from .app import XpudbgApp

__all__ = ["Palette", "RegistryProvider"]


BEHIND = 0.01
"""What a search is worth that has found what cannot be done now: it comes after all that can."""


class Palette(CommandPalette):
    """Textual's; on a terminal that leaves its list no room a page stays where it is."""

    def _action_command_list(self, action: str) -> None:
        if not action.startswith("page") or has_lines(self.query_one(CommandList)):
            super()._action_command_list(action)


class RegistryProvider(Provider):
    """Offers the actions of the screen and the app that are more than a motion: all that can be done now, and to who
    looks for them by name those that cannot, with the reason."""

    def _offered(self) -> list[tuple[str, Action, str]]:
        """Title, action, and why it cannot be done now."""
        scopes = (*getattr(self.screen, "SCOPES", ()), Scope.APP)
        session = cast("XpudbgApp", self.app).session
        offered = [action for action in actions_in(scopes) if not action.motion and action.name != "palette"]
        return [(_title(action), action, action.why_not(session)) for action in offered]

    async def discover(self) -> Hits:
        for title, action, reason in self._offered():
            if not reason:
                yield DiscoveryHit(title, self._command(action), help=self._help(action))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for title, action, reason in self._offered():
            score = matcher.match(title)
            if score > 0 and not reason:
                yield Hit(score, matcher.highlight(title), self._command(action), help=self._help(action))
            elif score > 0:
                said = escape(f"not now: {plain(reason)}")
                shown = Content.styled(title, "$foreground-muted")
                yield Hit(score * BEHIND, shown, self._command(action), text=title, help=said)

    def _command(self, action: Action) -> partial[None]:
        return partial(cast("XpudbgApp", self.app).perform, action.name)

    def _help(self, action: Action) -> str:
        return action.description


def _title(action: Action) -> str:
    """The action's name with its keys."""
    keys = " ".join(keys_shown(action))
    name = action.title or action.label.capitalize()
    return f"{name}  {keys}" if keys else name
