"""Stacks as values: frames, threads and the dump of one process. Readers make them, everything else only looks.

All text is kept as the rank wrote it (bytes that are no UTF-8 became visible `\\xff` escapes); whoever paints it makes
it plain.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Failure", "Frame", "Interner", "Process", "StackDump", "StackSource", "ThreadStack", "ThreadState"]


# A msgspec struct: its hash and comparison are C, and a big job compares some 100,000 frames at each look.
class Frame(msgspec.Struct, frozen=True, gc=False):
    """One line of a stack."""

    function: str
    """As the dump names it: `run` (faulthandler), `Thread.run` or `f.<locals>.<lambda>` (py-spy), a C++ name."""
    file: str = ""
    """Source file: a full path (faulthandler) or relative to an import root (py-spy). Empty when it is not known."""
    line: int | None = None
    library: str | None = None
    """For a native frame the library, or the C source file where py-spy had debug symbols; None for Python."""

    @property
    def native(self) -> bool:
        return self.library is not None

    @property
    def name(self) -> str:
        """The function without the classes and functions around it: `run` for `Thread.run`."""
        return self.function if self.native else self.function.rpartition(".")[2]

    @property
    def location(self) -> str:
        """`train.py:211`, `libnccl.so.2`; empty when nothing is known."""
        place = self.file or self.library or ""
        return f"{place}:{self.line}" if self.line is not None else place

    def __str__(self) -> str:
        place = self.location
        return f"{self.function} ({place})" if place else self.function


class ThreadState(StrEnum):
    """Whether the thread was on a CPU, as py-spy saw it."""

    ACTIVE = "active"
    IDLE = "idle"


class StackSource(StrEnum):
    """What wrote the dump."""

    FAULTHANDLER = "faulthandler"
    PYSPY = "pyspy"
    RECORDER = "recorder"
    """A flight recorder, when the call was made that its rank is inside."""


class Failure(StrEnum):
    """Why py-spy gave no stack."""

    NOT_INSTALLED = "not_installed"
    PTRACE_FORBIDDEN = "ptrace_forbidden"
    PROCESS_GONE = "process_gone"
    NATIVE_NEEDS_BLOCKING = "native_needs_blocking"
    NOT_READABLE = "not_readable"
    """The process is no Python, or a Python that this py-spy can't read."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ThreadStack:
    """One thread of a dump."""

    id: str
    """As the dump writes it: `0x00007ff13d9c7b80` (faulthandler), `4242` (py-spy). Empty when it is not known."""
    frames: tuple[Frame, ...]
    """Innermost first. Empty for a thread without Python frames."""
    name: str = ""
    """Empty when the dump does not tell."""
    state: ThreadState | None = None
    holds_gil: bool = False
    locals: tuple[str, ...] = ()
    """Arguments and locals as text, one entry per frame; empty when the dump has none at all."""
    truncated: bool = False
    """The outermost frames are not in the dump."""


@dataclass(frozen=True, slots=True)
class Process:
    """The process that was looked at, from the header that py-spy writes."""

    pid: int
    command: str
    python: str = ""
    """`3.11.7 (/usr/bin/python3.11)`"""
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class StackDump:
    """The threads of one process at one moment, and what limits the dump."""

    source: StackSource
    threads: tuple[ThreadStack, ...] = ()
    """In the order of the dump."""
    main: int | None = None
    """Index of the main thread in `threads`; None when it is not in the dump or can't be told."""
    process: Process | None = None
    warnings: tuple[str, ...] = ()
    """Lines that are no part of a stack, as they came; the first few of them."""
    error: str = ""
    """Why there is no stack and what to do about it, one plain line; empty when nothing failed."""
    failure: Failure | None = None
    cut: bool = False
    """Something at the end of the dump is missing."""
    notes: tuple[str, ...] = ()
    """What limits this dump, one plain line each."""
    c_stack: tuple[Frame, ...] = ()
    """The C stack of the current thread that faulthandler of Python 3.14 appends; innermost first."""
    subprocesses: tuple[StackDump, ...] = ()
    """The dumps of child processes (py-spy), in the order of the text."""

    @property
    def main_thread(self) -> ThreadStack | None:
        return None if self.main is None else self.threads[self.main]

    def main_first(self) -> Iterator[ThreadStack]:
        """The threads as a person reads them: the main thread, then the others in their order."""
        if self.main is not None:
            yield self.threads[self.main]
        for index, thread in enumerate(self.threads):
            if index != self.main:
                yield thread


class Interner:
    """Equal frames and stacks become one object, and a text that was read once is not read again.

    One interner serves the dumps of all ranks, so that thousands of them cost little more than their threads.
    """

    __slots__ = ("_frames", "_stacks", "bodies", "lines")

    def __init__(self) -> None:
        self._frames: dict[Frame, Frame] = {}
        self._stacks: dict[tuple[Frame, ...], tuple[Frame, ...]] = {}
        self.lines: dict[str, Frame | None] = {}
        """Frame by its line in a dump (None: the line is no frame); a reader's own cache."""
        self.bodies: dict[str, tuple[tuple[Frame, ...], bool, tuple[str, ...]]] = {}
        """What faulthandler's reader made of the lines below one header."""

    def frame(self, function: str, file: str = "", line: int | None = None, library: str | None = None) -> Frame:
        made = Frame(function, file, line, library)
        return self._frames.setdefault(made, made)

    def stack(self, frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
        return self._stacks.setdefault(frames, frames)
