"""Completes the name of a file while it is typed."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from textual.suggester import Suggester

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widgets import Input

__all__ = ["PathSuggester", "completed", "take_suggestion"]

MOST_ENTRIES = 5_000
"""Entries of a folder that are looked at."""


class PathSuggester(Suggester):
    """Suggests folders, and files of some endings."""

    def __init__(self, endings: Iterable[str], *, several: bool = False) -> None:
        """
        Args:
            endings: of files that are suggested; an empty one for all.
            several: names may stand one after the other; the last is completed where they are not one name.
        """
        super().__init__(use_cache=False, case_sensitive=True)
        self._endings = tuple(endings)
        self._several = several

    async def get_suggestion(self, value: str) -> str | None:
        found = await asyncio.to_thread(completed, value, self._endings)
        before, blank, last = value.rpartition(" ")
        if found is not None or not (self._several and last):
            return found
        found = await asyncio.to_thread(completed, last, self._endings)
        return None if found is None else f"{before}{blank}{found}"


def take_suggestion(line: Input) -> bool:
    """Have a line hold what it suggests. False when it suggests nothing where its cursor is."""
    before = line.value
    if line.cursor_position == len(before):
        line.action_cursor_right()
    return line.value != before


def completed(typed: str, endings: tuple[str, ...]) -> str | None:
    """The first name that goes on like the text, in order of names; None when there is none, or nothing was typed."""
    if not typed.strip():
        return None
    folder, slash, start = typed.rpartition("/")
    found: list[str] = []
    try:
        with os.scandir(Path(f"{folder}{slash}" or ".").expanduser()) as entries:
            for count, entry in enumerate(entries):
                if count >= MOST_ENTRIES:
                    break
                name = entry.name
                if name == start or not name.startswith(start) or (name.startswith(".") and not start):
                    continue
                if entry.is_dir():
                    found.append(f"{name}/")
                elif name.lower().endswith(endings):
                    found.append(name)
    except (OSError, ValueError):
        return None
    return f"{folder}{slash}{min(found)}" if found else None
