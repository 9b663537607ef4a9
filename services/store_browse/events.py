"""What reading a store gave: events for `StoreShown.apply`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from .searching import StoreSearch
    from .values import StoreValue

__all__ = [
    "StoreEvent",
    "StoreListed",
    "StoreListing",
    "StoreReading",
    "StoreRefused",
    "StoreSaid",
    "StoreSearched",
    "StoreValuesRead",
]


@dataclass(frozen=True, slots=True)
class StoreListing:
    """The keys of a store at one moment."""

    keys: tuple[bytes, ...]
    """Sorted, without those that the store keeps for itself."""
    count: int
    """Keys that it says it has, its own included."""
    read_at: int
    """ns since the epoch."""
    note: str = ""
    """Why these are not all, one plain line; empty when they are."""


@dataclass(frozen=True, slots=True)
class StoreReading:
    """The keys are being listed."""


@dataclass(frozen=True, slots=True)
class StoreListed:
    """The keys of the store were listed."""

    listing: StoreListing


@dataclass(frozen=True, slots=True)
class StoreRefused:
    """The keys could not be listed; what was known before is still there."""

    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class StoreValuesRead:
    """Some values that were wanted were read, or could not be."""

    values: tuple[StoreValue, ...]


@dataclass(frozen=True, slots=True)
class StoreSearched:
    """How far a search over values is. Hits so far, in the order of the keys."""

    search: StoreSearch
    hits: tuple[bytes, ...]
    read: int
    """Values that were looked at."""
    total: int
    done: bool = False
    cut: int = 0
    """Values of which only the beginning was looked at."""
    error: str = ""
    """Why it ended early, one plain line."""


@dataclass(frozen=True, slots=True)
class StoreSaid:
    """Something that was asked for has been done, or could not be."""

    message: str


StoreEvent: TypeAlias = StoreReading | StoreListed | StoreRefused | StoreValuesRead | StoreSearched | StoreSaid
