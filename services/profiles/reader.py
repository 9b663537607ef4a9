"""A trace read as a stream: the header's values, then the events in batches, in bounded memory, as far as it goes.

Kineto's files are one object with the events in a list named traceEvents; a bare list of events is as good. A batch is
cut where one object ends and the next begins and decoded at once. Where that fails, its events are read one by one and
mended; so a broken event costs itself, not the trace.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from .pieces import PIECE, pieces
from .repairs import Repair, Repairs
from .trace_event import EVENT_LIMIT, UNREADABLE, TraceEvent, mended, object_end

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from pathlib import Path

__all__ = ["TraceReader", "read_events"]

E = TypeVar("E", bound=TraceEvent)

HEADER_LIMIT = 64 * 1024 * 1024
"""Bytes that the values beside the events may take together."""
BROKEN_LIMIT = 200_000
"""Events that are mended or given up one by one, until it is taken that there is no sense in the rest."""
_SEAM = re.compile(rb"\}\s*+(,?)\s*+(?=\{)")
_SEAM_REACH = 64 * 1024
"""Bytes at the end of a batch in which its last seam is looked for first."""
SEARCHES = 64
"""Events whose end is looked for behind a seam in vain, until it is taken that all are broken."""
_KEY = re.compile(rb'[\s,]*+"((?:[^"\\]|\\.)*+)"\s*+:\s*+', re.DOTALL)
_SCALAR = re.compile(rb'"(?:[^"\\]|\\.)*+"|[^\s,\]}"\[{]++', re.DOTALL)
_END = re.compile(rb"\s*+\]")
_CLOSE = re.compile(rb"\}(?=\s*+\])")
_BLANK = re.compile(rb"[\s,]*+")
_BOM = b"\xef\xbb\xbf"


class TraceReader(Generic[E]):
    """Read `batches` to the end; `header` has the values before the events at once, those after them in the end."""

    def __init__(self, parts: Iterable[bytes], event_type: type[E], repairs: Repairs) -> None:
        """
        Args:
            parts: the content of the file in pieces.
            event_type: what the events are decoded to; more fields than `TraceEvent` has are lost by mended ones.
            repairs: counts what is wrong.
        """
        self.header: dict[str, msgspec.Raw] = {}
        self.read_bytes = 0
        """Bytes of content taken so far."""
        self._parts = iter(parts)
        self._ended = False
        self._repairs = repairs
        self._event_type = event_type
        self._one: msgspec.json.Decoder[E] = msgspec.json.Decoder(event_type, strict=False)
        self._many: msgspec.json.Decoder[list[E]] = msgspec.json.Decoder(list[event_type], strict=False)  # type: ignore[valid-type]
        self._data = b""
        self._at = 0
        self._searches = 0
        self._broken = 0
        self._room = HEADER_LIMIT

    def batches(self) -> Iterator[list[E]]:
        """The events in the order of the file."""
        self._more()
        if self._data.startswith(_BOM):
            self._at = len(_BOM)
        opening = self._next_byte()
        if opening == b"[":
            self._at += 1
            yield from self._events()
        elif opening == b"{":
            self._at += 1
            yield from self._object()
        else:
            self._repairs.add(Repair.NO_EVENTS)

    # the object around the events -----------------------------------------------------------------------------

    def _object(self) -> Iterator[list[E]]:
        there = False
        while True:
            sign = self._next_byte()
            if sign in (b"}", b""):
                if not sign:
                    self._repairs.add(Repair.CUT)
                break
            key = _KEY.match(self._data, self._at)
            while key is None and self._grow(self._room):
                key = _KEY.match(self._data, self._at)
            if key is None:
                self._repairs.add(Repair.HEADER)
                break
            name = key[1].decode("utf-8", errors="replace")
            self._at = key.end()
            if name == "traceEvents" and self._next_byte() == b"[":
                self._at += 1
                there = True
                if (yield from self._events()):
                    continue
                return
            if not self._value(name):
                break
        self._repairs.add(Repair.NO_EVENTS, not there)

    def _value(self, name: str) -> bool:
        """Keep one value of the header; False where it has no end."""
        opening = self._next_byte()
        while True:
            if opening in (b"{", b"["):
                end = object_end(self._data, self._at)
            else:
                scalar = _SCALAR.match(self._data, self._at)
                end = scalar.end() if scalar and (scalar.end() < len(self._data) or self._ended) else None
            if end is not None:
                self.header[name] = msgspec.Raw(self._data[self._at : end])
                self._room -= len(name) + end - self._at
                self._at = end
                if self._room < 0:
                    self._repairs.add(Repair.TOO_LARGE)
                return self._room >= 0
            if not self._grow(self._room):
                self._repairs.add(Repair.CUT if self._ended else Repair.TOO_LARGE)
                return False

    # events ---------------------------------------------------------------------------------------------------

    def _events(self) -> Generator[list[E], None, bool]:
        """Events up to the end of their list; ends with True when there is something behind it."""
        while True:
            if not self._ended:
                self._more()
            if self._ended:
                break
            cut = self._last_seam()
            if cut is None:
                if len(self._data) - self._at > EVENT_LIMIT:
                    self._repairs.add(Repair.TOO_LARGE)
                    return False
                continue
            blank = _BLANK.match(self._data, self._at)
            text = self._data[blank.end() if blank else self._at : cut]
            try:
                batch = self._many.decode(b"[" + text + b"]")
            except UNREADABLE:
                batch = []
                if self._one_by_one(batch, len(self._data)):
                    yield batch
                    return True
            else:
                self._at = cut
            if batch:
                yield batch
            if self._broken > BROKEN_LIMIT:
                self._repairs.add(Repair.TOO_BROKEN)
                return False
        batch = []
        closed = self._one_by_one(batch, len(self._data))
        if batch:
            yield batch
        if not closed:
            self._repairs.add(Repair.CUT)
        return closed

    def _last_seam(self) -> int | None:
        """Where the last object that is whole ends, by its look."""
        data, at = self._data, self._at
        for start in (max(len(data) - _SEAM_REACH, at), at):
            last = None
            for seam in _SEAM.finditer(data, start):
                last = seam
            if last is not None:
                return last.start() + 1
            if start == at:
                break
        return None

    def _one_by_one(self, batch: list[E], end: int) -> bool:
        """Decode what is whole of the data, one object after the other; True at the end of the list."""
        data, repairs = self._data, self._repairs
        while True:
            blank = _BLANK.match(data, self._at)
            assert blank is not None
            at = blank.end()
            if at >= end:
                self._at = at
                return False
            if data[at] == 0x5D:  # ]
                self._at = at + 1
                return True
            if data[at] != 0x7B:  # not an object: what stands there is left out
                other = data.find(b"{", at)
                close = data.find(b"]", at)
                if close >= 0 and (other < 0 or close < other):
                    self._at = close
                    continue
                if other < 0:
                    if self._ended:
                        self._at = end
                    return False
                repairs.add(Repair.LOST)
                self._broken += 1
                self._at = other
                continue
            seam = _SEAM.search(data, at)
            whole = object_end(data, at) if seam is None else seam.start() + 1
            if whole is None:
                if not self._ended:
                    return False
                closing = _CLOSE.search(data, at)
                if closing is None:
                    self._last(batch, data[at:])
                    self._at = end
                    return False
                whole = closing.start() + 1  # quotes hide the end of the last event
            event = self._decoded(data[at:whole])
            if event is None and seam is not None:
                balanced = object_end(data[at:whole], 0)
                if balanced is None:  # a seam inside of an argument, or quotes that hide where it ends
                    event, whole = self._with_more(at, whole)
                    if event is None:
                        if not self._ended and len(data) - whole < _SEAM_REACH:
                            return False  # where it ends may not be there yet
                        self._searches += 1
                elif at + balanced < whole:  # perhaps the list ends here and something else follows
                    event = self._decoded(data[at : at + balanced])
                    if event is not None or _END.match(data, at + balanced):
                        whole, seam = at + balanced, None
            if event is None:
                event = self._mended(data[at:whole])
                self._broken += 1
            if seam is not None and not seam[1] and whole == seam.start() + 1:
                repairs.add(Repair.COMMA)
            if event is not None:
                batch.append(event)
            self._at = whole

    def _with_more(self, at: int, whole: int) -> tuple[E | None, int]:
        """An event that may go on behind the seam, and its end."""
        if self._searches > SEARCHES:
            return None, whole
        end = object_end(self._data[at : whole + _SEAM_REACH], 0)
        event = self._decoded(self._data[at : at + end]) if end is not None else None
        if event is None or end is None:
            return None, whole
        return event, at + end

    def _last(self, batch: list[E], text: bytes) -> None:
        """The last event of a file that was cut, when enough of it is there."""
        for closing in (b"}", b"}}", b'"}', b'"}}'):
            event = self._decoded(text.rstrip(b", \r\n\t") + closing)
            if event is not None and event.dur is not None:
                batch.append(event)
                return

    def _decoded(self, text: bytes) -> E | None:
        try:
            return self._one.decode(text)
        except UNREADABLE:
            return None

    def _mended(self, text: bytes) -> E | None:
        event = mended(text, self._repairs)
        if event is None or isinstance(event, self._event_type):
            return event
        return msgspec.convert(msgspec.structs.asdict(event), self._event_type)

    # bytes ----------------------------------------------------------------------------------------------------

    def _next_byte(self) -> bytes:
        """The next byte that is neither blank nor a comma, empty at the end of the file."""
        while True:
            blank = _BLANK.match(self._data, self._at)
            assert blank is not None
            self._at = blank.end()
            if self._at < len(self._data) or not self._more():
                return self._data[self._at : self._at + 1]

    def _grow(self, limit: int) -> bool:
        return len(self._data) - self._at < limit and self._more()

    def _more(self) -> bool:
        """Take more of the file; False at its end."""
        taken: list[bytes] = []
        size = 0
        wanted = max(PIECE, len(self._data) - self._at)  # doubling: a large value is not copied over and over
        while size < wanted:
            part = next(self._parts, None)
            if part is None:
                self._ended = True
                break
            taken.append(part)
            size += len(part)
        self.read_bytes += size
        self._data = self._data[self._at :] + b"".join(taken)
        self._at = 0
        return size > 0


def read_events(path: Path, repairs: Repairs) -> TraceReader[TraceEvent]:
    """A reader of a file.

    Raises:
        OSError: while reading.
    """
    return TraceReader(pieces(path, repairs), TraceEvent, repairs)
