"""The HTTP transport towards op servers: httpx's interface over connections that read while they write.

An op server answers "busy" without reading the body and then breaks the connection. httpx's own transports see the
failed write and may lose that answer. Here the answer is read from the moment the request begins; one that comes early
ends the upload and is obeyed.
"""

from __future__ import annotations

import asyncio
import errno
import os
import ssl
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any, cast

import h11
import httpx

from .wire import Wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

__all__ = ["IDLE_LIMIT_S", "DuplexTransport"]

IDLE_LIMIT_S = 25.0
"""Seconds after which an idle connection is not used again; servers close theirs at 30."""
IDLE_CONNECTIONS = 8
"""Idle connections kept for one server."""
HEAD_LIMIT = 1 << 20
"""Bytes of status line and headers: the schema of thousands of outputs fits."""
LAST_WORDS_S = 2.0
"""Seconds to wait for an answer after the upload broke."""
_BODY_REFUSED = frozenset((400, 404, 411, 413, 431, 501, 503))
"""Statuses sent by servers that may not have read the body."""

_RECEIVED = 1 << 20
"""Bytes that are received at a time."""
_TURN = 1 << 20
"""Bytes after which other tasks have their turn."""
_OPENING = b"HTTP/"
_SHOWN = 40

_Key = tuple[str, str, int]


class DuplexTransport(httpx.AsyncBaseTransport):
    """HTTP/1.1 and 1.0, plain or TLS, with keep-alive and no retry but one: on a reused connection that was dead."""

    def __init__(
        self, context: Callable[[httpx.URL], ssl.SSLContext] | None = None, *, clock: Callable[[], float] | None = None
    ) -> None:
        """
        Args:
            context: TLS settings for an https URL.
            clock: seconds, for the age of idle connections.
        """
        self._context = context
        self._clock = clock or time.monotonic
        self._idle: dict[_Key, list[tuple[float, Wire]]] = defaultdict(list)
        self._closed = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """
        Raises:
            httpx.ConnectError: no connection (name, refused, TLS).
            httpx.ReadError, httpx.WriteError: the connection broke before an answer.
            httpx.RemoteProtocolError: the answer is not HTTP.
        """
        key = (request.url.scheme, request.url.host, request.url.port or (443 if request.url.scheme == "https" else 80))
        wire = self._take(key)
        if wire is not None:
            exchange = _Exchange(self, key, wire, reused=True)
            try:
                return await exchange.run(request)
            except (httpx.ReadError, httpx.WriteError):
                if exchange.answered:
                    raise  # else: the server had closed it while it was idle
        exchange = _Exchange(self, key, await self._connect(request, key), reused=False)
        return await exchange.run(request)

    async def aclose(self) -> None:
        """Close the idle connections; those in use close when they end."""
        self._closed = True
        for kept in self._idle.values():
            for _since, wire in kept:
                wire.close()
        self._idle.clear()

    def give_back(self, key: _Key, wire: Wire) -> None:
        """Keep a connection for the next request."""
        kept = self._idle[key]
        if self._closed or len(kept) >= IDLE_CONNECTIONS:
            wire.close()
        else:
            kept.append((self._clock(), wire))

    def _take(self, key: _Key) -> Wire | None:
        kept = self._idle[key]
        while kept:
            since, wire = kept.pop()
            if self._clock() - since < IDLE_LIMIT_S and wire.usable:
                return wire
            wire.close()
        return None

    async def _connect(self, request: httpx.Request, key: _Key) -> Wire:
        scheme, host, port = key
        context = self._context(request.url) if scheme == "https" and self._context is not None else None
        if scheme == "https" and context is None:
            raise httpx.UnsupportedProtocol("no TLS settings were given for an https URL", request=request)
        try:
            return await Wire.connect(host, port, context, host.partition("%")[0])
        except OSError as error:
            raise httpx.ConnectError(_text(error), request=request) from error


