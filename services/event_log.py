"""What the engine says, logged as it is said: targets, looks with their failures summed up, op runs, files, defects."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

from . import events
from .logs import is_logging, logger
from .snapshot import Outcome

if TYPE_CHECKING:
    from .snapshot import RankReply

__all__ = ["EventLog", "event_queue"]

_LOG = logger("xpudbg.services.engine")
MOST_KINDS = 12
"""Kinds of failures of one look that are named."""


def event_queue() -> queue.SimpleQueue[events.Event]:
    """The queue on which an engine's events come out; one that logs them when there is a log."""
    return EventLog() if is_logging() else queue.SimpleQueue()


class EventLog(queue.SimpleQueue[events.Event]):
    """Logs each event before it is handed on."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._failed: Counter[tuple[str, str]] = Counter()
        self._replies = 0
        self._begun = time.monotonic()
        self._opened = time.monotonic()

    def put(self, item: events.Event, block: bool = True, timeout: float | None = None) -> None:
        with self._lock:
            self._note(item)
        super().put(item, block, timeout)

    def _note(self, event: events.Event) -> None:
        match event:
            case events.ReplyArrived(_, reply):
                self._replies += 1
                self._note_reply(reply)
            case events.LookStarted():
                self._failed.clear()
                self._replies, self._begun = 0, time.monotonic()
                _LOG.info("look %d begins: %d ranks", event.look_id, len(event.ranks))
            case events.LookClosed():
                self._note_look(event)
            case events.AskedReply(reply) if reply.outcome is not Outcome.OK:
                _LOG.warning("rank %d, %s asked for: %s: %s", reply.rank, reply.source, reply.outcome, reply.error)
            case events.TargetOpening():
                self._opened = time.monotonic()
                _LOG.info("opening %s", event.label)
            case events.TargetOpened():
                took = time.monotonic() - self._opened
                _LOG.info("opened %s: world size %d, %.2f s", event.label, event.world_size, took)
                for note in event.notes:
                    _LOG.info("note: %s", note)
            case events.TargetFailed():
                _LOG.error("failed: %s: %s (%s)", event.label, event.message, event.hint)
            case events.TargetClosed():
                _LOG.info("let go of the target")
            case events.OpEnded():
                self._note_run(event)
            case events.EngineFailed():
                _LOG.error("defect while %s: %s\n%s", event.doing, event.error, event.trace)
            case _:
                self._note_bundle(event)

    def _note_reply(self, reply: RankReply) -> None:
        if reply.outcome is not Outcome.OK:
            self._failed[reply.source, reply.outcome.value] += 1
            _LOG.debug("rank %d, %s: %s: %s", reply.rank, reply.source, reply.outcome, reply.error)

    def _note_look(self, event: events.LookClosed) -> None:
        took = time.monotonic() - self._begun
        kinds = [f"{source} {outcome} {count}" for (source, outcome), count in self._failed.most_common(MOST_KINDS)]
        rest = sum(self._failed.values()) - sum(count for _, count in self._failed.most_common(MOST_KINDS))
        failed = ", ".join(kinds) + (f", others {rest}" if rest else "")
        ended = "cancelled" if event.cancelled else "partial" if event.partial else "closed"
        level = logging.WARNING if failed or event.partial else logging.INFO
        said = f"; failed: {failed}" if failed else ""
        _LOG.log(level, "look %d %s: %d replies in %.2f s%s", event.look_id, ended, self._replies, took, said)
        for note in event.notes:
            _LOG.info("note: %s", note)

    def _note_run(self, event: events.OpEnded) -> None:
        if event.error is not None:
            _LOG.warning("op run %s failed: %s: %s", event.run_id, type(event.error).__name__, event.error)
        else:
            number = f" as number {event.number}" if event.number is not None else ""
            _LOG.info("op run %s ended%s", event.run_id, number)
        if event.history_note:
            _LOG.warning("history: %s", event.history_note)

    def _note_bundle(self, event: events.Event) -> None:
        from .bundle.events import BundleFailed, BundleWritten

        if isinstance(event, BundleWritten):
            _LOG.info("bundle %s: %d looks, %d replies, %d bytes", event.path, event.looks, event.replies, event.size)
        elif isinstance(event, BundleFailed):
            _LOG.error("bundle %s: %s", event.path, event.message)
