"""The demo's op server: a real one on a free port of this machine, started when it is first asked for."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from .cluster import CommandError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

__all__ = ["DemoOpServer"]

_COMMAND = {"op_server": True}
_WORKERS = 2
"""Runs at one time."""


class DemoOpServer:
    """A context manager: at its end the server, if there is one, has ended."""

    def __init__(self) -> None:
        self._resources = AsyncExitStack()
        self._address: dict[str, Any] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._resources.aclose()

    async def command(self, line: bytes) -> dict[str, Any] | None:
        """Follow {"op_server": true}; None for every other line.

        Raises:
            CommandError: the server can't be started.
        """
        try:
            if json.loads(line) != _COMMAND:
                return None
        except ValueError:
            return None
        if self._address is None:
            self._address = await self._started()
        return {"op_server": self._address}

    async def _started(self) -> dict[str, Any]:
        from ..opserver.children import TemplateError
        from ..opserver.serve import serving
        from ..opserver.settings import ServerSettings, ServerSettingsError

        settings = ServerSettings(port=0, workers=_WORKERS)
        try:
            server = await self._resources.enter_async_context(serving(settings, _unheard))
        except (ServerSettingsError, TemplateError) as error:
            raise CommandError(str(error)) from error
        return {"host": server.host, "port": server.port}


def _unheard(_line: str) -> None:
    """Who runs an op there sees in its result what went wrong."""
