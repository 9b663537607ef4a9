"""A server for one trace: this machine only, a secret in its address, the bytes once, then it ends."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING

from aiohttp import web

from .perfetto_page import page, page_policy

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SERVED_S", "OneTraceServer"]

HOST = "127.0.0.1"
SERVED_S = 300.0
"""Seconds after which it ends whether the trace was taken or not."""
_PIECE = 256 * 1024


class OneTraceServer:
    """Lives on an event loop. The page is at `url`; only it can ask for the trace, and only once."""

    def __init__(self, trace: Path, title: str, *, served_s: float = SERVED_S) -> None:
        """
        Args:
            trace: the file.
            title: what the page and Perfetto call it.
        """
        self._trace = trace
        self._title = title
        self._served_s = served_s
        self._token = secrets.token_urlsafe(24)
        self._taken = False
        self._over = asyncio.Event()
        self._runner: web.ServerRunner | None = None
        self.url = ""
        """Of the page; empty before `start`."""
        self.delivered = False
        """The whole trace has been handed out."""

    async def start(self) -> None:
        """
        Raises:
            OSError: no port can be had.
        """
        self._runner = web.ServerRunner(web.Server(self._serve, access_log=None))
        await self._runner.setup()
        site = web.TCPSite(self._runner, HOST, 0)
        await site.start()
        self._port = int(self._runner.addresses[0][1])
        self.url = f"http://{HOST}:{self._port}/{self._token}/"

    async def run(self) -> bool:
        """Serve until the trace was taken or the time is over; True when it was taken."""
        try:
            async with asyncio.timeout(self._served_s):
                await self._over.wait()
        except TimeoutError:
            pass
        finally:
            await self.close()
        return self.delivered

    async def close(self) -> None:
        if self._runner is not None:
            runner, self._runner = self._runner, None
            await runner.cleanup()

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        hosts = (f"{HOST}:{self._port}", f"localhost:{self._port}")
        if request.headers.get("Host") not in hosts:  # a name that somebody else made lead here
            return _refused(421, "asked for under another name")
        token, _, wanted = request.path.lstrip("/").partition("/")
        if not secrets.compare_digest(token.encode(), self._token.encode()):
            return _refused(404, "there is nothing here")
        if request.method != "GET":
            return _refused(405, "only GET")
        if wanted == "":
            nonce = secrets.token_urlsafe(16)
            text = page(self._title, self._trace.name, nonce)
            headers = {"Content-Security-Policy": page_policy(nonce), **_ALWAYS}
            return web.Response(text=text, content_type="text/html", headers=headers)
        if wanted == "trace":
            return await self._hand_out(request)
        return _refused(404, "there is nothing here")

    async def _hand_out(self, request: web.BaseRequest) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        site = request.headers.get("Sec-Fetch-Site", "same-origin")
        if site != "same-origin" or origin not in (None, f"http://{request.headers.get('Host')}"):
            return _refused(403, "another page asks")
        if self._taken:
            return _refused(410, "the trace was handed out before")
        self._taken = True
        try:
            size = await asyncio.to_thread(lambda: self._trace.stat().st_size)
            file = await asyncio.to_thread(self._trace.open, "rb")
        except OSError as error:
            self._over.set()
            return _refused(410, f"the trace is gone: {error.strerror}")
        response = web.StreamResponse(headers={"Content-Type": "application/octet-stream", **_ALWAYS})
        response.content_length = size
        try:
            with file:
                await response.prepare(request)
                while piece := await asyncio.to_thread(file.read, _PIECE):
                    await response.write(piece)
                await response.write_eof()
            self.delivered = True
        finally:
            asyncio.get_running_loop().call_later(0.2, self._over.set)  # the answer goes out before the socket closes
        return response


_ALWAYS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""No header lets another page read: there is no Access-Control-Allow-Origin."""


def _refused(status: int, why: str) -> web.Response:
    return web.Response(status=status, text=why + "\n", headers=_ALWAYS)
