"""The simulated cluster as a whole: its ranks, its job and its store, and the commands that change them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .hosts import STORE_HOST, Hosts
from .job import Job
from .scenarios import RANKS_PER_HOST, Behaviour, Scenario
from .store_keys import StoreKeys
from .store_server import StoreServer
from .worker_server import WorkerServer

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Cluster", "CommandError", "files_needed"]


class CommandError(ValueError):
    """A command line that the cluster can't follow; the message says why."""


def files_needed(scenario: Scenario, n_ranks: int) -> int:
    """Open files that serving a scenario takes, connections of its clients not counted."""
    return n_ranks + scenario.behaviours(n_ranks).count(Behaviour.UNREACHABLE)


class Cluster:
    """Serves `n_ranks` ranks as the scenario has them. To be made and started inside a running event loop."""

    def __init__(self, scenario: Scenario, n_ranks: int) -> None:
        """
        Raises:
            OSError: no port or no file is left.
        """
        behaviours = scenario.behaviours(n_ranks)
        self.job = Job(
            n_ranks,
            held_up_by={rank for rank, behaviour in enumerate(behaviours) if behaviour.holds_up},
            holding_gil={rank for rank, behaviour in enumerate(behaviours) if behaviour is Behaviour.GIL_HELD},
            loading={rank for rank, behaviour in enumerate(behaviours) if behaviour is Behaviour.LOADING},
            idle=scenario.idle,
            recorder=scenario.recorder,
            torchcomms=scenario.torchcomms,
        )
        hosts = Hosts()
        self.workers = [
            WorkerServer(rank, behaviour, self.job, hosts.bind(rank)) for rank, behaviour in enumerate(behaviours)
        ]
        self.store = StoreServer(StoreKeys([_registered(worker, hosts) for worker in self.workers]))

    async def start(self) -> None:
        """Begin to serve; the store comes last.

        Raises:
            OSError: the system refuses to listen.
        """
        for worker in self.workers:
            worker.start()
        await self.store.start(STORE_HOST)

    async def close(self) -> None:
        """Close every socket."""
        await self.store.close()
        for worker in self.workers:
            await worker.close()

    def command(self, line: str) -> dict[str, Any]:
        """Follow one command: {"release": [3]}, {"stop": [3]} or {"counts": true}; the answer is what to send back.

        Raises:
            CommandError: it is none of these, or a rank can't be stopped or released.
        """
        try:
            said = json.loads(line)
        except ValueError as error:
            raise CommandError(f"a command is one line of JSON: {error}") from error
        match said:
            case {"counts": True}:
                return self._counts()
            case {"release": list(ranks)}:
                return {"released": self._each(ranks, self._release)}
            case {"stop": list(ranks)}:
                return {"stopped": self._each(ranks, self._stop)}
        raise CommandError("the commands are release, stop and counts")

    def _each(self, ranks: list[Any], change: Callable[[WorkerServer], None]) -> list[int]:
        workers = [self._controllable(rank) for rank in ranks]
        for worker in workers:
            change(worker)
        return [worker.rank for worker in workers]

    def _controllable(self, rank: object) -> WorkerServer:
        if not isinstance(rank, int) or isinstance(rank, bool) or not 0 <= rank < len(self.workers):
            raise CommandError(f"there is no rank {rank!r}")
        worker = self.workers[rank]
        if not worker.controllable:
            raise CommandError(f"rank {rank} is {worker.behaviour}: it has no process to stop or release")
        return worker

    def _release(self, worker: WorkerServer) -> None:
        worker.release()
        self.job.let_go(worker.rank)

    def _stop(self, worker: WorkerServer) -> None:
        worker.stop()
        self.job.hold_up(worker.rank)

    def _counts(self) -> dict[str, Any]:
        counts = {worker.rank: worker.report() for worker in self.workers if worker.counts}
        queued = {worker.rank: waiting for worker in self.workers if (waiting := worker.queued())}
        return {"counts": counts, "queued": queued}


def _registered(worker: WorkerServer, hosts: Hosts) -> str | None:
    """The URL that a rank has written into the store."""
    if worker.behaviour is Behaviour.NOT_REGISTERED:
        return None
    if worker.behaviour is Behaviour.NAME_UNKNOWN:
        return f"http://node-{worker.rank // RANKS_PER_HOST:03d}.invalid:{worker.port}"
    return f"http://{hosts.address(worker.rank)}:{worker.port}"
