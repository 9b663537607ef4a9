"""Looks up host names once for all ranks of a host, those that don't resolve included.

A name server that is slow or loses queries under load would otherwise be asked once for each rank.
"""

from __future__ import annotations

import asyncio
import socket
import time

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

__all__ = ["FAILURE_KEPT_S", "Names"]

FAILURE_KEPT_S = 2.0
"""Seconds for which a name that did not resolve is not asked for again; shorter than the time between two looks."""


class Names(AbstractResolver):
    """A resolver for aiohttp. Look-ups run in the event loop's default executor."""

    def __init__(self) -> None:
        self._system = ThreadedResolver()
        self._under_way: dict[tuple[str, int], asyncio.Task[list[ResolveResult]]] = {}
        self._failed: dict[tuple[str, int], tuple[float, OSError]] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of a host.

        Raises:
            OSError: it has none.
        """
        key = (host, family)
        until, error = self._failed.get(key, (0.0, None))
        if error is not None and time.monotonic() < until:
            raise OSError(error.errno, error.strerror)
        looking = self._under_way.get(key)
        if looking is None:
            looking = asyncio.create_task(self._look_up(host, family), name=f"looking up {host}")
            self._under_way[key] = looking
            looking.add_done_callback(lambda task: self._ended(key, task))
        found = await asyncio.shield(looking)
        return [ResolveResult(**{**one, "port": port}) for one in found]

    async def close(self) -> None:
        """Stop waiting for look-ups."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._system.close()

    async def _look_up(self, host: str, family: socket.AddressFamily) -> list[ResolveResult]:
        return await self._system.resolve(host, 0, family)

    def _ended(self, key: tuple[str, int], task: asyncio.Task[list[ResolveResult]]) -> None:
        self._under_way.pop(key, None)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, OSError):
            self._failed[key] = (time.monotonic() + FAILURE_KEPT_S, error)
        else:
            self._failed.pop(key, None)
