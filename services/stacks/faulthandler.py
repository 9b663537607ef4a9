"""Reads what Python's faulthandler writes (spec: worker-server.md, dump_traceback; forms of Python 3.11 to 3.14).

The text is trusted in nothing: what is no header and no frame becomes a warning, never an error.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from .model import Interner, StackDump, StackSource, ThreadStack

if TYPE_CHECKING:
    from .model import Frame

__all__ = ["WARNINGS_KEPT", "parse"]

WARNINGS_KEPT = 20
"""Lines of a dump that are no part of a stack and are kept all the same."""

_HEADER = re.compile(
    r"^(?P<head>Current thread's C stack trace|(?P<current>Current thread|Thread) (?P<id>0x[0-9A-Fa-f]+)"
    r"(?: \[(?P<name>.*)\])?|Stack) \(most recent call first\):$",
    re.MULTILINE,
)
_FRAME = re.compile(r'  File (?:"(.*)"|(\?\?\?)), line (\d{1,18}|\?\?\?) in (.*)')
_C_FRAME = re.compile(r'  Binary file (?:"(.*)"|\'(.*)\')(?:, at (.*))? \[(0x[0-9A-Fa-f]+)\]')
_MORE_FRAMES = re.compile(r"  \.\.\.|plus \d+ frames")
_SILENT = frozenset(("", "  <no Python frame>", "  Garbage-collecting"))
_BROKEN = frozenset(("  <freed frame>", "  <invalid frame>", "  <freed thread state>", "<freed thread state>"))
_SAYS_NO_C_STACK = frozenset(("  <system returned no stack trace>", "  <cannot get C stack on this system>"))
_OUTERMOST = ("<module>", "_bootstrap")
_FRAME_LIMIT = 100
"""Frames of one thread that faulthandler writes; Python 3.13 and later stop there without a word."""
_ONE_THREAD = "<Cannot show all threads while the GIL is disabled>"


def parse(data: bytes, interner: Interner | None = None, *, complete: bool = True) -> StackDump:
    """The stacks in faulthandler's text.

    The current thread without a Python frame is the debug server's own and left out. The main thread is the last
    one, unless the dump is cut or that thread was started by Python's threading.

    Args:
        data: the text as it came.
        interner: shared by the dumps of all ranks.
        complete: False when the answer is known to have broken off.
    """
    text = data.decode("utf-8", errors="backslashreplace")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if not text.strip():
        return StackDump(StackSource.FAULTHANDLER, notes=("no stack returned",))
    return _Reader(Interner() if interner is None else interner, text, complete=complete).dump()


class _Reader:
    """One dump while it is read."""

    def __init__(self, interner: Interner, text: str, *, complete: bool) -> None:
        self._interner = interner
        self._text = text
        self._complete = complete
        self._threads: list[ThreadStack] = []
        self._c_stack: tuple[Frame, ...] = ()
        self._warnings: list[str] = []
        self._headers = 0
        self._limited = False
        """Threads beyond the first hundred are not in the dump."""
        self._one_thread = False
        """A form of header that names no thread: Python without the GIL shows the current thread alone."""
        self._last_is_server = False

    def dump(self) -> StackDump:
        text = self._text
        found = list(_HEADER.finditer(text))
        before = text[: found[0].start() if found else None].split("\n")
        self._warnings += [line for line in before if line and line != _ONE_THREAD]
        for index, header in enumerate(found):
            stop = found[index + 1].start() if index + 1 < len(found) else len(text)
            self._take(header, text[header.end() + 1 : stop])
        broken_off = bool(found) and (not self._complete or _broken_off(text, self._threads))
        if broken_off:
            self._threads[-1:] = [replace(thread, truncated=True) for thread in self._threads[-1:]]
        main, note = self._main(broken_off=broken_off)
        return StackDump(
            StackSource.FAULTHANDLER,
            threads=tuple(self._threads),
            main=main,
            warnings=tuple(self._warnings[:WARNINGS_KEPT]),
            cut=self._limited or broken_off,
            notes=(note,) if note else (),
            c_stack=self._c_stack,
        )

    def _take(self, header: re.Match[str], body: str) -> None:
        thread_id: str | None = header["id"]
        if thread_id is None and header["head"] != "Stack":
            self._c_stack, said = _read_c_stack(body, self._interner)
            self._warnings += said
            return
        read = self._interner.bodies.get(body)
        if read is None:
            read = self._interner.bodies[body] = _read_body(body, self._interner)
        frames, truncated, others = read
        self._headers += 1
        self._limited = self._limited or "..." in others
        self._one_thread = self._one_thread or thread_id is None
        self._warnings += [line for line in others if line != "..."]
        self._last_is_server = header["current"] == "Current thread" and not frames and not truncated
        if not self._last_is_server:
            self._threads.append(ThreadStack(thread_id or "", frames, header["name"] or "", truncated=truncated))

    def _main(self, *, broken_off: bool) -> tuple[int | None, str]:
        """Index of the main thread, and what has to be said of the dump."""
        if self._headers == 0:
            return None, "no thread in the text"
        if self._limited:
            return None, f"cut at {self._headers} threads, main thread not in the dump"
        if broken_off:
            return None, "cut: the dump ends in the middle, the main thread may not be in it"
        if not self._threads:
            return None, "no stack returned: only the debug server's own thread is in the dump"
        if self._one_thread:
            return None, "only one thread in the dump (Python without the GIL), it may not be the main thread"
        if self._last_is_server or _started_by_threading(self._threads[-1]):
            return None, "main thread not in the dump"
        return len(self._threads) - 1, ""


def _read_body(body: str, interner: Interner) -> tuple[tuple[Frame, ...], bool, tuple[str, ...]]:
    """Frames, whether some are missing, and the lines that are neither; `...` at the end means more threads."""
    frames: list[Frame] = []
    said: list[str] = []
    truncated = more_threads = False
    known = interner.lines
    for line in body.split("\n"):
        frame = known.get(line)
        if frame is None and line not in known:
            frame = known[line] = _read_frame(line, interner)
        if frame is not None:
            frames.append(frame)
        elif line == "...":
            more_threads = True
        elif _MORE_FRAMES.fullmatch(line) or line in _BROKEN:
            truncated = True
        elif line not in _SILENT:
            said.append(line)
    if more_threads:
        said.append("...")
    if len(frames) >= _FRAME_LIMIT and frames[-1].name not in _OUTERMOST:
        truncated = True
    return interner.stack(tuple(frames)), truncated, tuple(said)


def _read_frame(line: str, interner: Interner) -> Frame | None:
    match = _FRAME.fullmatch(line)
    if match is None:
        return None
    quoted, unknown, number, function = match.groups()
    return interner.frame(function, unknown or quoted, None if number == "???" else int(number))


def _read_c_stack(body: str, interner: Interner) -> tuple[tuple[Frame, ...], list[str]]:
    frames: list[Frame] = []
    said: list[str] = []
    for line in body.split("\n"):
        match = _C_FRAME.fullmatch(line)
        if match is not None:
            symbol = (match[3] or "").rpartition("+")[0] or match[4]
            frames.append(interner.frame(symbol, library=match[1] or match[2] or "<unknown>"))
        elif line not in _SILENT:
            if line in _SAYS_NO_C_STACK or line == "  <truncated rest of calls>":
                line = line.strip()
            said.append(line)
    return tuple(frames), said


def _broken_off(text: str, threads: list[ThreadStack]) -> bool:
    """Whether the text stops before its end: in a line, or right after a header.

    A last line without its line break counts as whole only when it is the outermost frame of a stack.
    """
    last = text.rstrip("\n").rpartition("\n")[2]
    if text.endswith("\n"):
        return _HEADER.fullmatch(last) is not None
    if last in _SILENT or last == "..." or last in _SAYS_NO_C_STACK or _C_FRAME.fullmatch(last):
        return False
    outermost = threads[-1].frames[-1].name if threads and threads[-1].frames else ""
    return not (_FRAME.fullmatch(last) and outermost in _OUTERMOST)


def _started_by_threading(thread: ThreadStack) -> bool:
    if not thread.frames or thread.truncated:
        return False
    outermost = thread.frames[-1]
    return outermost.name == "_bootstrap" and outermost.file.replace("\\", "/").endswith("/threading.py")
