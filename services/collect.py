"""From a target to replies: opens it, keeps the addresses of its ranks current, and takes looks."""

from __future__ import annotations

import asyncio
import ssl
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from . import events
from .addressing.endpoints import Endpoint
from .cluster.fanout import fan_out
from .cluster.file_limit import connections_allowed
from .cluster.lanes import Lanes
from .cluster.liveness import STORE
from .cluster.probes import COUNTERS, TORCH_PROFILE
from .cluster.registry import Registry, read_registry
from .cluster.store import StoreClient, StoreError, StoreFault
from .cluster.store_watch import StoreWatch
from .cluster.transport import make_client
from .cluster.worker import Worker, WorkerListener
from .looks.analysis import LookAnalyst, LookMaterial
from .ranksets import RankSet, ranks_said
from .snapshot import LookContext, Outcome, RankReply
from .spool import EMPTY
from .targets import DemoTarget, FilesTarget, StoreTarget, TargetError, WorkersTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from concurrent.futures import Executor

    import httpx

    from .attach_options import AttachOptions
    from .cluster.probes import Probe
    from .dispatch.endpoint import OpEndpoint
    from .profiles.memberships import Memberships
    from .profiles.work import ProfileWork
    from .simulate.launch import RunningDemo
    from .spool import Spool
    from .targets import Target

__all__ = ["Attachment"]


