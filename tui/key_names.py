"""Keys as people write them, and which of them are characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .action import Action

__all__ = ["keys_shown"]

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


_CHARACTERS = frozenset(
    (
        *("left_square_bracket", "right_square_bracket", "question_mark", "slash", "minus", "colon", "space"),
        *("left_parenthesis", "right_parenthesis", "less_than_sign", "greater_than_sign"),
        *("plus", "equals_sign", "underscore", "comma", "full_stop"),
    )
)
"""Names of keys that an input takes as text, beside those of one letter."""


def keys_shown(action: Action, *, typing: bool = False) -> list[str]:
    """The keys of an action as people write them.

    Args:
        typing: an input has the keys, so those that are characters are left out.
    """
    return [_SHOWN.get(key, key) for key in action.keys if not (typing and (len(key) == 1 or key in _CHARACTERS))]
