"""What the engine is told to do with the store of the target. Each is answered by events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .searching import StoreSearch

__all__ = ["EndSearch", "ExportValue", "ListKeys", "ReadValues", "SearchValues", "StoreOrder"]


@dataclass(frozen=True, slots=True)
class ListKeys:
    """List the keys: StoreReading, then StoreListed or StoreRefused."""


@dataclass(frozen=True, slots=True)
class ReadValues:
    """Read some values: StoreValuesRead, perhaps in several parts."""

    keys: tuple[bytes, ...]
    limit: int
    """Bytes of each that are kept."""


@dataclass(frozen=True, slots=True)
class SearchValues:
    """Read the values of these keys for a search, in place of one under way: StoreSearched, again and again."""

    search: StoreSearch
    keys: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class EndSearch:
    """End the search under way."""


@dataclass(frozen=True, slots=True)
class ExportValue:
    """Write one whole value to a new file: StoreSaid."""

    key: bytes
    folder: Path


StoreOrder: TypeAlias = ListKeys | ReadValues | SearchValues | EndSearch | ExportValue
