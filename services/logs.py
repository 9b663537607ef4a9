"""The program's log: a file of bounded size when one is asked for, nothing at all otherwise.

Modules log to `logger(__name__)`. Every line is made plain and without passwords before it is written.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from .plain_text import plain
from .secrets import without_secrets

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LEVELS", "is_logging", "log_to", "logger", "stop_logging"]

LEVELS = ("debug", "info", "warning", "error")
LOG_BYTES = 4 * 1024 * 1024
"""Size at which the file is begun anew; the one before is kept beside it as `.1`."""
LINE_LIMIT = 4_000
"""Characters of one line."""
MOST_LINES = 200
"""Lines of one message, a trace mostly."""

_ROOT = logging.getLogger("xpudbg")
_ROOT.addHandler(logging.NullHandler())  # nothing goes to the terminal, with or without a file
_ROOT.propagate = False
_OTHERS = ("asyncio",)
"""Loggers of libraries whose warnings are of use here."""
_open: list[logging.Handler] = []
"""The handler of the file, while there is one."""


def logger(name: str) -> logging.Logger:
    """The logger of a module.

    Args:
        name: of the module; it begins with `xpudbg.`.
    """
    return logging.getLogger(name)


class _Plain(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        text = without_secrets(super().format(record))
        lines = text.split("\n")
        left_out = len(lines) - MOST_LINES
        if left_out > 0:
            half = MOST_LINES // 2
            lines = [*lines[:half], f"... {left_out:,} lines left out ...", *lines[-half:]]
        return "\n".join(plain(line, LINE_LIMIT) for line in lines)


def log_to(path: Path, level: str = "info") -> None:
    """Write what is logged from now on to a file, after what it holds already.

    Args:
        level: one of `LEVELS`; less important messages are left out.

    Raises:
        OSError: the file can't be written, or is a pipe that nobody reads.
    """
    from logging.handlers import RotatingFileHandler  # it brings the network with it

    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)  # a pipe would be waited for
    os.close(os.open(path, flags, 0o600))  # for its owner only
    handler = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace")
    form = _Plain("%(asctime)s.%(msecs)03d %(levelname)-7s %(process)d %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%S")
    handler.setFormatter(form)
    stop_logging()
    _open.append(handler)
    _ROOT.addHandler(handler)
    _ROOT.setLevel(level.upper())
    for name in _OTHERS:
        other = logging.getLogger(name)
        other.addHandler(handler)
        other.propagate = False


def stop_logging() -> None:
    """Close the file; does nothing when there is none."""
    while _open:
        handler = _open.pop()
        for name in _OTHERS:
            other = logging.getLogger(name)
            other.removeHandler(handler)
            other.propagate = True
        _ROOT.removeHandler(handler)
        handler.close()


def is_logging() -> bool:
    """Whether there is a file."""
    return bool(_open)
