"""Bytes of a flight recorder dump to a `Dump`: what they are is told by their content, never by a name."""

from __future__ import annotations

import contextlib
import gc
import html
import json
import re
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

from .dump import DumpError, Format
from .json_dump import NotFast, read_fast, stack_of
from .pickles import load_plain
from .plain_dump import read_plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .dump import Dump

__all__ = ["MAX_BYTES", "decode", "stack_of"]

MAX_BYTES = 1 << 30
"""Bytes of one dump after unpacking; a ring of 20,000 entries with frames has under 100 MB."""

MOST_OBJECTS = 4_000_000
"""Objects in one dump that is JSON: entries and frames; a ring of 20,000 entries with 60 frames each has 1,220,000."""
SLOW_BYTES = 256 << 20
"""Bytes of JSON that only Python's own reader takes: it makes objects of all there is, several times as large."""
SLOW_PARTS = 16_000_000
"""Values in such a text."""
_SMALL = 16 << 20
"""Bytes up to which nothing is counted."""

SLOW = "read slowly: it is not strict JSON"

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_HTML = re.compile(rb"\s*(?:<!doctype html|<html|<head|<body)", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_OLD_PICKLE = re.compile(rb"[(}\]]|c[\w.]+\n[\w.]+\n|\(i[\w.]+\n")


def decode(data: bytes | bytearray | memoryview, rank: int) -> Dump:
    """The dump of `rank` in these bytes: JSON or a pickle, gzip'd or not, of any version.

    Raises:
        DumpError: empty, cut, something else, or a pickle that is more than data.
    """
    with _collection_paused():
        return _decode(bytes(data), rank)


@contextlib.contextmanager
def _collection_paused() -> Iterator[None]:
    """No garbage collection meanwhile: it would walk again and again over decoded data that is all alive."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _decode(data: bytes, rank: int) -> Dump:
    if data.startswith(_GZIP):
        data = _gunzip(data)
    if len(data) > MAX_BYTES:
        raise DumpError(f"{len(data):,} bytes; a dump of more than {MAX_BYTES:,} is not read")
    data = data.removeprefix(_BOM)
    if not data.strip():
        raise DumpError("empty" if not data else "empty: nothing but blanks")
    if data[0] == 0x80:
        return read_plain(load_plain(data), rank, Format.PICKLE)
    first = data.lstrip()[:1]
    if first in (b"{", b"["):
        return _read_json(data, rank)
    if _OLD_PICKLE.match(data):
        return read_plain(load_plain(data), rank, Format.PICKLE)
    raise DumpError(f"not a dump: {_looks_like(data)}")


def _read_json(data: bytes, rank: int) -> Dump:
    if len(data) > _SMALL and (count := data.count(b"{")) > MOST_OBJECTS:
        raise DumpError(f"{count:,} objects; a dump of more than {MOST_OBJECTS:,} is not read")
    try:
        return read_fast(data, rank)
    except NotFast as refused:
        if refused.cut:
            raise DumpError(f"cut at byte {len(data):,}") from None
    if len(data) > SLOW_BYTES or (len(data) > _SMALL and data.count(b",") + data.count(b"[") > SLOW_PARTS):
        raise DumpError(f"{len(data):,} bytes that are no strict JSON of a dump; not read")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    try:
        loaded = json.loads(text)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or "Unterminated" in error.msg:
            raise DumpError(f"cut at byte {len(data):,}") from None
        raise DumpError(f"not JSON: {error.msg} at character {error.pos:,}") from None
    except (RecursionError, ValueError) as error:
        raise DumpError(
            f"not JSON: {'nested too deep' if isinstance(error, RecursionError) else str(error)[:160]}"
        ) from None
    dump = read_plain(loaded, rank, Format.JSON)
    return replace(dump, notes=(*dump.notes, SLOW))


def _gunzip(data: bytes) -> bytes:
    unpacked: list[bytes] = []
    size = 0
    while data:
        unpacker = zlib.decompressobj(wbits=31)
        try:
            part = unpacker.decompress(data, MAX_BYTES + 1 - size)
        except zlib.error as error:
            raise DumpError(f"not gzip: {error}") from None
        size += len(part)
        if size > MAX_BYTES:
            raise DumpError(f"gzip of more than {MAX_BYTES:,} bytes; not read")
        if not unpacker.eof:
            raise DumpError(f"gzip cut at byte {len(data):,}")
        unpacked.append(part)
        data = unpacker.unused_data if unpacker.unused_data.startswith(_GZIP) else b""
    return b"".join(unpacked)


def _looks_like(data: bytes) -> str:
    head = data[:16_384]
    if _HTML.match(head):
        title = _TITLE.search(head.decode("utf-8", "replace"))
        named = " ".join(html.unescape(title[1]).split())[:120] if title else ""
        return f"an HTML page titled {named!r}" if named else "an HTML page"
    if b"\0" in head:
        return "binary data of an unknown kind"
    line = next((line.strip() for line in head.decode("utf-8", "replace").splitlines() if line.strip()), "")
    return f"it begins with {line[:120]!r}"
