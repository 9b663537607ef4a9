"""One event of a trace (Chrome's trace event format, as Kineto writes it), read alone and mended when it is broken."""

from __future__ import annotations

import re

import msgspec

from .repairs import Repair, Repairs

__all__ = ["EVENT_LIMIT", "UNREADABLE", "TraceEvent", "mended", "object_end"]

EVENT_LIMIT = 32 * 1024 * 1024
"""Bytes of one event above which reading ends."""

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises for text that is no JSON, no UTF-8, of another shape, or nested too deep."""

Track = int | str | float | None


class TraceEvent(msgspec.Struct, gc=False):
    """What of an event the summaries need. Times are in microseconds."""

    ph: str = ""
    name: str = ""
    cat: str = ""
    pid: Track = None
    tid: Track = None
    ts: float | None = None
    dur: float | None = None
    args: msgspec.Raw = msgspec.Raw(b"")
    """The arguments as they stand in the file; decoded for the few events where they matter."""


_ONE = msgspec.json.Decoder(TraceEvent, strict=False)
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+("?)|[{}\[\]]', re.DOTALL)
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_STRANGE = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BARE = re.compile(rb"(?<=[:,\[\s])[-+]?(?:nan|inf(?:inity)?)(?=[\s,\]}])", re.IGNORECASE)
_NAME = re.compile(rb'"name"\s*:\s*"(.*?)"\s*(?:,\s*"(?:pid|tid|ph|cat|ts|dur|id|args|s|bp)"\s*:|\})', re.DOTALL)
_ARGUMENTS = re.compile(rb'"args"\s*:')


def object_end(data: bytes | bytearray, start: int) -> int | None:
    """The place after the object (or list) that begins at `start`; None when it has no end in `data`."""
    depth = 0
    for token in _TOKEN.finditer(data, start):
        sign = data[token.start()]
        if sign in b"{[":
            depth += 1
        elif sign in b"}]":
            depth -= 1
            if depth <= 0:
                return token.end()
        elif not token[1]:  # a text that has no end here
            return None
    return None


def mended(text: bytes, repairs: Repairs) -> TraceEvent | None:
    """An event that can't be decoded as it stands; None when nothing can be made of it. Counts what was done."""
    done: list[Repair] = []
    mended_text = _CONTROL.sub(b" ", text)  # line ends between the fields are blanks, inside of a text they are not
    event = _decoded(mended_text)
    if event is not None or _STRANGE.search(text):
        done.append(Repair.CONTROL)
    if event is None and _BARE.search(mended_text):
        mended_text = _BARE.sub(b"null", mended_text)
        done.append(Repair.NOT_A_NUMBER)
        event = _decoded(mended_text)
    if event is None:
        replaced = mended_text.decode("utf-8", errors="replace").encode()
        if replaced != mended_text:
            mended_text = replaced
            done.append(Repair.NOT_UTF8)
            event = _decoded(mended_text)
    if event is None:
        event = _salvaged(mended_text)
        done.append(Repair.LOST if event is None else Repair.ARGUMENTS_LOST)
    for kind in done:
        repairs.add(kind)
    return event


def _decoded(text: bytes) -> TraceEvent | None:
    try:
        return _ONE.decode(text)
    except UNREADABLE:
        return None


def _salvaged(text: bytes) -> TraceEvent | None:
    """Name, place and time, found one by one: quotes that nobody escaped spoil only what they stand in."""
    phase = _string(text, b"ph")
    found = _NAME.search(text)
    if phase is None or found is None:
        return None
    head = text[: found.start(1)] + text[found.end(1) :]  # a name can't pass for a field
    arguments = _ARGUMENTS.search(head)
    outside = head[: arguments.start()] if arguments else head
    return TraceEvent(
        ph=phase,
        name=found[1].decode("utf-8", errors="replace").replace('\\"', '"'),
        cat=_string(outside, b"cat") or "",
        pid=_track(outside, b"pid"),
        tid=_track(outside, b"tid"),
        ts=_number(outside, b"ts"),
        dur=_number(outside, b"dur"),
    )


def _string(text: bytes, key: bytes) -> str | None:
    found = re.search(rb'"' + key + rb'"\s*:\s*"([^"\\]{0,200})"', text)
    return found[1].decode("utf-8", errors="replace") if found else None


def _number(text: bytes, key: bytes) -> float | None:
    found = re.search(rb'"' + key + rb'"\s*:\s*"?(-?\d{1,40}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,3})?)', text)
    return float(found[1]) if found else None


def _track(text: bytes, key: bytes) -> Track:
    number = _number(text, key)
    if number is None:
        return _string(text, key)
    return int(number) if number.is_integer() else number
