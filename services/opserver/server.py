"""The protocol's endpoints: heartbeat, run, sync, tenant.

Source: xpu_server at f480a3d8; what differs on purpose is written in docs and tested. A run takes one of `workers`
places before its body is read. Its archive goes straight to the child and the result straight to the client, so that
the server's memory does not grow with them.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from aiohttp import web

from ..npz.dtypes import FLOAT8_FEATURE
from ..plain_text import plain
from .children import ChildEndedError, TemplateError
from .frames import FrameKind
from .http_server import json_reply
from .run_error import RunError
from .run_request import RunRequest, read_headers, valid_tenant

if TYPE_CHECKING:
    from collections.abc import Callable

    from .children import Child, Children
    from .settings import ServerSettings
    from .tenants import Tenants

__all__ = ["LARGEST_SYNC", "OpServer"]

LARGEST_SYNC = 64 * 1024 * 1024
_PIECE = 256 * 1024
_TENANT_PATH = "/v1/tenant/"


class OpServer:
    """Answers requests.

    Args:
        settings: as started.
        children: where operators run.
        tenants: who is there.
        log: takes a line, or several, for the person who started the server; plain text.
    """

    def __init__(
        self, settings: ServerSettings, children: Children, tenants: Tenants, log: Callable[[str], None]
    ) -> None:
        self._settings = settings
        self._children = children
        self._tenants = tenants
        self._log = log
        self._places = asyncio.Semaphore(settings.workers)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request; every error is JSON."""
        try:
            return await self._routed(request)
        except RunError as error:
            unread = request.can_read_body and not request.content.at_eof()
            body: dict[str, Any] = {"error": error.text}
            return json_reply(error.status, body, close=unread or error.status == 503)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception as error:
            self._log(f"internal error: {plain(repr(error))}")
            return json_reply(500, {"error": "internal error"}, close=True)

    async def _routed(self, request: web.BaseRequest) -> web.StreamResponse:
        if "Origin" in request.headers:
            raise RunError(403, "requests of web pages are refused")
        path = request.path
        match request.method:
            case "GET" if path == "/v1/heartbeat":
                return self._heartbeat(request)
            case "POST" if path == "/v1/run":
                return await self._run(request)
            case "POST" if path == "/v1/sync":
                return await self._sync(request)
            case "DELETE" if path.startswith(_TENANT_PATH):
                return self._delete(path.removeprefix(_TENANT_PATH))
            case "GET" | "POST" | "DELETE":
                raise RunError(404, "not found")
        raise RunError(501, f"unsupported method {plain(request.method, 20)}")

    def _heartbeat(self, request: web.BaseRequest) -> web.Response:
        tenant = request.query.get("tenant_id")
        if tenant is not None:
            if not valid_tenant(tenant):
                raise RunError(400, "invalid tenant_id")
            self._tenants.seen(tenant)
        features = ["keepalive", FLOAT8_FEATURE, *(["spec"] if self._settings.allow_code else [])]
        said = {"status": "ok", "device_count": 0, "hardware": "cpu"}
        return json_reply(200, {**said, "providers": self._children.providers, "features": features})

    def _delete(self, tenant: str) -> web.Response:
        if not valid_tenant(tenant):
            raise RunError(400, "invalid tenant_id")
        return json_reply(200, {"cleaned": self._tenants.forget(tenant)})

    async def _sync(self, request: web.BaseRequest) -> web.Response:
        tenant = request.headers.get("X-Tenant-ID")
        if tenant is None or not valid_tenant(tenant):
            raise RunError(400, "invalid or missing tenant_id")
        if not self._settings.allow_code:
            raise RunError(403, "this server takes no code; it must be started with --allow-code")
        if (request.content_length or 0) > LARGEST_SYNC:
            raise RunError(413, f"sync body too large (max {LARGEST_SYNC // 1024**2}MB)")
        await _continue(request)
        body = bytearray()
        while piece := await self._read(request):
            body += piece
            if len(body) > LARGEST_SYNC:
                raise RunError(413, f"sync body too large (max {LARGEST_SYNC // 1024**2}MB)")
        try:
            said = json.loads(body)
        except (ValueError, RecursionError):
            raise RunError(400, "Invalid JSON") from None
        files = said.get("files") if isinstance(said, dict) else None
        if not isinstance(files, dict):
            raise RunError(400, "files is not an object")
        self._tenants.seen(tenant)
        result = await asyncio.to_thread(self._tenants.write, tenant, files)
        return json_reply(400 if result["errors"] else 200, result)

    async def _run(self, request: web.BaseRequest) -> web.StreamResponse:
        wanted = read_headers(request.headers)
        if request.headers.get("Content-Encoding", "identity") != "identity":
            raise RunError(415, "send the archive without Content-Encoding; its members may be deflated")
        self._tenants.started(wanted.tenant)
        try:
            try:
                async with asyncio.timeout(self._settings.gate_wait_s):
                    await self._places.acquire()
            except TimeoutError:
                reply = json_reply(503, {"error": "server busy, retry"}, close=True)
                reply.headers["Retry-After"] = "1"
                return reply
            try:
                async with self._children.child() as child:
                    return await self._served(request, wanted, child)
            except TemplateError as error:
                self._log(plain(str(error)))
                raise RunError(500, "operators can't be run on this server; its own output says why") from None
            finally:
                self._places.release()
        finally:
            self._tenants.ended(wanted.tenant)

    async def _served(self, request: web.BaseRequest, wanted: RunRequest, child: Child) -> web.StreamResponse:
        job = {
            "request": wanted.to_json(),
            "folder": str(self._tenants.folder(wanted.tenant)),
            "allow_code": self._settings.allow_code,
            "providers": self._children.providers,
            "total_bytes": self._settings.inputs_bytes,
        }
        await child.send(FrameKind.REQUEST, json.dumps(job).encode())
        await _continue(request)
        head = await self._exchange(request, child)
        unread = request.can_read_body and not request.content.at_eof()
        if log := head.get("log"):
            self._log(log)
        if "json" in head:
            reply = json_reply(head["status"], head["json"], close=unread)
            reply.headers.update(head["headers"])
            return reply
        return await self._downloaded(request, head, child)

    async def _exchange(self, request: web.BaseRequest, child: Child) -> dict[str, Any]:
        """Give the body to the child until it answers; the deadline runs from the body's end."""
        receiving = asyncio.create_task(child.receive())
        sending = asyncio.create_task(self._upload(request, child))
        try:
            await asyncio.wait((receiving, sending), return_when=asyncio.FIRST_COMPLETED)
            if not receiving.done():
                await sending
                async with asyncio.timeout(self._settings.deadline_s):
                    await asyncio.wait((receiving,))
            _, payload = await receiving
        except TimeoutError:
            raise RunError(500, f"request timed out after {self._settings.deadline_s:g}s") from None
        except ChildEndedError as error:
            raise RunError(500, str(error)) from None
        finally:
            for task in (receiving, sending):
                task.cancel()
            await asyncio.gather(receiving, sending, return_exceptions=True)
        head: dict[str, Any] = json.loads(payload)
        return head

    async def _upload(self, request: web.BaseRequest, child: Child) -> None:
        while piece := await self._read(request):
            try:
                for start in range(0, len(piece), _PIECE):
                    await child.send(FrameKind.BODY, memoryview(piece)[start : start + _PIECE])
            except OSError:  # the child reads no more; what it has to say is received
                return
        try:
            await child.send(FrameKind.END)
        except OSError:
            return

    async def _read(self, request: web.BaseRequest) -> bytes:
        """The next bytes of the body; none at its end."""
        try:
            async with asyncio.timeout(self._settings.stall_s):
                return await request.content.readany()
        except TimeoutError:
            raise RunError(408, f"no byte of the body came for {self._settings.stall_s:g}s") from None

    async def _downloaded(self, request: web.BaseRequest, head: dict[str, Any], child: Child) -> web.StreamResponse:
        reply = web.StreamResponse(status=head["status"], headers=head["headers"])
        reply.content_type = "application/octet-stream"
        left = head.get("length", 0)
        reply.content_length = left
        try:
            async with asyncio.timeout(self._settings.stall_s):
                await reply.prepare(request)
            while left:
                _, payload = await child.receive()
                left -= len(payload)
                async with asyncio.timeout(self._settings.stall_s):
                    await reply.write(payload)
        except (ChildEndedError, TimeoutError) as error:
            self._log(f"a reply was broken off: {plain(str(error)) or 'its client took no byte of it'}")
            if request.transport is not None:
                request.transport.abort()
            raise ConnectionResetError("the reply was broken off") from None
        await reply.write_eof()
        return reply


async def _continue(request: web.BaseRequest) -> None:
    """Say that the body is welcome to a client that waits for that."""
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0
