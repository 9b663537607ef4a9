"""What the engine does for the incident bundle: writes it on a thread of its own, while looks go on."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ..daemon_threads import DaemonThreads
from . import events
from .errors import BundleError
from .from_session import SessionFacts, write_bundle
from .orders import WriteIncident

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ..watch.folder import IncidentFolder
    from .orders import BundleOrder

__all__ = ["BundleWork"]

TOLD_S = 0.1
"""Seconds between two words about how far writing has come."""


class _StoppedError(Exception):
    """The program ends while a bundle is written."""


class BundleWork:
    """Lives on the engine's event loop."""

    def __init__(
        self, emit: Callable[[events.BundleEvent], None], failed: Callable[[str, BaseException], None]
    ) -> None:
        """
        Args:
            emit: takes the events.
            failed: told defects of xpudbg.
        """
        self._emit = emit
        self._failed = failed
        self._writer = DaemonThreads(1, "xpudbg-bundle")
        self._stop = threading.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def carry_out(self, order: BundleOrder) -> None:
        """Begin what is ordered; returns at once. Bundles are written one after the other."""
        task = asyncio.get_running_loop().create_task(self._written(order), name="writing a bundle")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End the writing; a file under way stays as far as it is."""
        self._stop.set()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=2.0)
        for task in self._tasks:
            task.cancel()
        self._writer.shutdown(wait=False)

    async def _written(self, order: BundleOrder) -> None:
        try:
            done = await asyncio.get_running_loop().run_in_executor(self._writer, self._write, order)
        except FileExistsError as error:
            self._not_written(order, f"{error.filename or _where(order)} is there already, and stays as it is")
        except BundleError as error:
            self._not_written(order, str(error))
        except OSError as error:
            self._not_written(order, f"{_where(order)}: {error.strerror or error}")
        except _StoppedError:
            self._not_written(order, "the program ended while it was written")
        except Exception as error:
            self._not_written(order, f"xpudbg itself failed on it: {type(error).__name__}: {error}")
            self._failed(f"writing {_where(order)}", error)
        else:
            for event in done:
                self._emit(event)

    def _not_written(self, order: BundleOrder, message: str) -> None:
        why = order.why if isinstance(order, WriteIncident) else ""
        self._emit(events.BundleFailed(_where(order), message, why))

    def _write(self, order: BundleOrder) -> list[events.BundleEvent]:
        """On the writer's thread."""
        last = time.monotonic()

        def told(path: Path, done: int, total: int) -> None:
            nonlocal last
            if self._stop.is_set():
                raise _StoppedError
            now = time.monotonic()
            if now - last >= TOLD_S:
                last = now
                self._emit(events.BundleProgress(path, done, total))

        facts = order.facts if isinstance(order.facts, SessionFacts) else order.facts()
        if isinstance(order, WriteIncident):
            written = order.folder.write(order.at, order.why, order.looks, facts, told)
            return [replace(written, why=order.why), _rotated(order.folder)]
        on_path = partial(told, order.path)
        return [write_bundle(order.path, order.looks, facts, order.redacted, on_path, force=order.force)]


def _where(order: BundleOrder) -> Path:
    return order.folder.path if isinstance(order, WriteIncident) else order.path


def _rotated(folder: IncidentFolder) -> events.FolderRotated:
    try:
        made = folder.rotate()
    except OSError as error:
        return events.FolderRotated(folder.path, failure=f"old files could not be removed: {error.strerror or error}")
    return events.FolderRotated(folder.path, made.remove, made.over)
