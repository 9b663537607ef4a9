"""Op servers on real sockets, byte by byte, in both forms that are about, and in the ways they fail.

The older form answers as HTTP/1.0, announces no features and closes after each answer. The newer one answers as
HTTP/1.1, keeps the connection, and announces features. Both answer "busy" without reading the body.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import io
import json
import socket
import ssl
import struct
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from xpudbg.services.dispatch.endpoint import OpEndpoint, TlsSettings

Answer = Callable[["Call"], Awaitable[None]]
"""Answers one POST /v1/run."""

BUSY = b'{"error": "server busy, retry"}'
HTML = b"<!DOCTYPE HTML><html><head><title>Error response</title></head><body><h1>Error response</h1></body></html>"


@dataclass
class Call:
    """One request whose body has not been read yet."""

    server: OpServer
    method: str
    target: str
    headers: dict[str, str]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    number: int
    """Requests before it on the same connection."""
    keep: bool = True
    _body: bytes | None = None

    async def body(self) -> bytes:
        if self._body is None:
            self._body = await self.reader.readexactly(int(self.headers.get("content-length", "0")))
        return self._body

    async def reply(
        self, status: str, body: bytes = b"", headers: Mapping[str, str] | None = None, *, length: int | None = None
    ) -> None:
        """Headers and body in two writes, as the servers do."""
        version = "1.1" if self.server.newer else "1.0"
        lines = [f"HTTP/{version} {status}", "Server: BaseHTTP/0.6 Python/3.12.3"]
        lines += [f"{name}: {text}" for name, text in (headers or {}).items()]
        lines.append(f"Content-Length: {len(body) if length is None else length}")
        self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n")
        self.writer.write(body)
        await self.writer.drain()
        self.keep = self.keep and self.server.newer

    async def json(self, status: str, value: object) -> None:
        await self.reply(status, json.dumps(value).encode(), {"Content-Type": "application/json"})

    async def arrays(self) -> list[np.ndarray]:
        with np.load(io.BytesIO(await self.body()), allow_pickle=False) as members:
            return [members[f"a{index}"] for index in range(len(members.files))]

    async def outputs(
        self, *arrays: np.ndarray, dtypes: list[str] | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        names = dtypes or [array.dtype.name for array in arrays]
        schema = [{"index": index, "dtype": name} for index, name in enumerate(names)]
        described: dict[str, str] = {
            "X-Output-Count": str(len(arrays)),
            "X-Output-Shapes": json.dumps([list(array.shape) for array in arrays]),
        }
        if self.server.newer:
            described["X-Output-Schema"] = json.dumps(schema)
        else:
            described["X-Output-Dtypes"] = json.dumps(names)
        await self.reply(
            "200 OK", npz(*arrays), described | {"X-API": self.headers.get("x-api", "")} | dict(headers or {})
        )

    def reset(self) -> None:
        """Break the connection with a reset."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.close()
        self.keep = False


@dataclass
class OpServer:
    """One listening server. `answers` are used one a run, the last one again and again."""

    answers: list[Answer]
    newer: bool = True
    features: list[str] = field(default_factory=lambda: ["zero_upload", "keepalive"])
    refuse_files: dict[str, str] = field(default_factory=dict)
    """Path to error, of files that a sync does not take."""
    context: ssl.SSLContext | None = None
    tls: TlsSettings | None = None
    port: int = 0
    runs: list[Call] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    """Method and target of each request."""
    connections: int = 0
    open: int = 0
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """Tenant to path to content."""
    synced: list[list[str]] = field(default_factory=list)
    """Paths of each sync."""
    released: asyncio.Event = field(default_factory=asyncio.Event)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def endpoint(self) -> OpEndpoint:
        return OpEndpoint("127.0.0.1", self.port, self.tls)

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.context, limit=1 << 20)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with self.changed:
            await self.changed.wait_for(condition)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.connections += 1
        await self._changed(open_by=1)
        number = 0
        try:
            while await self._one(reader, writer, number):
                number += 1
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError, asyncio.CancelledError):
            pass  # the client went, or the test is over
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError, ssl.SSLError):
                await writer.wait_closed()
            await self._changed(open_by=-1)

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _version = head[0].split(" ")
        headers = {name.lower(): text.strip() for name, _, text in (line.partition(":") for line in head[1:-2])}
        call = Call(self, method, target, headers, reader, writer, number)
        self.calls.append(f"{method} {target}")
        if (method, target) == ("POST", "/v1/run"):
            self.runs.append(call)
            await self._changed()
            await self.answers[min(len(self.runs), len(self.answers)) - 1](call)
        elif method == "GET" and target.startswith("/v1/heartbeat"):
            await self._heartbeat(call)
        elif (method, target) == ("POST", "/v1/sync"):
            await self._sync(call)
        elif method == "DELETE" and target.startswith("/v1/tenant/"):
            gone = self.files.pop(target.rpartition("/")[2], None)
            await call.json("200 OK", {"cleaned": gone is not None, "path": "/srv/somewhere"})
        else:
            await call.json("404 Not Found", {"error": "not found"})
        return call.keep

    async def _heartbeat(self, call: Call) -> None:
        said: dict[str, object] = {"status": "ok", "device_count": 0, "hardware": "cpu", "providers": ["torch"]}
        if self.newer:
            said["features"] = self.features
        await call.json("200 OK", said)

    async def _sync(self, call: Call) -> None:
        files = json.loads(await call.body())["files"]
        held = self.files.setdefault(call.headers["x-tenant-id"], {})
        self.synced.append(sorted(files))
        errors = []
        for path, entry in files.items():
            content = base64.b64decode(entry["content"])
            assert entry["hash"] == hashlib.sha256(content).hexdigest()
            if path in self.refuse_files:
                errors.append({"path": path, "error": self.refuse_files[path]})
            else:
                held[path] = content
        status = "400 Bad Request" if errors else "200 OK"
        await call.json(status, {"synced": len(files) - len(errors), "skipped": 0, "errors": errors})

    async def _changed(self, open_by: int = 0) -> None:
        async with self.changed:
            self.open += open_by
            self.changed.notify_all()


