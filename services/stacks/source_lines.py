"""The lines around a frame's line, where the source can be read on this machine.

The path is a rank's word, so it may name anything: only regular files that are called like source are opened, a
limited part is read, and nothing is run.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Frame

__all__ = ["LARGEST_FILE", "LINE_CUT", "SourceError", "SourceExcerpt", "SourceLines", "read_source"]

LARGEST_FILE = 8 * 1024 * 1024
"""Bytes of a file that is still read."""
LINE_CUT = 1_000
"""Characters of one line that are kept."""

_SUFFIXES = frozenset(
    [
        ".py",
        ".pyw",
        ".pyi",
        ".pyx",
        ".pxd",
        ".pxi",
        ".c",
        ".cc",
        ".cpp",
        ".cxx",
        ".cu",
        ".cuh",
        ".h",
        ".hh",
        ".hpp",
        ".hxx",
        ".inl",
        ".rs",
    ]
)
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")


class SourceError(Exception):
    """The source can't be shown; the message is one plain line."""


@dataclass(frozen=True, slots=True)
class SourceExcerpt:
    """Some lines of a source file."""

    path: str
    """The file that was read."""
    first: int
    """Number of the first line in `lines`; the first of a file is 1."""
    lines: tuple[str, ...]
    """Without line breaks, each cut to `LINE_CUT` characters."""
    line: int
    """Number of the line that was asked for."""


def read_source(frame: Frame, around: int = 12) -> SourceExcerpt:
    """The source lines of a frame, `around` of them before and after its own.

    The file here may be another version than the one the rank runs; nothing tells.

    Raises:
        SourceError: the frame has no line, or there is no such readable source file here.
    """
    if frame.line is None or frame.line < 1:
        raise SourceError("the stack does not tell the line")
    path, lines = _read_lines(frame.file)
    if frame.line > len(lines):
        raise SourceError(f"the file here has {len(lines)} lines only: another version than the rank runs")
    first = max(1, frame.line - around)
    return SourceExcerpt(path, first, tuple(lines[first - 1 : frame.line + around]), frame.line)


class SourceLines:
    """Reads single lines and remembers the files: a `SourceLine` for `communication.find_communication`."""

    def __init__(self, files: int = 64) -> None:
        self._limit = files
        self._files: dict[str, list[str]] = {}

    def __call__(self, file: str, line: int) -> str | None:
        """The line's text, or None when it can't be read here."""
        lines = self._files.get(file)
        if lines is None:
            if len(self._files) >= self._limit:
                return None
            try:
                lines = _read_lines(file)[1]
            except SourceError:
                lines = []
            self._files[file] = lines
        return lines[line - 1] if 1 <= line <= len(lines) else None


def _read_lines(file: str) -> tuple[str, list[str]]:
    if not file:
        raise SourceError("the stack does not tell the file")
    if file.startswith("<"):
        raise SourceError("the code does not come from a file")
    if not os.path.isabs(file):
        raise SourceError("the stack has a relative path only")
    # faulthandler escapes what is not ASCII.
    candidates = dict.fromkeys((file, _ESCAPE.sub(_unescaped, file)))
    reason = "there is no such file here"
    for candidate in candidates:
        try:
            return candidate, _lines(_read(candidate))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            break
    raise SourceError(reason)


def _unescaped(match: re.Match[str]) -> str:
    code = int(match[1] or match[2] or match[3], 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else match[0]


def _read(path: str) -> bytes:
    real = os.path.realpath(path)
    if os.path.splitext(real)[1].lower() not in _SUFFIXES:
        raise SourceError("the file is not called like a source file")
    # Opening a pipe or a device could block or act: the kind is checked before, and again on what was opened.
    _check(os.stat(real))
    descriptor = os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    with os.fdopen(descriptor, "rb") as opened:
        _check(os.fstat(descriptor))
        return opened.read(LARGEST_FILE)


def _check(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise SourceError("it is not a regular file")
    if found.st_size > LARGEST_FILE:
        raise SourceError(f"the file is larger than {LARGEST_FILE // 1024 // 1024} MiB")


def _lines(data: bytes) -> list[str]:
    if b"\0" in data:
        raise SourceError("it is a binary file")
    text = data.decode("utf-8-sig", errors="backslashreplace")
    return [line[:LINE_CUT] for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
