"""Completes names of the settings while they are typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.suggester import Suggester

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NameSuggester"]


class NameSuggester(Suggester):
    """Suggests a name, and what another suggester has where no name goes on like the text."""

    def __init__(self, names: Iterable[str], other: Suggester | None = None, *, several: bool = False) -> None:
        """
        Args:
            names: what is suggested, the first in order that goes on like the text.
            other: asked where none does.
            several: names may stand one after the other, with blanks or commas between; the last is completed.
        """
        super().__init__(use_cache=False, case_sensitive=True)
        self._names = sorted(names)
        self._other = other
        self._several = several

    async def get_suggestion(self, value: str) -> str | None:
        start = max(value.rfind(" "), value.rfind(",")) + 1 if self._several else 0
        last = value[start:]
        found = next((name for name in self._names if last and name != last and name.startswith(last)), None)
        if found is not None:
            return value[:start] + found
        return await self._other.get_suggestion(value) if self._other is not None else None
