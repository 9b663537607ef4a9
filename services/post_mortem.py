"""A job that is known from its flight recorder dumps alone: the same events as a live attachment, read from files."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, TypeVar

from . import events
from .flight_recorder.files import find_files
from .flight_recorder.loading import Loaded, load, looks_of
from .flight_recorder.notes import limits_of
from .ranksets import RankSet
from .recorded_stacks import recorded_stacks
from .recorder_look import DUMP_FILE, RecorderAnalyst, RecorderLook
from .snapshot import Outcome, RankAddress, RankReply
from .spool import EMPTY, Body
from .stack_look import StackLook
from .targets import FilesTarget, TargetError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

    from .attach_options import AttachOptions
    from .cluster.probes import Probe
    from .flight_recorder.dump import Dump

__all__ = ["NO_FILE", "PostMortem"]

T = TypeVar("T")

NO_FILE = "no dump"
"""Stands for the file of a rank that other dumps know and that has left none."""

SKIPPED_NAMED = 20
"""Files left aside whose reason is told one by one; more are counted."""


class PostMortem:
    """Dumps in files, read again at each look. Lives on the engine's event loop, reads in `analyses`."""

    def __init__(
        self,
        target: FilesTarget,
        options: AttachOptions,
        *,
        emit: Callable[[events.Event], None],
        analyses: Executor,
    ) -> None:
        """
        Args:
            target: the files and folders.
            options: which ranks, and the world size where it is known.
            emit: takes every event.
            analyses: runs reading and analysis, one at a time.
        """
        self.target = target
        self._options = options
        self._emit = emit
        self._analyses = analyses
        self._look_id = 0
        self._loaded: Loaded | None = None
        self._size = 0
        self._ranks = RankSet()

    async def open(self) -> None:
        """Find and read the dumps, and say with TargetOpened whose they are.

        Raises:
            TargetError: a path does not exist, or nothing under the paths is a dump.
        """
        self._emit(events.TargetOpening(self.target.label))
        self._loaded = await self._in_background(self._read)
        self._emit(self._opened(self._loaded))

    async def look(self) -> None:
        """Judge the dumps as looks, the earliest first; the newest of each rank makes the last."""
        trouble = ""
        if self._look_id:
            try:
                self._loaded = await self._in_background(self._read)
            except TargetError as error:  # what was read before stays on the screen
                trouble = f"the files could not be read again: {error}"
            assert self._loaded is not None
            self._emit(self._opened(self._loaded))
        assert self._loaded is not None
        looks = looks_of(self._loaded.dumps) or ((),)
        analyst = RecorderAnalyst(())
        for number, dumps in enumerate(looks):
            self._look_id += 1
            last = number == len(looks) - 1
            await self._one_look(dumps, self._loaded if last else None, analyst, trouble if last else "")

    async def ask(self, _ranks: RankSet, _probe: Probe) -> None:
        """Files answer nothing."""

    async def close(self) -> None:
        """Nothing is held open."""

    async def _one_look(
        self, dumps: Sequence[Dump], loaded: Loaded | None, analyst: RecorderAnalyst, trouble: str
    ) -> None:
        taken_at = max((dump.taken_at or 0 for dump in dumps), default=time.time_ns())
        unreadable = dict(loaded.unreadable) if loaded is not None else {}
        mixed = loaded.mixed if loaded is not None else None
        self._emit(events.LookStarted(self._look_id, taken_at, RankSet(dump.rank for dump in dumps)))
        for dump in dumps:
            self._emit(events.ReplyArrived(self._look_id, _reply(dump, self._path_of(dump), taken_at)))
        known = self._ranks | RankSet(dump.rank for dump in dumps)

        def work() -> tuple[RecorderLook, StackLook]:
            recorder = analyst.judge_files(self._look_id, taken_at, dumps, self._size, unreadable, mixed)
            return recorder, recorded_stacks(recorder, known)

        recorder, recorded = await self._in_background(work)
        self._emit(events.Analysed(self._look_id, StackLook(look_id=0), recorder, recorded))
        said = [note for one in recorder.diagnoses.values() for note in (*one.contradictions, *limits_of(one.analysis))]
        notes = (*said, *_notes(loaded)) if loaded is not None else ()
        if trouble:
            notes = (trouble, *notes)
        closed = events.LookClosed(
            self._look_id, taken_at, notes=notes, partial=bool(unreadable or trouble), more=loaded is None
        )
        self._emit(closed)

    def _read(self) -> Loaded:
        try:
            found = find_files(self.target.paths, recursive=self._options.recursive)
        except OSError as error:
            raise TargetError(str(error), hint="give a folder of flight recorder dumps, or the dumps") from error
        loaded = load(found)
        if not loaded.dumps:
            reasons = [f"{one.path.name}: {one.reason}" for one in (*loaded.failed, *loaded.skipped)][:3]
            raise TargetError(
                f"{self.target.label}: no flight recorder dump among {len(found.files) + len(found.skipped)} files"
                + (f" ({'; '.join(reasons)})" if reasons else ""),
                hint="dumps are JSON or pickles, gzip'd or not, whose names end in the rank: nccl_trace_rank_5",
            )
        return loaded

    def _opened(self, loaded: Loaded) -> events.TargetOpened:
        hosts: dict[int, str] = {}
        files: dict[int, str] = {}
        for dump in loaded.dumps:
            hosts[dump.rank] = dump.host or hosts.get(dump.rank, "")
            files[dump.rank] = dump.source
        for rank, reason in loaded.unreadable.items():
            files.setdefault(rank, f"{NO_FILE} ({reason})")
        known = RankSet(files)
        for dump in loaded.dumps:
            for config in dump.configs:
                known |= config.members or RankSet()
        self._size = max((known.last or 0) + 1, self._options.world_size or 0)
        known |= RankSet.full(self._options.world_size or 0)
        wanted = known if self._options.ranks is None else known & self._options.ranks
        addresses = tuple(
            RankAddress(rank, "", "", hosts.get(rank, ""), file=files.get(rank, NO_FILE)) for rank in wanted
        )
        self._ranks = wanted
        return events.TargetOpened(self.target.label, self._size, addresses, loaded.notes)

    def _path_of(self, dump: Dump) -> Path | None:
        for path in self.target.paths:
            candidate = path / dump.source if path.is_dir() else path
            if candidate.name == dump.source and candidate.is_file():
                return candidate
        return None

    async def _in_background(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._analyses, work)


def _reply(dump: Dump, path: Path | None, taken_at: int) -> RankReply:
    body = Body(size=path.stat().st_size, path=path) if path is not None else EMPTY
    return RankReply(
        rank=dump.rank,
        source=DUMP_FILE,
        query="",
        outcome=Outcome.OK,
        status=None,
        body=body,
        error="",
        started_at=dump.taken_at or taken_at,
        took_s=0.0,
    )


def _notes(loaded: Loaded) -> tuple[str, ...]:
    """One line for each file that could not be used, and how many others lie beside the dumps."""
    notes = [f"{one.path.name}: {one.reason}" for one in loaded.failed[:SKIPPED_NAMED]]
    if len(loaded.failed) > SKIPPED_NAMED:
        notes.append(f"{len(loaded.failed) - SKIPPED_NAMED} more files could not be used")
    notes += [f"{one.path.name} is left aside: {one.reason}" for one in loaded.skipped[:SKIPPED_NAMED]]
    if len(loaded.skipped) > SKIPPED_NAMED:
        notes.append(f"{len(loaded.skipped) - SKIPPED_NAMED} more files are left aside")
    return tuple(notes)
