"""Members of a tar archive, read as a stream. Source: POSIX.1-2017 pax, section "pax Interchange Format"; GNU tar's
long names.

Headers are decoded by the standard library one by one; the walk is our own, since what a header announces is trusted
in nothing: extended headers are bounded, links and devices told, a cut archive gives what came.
"""

from __future__ import annotations

import math
import tarfile
from typing import TYPE_CHECKING

from .members import Member

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .limits import Budget
    from .streams import Stream

__all__ = ["BLOCK", "TarReader", "is_tar_head"]

BLOCK = 512
_EXTENDED_LIMIT = 1 << 20
"""Bytes of one extended header; a path has 4 KiB."""
_FIRST_PIECE = 4 * 1024
_PIECE = 256 * 1024
_REGULAR = {b"0", b"\0", b"7"}
_REFUSED = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a FIFO",
    b"S": "a sparse file",
    b"M": "the rest of a file of another volume",
}
_EXTENDED = {b"x", b"X", b"L"}
_IS_EXTENDED, _IS_FURTHER_EXTENDED = 482, 504
"""Where an old GNU sparse header says that another one follows: in the first, and in those behind it."""
_NO_DATA = {b"1", b"2", b"3", b"4", b"5", b"6"}
_PASSED_OVER = {b"g", b"V", b"N", b"K"}
"""Global headers, volume names, targets of links: nothing that is needed here."""


def is_tar_head(data: bytes) -> bool:
    """Whether these bytes begin with a tar header: its checksum holds."""
    if len(data) < BLOCK or not data[0]:
        return False
    try:
        tarfile.TarInfo.frombuf(data[:BLOCK], "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError):
        return False
    return True


class TarReader:
    """The members of a tar archive one after the other, read as a stream and within a budget."""

    def __init__(self, stream: Stream, budget: Budget) -> None:
        self.trouble = ""
        self._stream = stream
        self._budget = budget
        self._block = b""
        """The header that was read last."""

    def __iter__(self) -> Iterator[Member]:
        told: dict[str, str] = {}
        """What extended headers say of the next member: path, size, mtime."""
        while (header := self._header()) is not None:
            self._budget.member()
            kind = header.type
            size = _number(told.get("size"), header.size)
            if size < 0:
                self._end("damaged: a member of negative size; the rest is not read")
                return
            if kind in _EXTENDED:
                if not self._extended(header, told):
                    return
                continue
            if kind in _PASSED_OVER:
                if not self._pass(_padded(header.size)):
                    return
                continue
            more_headers = kind == b"S" and bool(self._block[_IS_EXTENDED])
            left = [0 if kind in _NO_DATA else size]
            start = self._stream.position
            member = Member(
                name=told.get("path", header.name),
                modified_at=_instant(told.get("mtime"), header.mtime),
                pieces=iter(()),
                refusal=_refusal(kind, told),
                folder=kind == b"5",
                place=(start, size) if kind in _REGULAR else None,
            )
            padding = _padded(left[0]) - left[0]
            member.pieces = self._pieces(member, left)
            told = {}
            yield member
            if more_headers and not self._sparse_headers():
                return
            if not self._pass(left[0] + padding):
                return

    def _pieces(self, member: Member, left: list[int]) -> Iterator[bytes]:
        """The bytes of a member; `left` counts down what is still to come."""
        whole = left[0]
        while left[0]:
            piece = self._stream.read(min(_FIRST_PIECE if left[0] == whole else _PIECE, left[0]))
            left[0] -= len(piece)
            if not piece:
                member.trouble = f"cut at byte {whole - left[0]:,} of {whole:,}"
                return
            yield piece

    def _header(self) -> tarfile.TarInfo | None:
        at = self._stream.position
        block = self._block = self._stream.read(BLOCK)
        if len(block) < BLOCK:
            if self._stream.trouble or block:
                self._end(self._stream.trouble or f"cut at byte {self._stream.position:,}")
            else:
                self._end("it ends without an end mark: it may be cut")
            return None
        if not any(block):
            return None
        try:
            return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except (tarfile.TarError, ValueError):
            self._end(f"damaged at byte {at:,}: the rest is not read")
            return None

    def _extended(self, header: tarfile.TarInfo, told: dict[str, str]) -> bool:
        """Take what an extended header says of the next member; False at the end of the archive."""
        if not 0 <= header.size <= _EXTENDED_LIMIT:
            self._end(f"damaged: an extended header of {header.size:,} bytes; the rest is not read")
            return False
        data = self._stream.read(header.size)
        if len(data) < header.size:
            self._end(self._stream.trouble or f"cut at byte {self._stream.position:,}")
            return False
        if header.type == b"L":
            told["path"] = data.rstrip(b"\0").decode("utf-8", "surrogateescape")
        else:
            told.update(_records(data))
        return self._pass(_padded(header.size) - header.size)

    def _sparse_headers(self) -> bool:
        """Pass over the further headers of an old GNU sparse file; False at the end of the archive."""
        while len(block := self._stream.read(BLOCK)) == BLOCK:
            if not block[_IS_FURTHER_EXTENDED]:
                return True
        return self._pass(BLOCK)

    def _pass(self, count: int) -> bool:
        if self._stream.skip(count) == count:
            return True
        self._end(self._stream.trouble or f"cut at byte {self._stream.position:,}")
        return False

    def _end(self, why: str) -> None:
        self.trouble = self.trouble or why


def _refusal(kind: bytes, told: dict[str, str]) -> str:
    if any(key.startswith("GNU.sparse.") for key in told):
        return f"{_REFUSED[b'S']}; not unpacked"
    if kind in _REFUSED:
        return f"{_REFUSED[kind]}; not followed" if kind in (b"1", b"2") else f"{_REFUSED[kind]}; not unpacked"
    return "" if kind in _REGULAR or kind == b"5" else "a member of an unknown type; not unpacked"


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def _records(data: bytes) -> Iterator[tuple[str, str]]:
    """Records of a pax header, each `length keyword=value` and a line break; the rest behind a broken one is lost."""
    at = 0
    while at < len(data):
        blank = data.find(b" ", at, at + 20)
        digits = data[at:blank] if blank > 0 else b""
        if not digits.isdigit() or not blank - at < int(digits) <= len(data) - at:
            return
        keyword, _, value = data[blank + 1 : at + int(digits) - 1].partition(b"=")
        yield keyword.decode("utf-8", "replace"), value.decode("utf-8", "surrogateescape")
        at += int(digits)


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 20 else otherwise


def _instant(text: str | None, otherwise: float) -> int:
    try:
        seconds = float(otherwise if text is None else text)
    except ValueError:
        seconds = float(otherwise)
    return int(seconds * 1e9) if math.isfinite(seconds) and 0 <= seconds < 1e11 else 0
