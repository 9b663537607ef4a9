"""The background worker layer: one thread with its own event loop, on which all HTTP and files run.

Commands go in from any thread and return at once; immutable events come out on a queue. Whoever consumes the queue
applies them to a Session.
"""

from __future__ import annotations

import asyncio
import threading
import traceback
from typing import TYPE_CHECKING

from . import events
from .attach_options import AttachOptions
from .daemon_threads import DaemonThreads
from .event_log import event_queue
from .side_work import SideWork
from .spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Executor
    from types import TracebackType

    import httpx

    from .bundle.orders import BundleOrder
    from .bundle.replay import Replay
    from .cluster.probes import Probe
    from .collect import Attachment
    from .console.orders import Order
    from .dispatch.case import OpCase
    from .dispatch.endpoint import DispatchSettings, OpEndpoint
    from .post_mortem.target import PostMortem
    from .profiles.orders import ProfileOrder
    from .ranksets import RankSet
    from .run_history.recorder import Recorder
    from .snapshot import Snapshot
    from .store_browse.orders import StoreOrder
    from .store_browse.work import StoreWork
    from .targets import FilesTarget, Target

__all__ = ["Engine"]

STOP_PATIENCE_S = 5.0
"""Seconds `stop` waits for the thread. It is a daemon: what hangs longer ends with the program."""
BLOCKING_CALLS = 32
"""Name look-ups and other blocking calls that may run at one time."""


