"""Waits that leave no frame in Python: `irecv(...).wait()`, `store.get(...)`, told by the source line of a stack.

The line is read on this machine, where the job's files are often the same ones. A file system that hangs must not hold
up the analysis (it may be what holds up the job), so the files are read beside it, within a short time.
"""

from __future__ import annotations

from concurrent.futures import TimeoutError as TooLate
from typing import TYPE_CHECKING

from ..daemon_threads import DaemonThreads
from ..ranksets import RankSet
from ..stacks.communication import CommunicationKind, find_communication
from ..stacks.source_lines import SourceLines

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import Executor

    from ..looks.stacks import StackLook
    from ..stacks.communication import SourceLine
    from ..stacks.model import Frame

__all__ = ["HiddenWaits"]

PATIENCE_S = 0.5
"""Seconds within which the source of all suspects has to come."""
MOST_STACKS = 64
"""Stacks that are looked at."""

_OF_OTHERS = frozenset(
    (CommunicationKind.WAIT, CommunicationKind.STORE, CommunicationKind.RECV, CommunicationKind.SEND)
)
"""Waits that a flight recorder need not know; one on the device is known to it."""


class HiddenWaits:
    """Reads source lines of ranks that a recorder names; keeps the files it has read."""

    def __init__(self, source_line: SourceLine | None = None, reader: Executor | None = None) -> None:
        """
        Args:
            source_line: tells a line of a file; reads them here when None.
            reader: runs it; one thread of its own when None.
        """
        self._source_line = source_line or SourceLines()
        self._reader = reader or DaemonThreads(1, "xpudbg-source")
        self._is_late = False

    def among(self, stacks: StackLook, suspects: Iterable[int]) -> RankSet:
        """Those of the suspects whose main thread may wait for other ranks where Python shows nothing of it."""
        by_stack: dict[tuple[Frame, ...], list[int]] = {}
        for rank in suspects:
            main = stacks.main(rank)
            if main is not None and main.frames:
                by_stack.setdefault(main.frames, []).append(rank)
        if not by_stack or self._is_late:
            return RankSet()
        chosen = list(by_stack)[:MOST_STACKS]
        reading = self._reader.submit(lambda: [self._waits(frames) for frames in chosen])
        try:
            told = reading.result(PATIENCE_S)
        except TooLate:
            self._is_late = True  # the reader may hang for good: it is not asked again
            return RankSet()
        return RankSet(rank for frames, waits in zip(chosen, told, strict=True) if waits for rank in by_stack[frames])

    def close(self) -> None:
        """Let the reader end when it can."""
        self._reader.shutdown(wait=False)

    def _waits(self, frames: tuple[Frame, ...]) -> bool:
        inside = find_communication(frames, self._source_line)
        return inside is not None and not inside.sure and inside.kind in _OF_OTHERS
