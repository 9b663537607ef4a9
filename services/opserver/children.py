"""The server's side of its children: the template process, and one connection for each run."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from .frames import HEADER, LONGEST_FRAME, FrameKind, frame_header

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator

__all__ = ["Child", "ChildEndedError", "Children", "TemplateError"]

_BOOTSTRAP = (
    "import sys, types; sys.path[:] = [path for path in sys.path if path not in ('', '.')]; "
    "package = types.ModuleType('xpudbg'); package.__path__ = [sys.argv[1]]; sys.modules['xpudbg'] = package; "
    "from xpudbg.services.opserver.template import main; main()"
)
"""Only this package comes from where it is installed; all else from the interpreter's own places."""
_START_TIMEOUT_S = 60.0
_END_TIMEOUT_S = 10.0


class TemplateError(RuntimeError):
    """The process that runs operators can't be started; the message says why."""


class ChildEndedError(RuntimeError):
    """The child has ended before its reply was complete.

    Attributes:
        code: its exit code, negative for a signal.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"child process exited with code {code}")
        self.code = code


class Child:
    """One run's connection; used by one task that sends and one that receives."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._loop = asyncio.get_running_loop()
        self._ended = False

    async def send(self, kind: FrameKind, payload: bytes | memoryview = b"") -> None:
        """Send a frame.

        Raises:
            OSError: the child has gone.
        """
        await self._loop.sock_sendall(self._socket, frame_header(kind, len(payload)))
        if payload:
            await self._loop.sock_sendall(self._socket, payload)

    async def receive(self) -> tuple[FrameKind, bytearray]:
        """Receive a frame.

        Raises:
            ChildEndedError: the child's process has ended.
        """
        header = await self._exactly(HEADER.size)
        number, length = HEADER.unpack(header)
        if length > LONGEST_FRAME:
            raise ChildEndedError(-1)
        payload = await self._exactly(length)
        kind = FrameKind(number)
        if kind is FrameKind.EXIT:
            self._ended = True
            raise ChildEndedError(json.loads(payload)["code"])
        return kind, payload

    async def end(self) -> None:
        """Wait until the child's process is gone; it is killed when it still runs."""
        if not self._ended:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ChildEndedError, TimeoutError):
                async with asyncio.timeout(_END_TIMEOUT_S):
                    while True:
                        await self.receive()
        self._socket.close()

    async def _exactly(self, length: int) -> bytearray:
        data = bytearray(length)
        view = memoryview(data)
        while view:
            try:
                count = await self._loop.sock_recv_into(self._socket, view)
            except OSError:
                count = 0
            if not count:
                self._ended = True
                raise ChildEndedError(-1)
            view = view[count:]
        return data


class Children:
    """Starts the template process, and a child for each run.

    Args:
        python: the interpreter.
        folder: an own folder of the server's, for the socket.
        memory_bytes: limit of each child; 0 for none.
    """

    def __init__(self, python: str, folder: Path, memory_bytes: int) -> None:
        self._python = python
        self._folder = folder
        self._memory = memory_bytes
        self._process: Process | None = None
        self._ready: asyncio.Future[dict[str, str]] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._generation = 0
        self._starting = asyncio.Lock()
        self._closed = False
        self.providers: list[str] = []
        """What is installed; a library that can't be imported is taken out when that shows."""
        self.failed: dict[str, str] = {}
        """Why, by provider."""

    async def start(self) -> None:
        """Start the template; returns when it is known what is installed, before it is imported.

        Raises:
            TemplateError: it does not start.
        """
        async with self._starting:
            if self._closed:
                raise TemplateError("the server ends")
            if self._process is not None and self._process.returncode is None:
                return
            self._generation += 1
            package = str(Path(__file__).parents[2])
            words = (self._python, "-c", _BOOTSTRAP, package, str(self._path), str(self._memory))
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *words,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    cwd=self._folder,
                    start_new_session=True,
                    env=os.environ | {"PYTHONUNBUFFERED": "1"},
                )
            except OSError as error:
                raise TemplateError(f"{self._python} can't be started: {error}") from error
            assert self._process.stdout is not None
            try:
                async with asyncio.timeout(_START_TIMEOUT_S):
                    line = await self._process.stdout.readline()
            except TimeoutError:
                await self._discard()
                raise TemplateError(f"{self._python} did not start within {_START_TIMEOUT_S:g} s") from None
            if not line:
                code = await self._process.wait()
                raise TemplateError(
                    f"{self._python} ended with code {code} before it could serve; it needs Python 3.11 or later and "
                    "NumPy"
                )
            self.providers = json.loads(line)["providers"]
            self._ready = asyncio.get_running_loop().create_future()
            self._ready.add_done_callback(lambda ready: ready.exception())  # a run sees it, if there is one
            self._reading = asyncio.create_task(self._follow(self._process.stdout, self._ready))

    @contextlib.asynccontextmanager
    async def child(self) -> AsyncIterator[Child]:
        """A child for one run; gone when the context ends, whatever it did.

        Raises:
            TemplateError: none can be had.
        """
        connection = await self._connected()
        child = Child(connection)
        try:
            yield child
        finally:
            await asyncio.shield(child.end())

    async def close(self) -> None:
        """End the template and all children, for good."""
        self._closed = True
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(_END_TIMEOUT_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        if self._reading is not None:
            await self._reading

    @property
    def template(self) -> Process | None:
        """The template process; None before the start."""
        return self._process

    @property
    def _path(self) -> Path:
        return self._folder / f"template-{self._generation}"

    async def _connected(self) -> socket.socket:
        try:
            return await self._connected_now()
        except (TemplateError, OSError):  # it has ended since its start: once more, with a new one
            await self._discard()
        try:
            return await self._connected_now()
        except OSError as error:
            await self._discard()
            raise TemplateError(f"the process that runs operators has ended again after a new start: {error}") from None

    async def _connected_now(self) -> socket.socket:
        await self.start()
        assert self._ready is not None
        self.failed = await asyncio.shield(self._ready)
        self.providers = [name for name in self.providers if name not in self.failed]
        connection = socket.socket(socket.AF_UNIX)
        connection.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(connection, str(self._path))
        except BaseException:
            connection.close()
            raise
        return connection

    async def _discard(self) -> None:
        process = self._process
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _follow(self, output: asyncio.StreamReader, ready: asyncio.Future[dict[str, str]]) -> None:
        line = await output.readline()
        if line:
            ready.set_result(json.loads(line)["failed"])
        else:
            ready.set_exception(
                TemplateError("the process that runs operators has ended while it loaded its libraries")
            )
        while await output.read(65536):
            pass
