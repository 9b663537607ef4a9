"""The runs of one engine: started and cancelled by id, told about as events."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..events import OpEnded, OpProgressed
from .client import Dispatcher
from .errors import DispatchError, RunCancelledError

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx

    from ..events import Event
    from .case import OpCase
    from .endpoint import DispatchSettings, OpEndpoint
    from .progress import Progress

__all__ = ["OpRuns"]


class OpRuns:
    """Runs under way, on the engine's loop. Exactly one OpEnded follows each `start`.

    Args:
        emit: takes the events.
        transport: used instead of real connections (tests).
        failed: takes a defect of xpudbg itself (what was done, the exception).
    """

    def __init__(
        self,
        emit: Callable[[Event], None],
        transport: httpx.AsyncBaseTransport | None,
        failed: Callable[[str, BaseException], None],
    ) -> None:
        self._emit = emit
        self._failed = failed
        self._dispatcher = Dispatcher(transport=transport)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(self, run_id: str, case: OpCase, endpoint: OpEndpoint, settings: DispatchSettings | None) -> None:
        """Begin a run under an id that no run under way has."""
        if run_id in self._tasks:
            raise ValueError(f"a run {run_id} is under way")
        task = asyncio.get_running_loop().create_task(self._run(run_id, case, endpoint, settings), name=f"op {run_id}")
        self._tasks[run_id] = task
        task.add_done_callback(lambda done: self._done(run_id, case, done))

    def cancel(self, run_id: str) -> None:
        """End a run; OpEnded with RunCancelledError follows. Does nothing when it has ended."""
        task = self._tasks.get(run_id)
        if task is not None:
            task.cancel()

    async def close(self) -> None:
        """Cancel all runs, delete what servers hold for them, close the connections."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._dispatcher.close()

    def _done(self, run_id: str, case: OpCase, task: asyncio.Task[None]) -> None:
        del self._tasks[run_id]
        if task.cancelled():  # perhaps before it began
            self._emit(OpEnded(run_id, None, RunCancelledError(f"{case.title} was cancelled")))

    async def _run(self, run_id: str, case: OpCase, endpoint: OpEndpoint, settings: DispatchSettings | None) -> None:
        def tell(progress: Progress) -> None:
            self._emit(OpProgressed(run_id, progress))

        try:
            run = await self._dispatcher.run(case, endpoint, tell, settings=settings)
        except DispatchError as error:
            self._emit(OpEnded(run_id, None, error))
        except Exception as error:
            self._failed(f"running {case.title}", error)
            defect = DispatchError(f"xpudbg itself failed: {type(error).__name__}: {error}", hint="please report it")
            self._emit(OpEnded(run_id, None, defect))
        else:
            self._emit(OpEnded(run_id, run, None))
