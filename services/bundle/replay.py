"""A bundle as a target: the same events as the attachment had that it was captured from, its looks analysed anew."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from .. import events
from ..cluster.probes import COUNTERS
from ..flight_recorder.decode import decode
from ..flight_recorder.dump import DumpError
from ..judging.watchdog_findings import watchdog_findings
from ..looks.analysis import LookAnalyst, LookMaterial
from ..looks.recorders import DUMP_FILE
from ..post_mortem.analysis import FileAnalyst, FileMaterial
from ..ranksets import RankSet
from ..snapshot import LookContext, Outcome
from ..spool import EMPTY
from ..targets import TargetError
from .chosen_ranks import not_there, restricted
from .errors import BundleError
from .reader import open_bundle

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor
    from pathlib import Path

    from ..cluster.probes import Probe
    from ..flight_recorder.dump import Dump
    from ..snapshot import RankReply
    from ..store_browse.events import StoreEvent
    from .looks import LookRead
    from .reader import Bundle

__all__ = ["INTERRUPTED", "Replay"]

T = TypeVar("T")

INTERRUPTED = "the capture was interrupted during this look: what had come until then is judged"
_TOGETHER = 256
"""Events after which others get their turn."""
_NOT_FOUND = 404


class Replay:
    """One bundle, opened. Lives on the engine's event loop, reads and judges in `analyses`."""

    def __init__(
        self,
        path: Path,
        *,
        emit: Callable[[events.Event], None],
        analyses: Executor,
        ranks: RankSet | None = None,
    ) -> None:
        """
        Args:
            path: the bundle.
            emit: takes every event.
            analyses: runs reading and the analyses, one at a time.
            ranks: the ranks to look at (--ranks), all when None.
        """
        self.path = path
        self._ranks = ranks
        self._emit = emit
        self._analyses = analyses
        self._bundle: Bundle | None = None
        self._next = 0
        """Index of the look that is replayed next."""
        self._look_id = 0
        self._opened: events.TargetOpened | None = None
        """The target as it was told last."""
        self._ended = 0
        """When the look before ended, ns since the epoch."""
        self._context: LookContext | None = None
        """Of the look before."""
        self._analyst = LookAnalyst()
        self._files = FileAnalyst()

    async def open(self) -> None:
        """Read the lists of the bundle and say with TargetOpened whose ranks it holds.

        Raises:
            TargetError: it is no bundle, can't be read, holds no look, or none of the wanted ranks.
        """
        self._emit(events.TargetOpening(str(self.path)))
        try:
            bundle, first, store = await self._in_background(self._read)
        except BundleError as error:
            raise TargetError(f"{self.path.name}: {error}", hint=error.hint or "capture the job once more") from error
        except OSError as error:
            raise TargetError(
                f"{self.path.name} can't be read: {error.strerror or error}", hint="give the path of a bundle"
            ) from error
        self._bundle, self._ended = bundle, bundle.meta.created_at
        self._tell_target(first.opened)
        for event in store:
            self._emit(event)

    async def look(self) -> None:
        """Replay the looks that have not been replayed yet, the earliest first; does nothing when there are none."""
        assert self._bundle is not None
        while self._next < len(self._bundle.looks):
            bundled = self._bundle.looks[self._next]
            self._next += 1
            try:
                read = self._chosen(await self._in_background(bundled.read, self._look_id + 1))
            except (BundleError, OSError) as error:
                self._unreadable(f"look {bundled.number} of the bundle can't be read: {error}")
            else:
                await self._replayed(read, more=self._next < len(self._bundle.looks))

    async def ask(self, _ranks: RankSet, _probe: Probe) -> None:
        """A bundle answers nothing."""

    async def close(self) -> None:
        """Let go of the file."""
        self._analyst.close()
        if self._bundle is not None:
            self._bundle.close()

    # ----------------------------------------------------------------------------------------------------------

    def _read(self) -> tuple[Bundle, LookRead, list[StoreEvent]]:
        bundle = open_bundle(self.path)
        try:
            if not bundle.looks:
                raise BundleError("it holds no look", hint="the capture was interrupted before the first one began")
            first = _first(bundle)
            if self._ranks is not None:
                self._refuse_others(bundle, first, self._ranks)
            return bundle, self._chosen(first), _store_events(bundle)
        except BaseException:
            bundle.close()
            raise

    def _chosen(self, read: LookRead) -> LookRead:
        return read if self._ranks is None else restricted(read, self._ranks)

    def _refuse_others(self, bundle: Bundle, first: LookRead, wanted: RankSet) -> None:
        """
        Raises:
            TargetError: no look of the bundle holds a rank that is wanted.
        """
        known = _ranks_of(first)
        for bundled in bundle.looks if not known & wanted else ():
            try:
                known |= _ranks_of(bundled.read())
            except BundleError:
                continue  # it is told when its turn comes
        if not known & wanted:
            raise TargetError(f"{self.path.name}: {not_there(wanted, known)}", hint="give other ranks with --ranks")

    def _tell_target(self, opened: events.TargetOpened) -> None:
        assert self._bundle is not None
        told = replace(
            opened, notes=(*self._bundle.notes, *opened.notes), replayed=f"{self._bundle.said}: {self.path.name}"
        )
        if told != self._opened:
            self._opened = told
            self._emit(told)

    def _unreadable(self, why: str) -> None:
        """A look of which nothing is known but that there was one."""
        assert self._bundle is not None
        self._look_id += 1
        self._emit(events.LookStarted(self._look_id, self._ended, RankSet()))
        more = self._next < len(self._bundle.looks)
        self._emit(events.LookClosed(self._look_id, self._ended, True, (why,), partial=True, more=more))

    async def _replayed(self, read: LookRead, *, more: bool) -> None:
        self._look_id = read.started.look_id
        self._tell_target(read.opened)
        self._emit(read.started)
        closed, context = None, None
        try:
            for number, step in enumerate(read.steps):
                if isinstance(step, events.TargetOpened):
                    self._tell_target(step)
                else:
                    self._emit(step)
                if number % _TOGETHER == _TOGETHER - 1:
                    await asyncio.sleep(0)
            closed = read.closed
            if read.analysed or closed is None:
                context = await self._analyse(read)
        except BaseException:  # cancelled, or a defect: whoever waits for the end of the look hears of it
            self._emit(events.LookClosed(self._look_id, _ended(read), cancelled=True, notes=read.notes))
            raise
        self._ended = closed.closed_at if closed is not None else _ended(read)
        if closed is None:
            notes = (INTERRUPTED, *read.notes)
            told = events.LookClosed(self._look_id, self._ended, True, notes, partial=True, more=more, context=context)
        else:
            damaged = bool(read.notes)
            notes = (*closed.notes, *read.notes)
            told = replace(
                closed, notes=notes, partial=closed.partial or damaged, more=more, context=context or closed.context
            )
        self._emit(told)
        for event in read.after:
            self._emit(event)

    async def _analyse(self, read: LookRead) -> LookContext:
        context = self._context_of(read)
        found, damaged = await self._in_background(self._judged, read, context)
        for reply in damaged:
            self._emit(events.ReplyArrived(self._look_id, reply))
        self._emit(found)
        self._context = context
        return context

    def _context_of(self, read: LookRead) -> LookContext:
        """What was kept of the look; of one that was cut what its replies and the look before tell."""
        if read.closed is not None and read.closed.context is not None:
            return read.closed.context
        lacking = RankSet(
            rank
            for (rank, source), reply in read.replies.items()
            if source == COUNTERS.source and reply.status == _NOT_FOUND
        )
        before = self._context or LookContext()
        # Source lines of frames are never looked for on this machine: the bundle may come from a stranger.
        return replace(before, without_counters=before.without_counters | lacking, may_wait=RankSet(), unreadable={})

    def _judged(self, read: LookRead, context: LookContext) -> tuple[events.Analysed, list[RankReply]]:
        """The analyses, and the replies whose bodies are damaged as they are judged."""
        opened = self._opened
        assert opened is not None
        assert self._bundle is not None
        replies = read.replies
        damaged = []
        for key, reply in replies.items():
            why = self._bundle.damage(reply.body)
            if why:
                damaged.append(_without_body(reply, why))
                replies[key] = damaged[-1]
        live = {key: reply for key, reply in replies.items() if key[1] != DUMP_FILE}
        ranks = RankSet(address.rank for address in opened.addresses if address.url)
        material = LookMaterial(
            look_id=self._look_id,
            taken_at=read.started.taken_at,
            replies=live,
            world_size=opened.world_size,
            ranks=ranks,
            hosts={address.rank: address.host for address in opened.addresses},
            context=context,
        )
        if len(live) < len(replies) or any(address.file for address in opened.addresses):
            return self._judged_files(read, replies, material, opened), damaged
        found = self._analyst.analyse(material)
        return events.Analysed(self._look_id, found.stacks, found.recorder, counters=found.counters), damaged

    def _judged_files(
        self,
        read: LookRead,
        replies: dict[tuple[int, str], RankReply],
        material: LookMaterial,
        opened: events.TargetOpened,
    ) -> events.Analysed:
        """A look at files: dumps as they are judged post mortem, beside them what other files say of ranks."""
        known = {address.rank: address for address in opened.addresses}
        unreadable = dict(material.context.unreadable)
        dumps: list[Dump] = []
        for (rank, source), reply in sorted(replies.items()):
            if source != DUMP_FILE:
                continue
            address = known.get(rank)
            name = read.files.get(rank) or (address.file if address is not None else "")
            try:
                if reply.outcome is not Outcome.OK:
                    raise DumpError(reply.error)
                dump = decode(reply.body.read(), rank)
            except DumpError as error:
                unreadable[rank] = str(error)
                continue
            host = address.host if address is not None else ""
            dumps.append(replace(dump, source=name, host=host, taken_at=reply.started_at))
        context = material.context
        return self._files.analyse(
            FileMaterial(
                look_id=self._look_id,
                taken_at=material.taken_at,
                dumps=dumps,
                replies=material.replies,
                ranks=RankSet(known) | RankSet(rank for rank, _ in replies),
                world_size=material.world_size,
                unreadable=unreadable,
                mixed=context.mixed,
                logged=watchdog_findings(context.watchdog, context.heard, material.world_size),
            )
        )

    async def _in_background(self, work: Callable[..., T], *given: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._analyses, work, *given)


