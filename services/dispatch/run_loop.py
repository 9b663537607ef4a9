"""One run: from the case to the result, through attempts, waits and uploads of sources."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tenacity import AsyncRetrying

from ..plain_text import plain
from . import progress
from .errors import (
    CaseError,
    ConnectionFailedError,
    DeadlinePassedError,
    DependencyMissingError,
    DispatchError,
    ServerBusyError,
)
from .failures import ModuleMissing
from .headers import run_headers, wire_inputs
from .requests import Sent, delete_tenant, post_run, post_sync
from .retries import Budgets
from .sync import SpecSync, tenant_for

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    import httpx

    from ..npz.reader import NpzLimits
    from .case import OpCase
    from .endpoint import DispatchSettings, OpEndpoint
    from .headers import WireInputs
    from .progress import Progress, Tell
    from .replies import OutputSlot, Perf, RunReply
    from .tenant import Heartbeat, Tenants

__all__ = ["OpRun", "RunContext", "RunLoop"]


@dataclass(frozen=True, slots=True, eq=False)
class OpRun:
    """What one run gave."""

    case: OpCase
    endpoint: OpEndpoint
    outputs: tuple[OutputSlot, ...]
    perf: Perf | None
    api: str
    """What really ran, as the server says it."""
    started_at: int
    """ns since the epoch."""
    took_s: float
    """From the call to the result, waits included."""
    uploaded: int
    """Bytes of the inputs' archive."""
    downloaded: int
    busy: int
    """How often the server was busy before."""
    reconnected: int
    synced: int
    """Source files that were uploaded."""
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the runs of one dispatcher share."""

    client: httpx.AsyncClient
    tenant: str
    tenants: Tenants
    limits: NpzLimits | None
    sleep: Callable[[float], Awaitable[None]]
    clock: Callable[[], float]
    jitter: Callable[[float, float], float]
    timeout: Callable[[float], AbstractAsyncContextManager[asyncio.Timeout]]
    prepare: Callable[[OpEndpoint], Awaitable[None]]
    """Reads the TLS files of an endpoint."""
    announced: Callable[[OpEndpoint], Awaitable[Heartbeat]]
    """What a server announces, asked anew when that is too old."""


class RunLoop:
    """One run under way; `go` once."""

    def __init__(
        self, context: RunContext, case: OpCase, endpoint: OpEndpoint, tell: Tell, settings: DispatchSettings
    ) -> None:
        self._context = context
        self._case = case
        self._endpoint = endpoint
        self._tell_out = tell
        self._deadline_s = settings.deadline_s
        self._began = context.clock()
        self._started_at = time.time_ns()
        self._sent = Sent()
        self._latest: Progress | None = None
        self._attempts = 0
        self._sync: SpecSync | None = None
        self._module: str | None = None
        self._notes: tuple[str, ...] | None = None
        """What the server is known to ignore; None before it was asked."""
        self._tenant = context.tenant
        self._budgets = Budgets(settings, self._tell, self._left, context.jitter)

    async def go(self) -> OpRun:
        try:
            async with self._context.timeout(self._deadline_s) as limit:
                return await self._all()
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise DeadlinePassedError(
                f"{self._endpoint}: {self._case.title} was not done within {self._deadline_s:g} s; {self._where()}",
                hint="give more time with --deadline SECONDS",
            ) from error

    async def _all(self) -> OpRun:
        await self._context.prepare(self._endpoint)
        inputs = await asyncio.to_thread(wire_inputs, self._case)
        if self._case.spec is not None:
            await self._open_spec()
        headers = run_headers(self._case, inputs, self._tenant, self._module)
        budgets = self._budgets
        retrying = AsyncRetrying(
            sleep=self._context.sleep,
            retry=budgets.retry,
            stop=budgets.stop,
            wait=budgets.wait,
            before_sleep=budgets.before_sleep,
            reraise=True,
        )
        try:
            reply: RunReply = await retrying(self._attempt, inputs, headers)
        except (ServerBusyError, ConnectionFailedError, ModuleMissing) as error:
            raise self._final(error) from error
        return OpRun(
            case=self._case,
            endpoint=self._endpoint,
            outputs=reply.outputs,
            perf=reply.perf,
            api=reply.api,
            started_at=self._started_at,
            took_s=self._context.clock() - self._began,
            uploaded=self._sent.up,
            downloaded=self._sent.down,
            busy=budgets.busy,
            reconnected=budgets.broken,
            synced=self._sync.files_sent if self._sync is not None else 0,
            notes=(*inputs.notes, *(self._notes or ()), *reply.notes),
        )

    async def _attempt(self, inputs: WireInputs, headers: dict[str, str]) -> RunReply:
        self._attempts += 1
        self._tell(progress.Connecting(self._attempts))
        if self._notes is None:
            self._notes = await self._negotiate(inputs)
        try:
            if self._sync is not None:
                await self._sync.bring(self._context.clock, self._tell)
            return await post_run(
                self._context.client,
                self._endpoint,
                headers,
                inputs.archive if inputs.archive is not None else (),
                mode=self._case.mode,
                tell=self._tell,
                sent=self._sent,
                limits=self._context.limits,
            )
        except ModuleMissing as missing:
            if self._sync is None:
                raise DependencyMissingError(
                    f"{self._endpoint}: the server can't import {plain(missing.name, 200)}",
                    missing=missing.name,
                    hint="install it on the server",
                ) from missing
            await self._sync.supply(missing)
            raise

    async def _open_spec(self) -> None:
        assert self._case.spec is not None
        modules = await SpecSync.open(self._case.spec)
        self._module = modules.module
        self._tenant = tenant_for(self._context.tenant, modules.roots)
        uploaded = self._context.tenants.use(self._endpoint, self._tenant)

        async def post(body: bytes) -> tuple[int, bytes]:
            return await post_sync(self._context.client, self._endpoint, self._tenant, body)

        async def forget() -> None:
            await delete_tenant(self._context.client, self._endpoint, self._tenant)

        self._sync = SpecSync(str(self._endpoint), modules, uploaded, post, forget)

    async def _negotiate(self, inputs: WireInputs) -> tuple[str, ...]:
        """What the server announces against what the case needs; it is asked only where that matters.

        Raises:
            CaseError: it would compute something else, silently.
        """
        if not inputs.features and not inputs.newer:
            return ()
        said = await self._context.announced(self._endpoint)
        lacking = inputs.features - said.features
        if lacking:
            raise CaseError(
                f"{self._endpoint}: the server does not announce {', '.join(sorted(lacking))}; it would compute with "
                "the bits as whole numbers"
            )
        if inputs.newer and not said.features:
            return (f"this is an older server: it ignores {', '.join(inputs.newer)}",)
        return ()

    def _final(self, error: Exception) -> DispatchError:
        waited = self._context.clock() - self._began
        if isinstance(error, ServerBusyError):
            return ServerBusyError(
                f"{self._endpoint}: still busy after {_times(self._budgets.busy)} in {waited:.1f} s; "
                "the op did not run",
                hint="try later, or on another server",
            )
        if isinstance(error, ConnectionFailedError):
            if error.lasting or self._budgets.broken < 2:
                return error
            return ConnectionFailedError(
                f"{error} ({self._budgets.broken} attempts in {waited:.1f} s)", hint=error.hint
            )
        assert isinstance(error, ModuleMissing)
        return DependencyMissingError(
            f"{self._endpoint}: the server asked for {self._budgets.missing} modules one after another, "
            f"{plain(error.name, 200)} last",
            missing=error.name,
            hint="give --root DIR so that they go ahead",
        )

    def _left(self) -> float:
        """Seconds until the deadline."""
        return self._deadline_s - (self._context.clock() - self._began)

    def _tell(self, latest: Progress) -> None:
        self._latest = latest
        self._tell_out(latest)

    def _where(self) -> str:
        """Where the run was when time was up."""
        match self._latest:
            case None:
                return "the inputs were not ready"
            case progress.Connecting():
                return "no connection yet"
            case progress.Syncing():
                return "source files were on their way"
            case progress.Uploading(sent, total):
                return f"{sent:,} of {total:,} bytes were uploaded"
            case progress.Running():
                return "the server had it all and had not answered"
            case progress.Downloading(received, total):
                return f"{received:,} of {'?' if total is None else f'{total:,}'} bytes had come back"
            case progress.Busy():
                return f"the server had been busy {self._budgets.busy} times"
            case progress.Reconnecting(reason=reason):
                return reason


def _times(count: int) -> str:
    return "1 attempt" if count == 1 else f"{count} attempts"
