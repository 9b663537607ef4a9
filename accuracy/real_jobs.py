"""Real Gloo jobs of several processes on this machine, with the faults that tests/real puts into them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.real.attached import Attached, store_of
from tests.real.job import RealJob, real_job
from xpudbg.services.engine import Engine

from .looking import recorder_answers
from .rows import Row, Said, Truth, said_by_verdict
from .torch_tools import TorchTools

__all__ = ["FAULTS", "WAITED_S", "Fault", "fault_rows"]

LONG = 300
"""Seconds for which a rank does something; longer than any look."""
WAITED_S = 30.0
"""How long a fault stands before xpudbg looks; younger waits it calls too young to tell."""
_AT_A_TIME = 4


@dataclass(frozen=True, slots=True)
class Fault:
    """A job, and what is done to it."""

    name: str
    truth: Truth
    begin: Callable[[RealJob], None]
    world_size: int = 4
    recorder: bool = True
    roles: dict[int, str] = field(default_factory=dict)
    attached_before: bool = False
    """xpudbg is attached before the fault, as when the rank with the store dies."""


def _tell(job: RealJob, command: str, *ranks: int) -> None:
    for rank in ranks:
        job.tell(rank, command)


def _everywhere(job: RealJob, command: str, ranks: list[int]) -> None:
    _tell(job, command, *ranks)
    for rank in ranks:
        job.expect(rank, f"done {command.split()[0]}")


def _busy_with(command: str, said: str, *ranks: int) -> Callable[[RealJob], None]:
    """These ranks do something else while all others call all_reduce."""

    def begin(job: RealJob) -> None:
        for rank in ranks:
            job.tell(rank, command)
            job.expect(rank, said)
        _tell(job, "in world all_reduce", *(rank for rank in range(job.world_size) if rank not in ranks))

    return begin


def _receives(command: str) -> Callable[[RealJob], None]:
    """Rank 2 sleeps, rank 1 waits for something from it, rank 0 for both."""

    def begin(job: RealJob) -> None:
        job.tell(2, f"load {LONG}")
        job.expect(2, "loading")
        job.tell(1, command)
        job.expect(1, "receiving")
        job.tell(0, "all_reduce 1")

    return begin


def _chain(job: RealJob) -> None:
    for name, ranks in (("tp0", [0, 1]), ("tp1", [2, 3]), ("tp2", [4, 5]), ("dp0", [0, 2, 4]), ("dp1", [1, 3, 5])):
        _everywhere(job, f"new_group {name} {','.join(map(str, ranks))}", list(range(6)))
        _everywhere(job, f"in {name} all_reduce", ranks)
    job.tell(5, f"load {LONG}")
    job.expect(5, "loading")
    _tell(job, "in tp2 all_reduce", 4)
    _tell(job, "in dp0 all_reduce", 0, 2)
    _tell(job, "in dp1 all_reduce", 1, 3)


def _opposite(job: RealJob) -> None:
    for name in ("a", "b"):
        _everywhere(job, f"new_group {name} 0,1", [0, 1])
        _everywhere(job, f"in {name} all_reduce", [0, 1])
    job.tell(0, "in a all_reduce")
    job.tell(1, "in b all_reduce")


def _another_call(job: RealJob) -> None:
    _tell(job, "in world all_reduce", 0, 1, 3)
    job.tell(2, "in world all_gather")


def _stopped(job: RealJob) -> None:
    job.stop(3)
    _tell(job, "all_reduce 1", 0, 1, 2)


def _new_group(job: RealJob) -> None:
    _everywhere(job, "new_group sub 0,1,2", list(range(4)))
    _tell(job, "in sub all_reduce", 0, 1)


def _works(pause: float) -> Callable[[RealJob], None]:
    def begin(job: RealJob) -> None:
        for rank in range(job.world_size):
            job.tell(rank, f"work 120 {pause if rank == 2 else 0.01}")
            job.expect(rank, "working")

    return begin


def _receives_alone(job: RealJob) -> None:
    job.tell(1, "recv 0")
    job.expect(1, "receiving")


def _nothing(_job: RealJob) -> None:
    """The fault, if any, is there from the start."""


FAULTS = (
    Fault("asleep", Truth.of("rank 2 sleeps before a collective", "2"), _busy_with(f"load {LONG}", "loading", 2)),
    Fault("two asleep", Truth.of("ranks 1 and 3 sleep", "1,3"), _busy_with(f"load {LONG}", "loading", 1, 3)),
    Fault("recv", Truth.of("rank 2 sleeps, rank 1 receives from it", "2"), _receives("recv 2"), 3),
    Fault("irecv", Truth.of("the same with irecv().wait()", "2"), _receives("irecv 2"), 3),
    Fault("chain of groups", Truth.of("rank 5 sleeps, tp2, dp0 and dp1 wait one for another", "5"), _chain, 6),
    Fault("opposite order", Truth.of("two groups entered in opposite order"), _opposite, 2),
    Fault("another collective", Truth.of("rank 2 calls all_gather, the others all_reduce", "2"), _another_call),
    Fault("stopped", Truth.of("SIGSTOP", "3"), _stopped),
    Fault("dead", Truth.of("SIGKILL", "3"), lambda job: job.kill(3), attached_before=True),
    Fault(
        "rank 0 dead",
        Truth.of("SIGKILL to the rank with the store", "0"),
        lambda job: job.kill(0),
        attached_before=True,
    ),
    Fault("GIL held", Truth.of("a C extension keeps the GIL", "1"), _busy_with(f"gil {LONG}", "holding", 1)),
    Fault("busy", Truth.of("rank 2 is in a loop of its own", "2"), _busy_with(f"busy {LONG}", "busy", 2)),
    Fault(
        "store wait",
        Truth.of("rank 1 waits in the store for a key that nobody sets", "1"),
        _busy_with("store wait never/set", "asking the store", 1),
    ),
    Fault("new group", Truth.of("rank 2 has never used a group that 0 and 1 wait in", "2"), _new_group),
    Fault("recv alone", Truth.of("rank 1 receives what rank 0, at rest, never sends", "0"), _receives_alone),
    Fault(
        "recorder off",
        Truth.of("rank 2 sleeps, no flight recorder", "2"),
        _busy_with(f"load {LONG}", "loading", 2),
        recorder=False,
    ),
    Fault(
        "never registered",
        Truth.of("rank 1 has not started its debug server", "1"),
        _nothing,
        3,
        roles={1: "skip-debug-server"},
    ),
    Fault("idle", Truth.of("all ranks between two collectives", faulty=False), _nothing),
    Fault("fast", Truth.of("a healthy job, hundreds of calls a second", faulty=False), _works(0.01)),
    Fault("slow step", Truth.of("healthy, rank 2 takes 0.8 s a step", faulty=False), _works(0.8)),
)
"""The faults of tests/real, one for each kind, and healthy jobs."""


def fault_rows(torch: TorchTools) -> Iterator[Row]:
    """Rows of all faults, in their order; some jobs run at a time, since they wait most of it."""
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        yield from pool.map(lambda fault: _row(fault, torch), FAULTS)


def _row(fault: Fault, torch: TorchTools) -> Row:
    with (
        tempfile.TemporaryDirectory() as logs,
        Engine() as engine,
        real_job(torch.python, Path(logs), fault.world_size, fault.roles, recorder=fault.recorder) as job,
    ):
        attached = Attached(engine, store_of(job)) if fault.attached_before else None
        fault.begin(job)
        time.sleep(WAITED_S)
        attached = attached or Attached(engine, store_of(job))
        attached.look_apart()
        attached.look_later()
        answers = recorder_answers(attached.session) if fault.recorder else {}
        page = torch.page(answers) if answers else Said("no flight recorder to read")
        return Row(fault.name, fault.truth, page, said_by_verdict(attached.session.verdict))
