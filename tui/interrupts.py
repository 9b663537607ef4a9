"""How a command without a screen is ended from outside."""

from __future__ import annotations

import signal

__all__ = ["signals_interrupt"]


def signals_interrupt() -> None:
    """From now on SIGTERM and SIGHUP raise KeyboardInterrupt in the main thread, as Ctrl-C does."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt
