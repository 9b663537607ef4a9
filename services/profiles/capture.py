"""One capture: the profiler of many ranks at the same time, each trace streamed to the disk.

A request that a rank can't answer keeps one of its server threads, so a rank with one outstanding gets no second one,
and nothing is asked again by itself (spec: worker-server.md, THE DANGER). A trace that comes after its time is kept.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING

from ..cluster.probes import TORCH_PROFILE, torch_profile
from ..snapshot import Outcome
from . import events
from .saved import new_folder, remove_empty, trace_name, write_about
from .trace_set import TraceRow, TraceSet, TraceState
from .trace_sink import TraceSink

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ..cluster.worker import Worker
    from ..ranksets import RankSet
    from ..snapshot import RankReply

__all__ = ["CaptureRun"]

GRACE_S = 60.0
"""Seconds after the profile in which an answer must begin: torch writes the whole trace first, which takes a while."""
ANSWER_S = 3_600.0
"""Seconds that an answer which has begun may take."""


class CaptureRun:
    """Lives on the engine's event loop."""

    def __init__(
        self,
        workers: Mapping[int, Worker],
        ranks: RankSet,
        duration_s: float,
        *,
        parent: Path,
        target: str,
        emit: Callable[[events.ProfileEvent], None],
        kept: Callable[[int, Path], None],
        failed: Callable[[str, BaseException], None],
    ) -> None:
        """
        Args:
            workers: of the attached job, by rank.
            ranks: those to capture.
            duration_s: how long their profilers run.
            parent: where the folder of the capture is made.
            target: what is attached, for the folder's file.
            emit: takes the events.
            kept: told each trace that is there.
            failed: told defects of xpudbg.

        Raises:
            TracesError: the folder can't be made.
            OSError: it can't be written to.
        """
        began_at = time.time_ns()
        folder = new_folder(parent, began_at)
        rows = {rank: TraceRow(rank, TraceState.ASKED, started_at=None) for rank in ranks}
        self.traces = TraceSet(str(folder), folder.name, folder, duration_s, began_at, rows, target)
        try:
            write_about(self.traces)
        except OSError:
            remove_empty(folder)
            raise
        self._workers = workers
        self._duration_s = duration_s
        self._emit = emit
        self._kept = kept
        self._failed = failed
        self._sinks: dict[int, TraceSink] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Ask all ranks and return when each has answered, failed or been cancelled."""
        self._emit(events.SetOpened(replace(self.traces, rows=dict(self.traces.rows))))
        for rank in self.traces.rows:
            self._tasks[rank] = asyncio.create_task(self._guarded(rank), name=f"profile of rank {rank}")
        try:
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        finally:
            self._tidy()

    def cancel(self) -> None:
        """Wait for nobody any more."""
        for task in self._tasks.values():
            task.cancel()

    def progress(self, rank: int, received: int) -> None:
        """More of a rank's trace has come."""
        sink = self._sinks.get(rank)
        row = self.traces.rows.get(rank)
        if sink is not None and row is not None and not row.state.is_over:
            self._change(replace(row, state=TraceState.RECEIVING, received=received, stored=sink.stored))

    def late(self, reply: RankReply) -> bool:
        """An answer came after its time; False when it is not one of this capture."""
        sink = self._sinks.get(reply.rank)
        if sink is None or self.traces.rows[reply.rank].state.has_file:
            return False
        if sink.unwanted:
            sink.discard()
        else:
            self._settle(reply, sink)
        self._tidy()
        return True

    @property
    def waits(self) -> bool:
        """Whether a late answer may still come that is wanted."""
        return any(
            not sink.unwanted and TORCH_PROFILE.source in self._workers[rank].asked
            for rank, sink in self._sinks.items()
        )

    def let_go(self) -> None:
        """What comes late is not wanted any more."""
        for rank, sink in self._sinks.items():
            if not self.traces.rows[rank].state.has_file:
                sink.discard()
        self._tidy()

    # ----------------------------------------------------------------------------------------------------------

    async def _guarded(self, rank: int) -> None:
        try:
            await self._one(rank)
        except asyncio.CancelledError:
            sink = self._sinks.get(rank)
            if sink is not None:
                sink.discard()
            error = "its profiler runs to its end all the same"
            self._change(replace(self.traces.rows[rank], state=TraceState.CANCELLED, error=error))
            raise
        except Exception as error:
            self._change(
                replace(self.traces.rows[rank], state=TraceState.FAILED, error=f"xpudbg itself failed: {error}")
            )
            self._failed(f"profiling rank {rank}\n{traceback.format_exc()}", error)

    async def _one(self, rank: int) -> None:
        worker = self._workers.get(rank)
        why = ""
        if worker is None:
            why = "no address of it is known"
        elif TORCH_PROFILE.source in worker.asked:
            why = "it has not answered an earlier profile yet: no second one is asked for"
        elif not worker.has(TORCH_PROFILE):
            why = "it has no handler torch_profile"
        if worker is None or why:
            self._change(TraceRow(rank, TraceState.NOT_ASKED, error=why))
            return
        assert self.traces.folder is not None
        sink = self._sinks[rank] = TraceSink(self.traces.folder / trace_name(rank))
        self._change(replace(self.traces.rows[rank], started_at=time.time_ns()))
        reply = await worker.ask(
            torch_profile(self._duration_s), self._duration_s + GRACE_S, sink=sink, answer_s=ANSWER_S
        )
        self._settle(reply, sink)

    def _settle(self, reply: RankReply, sink: TraceSink) -> None:
        """Say how a rank's request has ended."""
        waiting = reply.outcome is Outcome.TIMEOUT and not sink.size
        error = reply.error
        if waiting:
            state = TraceState.FAILED
            error = f"{error}: a rank that hangs gives no profile; the request stays with it"
        elif reply.outcome is Outcome.OK:
            state = TraceState.DONE if sink.keep() else TraceState.FAILED
            if state is TraceState.FAILED:
                error = f"what it sent is no trace: {reply.body.text(80)!r}"
        elif reply.outcome is Outcome.HTTP_ERROR or not sink.keep():
            state = TraceState.FAILED
            sink.discard()
        else:
            state = TraceState.CUT
        path = sink.path if state.has_file else None
        self._change(
            TraceRow(
                reply.rank,
                state,
                path,
                received=sink.size if path else 0,
                stored=sink.stored if path else 0,
                error=error,
                started_at=reply.started_at,
                took_s=reply.took_s,
            )
        )
        if path is not None:
            self._kept(reply.rank, path)

    def _tidy(self) -> None:
        """Remove the folder where no trace has come and none is to come."""
        if self.traces.folder is not None and not self.traces.done and not self.waits:
            remove_empty(self.traces.folder)

    def _change(self, row: TraceRow) -> None:
        self.traces.rows[row.rank] = row
        self._emit(events.TraceChanged(self.traces.id, row))
