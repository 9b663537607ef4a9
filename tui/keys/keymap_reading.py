"""The keys that the settings name become a keymap; what can't be done is told with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.settings.reading import near
from ...services.settings.statements import Problem
from ..actions.registry import ACTIONS, by_name
from ..moving.places import PLACES
from .key_names import key_name
from .keymap import FIXED, Keymap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...services.settings.shape import Keys
    from ..actions.action import Action

__all__ = ["read_keymap"]

MOST_KEYS = 8
"""Keys of one action."""


def read_keymap(wanted: Mapping[str, Keys], lines: Mapping[str, int]) -> tuple[Keymap, list[Problem]]:
    """
    Args:
        wanted: keys by action, as they are written.
        lines: of the file, by `keys.ACTION`.

    Returns:
        The keymap, and what of `wanted` is not in it. Of two actions that want one key at one place the one that has it
        keeps it: the earlier of the file, or the one whose keys the file leaves as they are.
    """
    reading = _Reading(lines)
    in_order = sorted(wanted.items(), key=lambda one: lines.get(f"keys.{one[0]}", 0))
    asked = {name: keys for name, given in in_order if (keys := reading.keys(name, given)) is not None}
    reading.settle(asked)
    return Keymap(reading.settled), reading.problems


class _Reading:
    def __init__(self, lines: Mapping[str, int]) -> None:
        self._lines = lines
        self.problems: list[Problem] = []
        self.settled: dict[str, tuple[str, ...]] = {}
        self._pending: set[str] = set()

    def keys(self, name: str, given: Keys) -> tuple[str, ...] | None:
        """The keys that are meant; None when it is no action whose keys can be others."""
        if name not in by_name:
            self._tell(name, "there is no such action", near(name, by_name) or "`xpudbg config --keys` lists them")
            return None
        fixed = [key for key in by_name[name].keys if key in FIXED]
        if fixed and len(fixed) == len(by_name[name].keys):
            self._tell(name, f"{fixed[0]} can't be changed: {FIXED[fixed[0]]}")
            return None
        words = (given,) if isinstance(given, str) else given
        made: list[str] = []
        for word in words[:MOST_KEYS]:
            try:
                key = key_name(word)
            except ValueError as error:
                self._tell(name, str(error), 'write "r", "F5", "ctrl+r", "esc", "space"')
                continue
            if key in FIXED and key not in fixed:
                self._tell(name, f"{key} can't be changed: {FIXED[key]}")
            elif key not in FIXED and key not in made:
                made.append(key)
        if len(words) > MOST_KEYS:
            self._tell(name, f"more than {MOST_KEYS} keys; the first {MOST_KEYS} count")
        return tuple(made) if made or not words else None

    def settle(self, asked: Mapping[str, tuple[str, ...]]) -> None:
        """Give each action its keys, one after the other."""
        self._pending = set(asked)
        lost: list[str] = []
        for name, keys in asked.items():
            self._pending.discard(name)
            free = tuple(key for key in keys if self._is_free(by_name[name], key))
            if free or not keys:
                self.settled[name] = free
            else:
                lost.append(name)
        for name in lost:  # back to its own keys, as far as nobody has them now
            own = [key for key in by_name[name].keys if key not in FIXED]
            kept = tuple(key for key in own if self._owner(by_name[name], key) is None)
            if list(kept) != own:
                self.settled[name] = kept

    def _is_free(self, action: Action, key: str) -> bool:
        owner = self._owner(action, key)
        if owner is None:
            return True
        line = self._lines.get(f"keys.{owner.name}") if owner.name in self.settled else None
        where = f"line {line}" if line is not None else "by default"
        place = " and ".join(scope.value for scope in owner.scopes[:2])
        self._tell(action.name, f"{key} is the key of {owner.name} already ({where}; {place}), which keeps it")
        return False

    def _owner(self, action: Action, key: str) -> Action | None:
        """Another action that has a key where this one holds."""
        for other in ACTIONS:
            if other.name == action.name or other.name in self._pending:
                continue
            if key in self.settled.get(other.name, other.keys) and _meet(action, other):
                return other
        return None

    def _tell(self, name: str, text: str, hint: str = "") -> None:
        self.problems.append(Problem(self._lines.get(f"keys.{name}"), f"keys.{name}: {text}", hint))


def _meet(one: Action, other: Action) -> bool:
    """Whether there is a place where both hold."""
    first, second = set(one.scopes), set(other.scopes)
    return any(first & here and second & here for here in map(set, PLACES))
