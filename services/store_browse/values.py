"""A value of a store as it is shown: what it looks like, and its views as text, JSON and hex. Nothing is unpickled."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from ..json_layout import LayoutError, is_json, laid_out
from ..plain_text import plain
from ..sizes import size_text

__all__ = [
    "EXPORT_LIMIT",
    "PREVIEW_LIMIT",
    "ROW",
    "VIEW_LIMIT",
    "StoreValue",
    "ValueKind",
    "View",
    "best_view",
    "hex_dump",
    "key_text",
    "kind_of",
    "value_preview",
    "view_text",
]

PREVIEW_LIMIT = 16 * 1024
"""Bytes of a value that are read for its line in the tree."""
VIEW_LIMIT = 512 * 1024
"""Bytes of the value under the cursor that are read to be shown; its export has all."""
EXPORT_LIMIT = 64 * 1024 * 1024
"""Bytes of the longest value that is exported."""
ROW = 16
"""Bytes of one line of the hex view."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""What text does not have."""


class ValueKind(StrEnum):
    """What a value looks like."""

    EMPTY = "empty"
    JSON = "JSON"
    TEXT = "text"
    PICKLE = "looks like a pickle"
    BINARY = "binary"


class View(StrEnum):
    """A way to show a value."""

    TEXT = "text"
    JSON = "JSON"
    HEX = "hex"


@dataclass(frozen=True, slots=True)
class StoreValue:
    """What reading one key gave."""

    key: bytes
    head: bytes = b""
    """The value, or as much of it as was wanted."""
    length: int = 0
    """Bytes of the whole value."""
    read_at: int = 0
    """ns since the epoch."""
    gone: bool = False
    """The key was listed, and is not there any more."""
    error: str = ""
    """Why it could not be read, one plain line."""

    @property
    def whole(self) -> bool:
        return len(self.head) == self.length

    @property
    def readable(self) -> bool:
        """Whether there is a value to show."""
        return not (self.gone or self.error)


def key_text(key: bytes, limit: int = 400) -> str:
    """A key as one plain line; bytes that are no text show as escapes."""
    return plain(key.decode("utf-8", "backslashreplace"), limit)


def kind_of(value: StoreValue) -> ValueKind:
    """What the value looks like, from the bytes that were read."""
    data = value.head
    if not data:
        return ValueKind.BINARY if value.length else ValueKind.EMPTY
    if data[0] == 0x80 and len(data) > 1 and data[1] in (2, 3, 4, 5) and (not value.whole or data.endswith(b".")):
        return ValueKind.PICKLE
    if not _is_text(value):
        return ValueKind.BINARY
    return ValueKind.JSON if data.lstrip()[:1] in (b"{", b"[") and value.whole and is_json(data) else ValueKind.TEXT


def best_view(value: StoreValue) -> View:
    """The view that fits the value."""
    kind = kind_of(value)
    return {ValueKind.JSON: View.JSON, ValueKind.TEXT: View.TEXT, ValueKind.EMPTY: View.TEXT}.get(kind, View.HEX)


def view_text(value: StoreValue, view: View, row: int = ROW) -> str:
    """The value in one of its views, as lines; not plain yet. Where it has no such view, a sentence and its text.

    Args:
        row: bytes of one line of the hex view.
    """
    if value.gone:
        return "The key is gone: it was listed, and is not in the store any more."
    if value.error:
        return value.error
    cut = "" if value.whole else f"\n… {value.length - len(value.head):,} bytes more; {_how_to_have_all(value)}"
    if view is View.HEX:
        return hex_dump(value.head, row) + cut
    if view is View.JSON:
        why = "only its beginning was read"
        if value.whole:
            try:
                return laid_out(value.head)
            except LayoutError as error:
                why = str(error)
        return f"Not shown as JSON: {why}.\n\n{_text(value)}{cut}"
    return _text(value) + cut


def value_preview(value: StoreValue, limit: int = 120) -> str:
    """The beginning of a value in one plain line."""
    if value.gone:
        return "gone"
    if value.error:
        return plain(value.error, limit)
    if value.length and not value.head:
        return f"{size_text(value.length)} are announced, none came"
    kind = kind_of(value)
    if kind in (ValueKind.JSON, ValueKind.TEXT):
        return plain(value.head[: limit * 4].decode("utf-8", "replace"))[:limit]
    if kind is ValueKind.EMPTY:
        return "empty"
    return f"{kind}: {value.head[:24].hex(' ')}"


def hex_dump(data: bytes, row: int = ROW) -> str:
    """Offset, bytes in hex by eights, the same as ASCII: one line for each `row` bytes, a multiple of eight."""
    lines = []
    for start in range(0, len(data), row):
        part = data[start : start + row]
        eights = "  ".join(f"{part[at : at + 8].hex(' '):<23}" for at in range(0, row, 8))
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"{start:08x}  {eights}  |{shown}|")
    return "\n".join(lines)


def _how_to_have_all(value: StoreValue) -> str:
    if value.length > EXPORT_LIMIT:
        return f"it is longer than the {size_text(EXPORT_LIMIT)} that are read of a value"
    return "e writes all to a file"


def _text(value: StoreValue) -> str:
    return value.head.decode("utf-8", "backslashreplace")


def _is_text(value: StoreValue) -> bool:
    data = value.head
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if value.whole or error.start < len(data) - 3:  # not the character that the cut went through
            return False
        text = data[: error.start].decode("utf-8")
    return _CONTROL.search(text) is None
