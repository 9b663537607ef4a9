"""The command palette, made from the registry: what can be done at the place where it was opened."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from .actions import Action, Scope, actions_in, keys_shown

if TYPE_CHECKING:
    from .app import XpudbgApp

__all__ = ["RegistryProvider"]


class RegistryProvider(Provider):
    """Offers the actions of the screen and the app that are more than a motion and can be done now."""

    def _offered(self) -> list[tuple[str, Action]]:
        scopes = (*getattr(self.screen, "SCOPES", ()), Scope.APP)
        session = cast("XpudbgApp", self.app).session
        offered = [
            action
            for action in actions_in(scopes)
            if not action.motion and action.name != "palette" and not action.why_not(session)
        ]
        return [(_title(action), action) for action in offered]

    async def discover(self) -> Hits:
        for title, action in self._offered():
            yield DiscoveryHit(title, self._command(action), help=self._help(action))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for title, action in self._offered():
            score = matcher.match(title)
            if score > 0:
                yield Hit(score, matcher.highlight(title), self._command(action), help=self._help(action))

    def _command(self, action: Action) -> partial[None]:
        return partial(cast("XpudbgApp", self.app).perform, action.name)

    def _help(self, action: Action) -> str:
        return action.description


def _title(action: Action) -> str:
    """The action's name with its keys."""
    keys = " ".join(keys_shown(action))
    name = action.title or action.label.capitalize()
    return f"{name}  {keys}" if keys else name