@contextlib.asynccontextmanager
async def op_server(*answers: Answer, **options: Any) -> AsyncIterator[OpServer]:
    server = OpServer(list(answers) or [adds], **options)
    await server.start()
    try:
        yield server
    finally:
        await server.close()


def npz(*arrays: np.ndarray) -> bytes:
    """An archive as numpy writes it: a0, a1, ..."""
    file = io.BytesIO()
    members: dict[str, Any] = {f"a{index}": array for index, array in enumerate(arrays)}
    np.savez(file, **members)
    return file.getvalue()


async def adds(call: Call) -> None:
    """The sum of all inputs."""
    arrays = await call.arrays()
    await call.outputs(np.asarray(sum(arrays[1:], arrays[0])))


async def echoes(call: Call) -> None:
    """The inputs."""
    await call.outputs(*await call.arrays())


async def sums_up(call: Call) -> None:
    """Length and CRC-32 of the body, which is not kept."""
    left, crc = int(call.headers["content-length"]), 0
    while left:
        piece = await call.reader.read(min(left, 1 << 20))
        if not piece:
            raise asyncio.IncompleteReadError(b"", left)
        left -= len(piece)
        crc = zlib.crc32(piece, crc)
    await call.outputs(np.array([int(call.headers["content-length"]), crc]))


async def busy(call: Call) -> None:
    """503 without reading the body; the connection stays open and is out of step, as at the servers."""
    await call.reply("503 Service Unavailable", BUSY, {"Content-Type": "application/json"})
    call.keep = False


def busy_for(seconds: str) -> Answer:
    async def answer(call: Call) -> None:
        await call.reply("503 Service Unavailable", BUSY, {"Retry-After": seconds})
        call.keep = False

    return answer


async def busy_then_reset(call: Call) -> None:
    """503 while the body is still coming, then the connection is reset."""
    await call.reply("503 Service Unavailable", BUSY, {"Content-Type": "application/json"})
    call.reset()


async def closes(call: Call) -> None:
    """Takes the request and closes without a word."""
    await call.body()
    call.keep = False


async def silent(call: Call) -> None:
    """Takes the request and never answers, until the client closes."""
    await call.body()
    await call.reader.read()
    call.keep = False


async def reads_nothing(call: Call) -> None:
    """Does not read the body nor answer, until it is released; then reads to the client's end."""
    await call.server.released.wait()
    await call.reader.read()
    call.keep = False


def fails(status: str, body: object, headers: Mapping[str, str] | None = None) -> Answer:
    """Reads the request and answers with an error; JSON, or bytes as they are."""

    async def answer(call: Call) -> None:
        await call.body()
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        await call.reply(status, data, headers)

    return answer


def says(data: bytes) -> Answer:
    """Reads the request, sends these bytes and closes."""

    async def answer(call: Call) -> None:
        await call.body()
        call.writer.write(data)
        await call.writer.drain()
        call.keep = False

    return answer


def drips(tick: asyncio.Semaphore) -> Answer:
    """Announces a large answer and sends one byte a tick."""

    async def answer(call: Call) -> None:
        await call.body()
        described = {"X-Output-Count": "1", "X-Output-Schema": '[{"index":0,"dtype":"float64"}]'}
        await call.reply("200 OK", b"", described, length=10_000_000)
        data = npz(np.zeros(1_000_000))

        async def send() -> None:
            for at in range(len(data)):
                await tick.acquire()
                call.writer.write(data[at : at + 1])
                await call.writer.drain()

        sending = asyncio.create_task(send())
        await call.reader.read()  # until the client closes
        sending.cancel()
        call.keep = False

    return answer


def needs(*paths: str, then: Answer = adds) -> Answer:
    """424 until the tenant has each of these files, asked for one after another."""

    async def answer(call: Call) -> None:
        held = call.server.files.get(call.headers["x-tenant-id"], {})
        for path in paths:
            if path not in held:
                await call.body()
                name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                said = {"error": f"missing spec dependency: {name}", "missing": name}
                await call.json("424 Failed Dependency", said)
                return
        await then(call)

    return answer
