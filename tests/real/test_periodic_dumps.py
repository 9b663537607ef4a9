"""The periodic dumps that a real job writes of itself, read as evidence and held against the living job."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real.attached import Attached, store_of
from tests.real.job import real_job
from xpudbg.services.artifacts.periodic import PeriodicDump, PeriodicKind, read_periodic
from xpudbg.services.counters.metrics import Metric
from xpudbg.services.counters.over_looks import cell_of
from xpudbg.services.engine import Engine
from xpudbg.services.spool import Body
from xpudbg.services.stacks import faulthandler
from xpudbg.services.stacks.model import Frame

pytestmark = pytest.mark.torch

JOINED = "pytorch.wait_counter.c10d.init_process_group"


def put(data: bytes) -> Body:
    return Body(size=len(data), inline=data)


def dumps(folder: Path, kind: PeriodicKind) -> list[PeriodicDump]:
    """All dumps of a kind, the newest last; one that is being written may still be empty."""
    paths = sorted(folder.glob(f"{kind.value}_2*.txt"))
    return [read_periodic(kind, path.name, path.read_bytes(), 0, put) for path in paths]


def mains(dump: PeriodicDump) -> dict[int, Frame]:
    """Where the main thread of each rank is."""
    found = {}
    for one in dump.evidence:
        main = None if one.error else faulthandler.parse(one.body.read()).main_thread
        if main is not None and main.frames:
            found[one.rank] = main.frames[0]
    return found


def until(folder: Path, kind: PeriodicKind, holds: Callable[[PeriodicDump], bool]) -> PeriodicDump:
    """The first dump of which something holds."""
    ends_at = time.monotonic() + 20
    while time.monotonic() < ends_at:
        for dump in dumps(folder, kind):
            if holds(dump):
                return dump
        time.sleep(0.1)
    raise AssertionError(f"no {kind.value} in {sorted(path.name for path in folder.glob('*'))}")


def test_dumps_say_what_the_living_job_says_and_which_rank_was_stopped(
    torch_python: str, tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "dumps"
    monkeypatch.setenv("DUMP_DIR", str(folder))
    with real_job(torch_python, tmp_path, world_size=3) as job:
        job.tell(1, "load 60")
        job.expect(1, "loading")
        for rank in (0, 2):
            job.tell(rank, "in world all_reduce")
        session = Attached(engine, store_of(job)).session
        live = {rank: main.frames[0] for rank in range(3) if (main := session.stacks.main(rank)) is not None}
        assert live[1].function == "next_batch"
        assert until(folder, PeriodicKind.STACKS, lambda dump: mains(dump) == live).world_size == 3
        counted = until(folder, PeriodicKind.COUNTERS, lambda dump: len(dump.evidence) == 3)
        for one in counted.evidence:
            # Nothing changes a rank's joining any more.
            joined = json.loads(one.body.read())[JOINED]
            assert joined["total_calls"] == cell_of(session.counters, Metric.CALLS, one.rank, JOINED) == 1
            assert joined["max_time_us"] == cell_of(session.counters, Metric.LONGEST, one.rank, JOINED)
        stored = until(folder, PeriodicKind.STORE, lambda dump: dump.store is not None and bool(dump.store.keys)).store
        assert stored is not None
        keys = dict(stored.keys)
        registered = {rank: session.ranks[rank].address.registered for rank in range(3)}
        assert {rank: keys[f"debug_server/rank{rank}"].decode() for rank in range(3)} == registered
        health = until(folder, PeriodicKind.HEALTH, lambda dump: dump.world_size == 3)
        assert health.evidence == ()
        job.stop(2)
        silent = until(folder, PeriodicKind.STACKS, lambda dump: any(one.error for one in dump.evidence))
        assert [one.rank for one in silent.evidence if one.error] == [2]
        assert silent.evidence[2].error.startswith("no answer in time (HTTP 408)")
        assert mains(silent) == {rank: live[rank] for rank in (0, 1)}
