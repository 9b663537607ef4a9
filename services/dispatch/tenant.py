"""Tenants: the session ids under which a server keeps uploaded files, kept alive while used, deleted at the end.

A server forgets a tenant, files and all, 600 s after its last heartbeat or upload.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from ..addressing.endpoints import quoted
from ..plain_text import plain
from .errors import BadReplyError, CaseError, DispatchError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from .endpoint import OpEndpoint

__all__ = ["HEARTBEAT_S", "Heartbeat", "Tenants", "check_tenant", "new_tenant", "read_heartbeat"]

HEARTBEAT_S = 11.0
"""Seconds between heartbeats, as the reference client sends them."""
EXPIRY_S = 540.0
"""Seconds without contact after which the server's files are taken for gone; it deletes them between 600 and 660."""
_TENANT = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
NAMES_LIMIT = 64


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """What a server says of itself."""

    device_count: int
    """Accelerators; 0 on a CPU."""
    hardware: str
    providers: tuple[str, ...]
    """In alphabetical order."""
    features: frozenset[str]
    """Empty for older servers."""


class _HeartbeatBody(msgspec.Struct):
    status: str = ""
    device_count: int = 0
    hardware: str = ""
    providers: list[str] = msgspec.field(default_factory=list)
    features: list[str] = msgspec.field(default_factory=list)


def check_tenant(text: str) -> str:
    """
    Raises:
        CaseError: not an id that a server takes, or one that could leave its folder (`.`, `..`).
    """
    if not _TENANT.fullmatch(text) or text in (".", ".."):
        raise CaseError(f"tenant {quoted(text)}: 1 to 64 of the characters A-Z a-z 0-9 . _ - can be used")
    return text


def new_tenant() -> str:
    """12 random hex characters."""
    return secrets.token_hex(6)


def read_heartbeat(where: str, body: bytes) -> Heartbeat:
    """
    Raises:
        BadReplyError: not the heartbeat of an op server.
    """
    try:
        said = msgspec.json.decode(body, type=_HeartbeatBody)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise BadReplyError(
            f"{where}: what answers the heartbeat is no op server: {error}", hint="check host and port"
        ) from error
    return Heartbeat(
        device_count=said.device_count,
        hardware=plain(said.hardware, 60),
        providers=tuple(sorted(plain(name, 60) for name in said.providers[:NAMES_LIMIT])),
        features=frozenset(plain(name, 60) for name in said.features[:NAMES_LIMIT]),
    )


@dataclass(slots=True)
class Uploaded:
    """What a server holds for one tenant."""

    contact: float
    """Clock time of the last exchange that kept the tenant."""
    files: dict[str, str] = field(default_factory=dict)
    """Path to sha256 of each file that the server took."""
    origins: dict[str, Path] = field(default_factory=dict)
    """Path to local file of each file that it was ever sent."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while files go up: runs that need the same ones wait for one upload."""


class Tenants:
    """The tenants in use. Lives on one event loop.

    Args:
        beat: sends one heartbeat for (endpoint, tenant).
        forget: deletes (endpoint, tenant) on the server.
    """

    def __init__(
        self,
        beat: Callable[[OpEndpoint, str], Awaitable[Any]],
        forget: Callable[[OpEndpoint, str], Awaitable[None]],
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._beat = beat
        self._forget = forget
        self._clock = clock
        self._sleep = sleep
        self._held: dict[tuple[OpEndpoint, str], Uploaded] = {}
        self._beating: asyncio.Task[None] | None = None
        self.problems: dict[OpEndpoint, str] = {}
        """Why the last heartbeat or deletion failed, by endpoint."""

    def use(self, endpoint: OpEndpoint, tenant: str) -> Uploaded:
        """What the server holds for a tenant; nothing when it is new or has expired."""
        held = self._held.setdefault((endpoint, tenant), Uploaded(self._clock()))
        if self._clock() - held.contact > EXPIRY_S:
            held.files.clear()
        if self._beating is None:
            self._beating = asyncio.create_task(self._keep_beating(), name="heartbeats")
        return held

    async def close(self) -> None:
        """Stop the heartbeats and delete every tenant; a server that does not answer deletes them by itself."""
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.wait([self._beating])
            self._beating = None
        held, self._held = list(self._held), {}
        await asyncio.gather(*(self._delete(endpoint, tenant) for endpoint, tenant in held))

    async def _delete(self, endpoint: OpEndpoint, tenant: str) -> None:
        with self._noted(endpoint):
            await self._forget(endpoint, tenant)

    async def _keep_beating(self) -> None:
        while True:
            await self._sleep(HEARTBEAT_S)
            await asyncio.gather(*(self._one_beat(endpoint, tenant) for endpoint, tenant in list(self._held)))

    async def _one_beat(self, endpoint: OpEndpoint, tenant: str) -> None:
        with self._noted(endpoint):
            await self._beat(endpoint, tenant)
            if (held := self._held.get((endpoint, tenant))) is not None:
                held.contact = self._clock()

    @contextlib.contextmanager
    def _noted(self, endpoint: OpEndpoint) -> Any:
        try:
            yield
            self.problems.pop(endpoint, None)
        except DispatchError as error:
            self.problems[endpoint] = str(error)
