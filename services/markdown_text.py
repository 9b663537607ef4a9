"""Texts in GitHub's Markdown: without meaning there, and no longer than a ticket may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .plain_text import LINE_LIMIT, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["TICKET_LIMIT", "Piece", "joined", "unmarked"]

TICKET_LIMIT = 65_536
"""Characters of the body of an issue or a comment that GitHub takes; a longer one is refused as a whole."""
_RESERVE = 600
"""Characters kept for saying what was left out."""

_SPECIAL = str.maketrans({char: f"\\{char}" for char in r"\`*_{}[]<>()#+!|~&@$"})


def unmarked(text: str, limit: int = LINE_LIMIT) -> str:
    """One line, plain and without meaning in Markdown."""
    return plain(text, limit).translate(_SPECIAL)


class Piece(NamedTuple):
    """Some lines that stand or are left out together."""

    kind: str
    """What it is one of, for saying how many are left out: `row of the table of ranks`."""
    text: str
    """Lines, without a line end after the last."""
    head: str | None = None
    """What stands before the first piece of a kind, the head of its table for example; an empty text is a blank
    line."""


def joined(pieces: Iterable[Piece], limit: int = TICKET_LIMIT) -> str:
    """The pieces one below the other, as far as there is room; what is left out is said at the end.

    Once one piece of a kind has no room, the later ones of this kind are left out too.
    """
    room = limit - _RESERVE
    lines: list[str] = []
    begun: set[str] = set()
    missing: dict[str, int] = {}
    for piece in pieces:
        text = piece.text if piece.kind in begun or piece.head is None else f"{piece.head}\n{piece.text}"
        if piece.kind in missing or len(text) + 1 > room:
            missing[piece.kind] = missing.get(piece.kind, 0) + 1
            continue
        begun.add(piece.kind)
        room -= len(text) + 1
        lines.append(text)
    text = "\n".join(lines).rstrip() + "\n"
    if not missing:
        return text
    told = ", ".join(f"{count:,} × {kind}" for kind, count in missing.items())
    return f"{text}\n*Left out, since a ticket takes {limit:,} characters: {told}.*\n"
