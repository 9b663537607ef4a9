"""Reads what `py-spy dump` writes, with its native, locals and subprocesses options (spec: worker-server.md).

Sections of the text: warnings, then per process a header, threads, frames, locals; or an error in place of any of
them. What fits nowhere becomes a warning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .faulthandler import WARNINGS_KEPT
from .model import Interner, Process, StackDump, StackSource, ThreadStack, ThreadState
from .pyspy_errors import explain, starts_error

if TYPE_CHECKING:
    from .model import Frame

__all__ = ["parse"]

_PROCESS = re.compile(r"Process (\d{1,18}): ?(.*)")
_PYTHON = re.compile(r"Python v(.*)")
_PARENT = re.compile(r"Parent Process (\d{1,18}): ?(.*)")
_THREAD = re.compile(r'Thread (0x[0-9A-Fa-f]+|\d+) \(([a-z+ ]*)\)(?:: "(.*))?')
_SEPARATOR = re.compile(r"-{8,}")
_PLACE = re.compile(r"(.*):(\d{1,18})")
_PYTHON_FILE = re.compile(r"<.*>|.*\.(?:pyw?|pyx|pxd|pxi|ipynb)", re.DOTALL)
_C_FILE = re.compile(r".*\.(?:c|cc|cpp|cxx|cu|cuh|h|hh|hpp|hxx|inc|inl|rs|S|s|asm)", re.DOTALL)
_COMMAND_KEPT = 4_000
"""Characters of a command line after which no further line of it is kept."""
_NAME_LINES = 4
"""Line breaks in a thread's name that are followed."""


def parse(data: bytes, interner: Interner | None = None, *, complete: bool = True) -> StackDump:
    """The stacks in py-spy's text; the first process is the rank's, further ones are its `subprocesses`.

    Args:
        data: the text as it came, an error message in place of a dump included.
        interner: shared by the dumps of all ranks.
        complete: False when the answer is known to have broken off.
    """
    text = data.decode("utf-8", errors="backslashreplace")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if not text.strip():
        return StackDump(StackSource.PYSPY, notes=("no stack returned",))
    reader = _Reader(Interner() if interner is None else interner)
    lines = text.split("\n")
    for line in lines:
        reader.take(line)
    # A frame ends with its parenthesis and a thread's name with its quote: whole lines show that they are.
    broken_off = not complete or not (text.endswith("\n") or lines[-1].endswith((")", '"')) or reader.failed)
    return reader.close(broken_off=broken_off)


class _Section:
    """What belongs to one process."""

    def __init__(self) -> None:
        self.process: Process | None = None
        self.threads: list[ThreadStack] = []
        self.warnings: list[str] = []
        self.error: list[str] = []

    @property
    def empty(self) -> bool:
        return self.process is None and not self.threads and not self.error

    def close(self, *, broken_off: bool, subprocesses: tuple[StackDump, ...] = ()) -> StackDump:
        said = explain(self.error) if self.error else (None, "")
        notes: list[str] = []
        if broken_off:
            notes.append("cut: the dump ends in the middle")
        if not self.threads and not self.error:
            notes.append("no stack returned")
        return StackDump(
            StackSource.PYSPY,
            threads=tuple(self.threads),
            main=self._main(),
            process=self.process,
            warnings=tuple(self.warnings[:WARNINGS_KEPT]),
            error=said[1],
            failure=said[0],
            cut=broken_off,
            notes=tuple(notes),
            subprocesses=subprocesses,
        )

    def _main(self) -> int | None:
        pid = str(self.process.pid) if self.process else None
        for index, thread in enumerate(self.threads):
            if thread.id == pid:
                return index
        named = [index for index, thread in enumerate(self.threads) if thread.name == "MainThread"]
        return named[0] if len(named) == 1 else None


