"""A thread pool whose threads never hold up the end of the program.

Name look-ups run in the event loop's default executor. Where the name server is gone, one look-up blocks its thread
for many seconds, and the standard pool is joined both when the loop closes and when the interpreter exits: quitting
would wait for a dead name server. These threads are daemons and nobody joins them.
"""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DaemonThreads"]

P = ParamSpec("P")
T = TypeVar("T")


class DaemonThreads(ThreadPoolExecutor):
    """An executor for blocking calls that may never return (asyncio asks for a ThreadPoolExecutor by type)."""

    def __init__(self, most: int, name: str) -> None:
        super().__init__(max_workers=most, thread_name_prefix=name)
        self._most = most
        self._name = name
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._guard = threading.Lock()
        self._idle = 0
        self._started = 0
        self._closed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        with self._guard:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._work.put(run)
            if self._idle:
                self._idle -= 1
            elif self._started < self._most:
                self._started += 1
                threading.Thread(target=self._serve, name=f"{self._name}-{self._started}", daemon=True).start()
        return future

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            work()
            with self._guard:
                self._idle += 1

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - never waits
        """Let idle threads end; those inside a call end with it or with the program."""
        with self._guard:
            if self._closed:
                return
            self._closed = True
        for _ in range(self._started):
            self._work.put(None)
