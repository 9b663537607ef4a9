"""Where what a command has made goes: a file, or standard output, which may have no reader any more."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from ...services.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["UNREAD", "put_out", "say", "write_besides"]

UNREAD = 4
"""Exit code of a command whose answer could not be written."""


def put_out(text: str, file: Path | None = None, what: str = "the report") -> bool:
    """Put a text into a file, whatever is there already, or on standard output; False when that fails.

    Where a file went, and why not, is said on standard error. Nothing is said of a standard output that nobody reads.

    Args:
        what: what the text is, as a person is told.
    """
    if file is None:
        return _write(text, what)
    return write_besides(what, file, lambda: _write_text(file, text))


def say(text: str) -> None:
    """Put what a command answers on standard output, with a line's end.

    Raises:
        SystemExit: it can't be written, or nobody reads it (exit code 4).
    """
    if not put_out(f"{text}\n", what="the answer"):
        sys.exit(UNREAD)


def write_besides(what: str, file: Path, write: Callable[[], str]) -> bool:
    """Write a file and say on standard error where it went, and what `write` says of it; False when that fails.

    Args:
        what: what goes there, as a person is told.
        write: writes the file and returns what else is to be said; its OSError is what went wrong.
    """
    try:
        more = write()
    except OSError as error:
        print(f"xpudbg: {what} could not be written: {error}", file=sys.stderr)
        return False
    print(f"xpudbg: {what} in {plain(str(file))}{more}", file=sys.stderr)
    return True


def _write_text(file: Path, text: str) -> str:
    file.write_bytes(text.encode("utf-8", errors="backslashreplace"))
    return ""


def _write(text: str, what: str) -> bool:
    if sys.stdout is None:  # it was closed when the program began
        return False
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that the interpreter's own flush at the end finds a reader
        return False
    except (OSError, ValueError) as error:
        print(f"xpudbg: {what} could not be written: {error}", file=sys.stderr)
        return False
    return True
