"""The dispatcher: runs cases on op servers, with retries, uploads of sources, deadline and cancelling.

Inputs always travel. The protocol's zero upload (recipes from which the server makes the inputs itself) is left out on
purpose: it needs the reference's generator bit for bit, on both sides, and ours is another.
"""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING

import httpx

from ..addressing.endpoints import TargetError
from .endpoint import DispatchSettings, tls_context
from .errors import CaseError, ConnectionFailedError
from .requests import delete_tenant, send_heartbeat
from .run_loop import OpRun, RunContext, RunLoop
from .tenant import Tenants, check_tenant, new_tenant, read_heartbeat
from .transport import DuplexTransport

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager
    from types import TracebackType
    from typing import Self

    from ..npz.reader import NpzLimits
    from .case import OpCase
    from .endpoint import OpEndpoint
    from .progress import Progress, Tell
    from .tenant import Heartbeat

__all__ = ["Dispatcher", "OpRun"]

FEATURES_KEPT_S = 300.0
"""Seconds for which what a server announces is believed."""
PROBE_S = 15.0
FORGET_S = 3.0
"""Seconds that the deletion of a tenant may take at the end."""


class Dispatcher:
    """Runs cases, any number at a time. Lives on one event loop; close it on the same.

    Args:
        tenant: id under which source files are kept on servers; a random one when None.
        settings: budgets and deadline.
        transport: used instead of real connections (tests).
        limits: what is accepted of a reply.
        sleep, clock, jitter, timeout, heartbeat_sleep: time and chance (tests).
    """

    def __init__(
        self,
        *,
        tenant: str | None = None,
        settings: DispatchSettings | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        limits: NpzLimits | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        heartbeat_sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[float, float], float] = random.uniform,
        timeout: Callable[[float], AbstractAsyncContextManager[asyncio.Timeout]] = asyncio.timeout,
    ) -> None:
        self.tenant = check_tenant(tenant) if tenant is not None else new_tenant()
        self._settings = settings or DispatchSettings()
        self._clock = clock
        self._tls: dict[tuple[str, int], OpEndpoint] = {}
        self._contexts: dict[OpEndpoint, ssl.SSLContext] = {}
        self._features: dict[OpEndpoint, tuple[float, Heartbeat]] = {}
        self._client = httpx.AsyncClient(
            transport=transport or DuplexTransport(self._tls_of, clock=clock),
            trust_env=False,
            follow_redirects=False,
            timeout=None,  # noqa: S113 - the deadline of the run holds
            headers={"user-agent": "xpudbg", "accept-encoding": "identity", "accept": "*/*"},
        )
        self._tenants = Tenants(self._beat, self._forget, clock, heartbeat_sleep)
        self._context = RunContext(
            client=self._client,
            tenant=self.tenant,
            tenants=self._tenants,
            limits=limits,
            sleep=sleep,
            clock=clock,
            jitter=jitter,
            timeout=timeout,
            prepare=self._prepare,
            announced=self._known,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def probe(self, endpoint: OpEndpoint, timeout_s: float = PROBE_S) -> Heartbeat:
        """Ask a server what it is. Kept for FEATURES_KEPT_S.

        Raises:
            DispatchError: no heartbeat came in time.
        """
        return await self._heartbeat(endpoint, None, timeout_s)

    async def run(
        self, case: OpCase, endpoint: OpEndpoint, tell: Tell | None = None, *, settings: DispatchSettings | None = None
    ) -> OpRun:
        """Run a case. Cancelling the task ends it at any point and closes its connection.

        Args:
            tell: is told how far it is, on the event loop; must not block or raise.
            settings: budgets and deadline of this run; the dispatcher's when None.

        Raises:
            CaseError: it can't be sent as it is.
            DispatchError: it gave no result; the type says why.
        """
        case.check()
        return await RunLoop(self._context, case, endpoint, tell or _nobody, settings or self._settings).go()

    async def close(self) -> None:
        """Delete the tenants on their servers and close all connections."""
        try:
            await self._tenants.close()
        finally:
            await self._client.aclose()

    def _tls_of(self, url: httpx.URL) -> ssl.SSLContext:
        return self._contexts[self._tls[url.host, url.port or 443]]

    async def _prepare(self, endpoint: OpEndpoint) -> None:
        """
        Raises:
            CaseError: its TLS files can't be used.
        """
        if endpoint.tls is None:
            return
        if endpoint not in self._contexts:
            try:
                self._contexts[endpoint] = await asyncio.to_thread(tls_context, endpoint.tls)
            except TargetError as error:
                raise CaseError(str(error), hint=error.hint) from error
        self._tls[endpoint.host, endpoint.port] = endpoint

    async def _heartbeat(self, endpoint: OpEndpoint, tenant: str | None, timeout_s: float) -> Heartbeat:
        await self._prepare(endpoint)
        try:
            async with asyncio.timeout(timeout_s):
                body = await send_heartbeat(self._client, endpoint, tenant)
        except TimeoutError as error:
            raise ConnectionFailedError(f"{endpoint}: no heartbeat within {timeout_s:g} s") from error
        said = read_heartbeat(str(endpoint), body)
        self._features[endpoint] = (self._clock(), said)
        return said

    async def _known(self, endpoint: OpEndpoint) -> Heartbeat:
        kept = self._features.get(endpoint)
        if kept is not None and self._clock() - kept[0] < FEATURES_KEPT_S:
            return kept[1]
        return await self.probe(endpoint)

    async def _beat(self, endpoint: OpEndpoint, tenant: str) -> Heartbeat:
        return await self._heartbeat(endpoint, tenant, PROBE_S)

    async def _forget(self, endpoint: OpEndpoint, tenant: str) -> None:
        try:
            async with asyncio.timeout(FORGET_S):
                await delete_tenant(self._client, endpoint, tenant)
        except TimeoutError as error:
            raise ConnectionFailedError(f"{endpoint}: the tenant was not deleted within {FORGET_S:g} s") from error


def _nobody(_progress: Progress) -> None:
    """Nobody listens."""
