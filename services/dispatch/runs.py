"""The runs of one engine: started and cancelled by id, told about as events."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from ..events import OpEnded, OpProgressed
from .client import Dispatcher
from .errors import DispatchError, RunCancelledError

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx

    from ..events import Event
    from ..run_history.recorder import Recorder, RunEntry
    from .case import OpCase
    from .endpoint import DispatchSettings, OpEndpoint
    from .progress import Progress
    from .run_loop import OpRun

__all__ = ["OpRuns"]


class OpRuns:
    """Runs under way, on the engine's loop. Exactly one OpEnded follows each `start`.

    Args:
        emit: takes the events.
        transport: used instead of real connections (tests).
        failed: takes a defect of xpudbg itself (what was done, the exception).
        recorder: keeps the runs; None: they are not kept.
    """

    def __init__(
        self,
        emit: Callable[[Event], None],
        transport: httpx.AsyncBaseTransport | None,
        failed: Callable[[str, BaseException], None],
        recorder: Recorder | None = None,
    ) -> None:
        self._emit = emit
        self._failed = failed
        self._recorder = recorder
        self._dispatcher = Dispatcher(transport=transport)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(
        self,
        run_id: str,
        case: OpCase,
        endpoint: OpEndpoint,
        settings: DispatchSettings | None,
        case_key: str | None = None,
    ) -> None:
        """Begin a run under an id that no run under way has.

        Args:
            case_key: of the case, in the history.
        """
        if run_id in self._tasks:
            raise ValueError(f"a run {run_id} is under way")
        work = self._run(run_id, case, endpoint, settings, case_key)
        task = asyncio.get_running_loop().create_task(work, name=f"op {run_id}")
        self._tasks[run_id] = task
        task.add_done_callback(lambda done: self._done(run_id, case, done))

    def cancel(self, run_id: str) -> None:
        """End a run; OpEnded with RunCancelledError follows. Does nothing when it has ended."""
        task = self._tasks.get(run_id)
        if task is not None and not task.cancelling():  # twice would break off what the history is told
            task.cancel()

    async def close(self) -> None:
        """Cancel all runs, delete what servers hold for them, close the connections."""
        tasks = list(self._tasks.values())
        for run_id in list(self._tasks):
            self.cancel(run_id)
        if tasks:
            await asyncio.wait(tasks)
        await self._dispatcher.close()
        if self._recorder is not None:
            await self._recorder.close()

    def _done(self, run_id: str, case: OpCase, task: asyncio.Task[None]) -> None:
        del self._tasks[run_id]
        if task.cancelled():  # perhaps before it began
            self._emit(OpEnded(run_id, None, RunCancelledError(f"{case.title} was cancelled")))

    async def _run(
        self,
        run_id: str,
        case: OpCase,
        endpoint: OpEndpoint,
        settings: DispatchSettings | None,
        case_key: str | None,
    ) -> None:
        entry = await self._entry(case, endpoint, case_key)

        def tell(progress: Progress) -> None:
            self._emit(OpProgressed(run_id, progress))
            if entry is not None:
                entry.progress(progress)

        try:
            run = await self._dispatcher.run(case, endpoint, tell, settings=settings)
        except DispatchError as error:
            await self._end(run_id, None, error, entry)
        except asyncio.CancelledError:
            await self._end(run_id, None, RunCancelledError(f"{case.title} was cancelled"), entry)
        except Exception as error:
            self._failed(f"running {case.title}", error)
            defect = DispatchError(f"xpudbg itself failed: {type(error).__name__}: {error}", hint="please report it")
            await self._end(run_id, None, defect, entry)
        else:
            await self._end(run_id, run, None, entry)

    async def _entry(self, case: OpCase, endpoint: OpEndpoint, case_key: str | None) -> RunEntry | None:
        """The run's entry in the history; one that was begun is ended, too, when the run is cancelled meanwhile."""
        if self._recorder is None:
            return None
        beginning = asyncio.ensure_future(self._recorder.begin(case, endpoint, case_key))
        try:
            return await asyncio.shield(beginning)
        except asyncio.CancelledError:
            await (await beginning).fail(RunCancelledError(f"{case.title} was cancelled"))
            raise

    async def _end(self, run_id: str, run: OpRun | None, error: DispatchError | None, entry: RunEntry | None) -> None:
        """Tell the history first: a run that somebody was told of is never lost. The run is over whatever comes now: a
        cancellation comes too late, and is not heard."""
        if entry is not None:
            telling = asyncio.ensure_future(entry.finish(run) if run is not None else entry.fail(_known(error)))
            while not telling.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait((telling,))
            if (fault := telling.exception()) is not None:
                self._failed("writing the run history", fault)
        number, note = (None, "") if entry is None else (entry.id, entry.note)
        self._emit(OpEnded(run_id, run, error, number, note))


def _known(error: DispatchError | None) -> DispatchError:
    assert error is not None
    return error
