"""Runs of the console on the engine's loop: recorded in the history, compared, ended whenever a person wants."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from typing import TYPE_CHECKING

from ..dispatch.client import Dispatcher
from ..dispatch.errors import DispatchError, RunCancelledError
from ..events import OpProgressed
from ..run_history.errors import HistoryError
from ..run_history.history import RunHistory
from ..run_history.recorder import Recorder
from ..runs.given import run_ended, run_failed, run_from_history
from ..runs.references import ReferenceMissingError, obtain
from ..runs.shown import RunShown, show_run
from . import events, orders

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Executor
    from pathlib import Path
    from typing import Any

    import httpx

    from ..dispatch.case import OpCase
    from ..dispatch.endpoint import OpEndpoint
    from ..dispatch.progress import Progress
    from ..dispatch.run_loop import OpRun
    from ..events import Event
    from ..run_history.recorder import RunEntry
    from ..runs.case_standard import CaseStandard
    from ..runs.given import GivenRun
    from ..runs.references import Reference, ReferenceArrays

__all__ = ["RunWork"]


class _StoppedError(Exception):
    """Raised inside a comparison that is not wanted any more."""


class RunWork:
    """Runs cases, any number at a time, and reads those of the history.

    Args:
        emit: takes the events.
        analyses: compares arrays, one run at a time.
        failed: takes a defect of xpudbg itself (what was done, the exception).
        begin: makes a task that is ended with the console.
        transport: used instead of real connections (tests).
        folder: of the run history; the user's own when None.
    """

    def __init__(
        self,
        emit: Callable[[Event], None],
        analyses: Executor,
        failed: Callable[[str, BaseException], None],
        begin: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        transport: httpx.AsyncBaseTransport | None,
        folder: Path | None,
    ) -> None:
        self._emit = emit
        self._analyses = analyses
        self._failed = failed
        self._begin = begin
        self._dispatcher = Dispatcher(transport=transport)
        self._folder = folder
        self._recorder = Recorder(folder)
        self._history: RunHistory | None = None
        self._opening = asyncio.Lock()
        self._runs: dict[str, asyncio.Task[None]] = {}

    async def close(self) -> None:
        """Close connections and the history, after all tasks have ended."""
        await self._dispatcher.close()
        await self._recorder.close()
        if self._history is not None:
            await asyncio.to_thread(self._history.close)

    def start(self, order: orders.StartRun) -> None:
        """Begin a run; exactly one RunCompared follows."""
        task = self._runs[order.key] = self._begin(self._run(order))
        task.add_done_callback(lambda done: self._ended(order, done))

    def cancel(self, key: str) -> None:
        """End a run, whatever it is at."""
        task = self._runs.get(key)
        if task is not None and not task.cancelling():  # twice would break off what the history is told
            task.cancel()

    def _ended(self, order: orders.StartRun, task: asyncio.Task[None]) -> None:
        """Exactly one RunCompared for each run: here for those that did not come to it themselves."""
        del self._runs[order.key]
        if task.cancelled():  # perhaps before it began
            error: DispatchError = _cancelled(order.case)
        elif (defect := task.exception()) is not None:
            self._failed(f"running {order.case.title}", defect)
            error = DispatchError(f"xpudbg itself failed: {type(defect).__name__}: {defect}", hint="please report it")
        else:
            return
        self._emit(events.RunCompared(order.key, RunShown(run_failed(order.case, order.endpoint, error))))

    async def _run(self, order: orders.StartRun) -> None:
        entry = await self._recorded(order)
        given = await self._given(order, entry)
        try:
            shown = await self.compared(order.key, given, order.reference, order.standard, order.before)
        except asyncio.CancelledError:  # the op has run; only what it gave is not judged
            shown = RunShown(given, reference_problem="the comparison was cancelled")
        await self._keep_comparison(entry, shown)
        self._emit(events.RunCompared(order.key, shown, entry.note))

    async def _recorded(self, order: orders.StartRun) -> RunEntry:
        """The run's entry in the history; one that was begun is ended, too, when the run is cancelled meanwhile."""
        beginning = asyncio.ensure_future(self._recorder.begin(order.case, order.endpoint, order.case_key))
        try:
            return await asyncio.shield(beginning)
        except asyncio.CancelledError:
            await (await beginning).fail(_cancelled(order.case))
            raise

    async def _given(self, order: orders.StartRun, entry: RunEntry) -> GivenRun:
        began, case, endpoint = time.time_ns(), order.case, order.endpoint

        def tell(latest: Progress) -> None:
            entry.progress(latest)
            self._emit(OpProgressed(order.key, latest))

        try:
            run = await self._dispatcher.run(case, endpoint, tell, settings=order.settings)
        except DispatchError as error:
            problem: DispatchError = error
        except asyncio.CancelledError:
            problem = _cancelled(case)
        else:
            await entry.finish(run)
            return run_ended(run, entry.id)
        took_s = (time.time_ns() - began) / 1e9
        await entry.fail(problem)
        return run_failed(case, endpoint, problem, number=entry.id, started_ns=began, took_s=took_s)

    async def _keep_comparison(self, entry: RunEntry, shown: RunShown) -> None:
        found = {
            one.name: one.reference.comparison
            for one in shown.outputs
            if one.reference is not None and one.reference.comparison is not None
        }
        if found:
            await entry.compared(found)

    async def compared(
        self,
        key: str,
        given: GivenRun,
        reference: Reference | None,
        standard: CaseStandard | None,
        before: GivenRun | int | None,
    ) -> RunShown:
        """The run with all that is found out about it."""
        self._emit(events.RunComparing(key))
        earlier = await self._kept(before) if isinstance(before, int) else before
        arrays: ReferenceArrays | None = None
        problem = ""
        if reference is not None and given.outputs and given.case is not None:
            try:
                arrays = await obtain(reference, given.case, self._run_quietly, await self._history_if_any())
            except ReferenceMissingError as error:
                problem = f"{error}" + (f" ({error.hint})" if error.hint else "")
        stop = threading.Event()

        def watch(_done: int) -> None:
            if stop.is_set():
                raise _StoppedError

        work = asyncio.get_running_loop().run_in_executor(
            self._analyses,
            lambda: show_run(given, arrays, earlier, standard, reference_problem=problem, watch=watch),
        )
        try:
            return await work
        except asyncio.CancelledError:
            stop.set()
            work.add_done_callback(_seen)
            raise

    async def _run_quietly(self, case: OpCase, endpoint: OpEndpoint) -> OpRun:
        """A run that gives a reference: its progress is nobody's."""
        return await self._dispatcher.run(case, endpoint, lambda _latest: None)

    async def history(self) -> RunHistory:
        """The history, opened when it is first read.

        Raises:
            HistoryError: it can't be.
        """
        async with self._opening:
            if self._history is None:
                self._history = await asyncio.to_thread(RunHistory, self._folder)
            return self._history

    async def _history_if_any(self) -> RunHistory | None:
        try:
            return await self.history()
        except HistoryError:  # said when a run is written, and when the kept runs are read
            return None

    async def _kept(self, number: int) -> GivenRun | None:
        """A run of the history; None where it can't be read."""
        with contextlib.suppress(HistoryError):
            return await self.read(number)
        return None

    async def read(self, number: int) -> GivenRun:
        """A run of the history.

        Raises:
            HistoryError: it can't be read.
        """
        history = await self.history()

        def read() -> GivenRun:
            case = None
            with contextlib.suppress(HistoryError):  # an input was not kept: the outputs can be shown all the same
                case = history.case(number)
            return run_from_history(history.get(number), history.outputs(number), case)

        return await asyncio.to_thread(read)


def _cancelled(case: OpCase) -> RunCancelledError:
    return RunCancelledError(f"{case.title} was cancelled")


def _seen(done: asyncio.Future[RunShown]) -> None:
    """What an abandoned comparison ended with is nothing to report."""
    if not done.cancelled():
        done.exception()
