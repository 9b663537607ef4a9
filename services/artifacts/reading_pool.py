"""Processes of this machine that read the files of a big job: decoding is Python's own work, one thread does not do.

They are started afresh (never forked from a program with threads), ignore Ctrl-C, and end when the program that started
them lets go of them or dies, whatever they are doing then.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import signal
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from .artifact import Artifact

__all__ = ["LEAST_BYTES", "ReadingPool", "pays"]

T = TypeVar("T")

LEAST_BYTES = 512 * 1024 * 1024
"""Bytes of files from which processes read faster than this one, their start included (docs/post-mortem.md)."""
MOST_WORKERS = 8
_COUNTED = 32 * 1024 * 1024
"""Bytes of one file that count at most: a single large one is read by a single process."""
_TOGETHER = 4
"""Files that a process takes at once."""
_AHEAD = 16
"""Files for each process that are given out before the first result is taken: results wait in the memory."""


def pays(artifacts: Sequence[Artifact]) -> bool:
    """Whether processes would read these files faster."""
    return usable_cpus() > 1 and sum(min(one.body.size, _COUNTED) for one in artifacts) >= LEAST_BYTES


def usable_cpus() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class ReadingPool(Executor):
    """A pool of processes. Where one of them is killed, the rest is read here."""

    def __init__(self, workers: int | None = None) -> None:
        """
        Args:
            workers: processes; as many as there are processors, at most `MOST_WORKERS`, when None.
        """
        _start_tracker()
        context = multiprocessing.get_context("spawn")
        self.workers = workers or min(usable_cpus(), MOST_WORKERS)
        # Nothing is ever sent: the workers see its end when this side is closed, or when this process is gone.
        self._theirs, self._mine = context.Pipe(duplex=False)
        self._closed = False
        self._pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_begin, initargs=(self._theirs,))

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        return self._pool.submit(fn, *args, **kwargs)

    def map(
        self,
        fn: Callable[..., T],
        *iterables: Iterable[Any],
        timeout: float | None = None,  # noqa: ARG002 - the interface of an Executor
        chunksize: int = _TOGETHER,
    ) -> Iterator[T]:
        """The results in order; only so many are made ahead as are not much for the memory."""
        calls = list(zip(*iterables, strict=True))
        pieces = iter([calls[at : at + chunksize] for at in range(0, len(calls), chunksize)])
        ahead = max(self.workers * _AHEAD // chunksize, 1)
        waiting: list[Future[list[T]]] = []
        given = 0
        try:
            waiting += [self._pool.submit(_all_of, fn, piece) for piece in islice(pieces, ahead)]
            while waiting:
                results = waiting[0].result()
                del waiting[0]
                waiting += [self._pool.submit(_all_of, fn, piece) for piece in islice(pieces, 1)]
                for result in results:
                    given += 1
                    yield result
        except BrokenProcessPool:
            if self._closed:
                raise
            for call in calls[given:]:
                yield fn(*call)
        finally:
            for future in waiting:
                future.cancel()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes at once; what they were doing is lost."""
        if self._closed:
            return
        self._closed = True
        self._mine.close()
        self._theirs.close()
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)


def _start_tracker() -> None:
    """Start the process that multiprocessing itself needs.

    It is handed the descriptor of `sys.stderr`, and an application on the whole screen has put something there that
    says -1, which fails. Without one it is left with the standard error of this process.
    """
    with contextlib.redirect_stderr(io.StringIO()):
        resource_tracker.ensure_running()


def _begin(alive: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(alive,), name="xpudbg-end", daemon=True).start()


def _end_with(alive: Connection) -> None:
    """Wait until the other side is closed, and end."""
    with contextlib.suppress(EOFError, OSError):
        alive.recv_bytes()
    os._exit(0)


def _all_of(fn: Callable[..., T], calls: Sequence[tuple[Any, ...]]) -> list[T]:
    return [fn(*call) for call in calls]
