"""The worker server of one simulated rank: real sockets, the paths and texts of torch's worker server.

Like the real one it works on a request until it can answer, also when the client has gone, and has 32 threads for
that (spec: worker-server, "the danger"): with 32 requests that it can't answer it answers nothing at all.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from aiohttp import web

from . import payloads, stack_texts
from .hosts import LISTEN_BACKLOG, fill_queue, waiting_in_queue
from .profile_trace import Profiling, profile_trace, profiling
from .scenarios import Behaviour

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .job import Job

__all__ = ["SERVER_THREADS", "RequestCount", "WorkerServer"]

SERVER_THREADS = 32
_SLOW_S = 0.5
_KEEP_ALIVE_S = 1.0
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER of no time: closing sends a reset."""


@dataclass(slots=True)
class RequestCount:
    """Requests of one handler on one rank."""

    outstanding: int = 0
    """Being worked on now."""
    maximum: int = 0
    """The most that were outstanding at one time."""
    total: int = 0


class WorkerServer:
    """One rank, as its behaviour has it. `bound` is its port, not listening yet; it belongs to the server now."""

    def __init__(self, rank: int, behaviour: Behaviour, job: Job, bound: socket.socket) -> None:
        self.rank = rank
        self.behaviour = behaviour
        self.counts: dict[str, RequestCount] = {}
        self._job = job
        self._socket = bound
        self._filler: socket.socket | None = None
        self._running = asyncio.Event()
        self._gil_free = asyncio.Event()
        self._threads = asyncio.Semaphore(SERVER_THREADS)
        self._http = web.Server(self._serve, access_log=None, keepalive_timeout=_KEEP_ALIVE_S)
        self._opening: set[asyncio.Task[object]] = set()

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    @property
    def controllable(self) -> bool:
        """Whether `stop` and `release` mean something for this rank: it has a process behind its port."""
        return self.behaviour not in (
            Behaviour.DEAD,
            Behaviour.UNREACHABLE,
            Behaviour.FOREIGN_PORT,
            Behaviour.RESET,
        )

    def start(self) -> None:
        """Begin to behave.

        Raises:
            OSError: the system refuses to listen.
        """
        if self.behaviour is Behaviour.DEAD:
            return
        if self.behaviour is Behaviour.UNREACHABLE:
            self._filler = fill_queue(self._socket)
            return
        self._socket.listen(LISTEN_BACKLOG)
        if self.behaviour is not Behaviour.GIL_HELD:
            self._gil_free.set()
        if self.behaviour is not Behaviour.STOPPED:
            self._resume()

    def stop(self) -> None:
        """Stand still as after SIGSTOP: the kernel still completes connections, nobody accepts or answers them."""
        asyncio.get_running_loop().remove_reader(self._socket)
        self._running.clear()

    def release(self) -> None:
        """Go on as after SIGCONT, and let go of the GIL: requests that wait are answered."""
        self._gil_free.set()
        if not self._running.is_set():
            self._resume()

    async def close(self) -> None:
        """Close every socket and give up every request."""
        asyncio.get_running_loop().remove_reader(self._socket)
        await asyncio.gather(*self._opening)
        await self._http.shutdown(0)
        self._socket.close()
        if self._filler is not None:
            self._filler.close()

    def report(self) -> dict[str, dict[str, int]]:
        """The request counts by handler."""
        return {name: asdict(count) for name, count in self.counts.items()}

    def queued(self) -> int:
        """Connections that the kernel has completed and nobody has accepted."""
        if self.behaviour in (Behaviour.DEAD, Behaviour.UNREACHABLE):
            return 0
        return waiting_in_queue(self._socket)

    # connections ----------------------------------------------------------------------------------------------

    def _resume(self) -> None:
        self._running.set()
        asyncio.get_running_loop().add_reader(self._socket, self._accept)

    def _accept(self) -> None:
        while True:
            try:
                connection, _peer = self._socket.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            if self.behaviour is Behaviour.RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                connection.close()
                continue
            connection.setblocking(False)
            opening: asyncio.Task[object] = asyncio.ensure_future(
                asyncio.get_running_loop().connect_accepted_socket(self._http, connection)
            )
            self._opening.add(opening)
            opening.add_done_callback(self._opening.discard)

    # requests -------------------------------------------------------------------------------------------------

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        if self.behaviour is Behaviour.FOREIGN_PORT:
            return _foreign(request)
        name = _handler(request)
        if name is None:
            if request.method == "GET" and request.path == "/":
                return _answer(200, "text/html", payloads.front_page())
            return _answer(404, "", "")
        with self._counted(name):
            await self._running.wait()
            async with self._threads:
                if self.behaviour is Behaviour.SLOW:
                    await asyncio.sleep(_SLOW_S)
                if self.behaviour is Behaviour.SERVER_ERROR:
                    return _answer(500, "text/plain", payloads.server_failure(name))
                if name == "dump_traceback":
                    await self._gil_free.wait()
                if name == payloads.PROFILER:
                    return await self._profiled(request)
                await self._running.wait()
                return self._answer_of(name, request)

    async def _profiled(self, request: web.BaseRequest) -> web.StreamResponse:
        """Work as long as is asked for, then send the trace; it takes the GIL at its beginning and end."""
        how = profiling(self.rank)
        try:
            duration_s = float(request.query.get("duration", ""))
        except ValueError:
            return _answer(500, "text/plain", payloads.server_failure(payloads.PROFILER))
        if how is Profiling.REFUSED:
            return _answer(500, "text/plain", "RuntimeError: Can't disable Kineto profiler when it's not running\n")
        await self._gil_free.wait()
        await asyncio.sleep(duration_s)
        await self._gil_free.wait()
        await self._running.wait()
        text = await asyncio.to_thread(profile_trace, self._job, self.rank, duration_s, time.time_ns())
        if how is not Profiling.CUT:
            return _answer(200, "application/json", text)
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(text))})
        await response.prepare(request)
        await response.write(text[: len(text) // 2].encode())
        if request.transport is not None:
            request.transport.abort()
        return response

    def _answer_of(self, name: str, request: web.BaseRequest) -> web.Response:
        torchcomms = self._job.torchcomms
        match name:
            case "handlers":
                return _answer(200, "application/json", payloads.handler_list(torchcomms=torchcomms))
            case "torchcomms_fr_trace_json" if torchcomms:
                return _answer(200, "application/json", payloads.flight_recorder(self._job, self.rank))
            case "torchcomms_health_check" if torchcomms:
                healthy = self.behaviour is not Behaviour.UNHEALTHY
                return _answer(200, "application/json", payloads.health(self.rank, healthy=healthy))
            case "torchcomms_fr_dump_file" if torchcomms:
                return _answer(200, "application/json", payloads.dump_file(self.rank))
            case "ping":
                return _answer(200, "text/plain", "pong")
            case "fr_trace_json":
                return _answer(200, "application/json", payloads.flight_recorder(self._job, self.rank))
            case "wait_counter_values":
                return _answer(200, "application/json", payloads.wait_counters(self.rank, self._job))
            case "dump_traceback":
                return _answer(200, "text/plain", stack_texts.traceback(self._job, self.rank))
            case "pyspy_dump":
                native = request.query.get("native") == "1"
                return _answer(200, "text/plain", stack_texts.py_spy(self._job, self.rank, native=native))
        return _answer(404, "text/plain", payloads.not_found(name))

    @contextlib.contextmanager
    def _counted(self, name: str) -> Iterator[None]:
        count = self.counts.setdefault(name, RequestCount())
        count.outstanding += 1
        count.total += 1
        count.maximum = max(count.maximum, count.outstanding)
        try:
            yield
        finally:
            count.outstanding -= 1


def _handler(request: web.BaseRequest) -> str | None:
    """The handler that a request calls (`handlers` for the list of them), None when it calls none."""
    path = request.path
    if not path.startswith("/handler/"):
        return None
    if request.method == "POST":
        return path.removeprefix("/handler/")
    return "handlers" if request.method == "GET" and path == "/handler/" else None


def _answer(status: int, content_type: str, text: str) -> web.Response:
    headers = {"Content-Type": content_type} if content_type else {}
    if status == 200:
        headers["Keep-Alive"] = "timeout=1, max=30"
    response = web.Response(status=status, body=text.encode(), headers=headers)
    if status != 200:
        response.force_close()
    return response


def _foreign(request: web.BaseRequest) -> web.Response:
    known = request.method in ("GET", "HEAD")
    text = payloads.foreign_page() if known else payloads.foreign_error(request.method)
    response = web.Response(status=200 if known else 501, text=text, content_type="text/html")
    response.headers["Server"] = "SimpleHTTP/0.6"
    response.force_close()
    return response
