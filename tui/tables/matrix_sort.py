"""What a matrix of ranks is sorted by: ranks, what counts most, or a column; remembered as the sorts of tables are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .column_settings import tables

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MatrixSort"]

_COLUMN = "column "
"""Begins what is remembered of a column, whatever its name is."""
_LONGEST = 200
"""Characters of a name that is remembered; names come from ranks."""


class MatrixSort:
    """The order of one matrix. A column is known by its name, so that it is the same one in the next look, or job."""

    def __init__(self, matrix: str, words: Mapping[int, str]) -> None:
        """
        Args:
            matrix: the name under which it is remembered.
            words: what is remembered of each order that is none of a column, the default one first.
        """
        self._matrix = matrix
        self._words = dict(words)
        self.key: int | str = next(iter(self._words))
        """One of `words`, or the name of a column."""
        self.descending = False
        kept = tables().sorts(matrix)
        if kept:
            self._recall(*kept[0])

    def _recall(self, said: str, descending: bool) -> None:
        keys = {word: key for key, word in self._words.items()}
        if said in keys:
            self.key, self.descending = keys[said], descending
        elif said.startswith(_COLUMN):
            self.key, self.descending = said.removeprefix(_COLUMN), descending

    def take(self, key: int | str, *, descending: bool = False) -> None:
        """Sort by this from now on. A name that is too long or can't be written is not remembered."""
        self.key, self.descending = key, descending
        said = self._words[key] if isinstance(key, int) else _COLUMN + key
        fits = said.isprintable() and len(said) <= _LONGEST
        default = key == next(iter(self._words)) and not descending
        tables().sort(self._matrix, () if default or not fits else ((said, descending),))