class _Reader:
    """Takes the text line by line."""

    def __init__(self, interner: Interner) -> None:
        self._interner = interner
        self._sections = [_Section()]
        self._in_header = False
        self._thread: re.Match[str] | None = None
        self._name: list[str] = []
        """Lines of the thread's name."""
        self._name_open = False
        self._frames: list[Frame] = []
        self._locals: dict[int, list[str]] = {}

    @property
    def failed(self) -> bool:
        return bool(self._sections[-1].error)

    def take(self, line: str) -> None:
        if self._name_open and self._take_name(line):
            return
        if line.startswith("    ") and self._thread is not None:
            self._take_indented(line)
            return
        section = self._sections[-1]
        if not line:
            self._in_header = self._in_header and section.process is not None and not section.process.python
            return
        if (match := _PROCESS.fullmatch(line)) is not None:
            self._open_process(match)
        elif self._in_header and section.process is not None:
            self._take_header(line, section.process)
        elif (match := _THREAD.fullmatch(line)) is not None:
            self._open_thread(match)
        elif _SEPARATOR.fullmatch(line):
            self._end_thread()
            if not section.empty:
                self._sections.append(_Section())
        elif section.error or starts_error(line):
            self._end_thread()
            section.error.append(line)
        elif self._locals and self._frames:
            self._locals.setdefault(len(self._frames) - 1, []).append(line)
        else:
            section.warnings.append(line)

    def close(self, *, broken_off: bool) -> StackDump:
        self._end_thread(truncated=broken_off)
        first, *others = [section for section in self._sections if not section.empty] or self._sections[:1]
        if first is not self._sections[0]:
            first.warnings[:0] = self._sections[0].warnings
        last = len(others)
        children = tuple(
            section.close(broken_off=broken_off and index == last) for index, section in enumerate(others, 1)
        )
        return first.close(broken_off=broken_off and not others, subprocesses=children)

    def _open_process(self, match: re.Match[str]) -> None:
        self._end_thread()
        if not self._sections[-1].empty:
            self._sections.append(_Section())
        self._sections[-1].process = Process(int(match[1]), match[2])
        self._in_header = True

    def _take_header(self, line: str, process: Process) -> None:
        section = self._sections[-1]
        if not process.python and (match := _PYTHON.fullmatch(line)) is not None:
            section.process = Process(process.pid, process.command, match[1])
        elif process.python and (match := _PARENT.fullmatch(line)) is not None:
            section.process = Process(process.pid, process.command, process.python, int(match[1]))
        elif not process.python and not starts_error(line):
            # A command line may hold line breaks (`python -c ...`).
            if len(process.command) < _COMMAND_KEPT:
                section.process = Process(process.pid, f"{process.command}\n{line}")
        else:
            self._in_header = False
            self.take(line)

    def _open_thread(self, match: re.Match[str]) -> None:
        self._end_thread()
        self._in_header = False
        self._thread = match
        name: str | None = match[3]
        self._name = [] if name is None else [name]
        self._name_open = name is not None and not name.endswith('"')

    def _take_name(self, line: str) -> bool:
        """Whether the line goes on with a thread's name that holds line breaks."""
        if line.startswith("    ") or len(self._name) > _NAME_LINES or _THREAD.fullmatch(line):
            self._name_open = False
            return False
        self._name.append(line)
        self._name_open = not line.endswith('"')
        return True

    def _take_indented(self, line: str) -> None:
        if not line.startswith("        "):
            known = self._interner.lines
            frame = known.get(line)
            if frame is None and line not in known:
                frame = known[line] = _read_frame(line[4:], self._interner)
            if frame is not None:
                self._frames.append(frame)
                return
        if self._frames:
            self._locals.setdefault(len(self._frames) - 1, []).append(line.removeprefix("        "))
        else:
            self._sections[-1].warnings.append(line)

    def _end_thread(self, *, truncated: bool = False) -> None:
        match = self._thread
        if match is None:
            return
        words = match[2].split("+")
        state = {"active": ThreadState.ACTIVE, "idle": ThreadState.IDLE}.get(words[0])
        texts = tuple("\n".join(self._locals.get(index, ())) for index in range(len(self._frames)))
        self._sections[-1].threads.append(
            ThreadStack(
                id=match[1],
                frames=self._interner.stack(tuple(self._frames)),
                name="\n".join(self._name).removesuffix('"'),
                state=state,
                holds_gil="gil" in words[1:],
                locals=texts if self._locals else (),
                truncated=truncated,
            )
        )
        self._thread = None
        self._name_open = False
        self._frames = []
        self._locals = {}


def _read_frame(line: str, interner: Interner) -> Frame | None:
    opened = _opening(line)
    if opened is None:
        return None
    function, place = line[: opened - 1], line[opened + 1 : -1]
    match = _PLACE.fullmatch(place)
    if match is None:
        if _PYTHON_FILE.fullmatch(place):
            return interner.frame(function, place)
        return interner.frame(function, library=place)
    if _C_FILE.fullmatch(match[1]):
        return interner.frame(function, match[1], int(match[2]), library=match[1])
    return interner.frame(function, match[1], int(match[2]))


def _opening(line: str) -> int | None:
    """Where the parenthesis opens that closes the line; names and paths hold parentheses too."""
    if not line.endswith(")"):
        return None
    depth = 0
    for index in range(len(line) - 1, 0, -1):
        if line[index] == ")":
            depth += 1
        elif line[index] == "(":
            depth -= 1
            if depth == 0 and line[index - 1] == " ":
                return index
            if depth <= 0:
                break
    last = line.rfind(" (")
    return last + 1 if last > 0 else None
