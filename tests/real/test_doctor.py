"""The doctor on real jobs: well, with a dead and a stopped rank, with ranks that are garbage."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.real.attached import Attached, store_of
from tests.real.beside import GARBAGE, beside, gigabyte, rank_server
from tests.real.job import RealJob
from xpudbg.services.cluster.store import StoreClient
from xpudbg.services.doctor.check import CheckState
from xpudbg.services.doctor.examine import examine
from xpudbg.services.engine import Engine
from xpudbg.services.ranksets import RankSet

pytestmark = pytest.mark.torch

PONG = {"/handler/ping": b"pong"}


def doctor(*words: str) -> tuple[int, dict[str, Any]]:
    """Exit code and checks by name."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "xpudbg.tui.cli", "doctor", *words, "--format", "json"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / ".links")},
    )
    assert done.stderr == ""
    made = json.loads(done.stdout)
    return done.returncode, {check["name"]: check for check in made["checks"]}


def test_a_job_that_is_well(job: RealJob) -> None:
    for rank in range(4):
        job.tell(rank, "all_reduce 30")
    for rank in range(4):
        job.expect(rank, "done all_reduce")
    code, checks = doctor(job.store)
    assert code == 0
    wanted = ("store", "world size", "names", "answers", "handlers", "requests", "recorder", "ring (CPU)", "versions")
    assert {name: checks[name]["state"] for name in wanted} == dict.fromkeys(wanted, "ok")
    assert checks["ring (CPU)"]["facts"]["fewest"] == 31
    assert checks["clocks"]["state"] == "ok"
    # py-spy is there or not, may look or not: either way it says which
    assert checks["py-spy"]["state"] == "ok" or checks["py-spy"]["mend"]


def test_a_dead_and_a_stopped_rank(job: RealJob) -> None:
    job.kill(3)
    job.stop(2)
    try:
        code, checks = doctor(job.store, "--timeout", "1", "--py-spy", "0")
    finally:
        job.resume(2)
    assert code == 1
    assert checks["answers: dead"]["ranks"] == [3]
    assert checks["answers: stopped"]["ranks"] == [2]
    assert checks["answers"]["ranks"] == [0, 1]
    assert checks["store"]["state"] == checks["recorder"]["state"] == "ok"


def test_garbage_and_a_gigabyte_beside_a_dead_and_a_stopped_rank(job: RealJob, engine: Engine) -> None:
    attached = Attached(engine, store_of(job))
    real = [state.address.url for _rank, state in sorted(attached.session.ranks.items())]
    said = {"/handler/ping": b"pong", "/handler/": b'["ping", "dump_traceback", "fr_trace_json", "pyspy_dump"]'}
    kinds = ((GARBAGE, None), (gigabyte(), None), (GARBAGE, said), (gigabyte(), said), (gigabyte(), PONG))
    job.kill(3)
    job.stop(2)
    with beside(*(rank_server(*kind) for kind in kinds)) as servers:
        code, checks = doctor(*real, *(one.address.url for one in servers), "--timeout", "2", "--py-spy", "9")
    job.resume(2)
    assert code == 1
    assert {name: check["ranks"] for name, check in checks.items() if name.startswith("answers")} == {
        "answers": [0, 1, 6, 7, 8],
        "answers: dead": [3],
        "answers: stopped": [2],
        "answers: foreign_port": [4, 5],
    }
    assert checks["recorder"]["ranks"] == [6, 7]
    assert "rank 6 can't be read (rank 6: fr_trace_json: not a dump: binary data" in checks["recorder"]["text"]
    assert "rank 7 has not come (rank 7: fr_trace_json: " in checks["recorder"]["text"]
    assert checks["handlers"]["ranks"] == [6, 7, 8]
    assert "rank 8 does not say which handlers it has (rank 8: gave up after" in checks["handlers"]["text"]
    assert checks["py-spy"]["ranks"] == [6, 7]
    assert checks["ring (CPU)"]["state"] == checks["versions"]["state"] == "ok"


async def test_looking_for_keys_does_not_make_any(job: RealJob, engine: Engine) -> None:
    host, port = job.store.split(":")
    async with StoreClient(host, int(port), timeout_s=3) as store:
        before = await store.keys()
        attached = Attached(engine, store_of(job))
        checks = {check.name: check for check in examine(attached.session)}
        assert checks["world size"].state is CheckState.OK
        assert checks["answers"].ranks == RankSet.full(4)
        assert await store.keys() == before
