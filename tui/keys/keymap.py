"""Which keys do what now: the registry's, or those that the settings put in their place."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..actions.action import Action

__all__ = ["FIXED", "Keymap", "current_keymap", "unbound", "use_keymap"]

FIXED: dict[str, str] = {
    "ctrl+c": "it copies what is selected, or says how to quit",
    "ctrl+q": "it quits where text is typed too",
    "ctrl+p": "it opens the palette where text is typed too",
}
"""Keys that always do the same, and what; neither can be given to another action nor taken away."""


@dataclass(frozen=True, slots=True)
class Keymap:
    """The actions whose keys are not those of the registry."""

    changed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Keys as Textual names them, by the name of the action; none: it is in the palette only."""

    def keys(self, action: Action) -> tuple[str, ...]:
        """The keys of an action, the first one first in the footer."""
        if action.name not in self.changed:
            return action.keys
        return (*self.changed[action.name], *(key for key in action.keys if key in FIXED))

    def for_textual(self) -> dict[str, str]:
        """What `App.set_keymap` wants: keys by the id of a binding, which is the name of the action."""
        return {name: ",".join(keys) or unbound(name) for name, keys in self.changed.items()}


def unbound(name: str) -> str:
    """A key that no terminal sends: where an action without a key is bound, so that it can be given one."""
    return f"unbound_{name}"


_USUAL = Keymap()
_CURRENT: ContextVar[Keymap] = ContextVar("keymap", default=_USUAL)


def current_keymap() -> Keymap:
    """The keys of the application that runs in this context."""
    return _CURRENT.get()


def use_keymap(keymap: Keymap) -> None:
    """These are the keys from now on, in this context and those that come from it."""
    _CURRENT.set(keymap)
