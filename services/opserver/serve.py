"""Starts an operator server and ends it: its port, its children, its files."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from .children import Children
from .http_server import make_http_server
from .server import OpServer
from .settings import ServerSettingsError
from .tenants import Tenants

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from .settings import ServerSettings

__all__ = ["RunningOpServer", "run_server", "serving"]

_SWEEP_S = 30.0
_LONGEST_SOCKET_FOLDER = 80
"""A Unix socket's path has at most some 100 bytes."""


@dataclass(frozen=True, slots=True)
class RunningOpServer:
    """A server that listens."""

    host: str
    port: int
    scheme: str
    providers: list[str]
    folder: Path
    """Its own files, removed at the end."""

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


@contextlib.asynccontextmanager
async def serving(settings: ServerSettings, log: Callable[[str], None]) -> AsyncIterator[RunningOpServer]:
    """Serve for the duration of the context.

    Args:
        settings: as chosen.
        log: takes lines for the person who started it.

    Raises:
        ServerSettingsError: it would be unsafe, or the address is not to be had.
        TemplateError: the interpreter can't run operators.
    """
    settings.check()
    tls = settings.ssl_context()
    folder = _own_folder()
    children = Children(settings.python, folder, settings.memory_bytes)
    tenants = Tenants(folder / "tenants", settings.tenant_idle_s, time.monotonic)
    runner: web.ServerRunner | None = None
    sweeping: asyncio.Task[None] | None = None
    try:
        await children.start()
        server = OpServer(settings, children, tenants, log)
        runner = web.ServerRunner(make_http_server(server.handle, settings.stall_s), shutdown_timeout=1.0)
        await runner.setup()
        try:
            await web.TCPSite(runner, settings.host, settings.port, ssl_context=tls).start()
        except OSError as error:
            raise ServerSettingsError(
                f"{settings.host}:{settings.port} can't be listened on: {error.strerror or error}"
            ) from error
        sweeping = asyncio.create_task(_sweep(tenants))
        port = runner.addresses[0][1]
        yield RunningOpServer(settings.host, port, "https" if tls else "http", children.providers, folder)
    finally:
        if sweeping is not None:
            sweeping.cancel()
        for site in runner.sites if runner is not None else ():
            await site.stop()
        await children.close()  # before the connections: runs that end so are still answered
        if runner is not None:
            await runner.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def run_server(
    settings: ServerSettings, started: Callable[[RunningOpServer], None], log: Callable[[str], None]
) -> None:
    """Serve until SIGTERM, SIGHUP or Ctrl-C.

    Args:
        settings: as chosen.
        started: called when it listens.
        log: takes lines for the person who started it.

    Raises:
        ServerSettingsError, TemplateError: as `serving`.
    """
    asyncio.run(_until_told(settings, started, log))


async def _until_told(
    settings: ServerSettings, started: Callable[[RunningOpServer], None], log: Callable[[str], None]
) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    async with serving(settings, log) as running:
        started(running)
        await ended.wait()


def _own_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="xpudbg-opserver-"))
    if len(str(folder)) > _LONGEST_SOCKET_FOLDER:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="xpudbg-opserver-", dir="/tmp"))
    (folder / "tenants").mkdir()
    return folder


async def _sweep(tenants: Tenants) -> None:
    while True:
        await asyncio.sleep(_SWEEP_S)
        tenants.expire()
