"""The pool for calls that may never return: results and errors come back, the end never waits."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

from xpudbg.services.daemon_threads import DaemonThreads


def test_results_and_errors_come_back() -> None:
    pool = DaemonThreads(2, "test")
    assert pool.submit(lambda a, b: a + b, 1, b=2).result(5) == 3
    with pytest.raises(ZeroDivisionError):
        pool.submit(lambda: 1 / 0).result(5)
    pool.shutdown()
    with pytest.raises(RuntimeError):
        pool.submit(int)


def test_it_runs_no_more_at_a_time_than_it_may() -> None:
    pool = DaemonThreads(3, "test")
    gate, guard = threading.Event(), threading.Lock()
    inside: list[int] = []
    most: list[int] = []

    def work(number: int) -> int:
        with guard:
            inside.append(number)
            most.append(len(inside))
        gate.wait(10)
        with guard:
            inside.remove(number)
        return number

    futures = [pool.submit(work, number) for number in range(12)]
    gate.set()
    assert [future.result(10) for future in futures] == list(range(12))
    assert max(most) <= 3
    pool.shutdown()


async def test_it_serves_as_the_default_executor_of_a_loop() -> None:
    loop = asyncio.get_running_loop()
    pool = DaemonThreads(2, "test")
    names = await loop.run_in_executor(pool, lambda: threading.current_thread().name)
    assert names.startswith("test-")
    pool.shutdown()


def test_a_call_that_never_returns_does_not_hold_up_the_end_of_the_program() -> None:
    program = """
import asyncio, threading
from xpudbg.services.daemon_threads import DaemonThreads
async def main():
    loop = asyncio.get_running_loop()
    loop.set_default_executor(DaemonThreads(2, "blocked"))
    begun = threading.Event()
    loop.run_in_executor(None, lambda: (begun.set(), threading.Event().wait()))
    await asyncio.to_thread(begun.wait)
asyncio.run(main())
print("ended")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "ended\n"
