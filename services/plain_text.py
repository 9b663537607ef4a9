"""Text from outside made safe to show: nothing in it moves the cursor, reorders or hides what stands beside it.

Ranks, stores and files are not trusted. `plain` turns every character that is not simply a letter, mark, number,
sign or space into a visible escape.
"""

from __future__ import annotations

import unicodedata

__all__ = ["LINE_LIMIT", "plain", "plain_lines"]

LINE_LIMIT = 2_000
"""Characters of one text that are ever shown; the rest is said to be left out."""

_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Unicode categories that steer, hide or have no known width: controls, format (bidi, zero width), surrogates."""
_COMBINING_RUN = 2
"""Combining marks kept on one letter; more of them climb into the lines above."""


def plain(text: str, limit: int = LINE_LIMIT) -> str:
    """One line that paints as itself.

    Controls, bidirectional and zero-width characters, lone surrogates, variation selectors and piles of combining
    marks become `\\x1b`, `\\u202e` and the like; line breaks and tabs too. Longer than `limit` characters: cut, with
    the number of characters left out.
    """
    left_out = len(text) - limit
    if left_out > 0:
        text = text[:limit]
    if not (text.isascii() and text.isprintable()):
        text = _escaped(text)
    return f"{text}… ({left_out:,} more)" if left_out > 0 else text


def plain_lines(text: str, limit: int = 20 * LINE_LIMIT) -> str:
    """Several lines made plain one by one; the line breaks stay."""
    return "\n".join(plain(line, limit) for line in text.split("\n"))


def _escaped(text: str) -> str:
    pieces: list[str] = []
    run = 0
    for char in text:
        category = unicodedata.category(char)
        run = run + 1 if category in ("Mn", "Me") else 0
        selector = "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
        if category in _HIDDEN or selector or run > _COMBINING_RUN:
            pieces.append(_escape(ord(char)))
        else:
            pieces.append(" " if category == "Zs" else char)
    return "".join(pieces)


def _escape(code: int) -> str:
    if code < 0x100:
        return {9: "\\t", 10: "\\n", 13: "\\r"}.get(code, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
