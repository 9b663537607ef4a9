"""What the engine does for the profiler: captures, reading traces, merging and serving them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
import traceback
from collections import deque
from typing import TYPE_CHECKING

from ..daemon_threads import DaemonThreads
from . import events, orders
from .browser import has_browser, show_page
from .capture import CaptureRun
from .merge import merge_traces
from .perfetto import OneTraceServer
from .saved import TracesError, captures_folder, open_traces, saved_captures
from .summary import summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from ..collect import Attachment
    from ..snapshot import RankReply
    from .orders import ProfileOrder
    from .summary import ProfileSummary

__all__ = ["ProfileWork"]

TOLD_S = 0.1
"""Seconds between two words about how far reading has come."""
MERGED = "merged"


class _StoppedError(Exception):
    """The program ends while a trace is read."""


class ProfileWork:
    """Lives on the engine's event loop; traces are read on one thread of its own, so that looks go on."""

    def __init__(
        self,
        emit: Callable[[events.ProfileEvent], None],
        failed: Callable[[str, BaseException], None],
        attachment: Callable[[], Attachment | None],
        *,
        folder: Path | None = None,
        browser: Callable[[str], bool] | None = None,
    ) -> None:
        """
        Args:
            emit: takes the events.
            failed: told defects of xpudbg.
            attachment: what is attached now.
            folder: of captures; the user's own when None.
            browser: opens a page and says whether it could; the user's browser when None.
        """
        self._emit = emit
        self._failed = failed
        self._attachment = attachment
        self._folder = folder
        self._browser = browser or (lambda url: has_browser() and show_page(url))
        self._reader = DaemonThreads(1, "xpudbg-profiles")
        self._stop = threading.Event()
        self._waiting: deque[Path] = deque()
        self._read: set[Path] = set()
        self._now: Path | None = None
        """The trace that is being read."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading: asyncio.Task[None] | None = None
        self._handing: asyncio.Task[None] | None = None
        self._capture: CaptureRun | None = None
        self._folders: set[Path] = set()
        """Of the captures of the job that is attached."""
        self._older: list[CaptureRun] = []
        """Earlier captures of which late traces may come."""

    def carry_out(self, order: ProfileOrder) -> None:
        """Begin what is ordered; returns at once."""
        match order:
            case orders.Capture():
                self._begin("capturing", self._captured(order))
            case orders.CancelCapture():
                if self._capture is not None:
                    self._capture.cancel()
            case orders.ListSaved():
                self._begin("listing captures", self._listed())
            case orders.OpenTraces():
                self._begin("opening traces", self._opened(order))
            case orders.ReadTraces():
                self._read.difference_update(path for path in order.paths if path != self._now)
                self._read_next(order.paths)
            case orders.HandToPerfetto():
                if self._handing is not None:
                    self._handing.cancel()
                self._handing = self._begin("handing a trace to Perfetto", self._handed(order))

    def progress(self, rank: int, received: int) -> None:
        """A trace that is captured has come further."""
        if self._capture is not None:
            self._capture.progress(rank, received)

    def late(self, reply: RankReply) -> None:
        """A profile came after its time."""
        for run in (self._capture, *self._older):
            if run is not None and run.late(reply):
                return

    async def let_go(self) -> None:
        """The job is let go of: captures under way end, what has come of them stays."""
        for older in self._older:
            older.let_go()
        self._older.clear()
        self._folders.clear()
        capture, self._capture = self._capture, None
        if capture is not None:
            capture.cancel()

    async def close(self) -> None:
        await self.let_go()
        self._stop.set()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._reader.shutdown(wait=False)

    # ----------------------------------------------------------------------------------------------------------

    def _begin(self, doing: str, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        async def run() -> None:
            try:
                await work
            except TracesError as error:
                self._emit(events.ProfileSaid(f"{error}" + (f" ({error.hint})" if error.hint else "")))
            except OSError as error:
                self._emit(events.ProfileSaid(f"{doing} failed: {error.strerror or error}: {error.filename or ''}"))
            except Exception as error:
                self._failed(doing, error)

        task = asyncio.get_running_loop().create_task(run(), name=doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _captures(self) -> Path:
        return self._folder or captures_folder()

    async def _captured(self, order: orders.Capture) -> None:
        attachment = self._attachment()
        if attachment is None:
            raise TracesError("nothing is attached that could be profiled")
        if self._capture is not None:
            raise TracesError("a capture is under way", hint="x ends it")
        run = CaptureRun(
            attachment.workers,
            order.ranks,
            order.duration_s,
            parent=self._captures(),
            target=attachment.target.label,
            emit=self._emit,
            kept=self._kept,
            failed=self._failed,
        )
        self._capture = run
        attachment.profiler = self
        assert run.traces.folder is not None
        self._folders.add(run.traces.folder)
        try:
            await run.run()
        finally:
            if self._capture is run:
                self._capture = None
                self._older = [one for one in (*self._older, run) if one.waits]
        await self._listed()

    def _kept(self, rank: int, path: Path) -> None:
        """A trace is there: it is read by itself."""
        del rank
        if path not in self._waiting:
            self._waiting.append(path)
        self._go_on_reading()
        if self._capture is None:  # it came late
            self._begin("listing captures", self._listed())

    async def _listed(self) -> None:
        try:
            folder = self._captures()
            found = await asyncio.to_thread(saved_captures, folder)
        except TracesError as error:
            self._emit(events.SavedListed((), "", f"{error}; {error.hint}"))
        except OSError as error:
            self._emit(events.SavedListed((), str(folder), f"{folder} can't be read: {error.strerror or error}"))
        else:
            self._emit(events.SavedListed(found, str(folder)))

    async def _opened(self, order: orders.OpenTraces) -> None:
        traces = await asyncio.to_thread(open_traces, order.paths)
        self._emit(events.SetOpened(traces))
        self._read_next(tuple(row.path for row in traces.rows.values() if row.path is not None))

    # reading --------------------------------------------------------------------------------------------------

    def _read_next(self, paths: tuple[Path, ...]) -> None:
        wanted = [path for path in paths if path not in self._read]
        self._waiting = deque([*wanted, *(path for path in self._waiting if path not in wanted)])
        self._go_on_reading()

    def _go_on_reading(self) -> None:
        if self._waiting and (self._reading is None or self._reading.done()):
            self._reading = self._begin("reading traces", self._read_all())

    async def _read_all(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            path = self._waiting.popleft()
            if path in self._read:
                continue
            self._read.add(path)
            self._now = path
            try:
                summary = await loop.run_in_executor(self._reader, self._summarised, path)
            except OSError as error:
                self._read.discard(path)
                self._emit(events.SummaryFailed(path, error.strerror or str(error)))
            except _StoppedError:
                return
            except Exception as error:  # the traces after it are read all the same
                self._emit(events.SummaryFailed(path, f"xpudbg itself failed on it: {error}"))
                self._failed(f"reading {path}\n{traceback.format_exc()}", error)
            else:
                self._emit(events.SummaryMade(path, summary))
                self._learn(path, summary)
            finally:
                self._now = None

    def _summarised(self, path: Path) -> ProfileSummary:
        return summarise(path, self._watching(lambda read: events.SummaryProgressed(path, read)))

    def _watching(self, told: Callable[[int], events.ProfileEvent]) -> Callable[[int], None]:
        last = time.monotonic()

        def watch(read: int) -> None:
            nonlocal last
            if self._stop.is_set():
                raise _StoppedError
            now = time.monotonic()
            if now - last >= TOLD_S:
                last = now
                self._emit(told(read))

        return watch

    def _learn(self, path: Path, summary: ProfileSummary) -> None:
        """Who is in which group, for the flight recorder; only of traces of the job that is attached."""
        attachment = self._attachment()
        if attachment is not None and summary.memberships is not None and path.parent in self._folders:
            attachment.learn(summary.memberships)

    # Perfetto -------------------------------------------------------------------------------------------------

    async def _handed(self, order: orders.HandToPerfetto) -> None:
        into = order.into if order.into is not None else self._captures()
        ranks = "-".join(str(rank) for rank, _ in order.traces[:4]) + ("-and-more" * (len(order.traces) > 4))
        path = into / f"{MERGED}-{ranks}.json.gz"
        watch = self._watching(events.MergeProgressed)
        self._emit(events.MergeProgressed(0))
        try:
            await asyncio.to_thread(into.mkdir, parents=True, exist_ok=True)
            await asyncio.to_thread(merge_traces, order.traces, path, watch)
        except _StoppedError:
            return
        finally:
            self._emit(events.MergeProgressed(None))
        title = f"xpudbg: {len(order.traces)} ranks" if len(order.traces) > 1 else f"xpudbg: rank {order.traces[0][0]}"
        server = OneTraceServer(path, title)
        await server.start()
        try:
            opened = await asyncio.to_thread(self._browser, server.url)
            if not opened:
                self._emit(events.HandedOver(path, "", opened=False))
                return
            self._emit(events.HandedOver(path, server.url, opened=True))
            taken = await server.run()
            self._emit(
                events.ProfileSaid(
                    "Perfetto has the trace" if taken else f"the browser did not take the trace; it is in {path}"
                )
            )
        finally:
            with contextlib.suppress(OSError):
                await server.close()
