"""The keys of a TCPStore as torch's periodic dump writes them: `key: b'...'`, one a line (torch 2.13).

Values are bytes literals of Python; they are read by a reader of our own that knows nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["MOST_KEYS", "VALUE_LIMIT", "StoreText", "read_bytes_literal", "read_store"]

MOST_KEYS = 200_000
"""Keys of one file that are read."""
VALUE_LIMIT = 64 * 1024
"""Bytes of one value that are kept."""
_KEY_LIMIT = 4_096

_LITERAL = re.compile(r"b(?:'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\")")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


@dataclass(frozen=True, slots=True)
class StoreText:
    """The keys of a store at one moment."""

    keys: tuple[tuple[str, bytes], ...]
    """Key and value, in the order of the file. Keys are as they came: whoever paints them makes them plain."""
    notes: tuple[str, ...] = ()
    """What could not be read, one plain line each."""


def read_bytes_literal(text: str) -> bytes:
    """The value of a literal `b'...'` or `b"..."` as `repr` writes it.

    Raises:
        ValueError: it is no such literal, or holds an escape that `repr` never writes.
    """
    found = _LITERAL.fullmatch(text)
    if found is None or not text.isascii():
        raise ValueError("not a bytes literal")
    inside = found[1] if found[1] is not None else found[2]
    return _ESCAPE.sub(_unescaped, inside).encode("latin-1")


def read_store(data: bytes) -> StoreText:
    """The keys in one `tcpstore_*` file. A key may hold blanks, colons and line breaks; a value is never evaluated."""
    keys: list[tuple[str, bytes]] = []
    unread = cut_values = 0
    pending = ""
    for line in data.decode("utf-8", errors="backslashreplace").split("\n"):
        entry = pending + line.removesuffix("\r")
        # The value is the last literal of the line: a key may look like `a: b'1'` itself.
        key, value = _last_entry(entry)
        if value is None:
            # A key with a line break goes on in the next line.
            pending = f"{entry}\n" if entry and len(entry) < _KEY_LIMIT else ""
            unread += bool(entry) and not pending
            continue
        pending = ""
        if len(keys) >= MOST_KEYS:
            unread += 1
            continue
        cut_values += len(value) > VALUE_LIMIT
        keys.append((key[:_KEY_LIMIT], value[:VALUE_LIMIT]))
    unread += bool(pending.strip())
    notes = []
    if unread:
        notes.append(f"{unread:,} entries of the store are not read: no value of the form b'...', or too many keys")
    if cut_values:
        notes.append(f"{cut_values:,} values are cut to their first {VALUE_LIMIT:,} bytes")
    return StoreText(tuple(keys), tuple(notes))


def _last_entry(entry: str) -> tuple[str, bytes | None]:
    """Key and value of one entry; None where it has no value (yet)."""
    quote = entry[-1:]
    if quote not in ("'", '"'):
        return entry, None
    # Inside the literal its own quote is escaped, so the last mark is where it begins.
    at = entry.rfind(f": b{quote}")
    if at < 0:
        return entry, None
    try:
        return entry[:at], read_bytes_literal(entry[at + 2 :])
    except ValueError:  # no value of a store: told by the caller
        return entry, None


def _unescaped(found: re.Match[str]) -> str:
    said = found[1]
    if len(said) == 3:
        return chr(int(said[1:], 16))
    if said not in _PLAIN:
        raise ValueError(f"\\{said} is no escape of a bytes literal")
    return _PLAIN[said]
