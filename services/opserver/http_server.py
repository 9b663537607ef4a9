"""HTTP as the protocol needs it: header lines up to 64 KiB, and JSON for every error, also of what is no HTTP."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from aiohttp import web
from aiohttp.http_exceptions import LineTooLong

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["LONGEST_HEADER", "json_reply", "make_http_server"]

LONGEST_HEADER = 65_536

_LOGGER = logging.getLogger("xpudbg.opserver.http")
_LOGGER.addHandler(logging.NullHandler())
_LOGGER.propagate = False


def json_reply(status: int, body: object, *, close: bool = False) -> web.Response:
    """A JSON reply; `close` when the request's body has not been read, so that nobody waits on this connection."""
    reply = web.json_response(body, status=status)
    if close:
        reply.force_close()
    return reply


def make_http_server(handle: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]], idle_s: float) -> web.Server:
    """A server that cancels `handle` when its client has gone."""
    return _Server(handle, idle_s)


class _Server(web.Server):
    def __init__(self, handle: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]], idle_s: float) -> None:
        super().__init__(handle, handler_cancellation=True)
        self._idle_s = idle_s

    def __call__(self) -> web.RequestHandler:
        return _Connection(
            self,
            loop=self._loop,
            keepalive_timeout=self._idle_s,
            max_line_size=LONGEST_HEADER,
            max_field_size=LONGEST_HEADER,
            auto_decompress=False,
            logger=_LOGGER,
            access_log=_LOGGER,
        )


class _Connection(web.RequestHandler):
    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - the base class's
    ) -> web.StreamResponse:
        if request.writer.output_size > 0:
            raise ConnectionError("the reply has begun")
        if isinstance(exc, LineTooLong):
            return json_reply(431, {"error": f"a header line is longer than {LONGEST_HEADER} bytes"}, close=True)
        if status == 400:
            return json_reply(400, {"error": "bad HTTP request"}, close=True)
        return json_reply(status, {"error": "internal error"}, close=True)
