"""What the engine does beside the looks at its target: op runs, console, profiles, bundles, older looks.

Each worker is made when it is first needed, since most of them bring in modules that a plain look has no use for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Executor

    import httpx

    from . import events
    from .bundle.work import BundleWork
    from .collect import Attachment
    from .console.work import ConsoleWork
    from .dispatch.endpoint import OpEndpoint
    from .dispatch.runs import OpRuns
    from .looks.work import LookWork
    from .profiles.work import ProfileWork
    from .run_history.recorder import Recorder
    from .spool import Spool

__all__ = ["SideWork"]


class SideWork:
    """The workers of one engine. Lives on its event loop."""

    def __init__(
        self,
        emit: Callable[[events.Event], None],
        failed: Callable[[str, BaseException], None],
        *,
        analyses: Executor,
        spool: Spool,
        transport: httpx.AsyncBaseTransport | None,
        recorder: Recorder | None,
        attached: Callable[[], Attachment | None],
        demo_server: Callable[[], Coroutine[Any, Any, OpEndpoint | None]],
    ) -> None:
        """
        Args:
            emit: takes the events.
            failed: told defects of xpudbg.
            analyses: runs heavy work, one piece at a time.
            spool: keeps large bodies.
            transport: used instead of real connections (tests).
            recorder: keeps op runs in the history; None: they are not kept.
            attached: the living job that is attached, if any.
            demo_server: finds the op server of the demo.
        """
        self._emit = emit
        self._failed = failed
        self._analyses = analyses
        self._spool = spool
        self._transport = transport
        self._recorder = recorder
        self._attached = attached
        self._demo_server = demo_server
        self._ops: OpRuns | None = None
        self._console: ConsoleWork | None = None
        self._profiler: ProfileWork | None = None
        self._bundles: BundleWork | None = None
        self._looks: LookWork | None = None

    @property
    def ops(self) -> OpRuns:
        if self._ops is None:
            from .dispatch.runs import OpRuns

            self._ops = OpRuns(self._emit, self._transport, self._failed, self._recorder)
        return self._ops

    @property
    def console(self) -> ConsoleWork:
        if self._console is None:
            from .console.work import ConsoleWork

            self._console = ConsoleWork(
                self._emit, self._analyses, self._failed, transport=self._transport, demo_server=self._demo_server
            )
        return self._console

    @property
    def profiler(self) -> ProfileWork:
        if self._profiler is None:
            from .profiles.work import ProfileWork

            self._profiler = ProfileWork(self._emit, self._failed, self._attached)
        return self._profiler

    @property
    def bundles(self) -> BundleWork:
        if self._bundles is None:
            from .bundle.work import BundleWork

            self._bundles = BundleWork(self._emit, self._failed)
        return self._bundles

    @property
    def looks(self) -> LookWork:
        if self._looks is None:
            from .looks.work import LookWork

            self._looks = LookWork(self._emit, self._analyses, self._spool, self._failed)
        return self._looks

    async def close_console(self) -> None:
        """End the console; before the target is let go of, which may hold its op server."""
        if self._console is not None:
            await self._console.close()

    async def let_go(self) -> None:
        """The target goes: nothing of it is asked any more."""
        if self._profiler is not None:
            await self._profiler.let_go()

    async def close(self) -> None:
        """End everything else, after the target was let go of."""
        for worker in (self._profiler, self._ops, self._bundles, self._looks):
            if worker is not None:
                await worker.close()