class _Exchange:
    """One request and its answer on one connection."""

    def __init__(self, pool: DuplexTransport, key: _Key, wire: Wire, *, reused: bool) -> None:
        self._pool = pool
        self._key = key
        self._wire = wire
        self._reused = reused
        self._http = h11.Connection(our_role=h11.CLIENT, max_incomplete_event_size=HEAD_LIMIT)
        self._buffer = memoryview(bytearray(_RECEIVED))
        self._keep = False
        self._done = False
        self._ended = False
        self._opening = b""
        self.answered = False
        """A byte of an answer has come."""

    async def run(self, request: httpx.Request) -> httpx.Response:
        try:
            answer, whole = await self._answered(request)
        except BaseException:
            self._wire.close()
            raise
        self._keep = (
            whole
            and answer.http_version >= b"1.1"
            and not (answer.status_code in _BODY_REFUSED and request.headers.get("content-length", "0") != "0")
            and answer.status_code != 503
            and not any(name == b"connection" and b"close" in value.lower() for name, value in answer.headers)
        )
        return httpx.Response(
            answer.status_code, headers=answer.headers.raw_items(), stream=_Body(self, request, answer), request=request
        )

    async def _answered(self, request: httpx.Request) -> tuple[h11.Response, bool]:
        """The head of the answer, and whether the request went out whole."""
        upload = asyncio.create_task(self._upload(request), name="upload")
        reading = asyncio.create_task(self._head(request), name="reading the answer")
        try:
            await asyncio.wait((upload, reading), return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                broken = upload.exception()
                if broken is not None and not isinstance(broken, OSError):
                    raise broken  # the body could not be made
                # The kernel hands out what came before the reset; a moment covers a slow network.
                await asyncio.wait((reading,), timeout=None if broken is None else LAST_WORDS_S)
                if not reading.done():
                    raise httpx.WriteError(_text(broken), request=request) from broken
            whole = upload.done() and upload.exception() is None
            return reading.result(), whole
        finally:
            await _ended(upload, reading)

    async def _upload(self, request: httpx.Request) -> None:
        await self._wire.send(_request_head(self._http, request))
        assert isinstance(request.stream, httpx.AsyncByteStream)
        sent = 0
        async for chunk in request.stream:
            await self._wire.send(chunk)
            sent += len(chunk)
            if sent >= _TURN:
                sent = 0
                await asyncio.sleep(0)  # a peer as fast as we are would never let the answer be looked at

    async def _head(self, request: httpx.Request) -> h11.Response:
        while True:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                raise self._broken(error, request) from error
            if isinstance(event, h11.Response):
                return event
            if isinstance(event, h11.ConnectionClosed):
                raise httpx.ReadError("closed the connection without an answer", request=request)
            if event is h11.NEED_DATA:
                await self._more(request)

    async def _more(self, request: httpx.Request) -> None:
        self._prepare_to_read()
        try:
            count = await self._wire.receive_into(self._buffer)
        except OSError as error:
            raise httpx.ReadError(_text(error), request=request) from error
        self.answered = self.answered or count > 0
        self._ended = not count
        piece = bytes(self._buffer[:count])
        if len(self._opening) < len(_OPENING):
            self._opening += piece[: len(_OPENING) - len(self._opening)]
            if not _OPENING.startswith(self._opening):  # else h11 would wait for the end of a head
                shown = bytes(piece[:_SHOWN])
                raise httpx.RemoteProtocolError(f"what answers is not HTTP: it begins with {shown!r}", request=request)
        self._http.receive_data(piece)

    def _broken(self, error: h11.RemoteProtocolError, request: httpx.Request) -> httpx.TransportError:
        if self._ended:
            what = "within its answer" if self.answered else "without an answer"
            return httpx.ReadError(f"closed the connection {what}", request=request)
        return httpx.RemoteProtocolError(f"what answers is not HTTP: {error}", request=request)

    def _prepare_to_read(self) -> None:
        if self._reused:
            self._wire.acknowledge_quickly()

    async def body(self, request: httpx.Request, answer: h11.Response) -> AsyncIterator[bytes]:
        """The answer's body in pieces; a piece is only good until the next one is asked for."""
        length = _plain_length(answer)
        pieces = self._framed(request) if length is None else self._counted(request, length)
        try:
            async for piece in pieces:
                yield piece
        except BaseException:
            self._wire.close()
            raise
        self._done = True
        if self._keep:
            self._pool.give_back(self._key, self._wire)
        else:
            self._wire.close()

    async def _counted(self, request: httpx.Request, length: int) -> AsyncIterator[bytes]:
        """A body of known length: straight from the socket, without copies."""
        came = self._http.trailing_data[0]
        if len(came) > length:  # more than was announced would be taken for the next answer
            self._keep = False
            came = came[:length]
        if came:
            yield came
        left = length - len(came)
        turn = 0
        while left:
            if left <= _TURN:
                self._prepare_to_read()
            try:
                count = await self._wire.receive_into(self._buffer[:left])
            except OSError as error:
                raise httpx.ReadError(_text(error), request=request) from error
            if not count:
                raise httpx.ReadError(
                    f"closed the connection after {length - left:,} of {length:,} bytes", request=request
                )
            left -= count
            turn += count
            if turn >= _TURN:
                turn = 0
                await asyncio.sleep(0)
            yield cast("bytes", self._buffer[:count])

    async def _framed(self, request: httpx.Request) -> AsyncIterator[bytes]:
        """A body in chunks, or one that ends with the connection."""
        while True:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                raise self._broken(error, request) from error
            if isinstance(event, h11.Data):
                yield bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                self._keep = self._keep and self._http.their_state is h11.DONE and not self._http.trailing_data[0]
                return
            elif event is h11.NEED_DATA:
                await self._more(request)
            else:
                raise httpx.ReadError("closed the connection within its answer", request=request)

    def close(self) -> None:
        """The answer is not wanted to its end, or has been read."""
        if not self._done:
            self._wire.close()


class _Body(httpx.AsyncByteStream):
    def __init__(self, exchange: _Exchange, request: httpx.Request, answer: h11.Response) -> None:
        self._exchange = exchange
        self._request = request
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._exchange.body(self._request, self._answer):
            yield piece

    async def aclose(self) -> None:
        self._exchange.close()


async def _ended(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled():
            task.exception()  # seen: what matters of it has been raised


def _plain_length(answer: h11.Response) -> int | None:
    """Content-Length where it alone says where the body ends (h11 has checked it)."""
    names = [name for name, _value in answer.headers]
    if answer.status_code in (204, 304) or b"transfer-encoding" in names or b"content-length" not in names:
        return None
    return int(next(value for name, value in answer.headers if name == b"content-length"))


def _request_head(http: h11.Connection, request: httpx.Request) -> bytes:
    try:
        head = http.send(h11.Request(method=request.method, target=request.url.raw_path, headers=request.headers.raw))
    except h11.LocalProtocolError as error:
        raise httpx.LocalProtocolError(str(error), request=request) from error
    assert head is not None
    return head


def _text(error: BaseException | None) -> str:
    number = error.errno if isinstance(error, OSError) and not isinstance(error, ssl.SSLError) else None
    if number is not None and number in errno.errorcode:
        return os.strerror(number).lower()  # asyncio's own sentences hold addresses
    return str(error) or type(error).__name__