class Attachment(WorkerListener):
    """One open target. Lives on the engine's event loop and tells everything through `emit`."""

    def __init__(
        self,
        target: Target,
        options: AttachOptions,
        *,
        spool: Spool,
        emit: Callable[[events.Event], None],
        analyses: Executor,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """
        Args:
            target: what to open.
            options: how.
            spool: where large bodies go.
            emit: takes every event.
            analyses: runs the heavy analyses, one at a time.
            transport: used instead of real connections (tests).
        """
        self.target = target
        self._options = options
        self._spool = spool
        self._emit = emit
        self._transport = transport
        self._resources = AsyncExitStack()
        self._lanes = Lanes(connections=connections_allowed(), fast_slots=options.parallel)
        self._client: httpx.AsyncClient | None = None
        self._store: StoreTarget | None = None
        self._demo: RunningDemo | None = None
        self._registry: Registry | None = None
        self._read_at = 0
        self._watch = StoreWatch()
        self._store_silent = False
        """The last attempt to read the store got a connection and no answer."""
        self._workers: dict[int, Worker] = {}
        self._look_id = 0
        self._taken_at = 0
        self._replies: dict[tuple[int, str], RankReply] = {}
        """Replies of the look under way."""
        self.profiler: ProfileWork | None = None
        """Told how far the profiles of ranks are."""
        self._memberships: dict[int, Memberships] = {}
        """Who is in which group, by the rank that said so in a profile."""
        self._analyses = analyses
        self._analyst = LookAnalyst()

    async def open(self) -> None:
        """Find the ranks and say so with TargetOpened.

        Raises:
            TargetError: the target can't be reached or read; message and hint are for a person.
        """
        self._emit(events.TargetOpening(self.target.label))
        try:
            client = make_client(self._options, self._transport)
        except (OSError, ssl.SSLError) as error:
            raise TargetError(
                f"the CA file {self._options.ca_file} can't be used: {error}",
                hint="--ca wants a file of PEM certificates",
            ) from error
        self._client = await self._resources.enter_async_context(client)
        await self._adopt(await self._find())

    async def look(self) -> None:
        """Take one look: LookStarted, replies as they come, LookClosed.

        From the second look on the store is read again beside it; ranks that have registered since are asked too.
        """
        self._look_id += 1
        self._taken_at = time.time_ns()
        self._replies.clear()
        known = list(self._workers.values())
        self._started(known)
        cancelled, notes, context = True, tuple[str, ...](), None
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._ask(known))
                if self._look_id > 1 and self._store is not None:
                    reading = group.create_task(self._read_again())
            if self._look_id > 1 and self._store is not None:
                notes = reading.result()
                self._tell_end_of_store()
                newcomers = [worker for worker in self._workers.values() if worker not in known]
                if newcomers:
                    self._started(newcomers)
                    await self._ask(newcomers)
            context = await self._analyse()
            cancelled = False
        finally:
            self._emit(events.LookClosed(self._look_id, time.time_ns(), cancelled, notes, context=context))

    @property
    def store(self) -> StoreTarget | None:
        """The job's store; None where the target names none."""
        return self._store

    @property
    def options(self) -> AttachOptions:
        return self._options

    @property
    def world_size(self) -> int:
        """Number of ranks, 0 as long as it is not known."""
        return self._registry.world_size if self._registry is not None else 0

    @property
    def workers(self) -> Mapping[int, Worker]:
        """The ranks that have an address."""
        return self._workers

    def learn(self, memberships: Memberships) -> None:
        """Take what a rank's profile says about groups; from the next look on the flight recorder knows it."""
        if memberships.rank is not None:
            self._memberships[memberships.rank] = memberships

    async def op_server(self) -> OpEndpoint | None:
        """The op server of the demo, started when this is first asked; None when the target is no demo.

        Raises:
            TargetError: it can't be started.
        """
        if self._demo is None:
            return None
        from .dispatch.endpoint import OpEndpoint

        return OpEndpoint(*await self._demo.op_server())

    async def close(self) -> None:
        """Drop every connection, and end the demo if it is one."""
        for worker in self._workers.values():
            await worker.close()
        self._workers.clear()
        self._analyst.close()
        await self._watch.close()
        await self._resources.aclose()

    # what the workers report ----------------------------------------------------------------------------------

    def progress(self, rank: int, source: str, received: int) -> None:
        if source == TORCH_PROFILE.source and self.profiler is not None:
            self.profiler.progress(rank, received)
            return
        self._emit(events.TransferProgress(self._look_id, rank, source, received))

    def stuck_changed(self, rank: int, handlers: tuple[str, ...]) -> None:
        self._emit(events.StuckChanged(rank, handlers))

    def late(self, reply: RankReply) -> None:
        if reply.source == TORCH_PROFILE.source and self.profiler is not None:
            self.profiler.late(reply)
        self._emit(events.LateReply(reply))

    # ----------------------------------------------------------------------------------------------------------

    def _started(self, workers: Iterable[Worker]) -> None:
        ranks = RankSet(worker.rank for worker in workers)
        self._emit(events.LookStarted(self._look_id, self._taken_at, ranks))

    async def _ask(self, workers: Iterable[Worker]) -> None:
        look_id = self._look_id

        def arrived(reply: RankReply) -> None:
            self._replies[reply.rank, reply.source] = reply
            self._emit(events.ReplyArrived(look_id, reply))

        def failed(doing: str, error: BaseException, trace: str) -> None:
            self._emit(events.EngineFailed(doing, f"{type(error).__name__}: {error}", trace))

        await fan_out(workers, budget_s=self._options.timeout_s, arrived=arrived, failed=failed)

    async def _find(self) -> Registry:
        target = self.target
        assert not isinstance(target, FilesTarget), "dumps are read by PostMortem"
        if isinstance(target, DemoTarget):
            from .simulate.launch import running_demo

            demo = await self._resources.enter_async_context(running_demo(target.ranks, target.scenario))
            self._store = StoreTarget(demo.host, demo.port)
            self._demo = demo
        elif isinstance(target, StoreTarget):
            self._store = target
        else:
            return self._named(target)
        try:
            return await self._read_store(self._store)
        except StoreError as error:
            raise TargetError(str(error), hint=error.hint) from error

    def _named(self, target: WorkersTarget) -> Registry:
        """The ranks of a target that names its workers itself: these alone, unless the world size is given."""
        workers = {worker.rank: worker for worker in target.workers}
        named = RankSet(workers)
        wanted = self._options.ranks
        if wanted is None and self._options.world_size is None:
            wanted = named
        world_size = max((named.last or 0) + 1, self._options.world_size or 0)
        return Registry.of(workers, world_size, wanted, self._options.address_map)

    async def _read_store(self, store: StoreTarget) -> Registry:
        options = self._options
        async with StoreClient(store.host, store.port, timeout_s=options.timeout_s) as client:
            registry = await read_registry(
                client, world_size=options.world_size, ranks=options.ranks, address_map=options.address_map
            )
        self._read_at = time.time_ns()
        self._store_silent = False
        if not self._watch.watching and not registry.launcher:
            await self._watch.start(store.host, store.port, options.timeout_s)
        return registry

    async def _read_again(self) -> tuple[str, ...]:
        """Read the store once more; what it says now replaces the addresses, its silence does not."""
        assert self._store is not None
        try:
            registry = await self._read_store(self._store)
        except (StoreError, TargetError) as error:
            self._store_silent = isinstance(error, StoreError) and error.kind is StoreFault.TIMED_OUT
            when = time.strftime("%H:%M:%S", time.localtime(self._read_at / 1e9))
            return (f"the store could not be read again ({error}); addresses are those of {when}",)
        kept, notes = _with_vanished(registry, self._registry)
        if kept != self._registry:
            await self._adopt(kept)
        return notes

    async def _analyse(self) -> LookContext:
        """What recorders, stacks and wait counters of the look say, worked out beside the event loop.

        Returns:
            What that rests on beside the replies.
        """
        registry = self._registry
        assert registry is not None
        material = LookMaterial(
            look_id=self._look_id,
            taken_at=self._taken_at,
            replies=dict(self._replies),
            world_size=registry.world_size,
            ranks=RankSet(self._workers),
            hosts={address.rank: address.host for address in registry.addresses},
            context=LookContext(
                without_counters=RankSet(rank for rank, worker in self._workers.items() if not worker.has(COUNTERS)),
                group_sizes=dict(registry.group_sizes),
                memberships=dict(self._memberships),
            ),
        )
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._analyses, self._analyst.analyse, material)
        self._emit(events.Analysed(material.look_id, found.stacks, found.recorder, counters=found.counters))
        return replace(material.context, may_wait=found.stacks.may_wait)

    async def ask(self, ranks: RankSet, probe: Probe) -> None:
        """Send one request to each of these ranks because a person asked; AskedReply follows for each."""

        async def one(worker: Worker) -> None:
            self._emit(events.AskedReply(await worker.ask(probe, self._options.timeout_s * probe.budgets)))

        async with asyncio.TaskGroup() as group:
            for rank in ranks:
                if rank in self._workers:
                    group.create_task(one(self._workers[rank]))

    def _tell_end_of_store(self) -> None:
        """Rank 0 holds the store: when that hung up and now accepts without answering, rank 0 has ended."""
        if not (self._watch.hung_up and self._store_silent):
            return
        reply = RankReply(
            rank=0,
            source=STORE,
            query="",
            outcome=Outcome.RESET,
            status=None,
            body=EMPTY,
            error="the store it holds hung up and does not answer any more",
            started_at=time.time_ns(),
            took_s=0.0,
        )
        self._emit(events.ReplyArrived(self._look_id, reply))

    async def _adopt(self, registry: Registry) -> None:
        """Make these the ranks that are looked at, keeping the workers whose address has not changed."""
        assert self._client is not None
        workers: dict[int, Worker] = {}
        for address in registry.addresses:
            if not address.url:
                continue
            known = self._workers.get(address.rank)
            if known is not None and known.address == address:
                workers[address.rank] = known
            else:
                workers[address.rank] = Worker(
                    address, self._client, self._spool, self._lanes, self, largest=self._options.largest_answer
                )
        gone = [
            worker
            for rank, worker in self._workers.items()
            if workers.get(rank) is not worker and not (rank in workers and workers[rank].take_over(worker))
        ]
        self._workers, self._registry = workers, registry
        for worker in gone:
            await worker.close()
        self._emit(
            events.TargetOpened(
                self.target.label,
                registry.world_size,
                registry.addresses,
                registry.notes,
                "insecure" if self._options.insecure else "",
                str(Endpoint(self._store.host, self._store.port)) if self._store is not None else "",
            )
        )


def _with_vanished(now: Registry, before: Registry | None) -> tuple[Registry, tuple[str, ...]]:
    """The registry with the ranks whose keys have gone from the store, at their last known addresses, and a note."""
    known = {address.rank: address for address in now.addresses}
    vanished = [
        address
        for address in (before.addresses if before is not None else ())
        if address.registered and not (address.rank in known and known[address.rank].registered)
    ]
    if not vanished or before is None:
        return now, ()
    known |= {address.rank: address for address in vanished}
    addresses = tuple(known[rank] for rank in sorted(known))
    ranks = RankSet(address.rank for address in vanished)
    note = f"the keys of {ranks_said(ranks)} have gone from the store: asked at the last known address"
    return replace(now, addresses=addresses, world_size=max(now.world_size, before.world_size)), (note,)