class Engine:
    """Runs one attachment at a time. Every method may be called from any thread; only `start` and `stop` wait."""

    def __init__(
        self,
        *,
        spool: Spool | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        analyses: Executor | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        """
        Args:
            spool: where large bodies go; one of its own when None. The engine closes it.
            transport: used instead of real connections (tests).
            analyses: runs the heavy analyses, one at a time; one thread of its own when None.
            recorder: keeps the runs of `run_op` in the history; None: they are not kept.
        """
        self._analyses = analyses or DaemonThreads(1, "xpudbg-analysis")
        self._asking: set[asyncio.Task[None]] = set()
        self.events = event_queue()
        self._spool = spool or Spool()
        self._transport = transport
        self._thread = threading.Thread(target=self._run, name="xpudbg-engine", daemon=True)
        self._running = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._attachment: Attachment | PostMortem | Replay | None = None
        self._work: asyncio.Task[None] | None = None
        self._look: asyncio.Task[None] | None = None
        self._browsing: StoreWork | None = None
        self._side = SideWork(
            self.events.put,
            self._failed,
            analyses=self._analyses,
            spool=self._spool,
            transport=transport,
            recorder=recorder,
            attached=self._living,
            demo_server=self._demo_server,
        )

    def __enter__(self) -> Engine:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # commands -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the thread; returns when its loop takes commands."""
        self._thread.start()
        self._running.wait()

    def attach(self, target: Target, options: AttachOptions | None = None) -> None:
        """Let go of the present target, open this one and take its first look."""
        chosen = options or AttachOptions()
        self._command(lambda: self._do("attaching", self._attach(target, chosen)))

    def look(self) -> None:
        """Take one more look; does nothing while one is under way or nothing is open."""
        self._command(self._begin_look)

    def cancel(self) -> None:
        """End the look under way; LookClosed(cancelled=True) follows."""
        self._command(self._cancel_look)

    def ask(self, ranks: RankSet, probe: Probe) -> None:
        """Send one request to each of these ranks; AskedReply follows for each. The budget of the ranks is kept."""
        self._command(lambda: self._begin_asking(ranks, probe))

    def run_op(
        self,
        run_id: str,
        case: OpCase,
        endpoint: OpEndpoint,
        settings: DispatchSettings | None = None,
        case_key: str | None = None,
    ) -> None:
        """Run an operator, beside whatever else runs; OpProgressed and one OpEnded follow.

        Args:
            run_id: names the run in its events; no other run under way may have it.
            case_key: of the case, in the history (`run_history.case_key`).
        """
        self._command(lambda: self._side.ops.start(run_id, case, endpoint, settings, case_key))

    def cancel_op(self, run_id: str) -> None:
        """End an op run; its OpEnded follows. Does nothing when it is over."""
        self._command(lambda: self._side.ops.cancel(run_id))

    def console(self, order: Order) -> None:
        """Do something for the dispatch console, beside whatever else runs; console events follow."""
        self._command(lambda: self._side.console.carry_out(order))

    def browse_store(self, order: StoreOrder) -> None:
        """Do something with the target's store, beside whatever else runs; store events follow."""
        self._command(lambda: self._browse(order))

    def profile(self, order: ProfileOrder) -> None:
        """Do something for the profiler, beside whatever else runs; profile events follow."""
        self._command(lambda: self._side.profiler.carry_out(order))

    def bundle(self, order: BundleOrder) -> None:
        """Write an incident bundle, beside whatever else runs; bundle events follow."""
        self._command(lambda: self._side.bundles.carry_out(order))

    def analyse_again(self, look: Snapshot, before: Snapshot | None) -> None:
        """Make the analyses of an older look again, of its replies and those of the look before; AnalysedAgain
        follows."""
        self._command(lambda: self._side.looks.analyse_again(look, before))

    def pack(self, look: Snapshot) -> None:
        """Move the bodies of an older look out of the memory; LookPacked follows."""
        self._command(lambda: self._side.looks.pack(look))

    def detach(self) -> None:
        """Let go of the target; TargetClosed follows."""
        self._command(lambda: self._do("detaching", self._detach()))

    def stop(self) -> None:
        """End everything and remove the spool. May be called more than once."""
        if self._thread.is_alive():
            self._command(self._finish)
            self._thread.join(STOP_PATIENCE_S)
        self._analyses.shutdown(wait=False, cancel_futures=True)
        self._spool.close()

    # on the engine's thread -----------------------------------------------------------------------------------

    def _run(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_default_executor(DaemonThreads(BLOCKING_CALLS, "xpudbg-blocking"))
        self._loop.set_exception_handler(self._loop_failed)
        self._end = asyncio.Event()
        self._running.set()
        await self._end.wait()
        await self._cancelled(self._work)
        await self._side.close_console()
        await self._detach()
        await self._side.close()

    def _command(self, call: Callable[[], None]) -> None:
        loop = self._loop
        if loop is None or loop.is_closed():
            return
        try:
            loop.call_soon_threadsafe(call)
        except RuntimeError:
            if not loop.is_closed():  # closed between the question and the call: the engine has ended
                raise

    def _finish(self) -> None:
        assert self._end is not None
        self._end.set()

    def _do(self, doing: str, work: Coroutine[None, None, None]) -> None:
        """Run this in place of what runs now."""
        before, self._work = self._work, None

        async def run() -> None:
            await self._cancelled(before)
            try:
                await work
            except Exception as error:
                self._failed(doing, error)

        self._work = asyncio.get_running_loop().create_task(run(), name=doing)

    async def _attach(self, target: Target, options: AttachOptions) -> None:
        from .collect import Attachment
        from .targets import FilesTarget, TargetError

        await self._detach()
        attachment: Attachment | PostMortem | Replay
        if isinstance(target, FilesTarget):
            attachment = self._files(target, options)
        else:
            attachment = Attachment(
                target,
                options,
                spool=self._spool,
                emit=self.events.put,
                analyses=self._analyses,
                transport=self._transport,
            )
        try:
            await attachment.open()
        except TargetError as error:
            await attachment.close()
            self.events.put(events.TargetFailed(target.label, str(error), error.hint))
            return
        except BaseException as error:
            await attachment.close()
            if isinstance(error, Exception):
                message = f"xpudbg itself failed while opening it: {type(error).__name__}: {error}"
                self.events.put(
                    events.TargetFailed(target.label, message, "this is a defect of xpudbg; please report it")
                )
            raise
        self._attachment = attachment
        self._begin_look()

    def _files(self, target: FilesTarget, options: AttachOptions) -> PostMortem | Replay:
        """What opens files: a bundle by itself is replayed, everything else is read and judged as it lies there."""
        from .bundle.replay import Replay
        from .bundle.walk import is_bundle
        from .post_mortem.target import PostMortem

        if len(target.paths) == 1 and is_bundle(target.paths[0]):
            return Replay(target.paths[0], emit=self.events.put, analyses=self._analyses, ranks=options.ranks)
        return PostMortem(
            target,
            options,
            emit=self.events.put,
            analyses=self._analyses,
            spool=self._spool,
            profile=lambda order: self._side.profiler.carry_out(order),
        )

    async def _detach(self) -> None:
        await self._cancelled(self._look)
        browsing, self._browsing = self._browsing, None
        if browsing is not None:
            await browsing.close()
        await self._side.let_go()
        for task in list(self._asking):
            await self._cancelled(task)
        attachment, self._attachment = self._attachment, None
        if attachment is not None:
            await attachment.close()
            self.events.put(events.TargetClosed())

    def _begin_look(self) -> None:
        attachment = self._attachment
        if attachment is None or (self._look is not None and not self._look.done()):
            return

        async def run() -> None:
            try:
                await attachment.look()
            except Exception as error:
                self._failed("looking", error)

        self._look = asyncio.get_running_loop().create_task(run(), name="look")

    def _begin_asking(self, ranks: RankSet, probe: Probe) -> None:
        attachment = self._attachment
        if attachment is None:
            return

        async def run() -> None:
            try:
                await attachment.ask(ranks, probe)
            except Exception as error:
                self._failed(f"asking for {probe.source}", error)

        task = asyncio.get_running_loop().create_task(run(), name="asking")
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    def _browse(self, order: StoreOrder) -> None:
        attachment = self._living()
        if self._browsing is None and attachment is not None and attachment.store is not None:
            from .store_browse.work import StoreWork

            timeout_s = attachment.options.timeout_s
            self._browsing = StoreWork(
                attachment.store, lambda: attachment.world_size, timeout_s, self.events.put, self._failed
            )
        if self._browsing is not None:
            self._browsing.carry_out(order)

    def _living(self) -> Attachment | None:
        """The attachment where it is to a living job."""
        from .collect import Attachment

        return self._attachment if isinstance(self._attachment, Attachment) else None

    async def _demo_server(self) -> OpEndpoint | None:
        """The op server of the demo that is attached, or is being attached."""
        if self._attachment is None and self._work is not None and not self._work.done():
            await asyncio.wait((self._work,))
        living = self._living()
        return await living.op_server() if living is not None else None

    def _cancel_look(self) -> None:
        if self._look is not None:
            self._look.cancel()

    async def _cancelled(self, task: asyncio.Task[None] | None) -> None:
        if task is not None and not task.done():
            task.cancel()
            await asyncio.wait([task])

    def _failed(self, doing: str, error: BaseException) -> None:
        trace = "".join(traceback.format_exception(error))
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]  # the trace has them all; the line names the first
        self.events.put(events.EngineFailed(doing, f"{type(error).__name__}: {error}", trace))

    def _loop_failed(self, _loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            self._failed("working in the background", error)
        else:
            self.events.put(events.EngineFailed("working in the background", str(context.get("message")), ""))
