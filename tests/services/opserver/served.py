"""An operator server in a thread of its own, and requests to it."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from xpudbg.services.npz.reader import read_npz_chunks
from xpudbg.services.npz.writer import NpzWriter
from xpudbg.services.opserver.serve import RunningOpServer, serving
from xpudbg.services.opserver.settings import ServerSettings

__all__ = ["Answer", "OpClient", "archive", "op_server", "schema"]


@dataclass
class Answer:
    """A reply."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> dict[str, object]:
        said: dict[str, object] = json.loads(self.body)
        return said

    @property
    def error(self) -> str:
        return str(self.json["error"])

    @property
    def outputs(self) -> list[np.ndarray]:
        assert self.status == 200, self.body
        return list(read_npz_chunks([self.body]).values())


@dataclass
class OpClient:
    """Speaks to one server; what it logged is in `log`."""

    server: RunningOpServer
    log: list[str] = field(default_factory=list)

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.server.host, self.server.port, timeout=60)

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        connection = self.connect()
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            return answered(connection)
        finally:
            connection.close()

    def run(self, *arrays: np.ndarray, **headers: str) -> Answer:
        """Run with inputs x1, x2, ...; `headers` with `_` for `-` are added, or replace those made from the inputs."""
        made = {"X_Tenant_ID": "t", "X_Input_Count": str(len(arrays)), "X_Input_Schema": schema(*arrays)} | headers
        return self.ask("POST", "/v1/run", archive(*arrays), **made)

    def sync(self, **modules: str) -> Answer:
        """Send modules by name; `/` in a name is a folder."""
        content = {
            f"{name}.py": {"content": b64encode(text.encode()).decode(), "hash": ""} for name, text in modules.items()
        }
        return self.ask("POST", "/v1/sync", json.dumps({"files": content}).encode(), X_Tenant_ID="t")


def answered(connection: http.client.HTTPConnection) -> Answer:
    reply = connection.getresponse()
    return Answer(reply.status, reply.headers, reply.read())


def schema(*arrays: np.ndarray) -> str:
    return json.dumps([{"name": f"x{at + 1}", "index": at, "dtype": a.dtype.name} for at, a in enumerate(arrays)])


def archive(*arrays: np.ndarray) -> bytes:
    return b"".join(NpzWriter([(f"a{at}", array) for at, array in enumerate(arrays)]))


@contextlib.contextmanager
def op_server(settings: ServerSettings) -> Iterator[OpClient]:
    """A server for the duration of the context."""
    started: list[RunningOpServer | BaseException] = []
    up, over = threading.Event(), threading.Event()
    log: list[str] = []

    async def serve() -> None:
        try:
            async with serving(settings, log.append) as running:
                started.append(running)
                up.set()
                await asyncio.to_thread(over.wait)
        except BaseException as error:
            started.append(error)
            up.set()
            raise

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    try:
        assert up.wait(60)
        assert isinstance(started[0], RunningOpServer), started[0]
        yield OpClient(started[0], log)
    finally:
        over.set()
        thread.join(60)
        assert not thread.is_alive()
        assert len(started) == 1, started
