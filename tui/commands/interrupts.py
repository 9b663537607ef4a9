"""How a command without a screen is ended from outside."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import queue
    from collections.abc import Callable

__all__ = ["signals_call", "signals_interrupt", "take_event"]

_Event = TypeVar("_Event")
_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Taking:
    """An event that is being taken, and whether a signal came meanwhile."""

    def __init__(self) -> None:
        self.queue: queue.SimpleQueue[object] | None = None
        self.asked = False


_taking = _Taking()


def signals_interrupt() -> None:
    """From now on SIGTERM and SIGHUP raise KeyboardInterrupt in the main thread as Ctrl-C does, after `take_event`."""
    for number in _NUMBERS:
        signal.signal(number, _interrupt)


def signals_call(interrupt: Callable[[], object]) -> None:
    """From now on Ctrl-C, SIGTERM and SIGHUP call `interrupt` in the main thread; nothing is raised.

    For a command whose work is done on a thread that the main thread waits for: until Python 3.13 a `Thread.join` that
    an exception leaves takes the thread for ended although it runs.
    """

    def call(_number: int, _frame: object) -> None:
        interrupt()

    for number in _NUMBERS:
        signal.signal(number, call)


def take_event(
    events: queue.SimpleQueue[_Event], apply: Callable[[_Event], object], timeout: float | None = None
) -> _Event:
    """Take the next event and apply it, so that no interrupt comes between and the event is lost.

    A first signal while the queue is waited for or the event is applied raises KeyboardInterrupt after that, a second
    one at once. In the main thread only.

    Args:
        timeout: seconds; None: however long it takes.

    Raises:
        queue.Empty: none came in time.
        KeyboardInterrupt: a signal that `signals_interrupt` has taken over came before one was there, or while it was
            applied.
    """
    _taking.queue = events  # type: ignore[assignment]  # the handler puts None there, to wake the wait
    try:
        while True:
            event = events.get(timeout=timeout)
            if event is not None:
                apply(event)
                break
            if _taking.asked:
                break
            # the mark of a signal that was obeyed before
    finally:
        _taking.queue = None
        asked, _taking.asked = _taking.asked, False
    if asked:
        raise KeyboardInterrupt
    return event


def _interrupt(_number: int, _frame: object) -> None:
    if _taking.queue is None or _taking.asked:
        raise KeyboardInterrupt
    _taking.asked = True
    _taking.queue.put(None)
