"""`xpudbg capture`: looks at a job and writes what comes into a bundle at once.

The events are followed on a thread of their own, so that an interrupt of the program never falls into the middle of a
member: it ends the look, and the file is finished with what has come.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import events
from ..report import document, render_markdown
from ..session import Phase, Session
from ..store_browse.events import StoreListed, StoreRefused, StoreValuesRead
from ..store_browse.orders import ListKeys, ReadValues
from ..store_browse.values import PREVIEW_LIMIT
from .errors import BundleError
from .recording import BundleRecording
from .redaction import STORE, Redaction
from .writer import BundleWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ..attach_options import AttachOptions
    from ..engine import Engine
    from ..targets import Target

__all__ = ["Capture", "CaptureOptions"]

SILENCE_S = 0.3
"""After a cancel an engine that says nothing for so long has no look under way."""
STORE_PATIENCE_S = 10.0
"""Seconds at the end that the store's values are waited for."""
MOST_VALUES = 10_000
"""Values of the store that are read."""
_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """What a capture should be."""

    path: Path
    looks: int = 2
    interval_s: float = 2.0
    """Seconds between two looks."""
    redacted: frozenset[str] = frozenset()
    """Some of `redaction.KINDS`."""
    store_values: bool = True
    """Read the values of the store too, not its keys alone."""
    force: bool = False
    """Put it in the place of a file that is there."""


class Capture:
    """One capture. `run` does all of it; `interrupt` may be called from any thread."""

    def __init__(self, engine: Engine, target: Target, options: AttachOptions, wanted: CaptureOptions) -> None:
        """Make the file, so that nothing is captured that has no place.

        Args:
            engine: a started engine that nobody else listens to.
            target: what to look at.
            options: how.
            wanted: the capture.

        Raises:
            FileExistsError: the file is there.
            OSError: it can't be made.
            ValueError: something is to be redacted that can't be.
        """
        redaction = Redaction(wanted.redacted)
        self.session = Session(options.bounds)
        """What the capture knows; to be read when `run` has ended."""
        self.failure = ""
        """Why the file could not be written to its end, one plain line."""
        self.written = False
        """Whether there is a file."""
        self._engine = engine
        self._target = target
        self._options = options
        self._wanted = wanted
        self._writer = BundleWriter(wanted.path, force=wanted.force)
        self._recording = BundleRecording(self._writer, redaction)
        self._interrupts = 0
        self._cancelled_at: float | None = None
        self._values_wanted = 0
        """Values of the store that have been asked for and have not come."""
        self._store_asked = False
        self._store_open = False

    @property
    def interrupted(self) -> bool:
        return self._interrupts > 0

    @property
    def looks(self) -> int:
        """Looks that the bundle holds."""
        return self._recording.looks

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._writer.size

    @property
    def left_out(self) -> tuple[str, ...]:
        """What the bundle does not hold though it came, one plain line each."""
        return self._recording.left_out

    def interrupt(self) -> None:
        """End the look under way and finish the file; the second time without waiting for the look."""
        self._interrupts += 1

    def run(self) -> None:
        """Capture to the end. Defects of xpudbg pass through; the file is closed then as it is."""
        try:
            self._engine.attach(self._target, self._options)
            self._follow()
            self._end()
        except (OSError, BundleError) as error:
            self.failure = f"the bundle could not be written to its end: {getattr(error, 'strerror', None) or error}"
            self.written = self._writer.begun
        finally:
            self._writer.close()

    # ----------------------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        """Take events until there is nothing to wait for."""
        next_look: float | None = None
        while True:
            now = time.monotonic()
            if self._interrupts and self._is_over(now):
                return
            if next_look is not None and now >= next_look:
                next_look = None
                self._engine.look()
            event = self._next_event(next_look)
            if event is None:
                continue
            match event:
                case events.TargetFailed():
                    return
                case events.EngineFailed() if self.session.phase is not Phase.OPEN:
                    return
                case events.LookClosed() if not event.more:
                    if self._interrupts or not self.session.asks or self._recording.looks >= self._wanted.looks:
                        self._await_store()
                        return
                    self._ask_store()
                    next_look = time.monotonic() + self._wanted.interval_s

    def _is_over(self, now: float) -> bool:
        """After an interrupt: whether no look is under way any more, or none is to be waited for."""
        if self._cancelled_at is None:
            self._engine.cancel()
            self._cancelled_at = now
        waiting = self.session.under_way is not None
        return self._interrupts > 1 or (not waiting and now - self._cancelled_at > SILENCE_S)

    def _next_event(self, next_look: float | None = None) -> events.Event | None:
        waits = [_POLL_S]
        if (due := self._recording.flush_due()) is not None:
            waits.append(due)
        if next_look is not None:
            waits.append(next_look - time.monotonic())
        try:
            event = self._engine.events.get(timeout=max(min(waits), 0.0))
        except queue.Empty:
            return None
        self.session.apply(event)
        self._recording.apply(event)
        self._store_event(event)
        return event

    def _end(self) -> None:
        if not self._writer.begun:
            self._writer.abandon()
            return
        self.written = True
        store = self.session.store
        report, markdown = document(self.session, with_ranks=True), render_markdown(self.session)
        self._recording.finish(store.listing, store.values.values(), report, markdown)

    # the store ------------------------------------------------------------------------------------------------

    def _ask_store(self) -> None:
        if not self._store_asked and self.session.store.where and self.session.asks:
            self._store_asked = self._store_open = True
            self._engine.browse_store(ListKeys())

    def _store_event(self, event: events.Event) -> None:
        match event:
            case StoreRefused():
                self._store_open = False
            case StoreListed() if self._store_asked:
                keys = event.listing.keys[:MOST_VALUES] if self._reads_values else ()
                self._values_wanted = len(keys)
                self._store_open = bool(keys)
                if keys:
                    self._engine.browse_store(ReadValues(keys, PREVIEW_LIMIT))
            case StoreValuesRead():
                self._values_wanted -= len(event.values)
                self._store_open = self._values_wanted > 0

    @property
    def _reads_values(self) -> bool:
        return self._wanted.store_values and STORE not in self._wanted.redacted

    def _await_store(self) -> None:
        """Wait for the store's keys and values, within a limit."""
        if self._interrupts:
            return
        self._ask_store()
        ends = time.monotonic() + STORE_PATIENCE_S
        while self._store_open and not self._interrupts and time.monotonic() < ends:
            self._next_event()


def run_on_thread(capture: Capture) -> threading.Thread:
    """Run a capture beside the thread that signals interrupt."""
    thread = threading.Thread(target=capture.run, name="xpudbg-capture", daemon=True)
    thread.start()
    return thread
