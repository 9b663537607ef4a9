"""What is known of the target's store: the part of the Session that the store's screen shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import events

if TYPE_CHECKING:
    from .values import StoreValue

__all__ = ["StoreShown"]

VALUES_MEMORY = 32 * 1024 * 1024
"""Bytes of values that are kept; those read first go first."""
NOTICES = 100


class StoreShown:
    """Changes only in `apply`."""

    def __init__(self, where: str = "") -> None:
        self.where = where
        """host:port of the store; empty where the target has none."""
        self.reading = False
        """Whether the keys are being listed."""
        self.listing: events.StoreListing | None = None
        self.failure = ""
        """Why the last listing failed, one plain line."""
        self.hint = ""
        self.answers = 0
        """How often the keys were listed, or could not be."""
        self.values: dict[bytes, StoreValue] = {}
        """What was read; some of it perhaps before the keys were listed last."""
        self.search: events.StoreSearched | None = None
        """The newest search over values."""
        self.notices: list[str] = []
        """What was said, oldest first."""
        self.said = 0
        """How many were said in all."""
        self._memory = 0

    def apply(self, event: events.StoreEvent) -> None:
        match event:
            case events.StoreReading():
                self.reading = True
            case events.StoreListed():
                self.reading, self.failure, self.hint = False, "", ""
                self.answers += 1
                self.listing, self.search = event.listing, None
                there = frozenset(event.listing.keys)
                self.values = {key: value for key, value in self.values.items() if key in there}
                self._memory = sum(len(value.head) for value in self.values.values())
            case events.StoreRefused():
                self.reading, self.failure, self.hint = False, event.message, event.hint
                self.answers += 1
            case events.StoreValuesRead():
                for value in event.values:
                    self._keep(value)
            case events.StoreSearched():
                self.search = event
            case events.StoreSaid():
                self.notices = [*self.notices, event.message][-NOTICES:]
                self.said += 1

    def _keep(self, value: StoreValue) -> None:
        before = self.values.pop(value.key, None)
        if before is not None:
            self._memory -= len(before.head)
        self.values[value.key] = value
        self._memory += len(value.head)
        while self._memory > VALUES_MEMORY and len(self.values) > 1:
            oldest = next(iter(self.values))
            self._memory -= len(self.values.pop(oldest).head)
