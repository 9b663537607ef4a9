"""Files that a job left behind as a target: read once, judged as looks, and again when they are looked at again."""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING, TypeVar

from .. import events
from ..artifacts.gathering import Gathered, key_of, traces_by_rank
from ..artifacts.looks import FileLook, file_looks
from ..flight_recorder.notes import limits_of
from ..judging.watchdog_findings import watchdog_findings
from ..looks.recorders import DUMP_FILE
from ..looks.stacks import SOURCES
from ..ranksets import RankSet, ranks_said
from ..snapshot import LookContext, Outcome, RankAddress, RankReply
from ..spool import EMPTY
from ..store_browse.events import StoreListed, StoreListing, StoreValuesRead
from ..store_browse.values import StoreValue
from ..targets import TargetError
from .analysis import FileAnalyst, FileMaterial
from .reading import FileReading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor
    from pathlib import Path

    from ..artifacts.artifact import Evidence
    from ..attach_options import AttachOptions
    from ..cluster.probes import Probe
    from ..findings import Finding
    from ..looks.stacks import StackLook
    from ..profiles.orders import ProfileOrder
    from ..spool import Spool
    from ..targets import FilesTarget

__all__ = ["NO_FILE", "PostMortem"]

T = TypeVar("T")

NO_FILE = "no dump"
"""Stands for the file of a rank that others know and that has left none."""

TRACES_ONLY = "only profiler traces: they say nothing of who holds up whom; screen 6 shows them"
OUTDATED = "stacks or other answers are left out: the job has gone on for more than 15 hours after they were written"
REFUSED_NAMED = 20
"""Files that could not be used whose reason is a note of the look; more are counted."""
_TIMED_OUT, _NO_CONNECTION = 408, 503
"""What torch's debug server writes as status of a rank that gave it no answer."""
_REFUSED = re.compile(r"refused|Connect call failed", re.IGNORECASE)


