"""The history as an event loop uses it: in threads, and never in the way of a run.

Whatever is wrong with the history (disk full, a folder that can't be written, a damaged file) is said beside the run's
result, which is given all the same.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from .errors import HistoryError
from .history import RunHistory
from .summary import is_byte_count

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ..comparison.compare import Comparison
    from ..dispatch.case import OpCase
    from ..dispatch.endpoint import OpEndpoint
    from ..dispatch.errors import DispatchError
    from ..dispatch.progress import Progress
    from ..dispatch.run_loop import OpRun
    from .history import HistoryLimits

__all__ = ["Recorder", "RunEntry"]

PRUNE_EVERY_S = 86_400.0
_MARK = "pruned"


class Recorder:
    """Writes runs into one history, opened at the first run. Lives on one event loop.

    Args:
        folder: the history's; the user's own when None.
        limits: what is kept.
    """

    def __init__(self, folder: Path | None = None, *, limits: HistoryLimits | None = None) -> None:
        self._folder = folder
        self._limits = limits
        self._history: RunHistory | None = None
        self._opening = asyncio.Lock()

    async def begin(self, case: OpCase, endpoint: OpEndpoint, case_key: str | None = None) -> RunEntry:
        """Write down that a run starts. Never fails: an entry without a number says why in its note."""
        entry = RunEntry()
        try:
            history = await self._opened()
            entry.history = history
            entry.id = await asyncio.to_thread(history.begin, case, endpoint, case_key)
        except HistoryError as error:
            entry.problem(error)
        return entry

    async def close(self) -> None:
        history, self._history = self._history, None
        if history is not None:
            await asyncio.to_thread(history.close)

    async def _opened(self) -> RunHistory:
        async with self._opening:
            if self._history is None:
                self._history = await asyncio.to_thread(_open, self._folder, self._limits)
            return self._history


class RunEntry:
    """The entry of one run under way: `progress` any number of times, then `finish` or `fail`."""

    def __init__(self) -> None:
        self.id: int | None = None
        """The run's number; None when it is not in the history."""
        self.note = ""
        """What is wrong with the history, one plain line; empty when nothing is."""
        self.history: RunHistory | None = None
        self._waiting: list[Progress] = []
        self._writing: asyncio.Task[None] | None = None

    def progress(self, latest: Progress) -> None:
        """Write down how far it is, when there is time. Of the byte counts only the last one of a row is kept."""
        if self.id is None or self.note:
            return
        if self._waiting and is_byte_count(latest) and type(self._waiting[-1]) is type(latest):
            self._waiting[-1] = latest
        else:
            self._waiting.append(latest)
        ready = len(self._waiting) > 1 or not is_byte_count(latest)
        if ready and (self._writing is None or self._writing.done()):
            self._writing = asyncio.get_running_loop().create_task(self._write_progress(last=False))

    async def finish(self, run: OpRun) -> None:
        """Write down the result. Never fails."""
        await self._end(lambda history, run_id: history.finish(run_id, run))

    async def fail(self, error: DispatchError) -> None:
        """Write down why there is none. Never fails."""
        await self._end(lambda history, run_id: history.fail(run_id, error))

    async def compared(self, found: Mapping[str, Comparison]) -> None:
        """Write down how the outputs compare, after `finish`. Never fails."""
        await self._end(lambda history, run_id: history.compared(run_id, found))

    def problem(self, error: HistoryError) -> None:
        self.note = f"not in the history: {error}" + (f" ({error.hint})" if error.hint else "")

    async def _end(self, write: Callable[[RunHistory, int], None]) -> None:
        if self._writing is not None:
            await self._writing
        await self._write_progress(last=True)
        await self._write(write)

    async def _write_progress(self, *, last: bool) -> None:
        """Write what waits; a byte count only when something came after it, or nothing more will."""
        while len(self._waiting) > 1 or (self._waiting and (last or not is_byte_count(self._waiting[0]))):
            latest = self._waiting.pop(0)
            await self._write(_progress_of(latest))

    async def _write(self, write: Callable[[RunHistory, int], None]) -> None:
        history, run_id = self.history, self.id
        if history is None or run_id is None:
            return
        try:
            await asyncio.to_thread(write, history, run_id)
        except HistoryError as error:
            self.problem(error)


def _progress_of(latest: Progress) -> Callable[[RunHistory, int], None]:
    return lambda history, run_id: history.progress(run_id, latest)


def _open(folder: Path | None, limits: HistoryLimits | None) -> RunHistory:
    """Open it; once a day forget what is too old or too much."""
    history = RunHistory(folder, limits=limits)
    mark = history.folder / _MARK
    try:
        age = time.time() - mark.stat().st_mtime if mark.exists() else PRUNE_EVERY_S
        if age >= PRUNE_EVERY_S:
            mark.touch()
            history.prune()
    except OSError as error:
        history.close()
        raise HistoryError(f"the run history in {history.folder} can't be written: {error.strerror}") from error
    except HistoryError:
        history.close()
        raise
    return history
