"""One rank's worker server, and the budget of requests to it (spec: worker-server.md, THE DANGER).

A request that the rank does not answer is kept, not replaced: the next look waits for that same request. It is
given up only when the rank had begun to answer (its server thread is free then) or when the attachment ends.
"""

from __future__ import annotations

import asyncio
import ipaddress
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aiohttp
import httpx

from ..addressing.addresses import parse_worker
from ..snapshot import Outcome, RankReply
from ..spool import EMPTY, Body
from .answers import explain_status
from .failures import explain_failure
from .gzip_stream import NotPackedError, unpacked
from .lanes import PATIENCE_S
from .transport import CONNECTION, Connection

if TYPE_CHECKING:
    from ..snapshot import RankAddress
    from ..spool import Sink, Spool
    from .lanes import Lanes
    from .probes import Probe

__all__ = ["MOST_UNANSWERED", "PROGRESS_STEP", "Worker", "WorkerListener"]

SLOW_FACTOR, SLOW_BUDGETS = 1.5, 4
"""A rank that has answered late, within so many budgets, gets so many times what that took at the next look."""
MOST_UNANSWERED = 16
"""Requests that a rank may have left unanswered before it gets no more of other kinds: half of its server threads. What
xpudbg asks by itself are fewer kinds; handlers of the job's own may be more.
"""
PROGRESS_STEP = 1024 * 1024
"""Bytes of a body between two progress reports."""


class WorkerListener:
    """What a Worker reports besides the replies it returns; override what is of interest."""

    def progress(self, rank: int, source: str, received: int) -> None:
        """A large body has `received` bytes now."""

    def stuck_changed(self, rank: int, handlers: tuple[str, ...]) -> None:
        """The requests that the rank has left unanswered past their budget."""

    def late(self, reply: RankReply) -> None:
        """A request that had been left unanswered has ended."""


@dataclass(slots=True)
class _Request:
    """A request on its way."""

    probe: Probe
    budget_s: float
    started_at: int
    started: float
    sink: Sink | None = None
    """Where the answer goes; the spool when None."""
    answer_s: float = 0.0
    """Seconds beyond the budget for an answer that has begun."""
    task: asyncio.Task[RankReply] | None = None
    connection: Connection | None = None
    status: int | None = None
    """HTTP status, once the rank has begun to answer."""
    answering: bool = False
    """The rank has begun to answer: closing the connection frees its server thread."""
    received: int = 0
    parked: bool = False
    """Past its budget and kept."""
    watchers: int = 0
    """How many callers wait for it now."""