class PostMortem:
    """The files of one target. Lives on the engine's event loop, reads in `analyses`."""

    def __init__(
        self,
        target: FilesTarget,
        options: AttachOptions,
        *,
        emit: Callable[[events.Event], None],
        analyses: Executor,
        spool: Spool,
        profile: Callable[[ProfileOrder], None],
    ) -> None:
        """
        Args:
            target: the files and folders.
            options: which ranks, the world size where it is known, a cluster that reads.
            emit: takes every event.
            analyses: runs reading and analysis, one at a time.
            spool: takes members of archives and large bodies.
            profile: takes orders for the profiler: traces that lie among the files.
        """
        self.target = target
        self._options = options
        self._emit = emit
        self._analyses = analyses
        self._profile = profile
        self._reading = FileReading(target, options, spool, emit)
        self._look_id = 0
        self._gathered = Gathered()
        self._size = 0
        self._ranks = RankSet()
        self._traces: tuple[Path, ...] = ()
        """Those that the profiler was told of."""
        self._emitted = 0
        """Time of the newest look that was told, ns since the epoch."""

    async def open(self) -> None:
        """Find and read the files, and say with TargetOpened whose they are.

        Raises:
            TargetError: a path does not exist, nothing under the paths is of use, or it is of none of the wanted ranks.
        """
        self._emit(events.TargetOpening(self.target.label))
        self._gathered = await self._in_background(self._reading.read)
        self._tell()

    async def look(self) -> None:
        """Judge the files as looks, the earliest first; the newest of each rank makes the last.

        When they are read again, those that are newer than what was told before are told, and the last in any case.
        """
        trouble = ""
        if self._look_id:
            try:
                self._gathered = await self._in_background(self._reading.read)
            except TargetError as error:  # what was read before stays on the screen
                trouble = f"the files could not be read again: {error}"
            except asyncio.CancelledError:
                self._tell()
                raise
            self._tell()
        looks = file_looks(self._gathered.dumps, self._gathered.evidence)
        analyst, known = FileAnalyst(), self._emitted
        for number, look in enumerate(looks):
            last = number == len(looks) - 1
            new = last or look.taken_at > known or not known
            self._look_id += new
            await self._one_look(look, analyst, trouble, last=last, told=new)

    async def ask(self, _ranks: RankSet, _probe: Probe) -> None:
        """Files answer nothing."""

    async def close(self) -> None:
        """Let go of what reads."""
        await asyncio.get_running_loop().run_in_executor(None, self._reading.close)

    # ----------------------------------------------------------------------------------------------------------

    async def _one_look(self, look: FileLook, analyst: FileAnalyst, trouble: str, *, last: bool, told: bool) -> None:
        """
        Args:
            trouble: why the files could not be read again, one plain line.
            last: it is the newest; what belongs to no moment counts with it.
            told: as a look; else it is only analysed, for those after it to be compared with.
        """
        gathered = self._gathered
        taken_at = look.taken_at or time.time_ns()
        replies = self._replies(look, taken_at)
        known = self._ranks | RankSet(rank for rank, _ in replies)
        if told:
            self._emit(events.LookStarted(self._look_id, taken_at, RankSet(rank for rank, _ in replies)))
            # In order of time: counters of before a traceback that did not come tell nothing of the rank since then.
            for reply in sorted(replies.values(), key=lambda reply: reply.started_at):
                self._emit(events.ReplyArrived(self._look_id, reply))
        material = FileMaterial(
            look_id=self._look_id,
            taken_at=taken_at,
            dumps=look.dumps,
            replies={key: reply for key, reply in replies.items() if key[1] != DUMP_FILE},
            ranks=known,
            world_size=self._size,
            unreadable=dict(gathered.unreadable) if last else {},
            mixed=gathered.mixed if last else RankSet(),
            logged=self._logged() if last else (),
        )
        found = await self._in_background(lambda: analyst.analyse(material))
        if not told:
            return
        self._emitted = max(self._emitted, look.taken_at)
        self._emit(found)
        said, cut = _stacks_said(found.stacks, replies)
        notes = [trouble] if trouble else []
        notes += [*_failed(gathered), *said] if last else said
        if look.outdated:
            notes.append(f"of {ranks_said(look.outdated)} {OUTDATED}")
        for one in found.recorder.diagnoses.values():
            notes += (*one.contradictions, *limits_of(one.analysis))
        partial = cut or (last and (gathered.partial or bool(trouble)))
        context = LookContext(
            unreadable=material.unreadable,
            mixed=material.mixed,
            watchdog=gathered.watchdog if last else (),
            heard=gathered.heard if last else RankSet(),
        )
        self._emit(
            events.LookClosed(
                self._look_id, taken_at, notes=tuple(notes), partial=partial, more=not last, context=context
            )
        )

    def _logged(self) -> tuple[Finding, ...]:
        gathered = self._gathered
        return watchdog_findings(gathered.watchdog, gathered.heard, self._size)

    def _tell(self) -> None:
        """Whose files these are, what the store held, which traces there are."""
        gathered = self._gathered
        self._emit(self._opened(gathered))
        if gathered.store is not None:
            keys = [(key.encode("utf-8", "surrogateescape"), value) for key, value in gathered.store.keys]
            listed = tuple(sorted(key for key, _ in keys))
            self._emit(StoreListed(StoreListing(listed, len(listed), gathered.store_at)))
            values = (StoreValue(key, value, len(value), gathered.store_at) for key, value in keys)
            self._emit(StoreValuesRead(tuple(values)))
        elif gathered.bundled_store is not None:
            listing, known = gathered.bundled_store
            self._emit(StoreListed(listing))
            self._emit(StoreValuesRead(known))
        traces = tuple(one.path for one in gathered.traces if one.path is not None)
        if traces and traces != self._traces:
            self._traces = traces
            from ..profiles.orders import OpenTraces

            self._profile(OpenTraces(traces))

    def _opened(self, gathered: Gathered) -> events.TargetOpened:
        hosts: dict[int, str] = dict(gathered.hosts)
        files: dict[int, str] = {}
        for dump in gathered.dumps:
            hosts[dump.rank] = dump.host or hosts.get(dump.rank, "")
            files[dump.rank] = dump.source
        for one in sorted(gathered.evidence, key=lambda one: one.taken_at, reverse=True):
            hosts[one.rank] = hosts.get(one.rank) or one.host
            files.setdefault(one.rank, one.artifact)
        for line in gathered.watchdog:
            if line.rank is not None:
                files.setdefault(line.rank, line.artifact)
        for rank, trace in traces_by_rank(gathered.traces).items():
            files.setdefault(rank, trace.name)
        for rank, reason in gathered.unreadable.items():
            files.setdefault(rank, f"{NO_FILE} ({reason})")
        known = RankSet(files) | gathered.heard
        for dump in gathered.dumps:
            for config in dump.configs:
                known |= config.members or RankSet()
        last = known.last
        self._size = max(0 if last is None else last + 1, self._options.world_size or 0, gathered.world_size)
        known |= RankSet.full(max(self._options.world_size or 0, gathered.world_size))
        wanted, notes = known, gathered.notes
        if self._options.ranks is not None:
            wanted = known & self._options.ranks
            beyond = self._options.ranks - known
            said = f"--ranks {beyond}: the files are of ranks {known} only"
            if known and not wanted and not self._look_id:
                hint = "give other ranks with --ranks, or the true number with --world-size"
                raise TargetError(f"{self.target.label}: {said}", hint=hint)
            if known and beyond:
                notes = (*notes, said)
        addresses = tuple(
            RankAddress(rank, "", "", hosts.get(rank, ""), file=files.get(rank, NO_FILE)) for rank in wanted
        )
        self._ranks = wanted
        stored = gathered.store is not None or gathered.bundled_store is not None
        asides = gathered.asides
        if gathered.traces and not gathered.dumps and not gathered.evidence and not gathered.watchdog:
            asides = (TRACES_ONLY, *asides)
        return events.TargetOpened(
            self.target.label,
            self._size,
            addresses,
            notes,
            store=self.target.label if stored else "",
            unused=(*gathered.failed, *gathered.left_aside),
            asides=asides,
            of_files=True,
        )

    def _replies(self, look: FileLook, taken_at: int) -> dict[tuple[int, str], RankReply]:
        replies: dict[tuple[int, str], RankReply] = {}
        for dump in look.dumps:
            body = self._gathered.bodies.get(key_of(dump), EMPTY)
            replies[dump.rank, DUMP_FILE] = RankReply(
                dump.rank, DUMP_FILE, "", Outcome.OK, None, body, "", dump.taken_at or taken_at, 0.0
            )
        for one in look.evidence:
            outcome = _outcome(one)
            replies[one.rank, one.source] = RankReply(
                one.rank, one.source, "", outcome, one.status, one.body, one.error, one.taken_at, 0.0
            )
        return replies

    async def _in_background(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._analyses, work)


