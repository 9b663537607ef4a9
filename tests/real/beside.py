"""Servers that stand beside the real ranks of a job and are not well: one answers garbage, one a gigabyte."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.fakes.raw_server import RawServer, Serve, response
from tests.real.attached import Attached
from xpudbg.services.snapshot import RankAddress
from xpudbg.services.targets import WorkersTarget

__all__ = ["GARBAGE", "GIGABYTE", "Memory", "beside", "gigabyte", "rank_server", "with_real_ranks"]

GIGABYTE = 1 << 30
GARBAGE = response(b"\xff\x00{")


def gigabyte(begins: bytes = b"", piece: bytes = b" " * 262_144) -> Serve:
    """An answer of a gigabyte, all of which is sent."""

    async def serve(_path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % GIGABYTE + begins)
        left = GIGABYTE - len(begins)
        while left:
            part = piece[:left]
            writer.write(part)
            left -= len(part)
            await writer.drain()

    return serve


def rank_server(answer: Serve | bytes, said: Mapping[str, bytes] | None = None) -> Serve:
    """A rank that answers whatever it is asked with `answer`.

    Args:
        said: what it answers well, by path.
    """

    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        good = (said or {}).get(path)
        if good is not None:
            writer.write(response(good))
        elif isinstance(answer, bytes):
            writer.write(answer)
        else:
            await answer(path, writer)
        await writer.drain()

    return serve


@contextlib.contextmanager
def beside(*serves: Serve) -> Iterator[list[RawServer]]:
    """Servers on a thread of their own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    servers = [RawServer(serve) for serve in serves]
    try:
        for server in servers:
            asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
        yield servers
    finally:
        for server in servers:
            asyncio.run_coroutine_threadsafe(server.close(), loop).result(10)
        asyncio.run_coroutine_threadsafe(_end_all(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _end_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def with_real_ranks(attached: Attached, servers: list[RawServer]) -> WorkersTarget:
    """The ranks of a job, as a look at its store has found them, and the servers as further ranks."""
    real = [
        RankAddress(rank, state.address.registered, state.address.url, state.address.host)
        for rank, state in sorted(attached.session.ranks.items())
    ]
    others = [
        RankAddress(rank, server.address.registered, server.address.url, f"fake-{rank}")
        for rank, server in enumerate(servers, len(real))
    ]
    return WorkersTarget((*real, *others))


class Memory:
    """How far this process's memory has grown at most since it was made. Linux."""

    def __init__(self) -> None:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
        self._before = _kib("VmRSS")

    @property
    def grown_mib(self) -> float:
        return (_kib("VmHWM") - self._before) / 1024


def _kib(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
