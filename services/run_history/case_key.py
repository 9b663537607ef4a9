"""The key by which the history tells the cases of case files from each other, in this session and in later ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..plain_text import plain

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["case_key", "different"]

PART_LIMIT = 400
"""Characters of each part of a key."""


def case_key(file: Path, *parts: str) -> str:
    """The key of a case: where its file lies, and what it is called in it, not its line, which moves.

    Args:
        parts: sheet and name of the row; none where the file is one case.
    """
    place = os.fsencode(os.path.abspath(file)).decode("utf-8", "backslashreplace")
    return "\n".join((plain(place, 4096), *(plain(part, PART_LIMIT) for part in parts)))


def different(keys: list[str]) -> list[str]:
    """The same keys, those that come again numbered in their order."""
    seen: dict[str, int] = {}
    made = []
    for key in keys:
        seen[key] = seen.get(key, 0) + 1
        made.append(key if seen[key] == 1 else f"{key}\n{seen[key]}")
    return made
