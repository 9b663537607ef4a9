"""The store's keys and values as a bundle keeps them: text where it is text, base64 where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..plain_text import plain
from ..store_browse.events import StoreListing
from ..store_browse.values import StoreValue
from .records import ListedRecord, StoreRecord, ValueRecord

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["REDACTED", "shown", "stored"]

REDACTED = "left out of the bundle: the store's values were redacted"

NO_TEXT = "left out of the bundle: in what is no text nothing can be replaced"


def stored(
    listing: StoreListing | None, values: Iterable[StoreValue], *, without_values: bool, text_only: bool = False
) -> StoreRecord:
    """The member `store.json`.

    Args:
        listing: the keys; None when they were not read.
        values: those that were read.
        without_values: write down only how long each one is.
        text_only: leave out what is no text, in which nothing can be replaced.
    """
    listed = None
    if listing is not None:
        texts = [_text(key) for key in listing.keys]
        others = [key for key, text in zip(listing.keys, texts, strict=True) if text is None]
        note = listing.note
        if text_only and others:
            texts = [text for text in texts if text is not None]
            note = "; ".join(filter(None, (note, f"{len(others):,} keys that are no text were left out")))
            others = []
        listed = ListedRecord(listing.read_at, listing.count, texts, others, note)
    made = [_stored(value, without=without_values, text_only=text_only) for value in values]
    return StoreRecord(listed, [one for one in made if one.key is not None or not text_only])


def shown(record: StoreRecord) -> tuple[StoreListing | None, tuple[StoreValue, ...]]:
    """The same as the store's screen has it.

    Raises:
        ValueError: it contradicts itself.
    """
    listing = None
    if record.listing is not None:
        others = iter(record.listing.keys64)
        try:
            keys = tuple(next(others) if key is None else key.encode() for key in record.listing.keys)
        except StopIteration:
            raise ValueError("it has fewer keys in base64 than it says") from None
        listing = StoreListing(
            tuple(sorted(frozenset(keys))), record.listing.count, record.listing.read_at, plain(record.listing.note)
        )
    return listing, tuple(map(_shown, record.values))


def _stored(value: StoreValue, *, without: bool, text_only: bool) -> ValueRecord:
    made = ValueRecord(length=value.length, read_at=value.read_at, gone=value.gone, error=value.error)
    made.key = _text(value.key)
    if made.key is None:
        made.key64 = value.key
    if not value.readable:
        return made
    if without:
        made.error = REDACTED
        return made
    made.text = _text(value.head)
    if made.text is None and text_only:
        made.error = NO_TEXT
    elif made.text is None:
        made.base64 = value.head
    return made


def _shown(record: ValueRecord) -> StoreValue:
    key = record.key64 if record.key is None else record.key.encode()
    if key is None:
        raise ValueError("a value has no key")
    head = record.base64 if record.text is None else record.text.encode()
    head = head or b""
    return StoreValue(key, head, max(record.length, len(head)), record.read_at, record.gone, plain(record.error))


def _text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
