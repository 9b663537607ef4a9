"""Starts the demo cluster as a child process and ends it again: the parent's side of `__main__`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..addressing.endpoints import TargetError
from .scenarios import DEFAULT, SCENARIOS

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Iterable

__all__ = ["DemoError", "RunningDemo", "running_demo"]

START_TIMEOUT_S = 30.0
END_PATIENCE_S = 2.0
_LONGEST_LINE = 64 * 1024 * 1024
_STDERR_LINES = 20


class DemoError(TargetError):
    """The demo cluster could not be started, or did not follow a command; the message holds what the child said."""


@dataclass(frozen=True, slots=True)
class RunningDemo:
    """A demo cluster that serves."""

    host: str
    port: int
    """Where its store listens."""
    ranks: int
    scenario: str
    pid: int
    _process: Process
    _turn: asyncio.Lock
    _serves_ops: asyncio.Event

    async def release(self, ranks: Iterable[int]) -> None:
        """Let stopped ranks go on (as SIGCONT does) and others let go of the GIL.

        Raises:
            DemoError: a rank has no process, or the child has ended.
        """
        await self._command({"release": list(ranks)})

    async def stop(self, ranks: Iterable[int]) -> None:
        """Stop ranks, as SIGSTOP does.

        Raises:
            DemoError: a rank has no process, or the child has ended.
        """
        await self._command({"stop": list(ranks)})

    async def counts(self) -> dict[int, dict[str, dict[str, int]]]:
        """Requests by rank and handler: `outstanding` now, the `maximum` at one time, and the `total`.

        The list of handlers counts as `handlers`. Requests that wait in a stopped rank's listen queue are not
        counted: see `queued`.

        Raises:
            DemoError: the child has ended.
        """
        said = await self._command({"counts": True})
        return {int(rank): handlers for rank, handlers in said["counts"].items()}

    async def queued(self) -> dict[int, int]:
        """Connections by rank that the kernel has completed and the rank has not accepted; only ranks with any.

        Raises:
            DemoError: the child has ended.
        """
        said = await self._command({"counts": True})
        return {int(rank): waiting for rank, waiting in said["queued"].items()}

    async def op_server(self) -> tuple[str, int]:
        """Host and port of an op server; it is started when this is first asked.

        Raises:
            DemoError: it can't be started, or the child has ended.
        """
        self._serves_ops.set()
        said = (await self._command({"op_server": True}))["op_server"]
        return said["host"], said["port"]

    async def _command(self, command: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        async with self._turn:
            try:
                self._process.stdin.write(json.dumps(command).encode() + b"\n")
                await self._process.stdin.drain()
                line = await self._process.stdout.readline()
            except ConnectionError as error:
                raise DemoError("the demo cluster has ended") from error
        if not line:
            raise DemoError("the demo cluster has ended")
        said: dict[str, Any] = json.loads(line)
        if "error" in said:
            raise DemoError(f"the demo cluster refused: {said['error']}")
        return said


@contextlib.asynccontextmanager
async def running_demo(
    ranks: int | None = None, scenario: str | None = None, *, start_timeout_s: float = START_TIMEOUT_S
) -> AsyncIterator[RunningDemo]:
    """Run a demo cluster for the duration of the context. Works on the event loop of any thread.

    Args:
        ranks: number of ranks; the scenario's own when None.
        scenario: name in `SCENARIOS`; the default one when None.
        start_timeout_s: seconds until it must serve.

    Raises:
        DemoError: there is no such scenario, or the child did not come to serve.
    """
    name = DEFAULT if scenario is None else scenario
    if name not in SCENARIOS:
        raise DemoError(f"no scenario is called {name!r}", hint=f"there are: {', '.join(SCENARIOS)}")
    process = await _spawn(name, SCENARIOS[name].default_ranks if ranks is None else ranks)
    assert process.stderr is not None
    tail: deque[str] = deque(maxlen=_STDERR_LINES)
    listening = asyncio.create_task(_keep_tail(process.stderr, tail))
    serves_ops = asyncio.Event()
    try:
        yield await _wait_until_serving(process, listening, tail, start_timeout_s, serves_ops)
    finally:
        if serves_ops.is_set():  # an op server has processes and files of its own to put away
            await _asked_to_end(process)
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
        listening.cancel()


async def _spawn(scenario: str, ranks: int) -> Process:
    package = __name__.rpartition(".")[0]
    # The child finds xpudbg where this process found it, and nothing in the working directory (-P).
    found_in = str(Path(__file__).parents[__name__.count(".")])
    inherited = os.environ.get("PYTHONPATH")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (found_in, inherited)))}
    try:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", package, "--ranks", str(ranks), "--scenario", scenario),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            env=environment,
            start_new_session=True,  # Ctrl-C in the terminal is for the program; the child ends with it
        )
    except OSError as error:
        raise DemoError(f"the demo cluster could not be started: {error}") from error


async def _wait_until_serving(
    process: Process,
    listening: asyncio.Task[None],
    tail: deque[str],
    timeout_s: float,
    serves_ops: asyncio.Event,
) -> RunningDemo:
    assert process.stdout is not None
    try:
        async with asyncio.timeout(timeout_s):
            line = await process.stdout.readline()
            if not line:
                await listening
                raise DemoError(f"the demo cluster did not start: {' '.join(tail) or 'its process ended'}")
    except TimeoutError as error:
        said = f": {' '.join(tail)}" if tail else ""
        raise DemoError(f"the demo cluster did not start within {timeout_s:g} s{said}") from error
    ready = json.loads(line)
    return RunningDemo(
        host=ready["store_host"],
        port=ready["store_port"],
        ranks=ready["ranks"],
        scenario=ready["scenario"],
        pid=process.pid,
        _process=process,
        _turn=asyncio.Lock(),
        _serves_ops=serves_ops,
    )


async def _asked_to_end(process: Process) -> None:
    """Let the child end by itself, for as long as patience lasts."""
    assert process.stdin is not None
    process.stdin.close()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(END_PATIENCE_S):
            await process.wait()


async def _keep_tail(stream: asyncio.StreamReader, tail: deque[str]) -> None:
    """Read the child's standard error, so that it never waits for us, and keep its last lines."""
    while line := await stream.readline():
        tail.append(line.decode(errors="replace").rstrip())
