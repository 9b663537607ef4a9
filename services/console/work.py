"""The engine's part of the console: files, runs, comparisons and the history, on its loop and in its threads."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..dispatch.errors import CaseError
from ..run_history.errors import HistoryError
from . import events, orders
from .case_export import write_case
from .case_files import CaseFilesError, open_cases
from .editing import set_field
from .kept_runs import kept_lines
from .run_work import RunWork

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Executor
    from typing import Any

    import httpx

    from ..dispatch.endpoint import OpEndpoint
    from ..events import Event
    from .runs import RunLine

__all__ = ["ConsoleWork"]

RUNS_READ = 1_000
"""Runs of the history that are looked through."""


class ConsoleWork:
    """Carries orders out, any number at a time. Lives on the engine's loop.

    Args:
        emit: takes the events.
        analyses: compares arrays, one run at a time.
        failed: takes a defect of xpudbg itself (what was done, the exception).
        transport: used instead of real connections (tests).
        history: folder of the run history; the user's own when None.
        demo_server: gives the address of the op server of the demo that is attached, None without a demo.
    """

    def __init__(
        self,
        emit: Callable[[Event], None],
        analyses: Executor,
        failed: Callable[[str, BaseException], None],
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        history: Path | None = None,
        demo_server: Callable[[], Coroutine[Any, Any, OpEndpoint | None]] | None = None,
    ) -> None:
        self._emit = emit
        self._failed = failed
        self._demo_server = demo_server
        self._demo_folder: TemporaryDirectory[str] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._runs = RunWork(emit, analyses, failed, self._begin, transport, history)

    def carry_out(self, order: orders.Order) -> None:
        """Begin with an order; events follow."""
        match order:
            case orders.CancelRun():
                self._runs.cancel(order.key)
                return
            case orders.StartRun():
                self._runs.start(order)
                return
            case orders.OpenCases():
                work: Coroutine[Any, Any, None] = self._open(order)
            case orders.OpenDemoCases():
                work = self._open_demo()
            case orders.ReadKeptRuns():
                work = self._reread(order)
            case orders.EditFromFile():
                work = self._edit(order)
            case orders.ShowKeptRun() | orders.ShowRunAgain():
                work = self._show(order)
            case orders.WriteCase():
                work = self._write(order)
        self._begin(self._guarded(type(order).__name__, work))

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work, name="console")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """End all of it; runs under way are cancelled on their servers and in the history."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._runs.close()
        if self._demo_folder is not None:
            self._demo_folder.cleanup()

    async def _guarded(self, doing: str, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:
            self._failed(f"at the dispatch console ({doing})", error)
            self._emit(events.ConsoleRefused(f"xpudbg itself failed: {type(error).__name__}: {error}"))

    # cases ----------------------------------------------------------------------------------------------------

    async def _open(self, order: orders.OpenCases) -> None:
        for path in order.paths:
            try:
                found = await asyncio.to_thread(open_cases, path)
            except CaseFilesError as error:
                self._emit(events.ConsoleRefused(str(error), error.hint))
                continue
            self._emit(events.CasesOpened(found.label, found.cases, found.notes))
            await self._read_kept(orders.ReadKeptRuns(found.cases))

    async def _open_demo(self) -> None:
        if self._demo_server is None:
            return
        from ..addressing.endpoints import TargetError
        from .demo_cases import demo_cases

        try:
            endpoint = await self._demo_server()
        except TargetError as error:
            self._emit(events.ConsoleRefused(f"the demo's op server: {error}", error.hint))
            return
        if endpoint is None:
            return
        if self._demo_folder is None:
            self._demo_folder = TemporaryDirectory(prefix="xpudbg-demo-", ignore_cleanup_errors=True)
        cases = await asyncio.to_thread(demo_cases, Path(self._demo_folder.name))
        self._emit(events.EndpointsChosen((endpoint,)))
        self._emit(events.CasesOpened("the demo", cases))
        kept = await self._read_kept(orders.ReadKeptRuns(cases))
        for case in cases:
            if case.case is not None and not kept.get(case.id):  # the first time: each has run once
                order = orders.StartRun(case.id, case.case, endpoint, case.reference, case_key=case.key)
                self._emit(events.RunBegun(order.key, case.id, order.case, endpoint, batch=0))
                self._runs.start(order)

    async def _edit(self, order: orders.EditFromFile) -> None:
        try:
            made = await asyncio.to_thread(set_field, order.case, order.field, order.text, order.folder)
        except CaseError as error:
            self._emit(events.EditRefused(order.case_id, order.field, str(error), error.hint))
        else:
            self._emit(events.CaseEdited(order.case_id, made))

    async def _write(self, order: orders.WriteCase) -> None:
        try:
            written = await asyncio.to_thread(write_case, order.path, order.case)
        except CaseError as error:
            self._emit(events.ConsoleRefused(str(error), error.hint))
        except OSError as error:
            name = error.filename or order.path
            self._emit(events.ConsoleRefused(f"{name} could not be written: {error.strerror}", "give another name"))
        else:
            beside = f" and {len(written) - 1} array files beside it" if len(written) > 1 else ""
            self._emit(events.Said(f"written: {written[0]}{beside}"))

    # runs -----------------------------------------------------------------------------------------------------

    async def _read_kept(self, order: orders.ReadKeptRuns) -> dict[str, tuple[RunLine, ...]]:
        try:
            history = await self._runs.history()
            records = await asyncio.to_thread(lambda: history.latest(limit=RUNS_READ))
            interrupted = await asyncio.to_thread(history.interrupted)
        except HistoryError as error:
            said = f"{error}" + (f" ({error.hint})" if error.hint else "")
            self._emit(events.KeptRunsRead({}, (), said))
            return {}
        lines = await asyncio.to_thread(kept_lines, records, order.cases)
        self._emit(events.KeptRunsRead(lines, tuple(record.id for record in interrupted)))
        return lines

    async def _reread(self, order: orders.ReadKeptRuns) -> None:
        await self._read_kept(order)

    async def _show(self, order: orders.ShowKeptRun | orders.ShowRunAgain) -> None:
        try:
            given = order.run if isinstance(order, orders.ShowRunAgain) else await self._runs.read(order.number)
        except HistoryError as error:
            self._emit(events.ConsoleRefused(str(error), error.hint))
            return
        shown = await self._runs.compared(order.key, given, order.reference, order.standard, order.before)
        self._emit(events.KeptRunShown(order.key, shown))
