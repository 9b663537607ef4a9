"""Keys as people write them, how such words are read, and which keys are characters."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character

from .keymap import current_keymap

if TYPE_CHECKING:
    from ..actions.action import Action

__all__ = ["first_key", "footer_keys", "key_name", "keys_shown"]

_SHOWN = {
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "question_mark": "?",
    "slash": "/",
    "minus": "-",
    "plus": "+",
    "equals_sign": "=",
    "underscore": "_",
    "colon": ":",
    "comma": ",",
    "full_stop": ".",
    "delete": "del",
    "escape": "esc",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "enter": "enter",
    "shift+tab": "⇧tab",
}

_READ = {
    **{shown: key for key, shown in _SHOWN.items() if len(shown) > 1},
    **{shown: key for key, shown in _SHOWN.items() if shown in "↑↓←→"},
    "return": "enter",
    "page_up": "pageup",
    "page_down": "pagedown",
    "backtab": "shift+tab",
}
"""Other words for keys."""
_NAMED = frozenset(key.value for key in Keys if key.value.isascii() and "<" not in key.value) | {"space"}
_MODIFIERS = ("ctrl", "alt", "shift", "super", "hyper", "meta")
_SAME = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+left_square_bracket": "escape"}
"""What terminals send for one key and for another."""


def keys_shown(action: Action, *, typing: bool = False) -> list[str]:
    """The keys of an action, as they are set now, as people write them.

    Args:
        typing: an input has the keys, so those that are characters are left out.
    """
    keys = current_keymap().keys(action)
    return [_shown(key) for key in keys if not (typing and _is_character(key))]


def footer_keys(action: Action, *, typing: bool = False) -> str:
    """What the footer shows as keys of an action that has some."""
    usual = action.name not in current_keymap().changed
    return (usual and action.footer_keys) or keys_shown(action, typing=typing)[0]


def first_key(action: Action) -> str:
    """The key of an action, for a sentence; its name in quotes where it has none, for the palette."""
    return next(iter(keys_shown(action)), f"“{action.title or action.label}” of the palette")


def key_name(text: str) -> str:
    """A key as Textual names it.

    Args:
        text: as people write it: `r`, `/`, `F5`, `ctrl+r`, `esc`, or by its name.

    Raises:
        ValueError: it is no key, or none that terminals tell apart; the message says why.
    """
    *modifiers, base = (
        text.split("+") if len(text) > 1 and not text.endswith("+") else [*text[:-1].split("+"), text[-1:]]
    )
    modifiers = [word.strip().lower() for word in modifiers if word.strip()]
    if unknown := [word for word in modifiers if word not in _MODIFIERS]:
        raise ValueError(f"{unknown[0]!r} is none of {', '.join(_MODIFIERS)}")
    key = _base(base if len(base) == 1 else base.strip())
    if key is None:
        raise ValueError(f"{base!r} is no key")
    if not modifiers:
        return key
    if modifiers == ["shift"] and len(key) == 1 and key.isalpha():
        return key.upper()
    if len(key) == 1:
        key = key.lower()
    made = "+".join((*(word for word in _MODIFIERS if word in modifiers), key))
    if made in _SAME:
        raise ValueError(f"terminals send {made.replace('left_square_bracket', '[')} as {_SAME[made]}")
    return made


def _base(text: str) -> str | None:
    if len(text) == 1:
        if text in _READ:
            return _READ[text]
        if text.isalnum():
            return text
        if text == " ":
            return "space"
        name = unicodedata.name(text, "").lower().replace("-", "_").replace(" ", "_")
        return (KEY_NAME_REPLACEMENTS.get(name, name) or None) if text.isprintable() else None
    word = text.lower()
    word = _READ.get(word, word)
    if word in _NAMED or word in _SHOWN:
        return word
    return word if _character(word) else None


def _character(key: str) -> str:
    """The character of a key's name; empty when it has none that shows."""
    character = key_to_character(next((old for old, new in KEY_NAME_REPLACEMENTS.items() if new == key), key))
    return character if character is not None and character.isprintable() else ""


def _shown(key: str) -> str:
    if key in _SHOWN or key == "space":
        return _SHOWN.get(key, key)
    *modifiers, base = key.split("+")
    return "+".join((*modifiers, _SHOWN.get(base) or _character(base).strip() or base))


def _is_character(key: str) -> bool:
    """Whether an input takes it as text."""
    return len(key) == 1 or ("+" not in key and key not in _NAMED - {"space"} and bool(_character(key)))
