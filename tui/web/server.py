"""The server that shows the screens in browsers: a page, what belongs to it, a WebSocket for each tab."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from typing import TYPE_CHECKING, Any, Final

from aiohttp import WSCloseCode, WSMsgType, web

from .page import page, page_headers, statics_folder
from .session import WebSession, session_environment

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from .guard import Guard

__all__ = ["MOST_SESSIONS", "make_app"]

MOST_SESSIONS: Final = 32
"""Tabs at one time; each is a process."""
LARGEST_MESSAGE = 1 << 20
"""Bytes of one message of a browser; a paste is the largest."""
HEARTBEAT_S = 15.0
_ENTER = "open the address that xpudbg web has printed: it holds a token"


class _Served:
    """What the handlers share."""

    def __init__(self, guard: Guard, command: Sequence[str], title: str, tell: Callable[[str], None]) -> None:
        self._guard = guard
        self._command = command
        self._title = title
        self._tell = tell
        self._open: set[web.WebSocketResponse] = set()

    @web.middleware
    async def check(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Nothing at all is answered to who may not see it."""
        headers, guard = request.headers, self._guard
        refused = guard.refused(headers.get("Host"), headers.get("Origin"), origin_needed=request.path == "/ws")
        if not refused and not guard.is_cookie(request.cookies.get(_cookie_name(request))):
            if request.path == "/" and guard.is_token(request.query.get("token")):
                return self._entered(request)
            refused = _ENTER
        if refused:
            return web.Response(status=403, text=f"xpudbg: {refused}\n", headers=_ALWAYS)
        if request.path == "/" and "token" in request.query:
            return self._entered(request)  # an address that is used again
        response = await handler(request)
        if not response.prepared:
            response.headers.update(_ALWAYS)
        return response

    def _entered(self, request: web.Request) -> web.StreamResponse:
        """The token leaves the address line, and with it the browser's history."""
        guard = self._guard
        if not guard.is_token(request.query.get("token")):
            return web.Response(status=403, text=f"xpudbg: {_ENTER}\n", headers=_ALWAYS)
        response = web.Response(status=303, headers={"Location": "/", "Cache-Control": "no-store", **_ALWAYS})
        response.set_cookie(_cookie_name(request), guard.cookie, httponly=True, samesite="Strict", path="/")
        return response

    async def index(self, request: web.Request) -> web.Response:
        nonce = secrets.token_urlsafe(16)
        return web.Response(
            text=page(self._title, nonce), content_type="text/html", headers=page_headers(nonce, request.host)
        )

    async def websocket(self, request: web.Request) -> web.StreamResponse:
        """A session as long as the tab is open."""
        if len(self._open) >= MOST_SESSIONS:
            return web.Response(status=503, text=f"xpudbg: {MOST_SESSIONS} sessions are open already\n")
        socket = web.WebSocketResponse(heartbeat=HEARTBEAT_S, max_msg_size=LARGEST_MESSAGE)
        self._open.add(socket)
        try:
            await socket.prepare(request)
            session = WebSession(self._command, socket.send_bytes, socket.send_str)
            try:
                await self._talk(request, socket, session)
            finally:
                await session.end()
                if said := session.errors.strip():
                    self._tell(said)
        except OSError as error:
            self._tell(f"a session could not be started: {error}")
        finally:
            self._open.discard(socket)
            await socket.close()
        return socket

    async def _talk(self, request: web.Request, socket: web.WebSocketResponse, session: WebSession) -> None:
        """Until the browser or the process ends."""
        await session.start(session_environment(os.environ, _number(request, "width"), _number(request, "height")))
        ways = [asyncio.create_task(session.show()), asyncio.create_task(_listen(socket, session))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            for ended in await asyncio.gather(*ways, return_exceptions=True):
                if isinstance(ended, Exception) and not isinstance(ended, ConnectionError):
                    self._tell(f"a session ended: {ended or type(ended).__name__}")

    async def close(self, _app: web.Application) -> None:
        for socket in list(self._open):
            await socket.close(code=WSCloseCode.GOING_AWAY)


_ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def make_app(guard: Guard, command: Sequence[str], title: str, tell: Callable[[str], None]) -> web.Application:
    """The whole server.

    Args:
        guard: who is let in.
        command: program and arguments of each session; nothing of a request is ever among them.
        title: of the page.
        tell: is given what went wrong, as it came.

    Raises:
        ImportError: textual-serve is not installed.
    """
    served = _Served(guard, command, title, tell)
    app = web.Application(middlewares=[served.check])
    app.add_routes(
        [
            web.get("/", served.index),
            web.get("/ws", served.websocket, allow_head=False),
            web.static("/static", statics_folder()),
        ]
    )
    app.on_shutdown.append(served.close)
    return app


async def _listen(socket: web.WebSocketResponse, session: WebSession) -> None:
    async for message in socket:
        if message.type is not WSMsgType.TEXT:
            raise ValueError("the page sends texts only")
        envelope: Any = json.loads(message.data)
        answer = await session.take(envelope)
        if answer is not None:
            await socket.send_str(answer)


def _cookie_name(request: web.Request) -> str:
    """Cookies of one host are the same on all its ports, so the port is in the name: several servers may run."""
    return f"xpudbg-{request.url.port}"


def _number(request: web.Request, name: str) -> int:
    text = request.query.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