def _outcome(one: Evidence) -> Outcome:
    """How the rank answered whoever wrote the file."""
    if not one.error:
        return Outcome.OK
    if one.status == _TIMED_OUT:
        return Outcome.TIMEOUT
    if one.status != _NO_CONNECTION:
        return Outcome.HTTP_ERROR
    return Outcome.REFUSED if _REFUSED.search(one.error) else Outcome.UNREACHABLE


def _stacks_said(stacks: StackLook, replies: Mapping[tuple[int, str], RankReply]) -> tuple[list[str], bool]:
    """Stacks that are not whole and answers that hold none, a line for all ranks of which the same is to be said; and
    whether anything that was there could not be used: that a rank did not answer whoever wrote the file is no such
    thing."""
    told: dict[str, list[int]] = {}
    cut = False
    for rank, why in stacks.missing.items():
        there = [reply for source in SOURCES if (reply := replies.get((rank, source))) is not None]
        cut |= any(reply.outcome is Outcome.OK for reply in there)
        if there:
            told.setdefault(why, []).append(rank)
    for rank, dump in stacks.dumps.items():
        if dump.cut:
            cut = True
            told.setdefault(dump.notes[0] if dump.notes else "cut", []).append(rank)
    lines = [f"stack of {ranks_said(RankSet(ranks))}: {why}" for why, ranks in told.items()]
    return lines[:REFUSED_NAMED], cut


def _failed(gathered: Gathered) -> list[str]:
    """One line for each file of the job that could not be used."""
    notes = [f"{one.name}: {one.reason}" for one in gathered.failed[:REFUSED_NAMED]]
    if len(gathered.failed) > REFUSED_NAMED:
        notes.append(f"{len(gathered.failed) - REFUSED_NAMED:,} more files could not be used")
    return notes
