"""Stacks found among other lines of one process: where faulthandler's and py-spy's text begins and ends.

Lines of one stream go in one by one; blocks come out as soon as they end. Other lines that were written into the middle
of a block (another thread's log) are left out of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .rank_stacks import FAULTHANDLER, PYSPY

__all__ = ["BLOCK_LIMIT", "Block", "BlockFinder", "may_begin"]

BLOCK_LIMIT = 8 * 1024 * 1024
"""Bytes of one block; a longer one is cut."""
_FOREIGN = 8
"""Other lines in a row after which a block has ended."""
_APART = 1_000_000_000
"""Between two lines of a log with times, ns: a dump is written at once."""
_UNCONFIRMED = 20
"""Lines after `Process 17: ...` within which py-spy names the version of Python, if the line is its own."""

_FAULT_HEAD = re.compile(rb"Fatal Python error: .*|Timeout \((\d{1,6}):(\d\d):(\d\d)(?:\.(\d{1,9}))?\)!$")
_FAULT_THREAD = re.compile(
    rb"(?:(?:Current thread|Thread) (?P<id>0x[0-9A-Fa-f]{1,16})(?: \[.*\])?|Stack|Current thread's C stack trace)"
    rb" \(most recent call first\):$"
)
_FAULT_INSIDE = re.compile(
    rb"  File |  \.\.\.$|  <|  Garbage-collecting$|  Binary file |plus \d+ frames$|\.\.\.$|<freed thread state>$"
    rb"|<Cannot show all threads|Python runtime state: |Extension modules: "
)
_SPY_HEAD = re.compile(rb"Process (\d{1,18}): ")
_SPY_INSIDE = re.compile(rb"Thread (?:0x[0-9A-Fa-f]+|\d+) \([a-z+ ]*\)|    |Parent Process \d+: |Python v\d")
_SPY_SEPARATOR = re.compile(rb"-{8,}$")


@dataclass(frozen=True, slots=True)
class Block:
    """The text of one dump of one process."""

    source: str
    """`dump_traceback` or `pyspy_dump`."""
    data: bytes
    line: int
    """Where it begins in the file, from 1."""
    at: int | None
    """The time of its first line that has one, ns since the epoch."""
    every_ns: int | None = None
    """After how long faulthandler's timer struck, ns: it may strike again and again."""


def may_begin(line: bytes) -> bool:
    """False for a line that can't begin a block: most of a log. Plain bytes are found far faster than a pattern."""
    return b" (most recent call first):" in line or b"Process " in line or b"Timeout (" in line or b"Fatal Py" in line


class BlockFinder:
    """Takes the lines of one stream."""

    def __init__(self) -> None:
        self._source = ""
        """What the open block is; empty when none is open."""
        self._lines: list[bytes] = []
        self._size = 0
        self._line = 0
        self._at: int | None = None
        self._last_at: int | None = None
        self._every: int | None = None
        self._indent = 0
        self._foreign = 0
        self._threads: set[bytes] = set()
        self._parted = False
        """Whether blank lines part its threads, as faulthandler writes them; some collectors drop them."""
        self._sure = False
        """Whether it is a dump and not just a line that begins like one."""
        self._whole = True
        """Whether its last line ended with a line break."""

    @property
    def open(self) -> bool:
        return bool(self._source)

    def take(self, rest: bytes, number: int, at: int | None, *, whole: bool = True) -> list[Block]:
        """A line without its prefixes and line break; the blocks that it ends.

        Args:
            rest: the line.
            number: of the line in the file.
            at: its time, where it has one.
            whole: False when the file ends within the line.
        """
        if not self._source:
            self._begin(rest, number, at)
            self._whole = whole
            return []
        line = rest[self._indent :] if rest[: self._indent].isspace() or not self._indent else rest
        if not line.strip():
            if not self._foreign and (self._sure or self._source == FAULTHANDLER):
                self._add(b"")
            return []
        late = at is not None and self._last_at is not None and at - self._last_at >= _APART
        if self._fault(line, late=late) if self._source == FAULTHANDLER else self._spy(line):
            self._foreign = 0
            self._last_at = at
            self._add(line)
            self._at = at if self._at is None else self._at
            self._whole = whole
            return [] if self._size <= BLOCK_LIMIT else self.close()
        if self._starts_anew(line):
            done = self.close()
            self._begin(rest, number, at)
            self._whole = whole
            return done
        self._foreign += 1
        patience = _FOREIGN if self._sure else 1
        return self.close() if self._foreign > patience else []

    def close(self) -> list[Block]:
        """End the open block; it, if it is one."""
        lines, source, sure = self._lines, self._source, self._sure
        while lines and not lines[-1]:
            lines.pop()
        self._source, self._lines = "", []
        if not source or not sure:
            return []
        data = b"\n".join(lines) + (b"\n" if self._whole else b"")
        return [Block(source, data, self._line, self._at, self._every)]

    def _begin(self, rest: bytes, number: int, at: int | None) -> None:
        line = rest.lstrip(b" \t")
        if not line or len(rest) - len(line) > 4:
            return
        head, thread = _FAULT_HEAD.match(line), _FAULT_THREAD.match(line)
        if head is not None or thread is not None:
            self._source = FAULTHANDLER
        elif _SPY_HEAD.match(line):
            self._source = PYSPY
        else:
            return
        self._indent = len(rest) - len(line)
        self._lines, self._size, self._line, self._at, self._last_at = [], 0, number, at, at
        self._every = _span(head) if head is not None and head[1] else None
        self._foreign, self._sure, self._whole, self._parted = 0, thread is not None, True, False
        self._threads = {thread["id"]} if thread is not None and thread["id"] else set()
        self._add(line)

    def _add(self, line: bytes) -> None:
        self._lines.append(line)
        self._size += len(line) + 1

    def _fault(self, line: bytes, *, late: bool) -> bool:
        """Whether a line goes on with faulthandler's text."""
        thread = _FAULT_THREAD.match(line)
        if thread is None:
            return _FAULT_INSIDE.match(line) is not None
        parted = not self._lines[-1]
        if self._sure and (late or (self._parted and not parted and not self._foreign)):
            return False
        self._parted = self._parted or (self._sure and parted)
        if thread["id"] is not None:
            if thread["id"] in self._threads:
                return False
            self._threads.add(thread["id"])
        self._sure = True
        return True

    def _spy(self, line: bytes) -> bool:
        """Whether a line goes on with py-spy's text."""
        if not self._sure:
            # A command line may have line breaks.
            self._sure = line.startswith(b"Python v")
            return self._sure or (len(self._lines) < _UNCONFIRMED and not self._starts_anew(line))
        if _SPY_HEAD.match(line):
            return any(_SPY_SEPARATOR.match(before) for before in self._lines[-2:])
        return bool(_SPY_INSIDE.match(line) or _SPY_SEPARATOR.match(line))

    def _starts_anew(self, line: bytes) -> bool:
        return bool(_FAULT_HEAD.match(line) or _FAULT_THREAD.match(line) or _SPY_HEAD.match(line))


def _span(timer: re.Match[bytes]) -> int:
    """The interval of a timer, ns."""
    seconds = int(timer[1]) * 3_600 + int(timer[2]) * 60 + int(timer[3])
    return seconds * 1_000_000_000 + int((timer[4] or b"").ljust(9, b"0"))