class Worker:
    """Sends requests to one rank, at most one of each kind at a time. Lives on the engine's event loop."""

    def __init__(
        self,
        address: RankAddress,
        client: httpx.AsyncClient,
        spool: Spool,
        lanes: Lanes,
        listener: WorkerListener,
        *,
        largest: int | None = None,
    ) -> None:
        """
        Args:
            largest: bytes at which an answer is given up, where the probe's own cap is not lower; profiles, which a
                person asks for and which go to a file, have their own cap alone.

        Raises:
            TargetError: the address has no usable URL.
        """
        self.address = address
        self.rank = address.rank
        self.handlers: tuple[str, ...] | None = None
        """The handlers this rank has, None while they are not known."""
        self.without_py_spy = False
        """py-spy has failed on this rank in a way that asking again does not mend."""
        where = parse_worker(address.url)
        self._endpoint = where.endpoint
        self._tls = where.scheme == "https"
        self._base = where.connected_to
        self._auth = where.credentials
        self._host_is_address = _is_address(where.endpoint.host)
        self._client = client
        self._spool = spool
        self._lanes = lanes
        self._listener = listener
        self._largest = largest
        self._requests: dict[str, _Request] = {}
        self._slowest: dict[str, float] = {}
        """Seconds that answers took which came after their budget, by source."""

    @property
    def stuck(self) -> tuple[str, ...]:
        """Sources whose request the rank has left unanswered past its budget."""
        return tuple(source for source, request in self._requests.items() if request.parked)

    def has(self, probe: Probe) -> bool:
        """Whether the rank has a handler, as far as is known."""
        return self.handlers is None or probe.source in self.handlers

    @property
    def asked(self) -> tuple[str, ...]:
        """Sources with a request that is not over."""
        return tuple(self._requests)

    async def ask(self, probe: Probe, budget_s: float, *, sink: Sink | None = None, answer_s: float = 0.0) -> RankReply:
        """Send one request, or wait for the one that is still out, and say within the budget how it stands.

        Args:
            probe: what to ask.
            budget_s: seconds from sending to the whole answer. Time spent waiting for a place in a lane is not
                counted. A request kept from an earlier look gets `PATIENCE_S` more.
            sink: takes the answer in place of the spool; it is finished or discarded in any case.
            answer_s: seconds beyond the budget for an answer that has begun.
        """
        given_s = budget_s
        budget_s = max(budget_s, self._slowest.get(probe.source, 0.0) * SLOW_FACTOR)
        waiting = self._requests.get(probe.source)
        if waiting is not None:
            return await self._await(waiting, budget_s)
        if len(self.stuck) >= MOST_UNANSWERED:
            if sink is not None:
                sink.discard()
            return self._unsent(probe, f"not asked: the rank has left {len(self.stuck)} requests unanswered")
        slot = await self._lanes.fast.enter(probe.stage)
        try:
            if self._lanes.full:
                error = f"not asked: {self._lanes.open} connections are open and this machine allows no more"
                if sink is not None:
                    sink.discard()
                return self._unsent(probe, error)
            request = self._send(probe, given_s, sink, answer_s)
            await self._patience(request, budget_s)
        except asyncio.CancelledError:
            self._let_go(probe.source)
            raise
        finally:
            slot.leave()
        return await self._await(request, budget_s)

    def take_over(self, other: Worker) -> bool:
        """Keep the budget of a worker that this one replaces at the same host and port; False when it is elsewhere."""
        if other._endpoint != self._endpoint:
            return False
        self._requests = other._requests
        return True

    async def close(self) -> None:
        """Give up everything that is out. The rank may still be working on it."""
        tasks = [request.task for request in self._requests.values() if request.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._requests.clear()

    def _send(self, probe: Probe, budget_s: float, sink: Sink | None, answer_s: float) -> _Request:
        request = _Request(probe, budget_s, time.time_ns(), time.monotonic(), sink, answer_s)
        self._requests[probe.source] = request
        self._lanes.open += 1
        request.task = asyncio.create_task(self._perform(request), name=f"rank {self.rank} {probe.source}")
        request.task.add_done_callback(lambda _: self._ended(request))
        return request

    async def _patience(self, request: _Request, budget_s: float) -> None:
        """Wait a moment for the answer, then for a place in the slow lane; the caller holds the fast slot so long."""
        assert request.task is not None
        await asyncio.wait([request.task], timeout=min(PATIENCE_S, budget_s))
        if request.task.done():
            return
        entering = asyncio.ensure_future(self._lanes.slow.enter())
        try:
            left = max(budget_s - (time.monotonic() - request.started), 0)
            await asyncio.wait([request.task, entering], timeout=left, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if entering.done() and not entering.cancelled():
                place = entering.result()
                request.task.add_done_callback(lambda _: place.leave())
            else:
                entering.cancel()

    async def _await(self, request: _Request, budget_s: float) -> RankReply:
        assert request.task is not None
        left = max(budget_s - (time.monotonic() - request.started), PATIENCE_S if request.parked else 0)
        request.watchers += 1
        try:
            await asyncio.wait([request.task], timeout=left)
            if not request.task.done() and request.answering and request.answer_s:
                await asyncio.wait([request.task], timeout=request.answer_s)
        except asyncio.CancelledError:
            self._let_go(request.probe.source)
            raise
        finally:
            request.watchers -= 1
        if request.task.done() and not request.task.cancelled():
            return request.task.result()
        return self._overdue(request)

    def _let_go(self, source: str) -> None:
        """The look was cancelled: end what the rank is answering, keep what it has not begun to answer."""
        request = self._requests.get(source)
        if request is None or request.task is None or request.task.done():
            return
        if request.answering or not self._connected(request):
            request.task.cancel()
        else:
            self._park(request)

    def _overdue(self, request: _Request) -> RankReply:
        assert request.task is not None
        took = time.monotonic() - request.started
        outcome, error = Outcome.TIMEOUT, f"no answer after {took:.1f} s"
        if request.answering:
            error = f"its answer was not complete after {took:.1f} s ({request.received} bytes came)"
            request.task.cancel()
        elif not self._connected(request):
            outcome, error = Outcome.UNREACHABLE, f"connecting timed out after {took:.1f} s"
            if request.connection is not None and not request.connection.resolved:
                outcome, error = Outcome.NAME_UNKNOWN, f"its host's name has not been resolved after {took:.1f} s"
            if self._tls and outcome is Outcome.UNREACHABLE:
                self._park(request)  # it may have been accepted and hang in the TLS handshake
            else:
                request.task.cancel()
        else:
            self._park(request)
        return self._reply(request, outcome, request.status, error=error)

    def _park(self, request: _Request) -> None:
        if not request.parked:
            request.parked = True
            self._listener.stuck_changed(self.rank, self.stuck)

    def _ended(self, request: _Request) -> None:
        self._lanes.open -= 1
        if self._requests.get(request.probe.source) is request:
            del self._requests[request.probe.source]
        task = request.task
        if not request.parked or task is None:
            return
        request.parked = False
        if not task.cancelled() and task.exception() is None and task.result().outcome is Outcome.OK:
            took = time.monotonic() - request.started
            if took <= SLOW_BUDGETS * request.budget_s:  # longer than that it was not slow, it stood still
                self._slowest[request.probe.source] = took
        self._listener.stuck_changed(self.rank, self.stuck)
        if request.watchers == 0 and not task.cancelled() and task.exception() is None:
            self._listener.late(task.result())

    async def _perform(self, request: _Request) -> RankReply:
        request.connection = Connection(resolved=self._host_is_address)
        CONNECTION.set(request.connection)
        probe = request.probe
        writer = request.sink or self._spool.writer()
        most = probe.max_bytes if request.sink is not None else min(probe.max_bytes, self._largest or probe.max_bytes)
        try:
            async with self._client.stream(probe.method, self._base + probe.path, auth=self._auth) as response:
                request.answering = True
                request.status = response.status_code
                request.connection.created = True
                encoding = response.headers.get("content-encoding", "identity").strip().lower()
                if encoding not in ("identity", "gzip", ""):
                    error = f"answers in the encoding {encoding[:40]!r}, which was not asked for"
                    return self._reply(request, Outcome.HTTP_ERROR, None, error=error)
                pieces = response.aiter_raw()
                reported = 0
                async for piece in unpacked(pieces) if encoding == "gzip" else pieces:
                    writer.write(piece)
                    request.received = writer.size
                    if writer.size > most:
                        error = f"gave up after {writer.size} bytes; the limit for {probe.source} is {most}"
                        return self._reply(request, Outcome.TOO_LARGE, response.status_code, writer.finish(), error)
                    if writer.size - reported >= PROGRESS_STEP:
                        reported = writer.size
                        self._listener.progress(self.rank, probe.source, reported)
                body = writer.finish()
                if response.is_success:
                    return self._reply(request, Outcome.OK, response.status_code, body)
                location = response.headers.get("location", "")
                error = explain_status(probe.source, response.status_code, body, location)
                return self._reply(request, Outcome.HTTP_ERROR, response.status_code, body, error)
        except asyncio.CancelledError:
            writer.discard()
            raise
        except NotPackedError as failure:
            return self._reply(request, Outcome.HTTP_ERROR, None, _kept(writer), str(failure))
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, aiohttp.ClientError, OSError) as failure:
            outcome, error = explain_failure(failure)
            return self._reply(request, outcome, None, _kept(writer), error)

    def _connected(self, request: _Request) -> bool:
        return request.connection is not None and request.connection.created

    def _reply(
        self,
        request: _Request,
        outcome: Outcome,
        status: int | None = None,
        body: Body = EMPTY,
        error: str = "",
    ) -> RankReply:
        return RankReply(
            rank=self.rank,
            source=request.probe.source,
            query=request.probe.query,
            outcome=outcome,
            status=status,
            body=body,
            error=error,
            started_at=request.started_at,
            took_s=time.monotonic() - request.started,
            connected=self._connected(request),
        )

    def _unsent(self, probe: Probe, error: str) -> RankReply:
        return RankReply(
            rank=self.rank,
            source=probe.source,
            query=probe.query,
            outcome=Outcome.CANCELLED,
            status=None,
            body=EMPTY,
            error=error,
            started_at=time.time_ns(),
            took_s=0.0,
            connected=False,
        )


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _kept(writer: Sink) -> Body:
    """What came before the failure; nothing when the disk can't take it."""
    try:
        return writer.finish()
    except OSError:  # the failure that is being reported already names the disk
        writer.discard()
        return EMPTY
