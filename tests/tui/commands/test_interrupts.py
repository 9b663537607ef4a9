"""A signal never takes an event away: it comes before one is taken, or after it was applied."""

from __future__ import annotations

import os
import queue
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from xpudbg.tui.commands.interrupts import signals_call, signals_interrupt, take_event

if TYPE_CHECKING:
    from collections.abc import Iterator

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = [signal.getsignal(number) for number in SIGNALS]
    signals_interrupt()
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


def strike(number: int = signal.SIGINT) -> None:
    """A signal whose handler has run when this returns or raises."""
    signal.raise_signal(number)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_an_event_is_applied_comes_after_it(number: signal.Signals) -> None:
    events: queue.SimpleQueue[str] = queue.SimpleQueue()
    events.put("one")
    applied = []

    def apply(event: str) -> None:
        strike(number)
        applied.append(event)

    with pytest.raises(KeyboardInterrupt):
        take_event(events, apply)
    assert applied == ["one"]
    events.put("two")
    assert take_event(events, applied.append) == "two"
    assert applied == ["one", "two"]


def test_a_signal_ends_a_wait_for_an_event_that_never_comes() -> None:
    events: queue.SimpleQueue[str] = queue.SimpleQueue()
    striking = threading.Thread(target=lambda: os.kill(os.getpid(), signal.SIGTERM))

    class Watched(queue.SimpleQueue[str]):
        """Strikes when it is waited for."""

        def get(self, block: bool = True, timeout: float | None = None) -> str:
            striking.start()
            return super().get(block, timeout)

    events = Watched()
    with pytest.raises(KeyboardInterrupt):
        take_event(events, pytest.fail)
    striking.join()


def test_a_second_signal_does_not_wait() -> None:
    events: queue.SimpleQueue[str] = queue.SimpleQueue()
    events.put("one")
    applied = []

    def apply(event: str) -> None:
        strike()
        strike()
        applied.append(event)

    with pytest.raises(KeyboardInterrupt):
        take_event(events, apply)
    assert applied == []
    with pytest.raises(queue.Empty):
        take_event(events, applied.append, 0.0)


def test_outside_an_event_a_signal_is_an_interrupt_at_once() -> None:
    with pytest.raises(KeyboardInterrupt):
        strike(signal.SIGHUP)


def test_an_error_of_what_applies_goes_through_and_leaves_nothing_behind() -> None:
    events: queue.SimpleQueue[str] = queue.SimpleQueue()
    events.put("one")
    with pytest.raises(ValueError, match="one"):
        take_event(events, _refuse)
    with pytest.raises(KeyboardInterrupt):
        strike()


def _refuse(event: str) -> None:
    raise ValueError(event)


@pytest.mark.parametrize("number", SIGNALS)
def test_where_a_call_is_wanted_a_thread_is_waited_for_to_its_end(number: signal.Signals) -> None:
    """A `join` that an exception leaves takes the thread for ended, until Python 3.13."""
    called, ended = threading.Event(), []

    def work() -> None:
        os.kill(os.getpid(), number)
        called.wait(20)
        ended.append(called.is_set())

    signals_call(called.set)
    working = threading.Thread(target=work)
    working.start()
    working.join()
    assert ended == [True]