def _ranks_of(read: LookRead) -> RankSet:
    """All ranks that a look knows of, those that joined it included."""
    targets = (read.opened, *(step for step in read.steps if isinstance(step, events.TargetOpened)))
    return RankSet(address.rank for target in targets for address in target.addresses)


def _first(bundle: Bundle) -> LookRead:
    """The first look that can be read.

    Raises:
        BundleError: there is none; says why the first can't be.
        OSError: the file can't be read.
    """
    failed = None
    for bundled in bundle.looks:
        try:
            return bundled.read()
        except BundleError as error:
            failed = failed or error
    assert failed is not None
    raise failed


def _store_events(bundle: Bundle) -> list[StoreEvent]:
    from ..store_browse.events import StoreListed, StoreRefused, StoreValuesRead

    try:
        listing, values = bundle.store()
    except (BundleError, OSError) as error:
        return [StoreRefused(f"the store's keys in the bundle can't be read: {error}")]
    if listing is None:
        return [StoreRefused("the bundle does not hold the store's keys", "they were not read before it was written")]
    return [StoreListed(listing), StoreValuesRead(values)]


def _without_body(reply: RankReply, why: str) -> RankReply:
    return replace(reply, body=EMPTY, outcome=Outcome.HTTP_ERROR, error=why)


def _ended(read: LookRead) -> int:
    """When the last thing of a look came, ns since the epoch."""
    ends = [step.reply.ended_at for step in read.steps if isinstance(step, events.ReplyArrived)]
    return max((*ends, read.started.taken_at))
