"""Flight recorder dumps read out of artifacts, here or in another process."""

from __future__ import annotations

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob
from tests.fakes.gathered_files import gathered
from tests.services.artifacts.packed import tar_of
from tests.services.artifacts.taking import taken
from xpudbg.services.artifacts.artifact import Artifact
from xpudbg.services.artifacts.recorder_dump import read_artifact
from xpudbg.services.flight_recorder.dump import DumpError
from xpudbg.services.spool import Body

JOB = FakeJob(4, [FakeGroup("0", "default_pg", (0, 1, 2, 3)), FakeGroup("1", "tp", (2, 3))], [Call("0")] * 3)


def of(data: bytes, name: str, modified_at: int = 5) -> Artifact:
    return Artifact(name, Body(size=len(data), inline=data), modified_at)


def test_the_same_as_from_files(tmp_path: Path) -> None:
    job = tmp_path / "job"
    job.mkdir()
    for rank in range(2):
        (job / f"nccl_trace_rank_host-{rank}_{rank}").write_bytes(JOB.as_pickle(rank))
    (job / "rank_2_20250923_065505.json.gz").write_bytes(gzip.compress(JOB.as_json(2)))
    expected = gathered(job).dumps
    (tmp_path / "all.tgz").write_bytes(tar_of({path.name: path.read_bytes() for path in job.iterdir()}, "gz"))
    for where in (job, tmp_path / "all.tgz"):
        with taken(where, tmp_path) as intake, ThreadPoolExecutor() as executor:
            dumps = list(executor.map(read_artifact, intake.artifacts))
        for dump, file in zip(sorted(dumps, key=lambda one: one.rank), expected, strict=True):
            assert (dump.rank, dump.host, dump.taken_at, dump.source) == (
                file.rank,
                file.host,
                file.taken_at,
                file.source,
            )
            assert dump.configs == file.configs
            assert len(dump.entries) == len(file.entries)


def test_a_gzip_that_is_cut_is_no_dump() -> None:
    with pytest.raises(DumpError, match="gzip cut at byte 90"):
        read_artifact(of(gzip.compress(JOB.as_json(1))[:90], "rank_3"))


def test_a_name_without_a_rank_where_the_groups_leave_only_one() -> None:
    top = {"version": "2.10", "pg_status": {}, "entries": []}
    groups = {"0": [0, 1, 2, 3], "1": [2, 3], "2": [1, 3]}
    config = {name: {"name": name, "desc": "", "ranks": str(ranks)} for name, ranks in groups.items()}
    dump = read_artifact(of(json.dumps(top | {"pg_config": config}).encode(), "dump-of-somebody"))
    assert (dump.rank, dump.taken_at) == (3, 5)
    assert dump.notes == ("its name has no rank; of all members of its groups only this one is in each",)
    del config["2"]
    for left in (config, {}, {"0": {"name": "0", "desc": "", "ranks": "[]"}}):
        with pytest.raises(DumpError, match="its name has no rank at its end"):
            read_artifact(of(json.dumps(top | {"pg_config": left}).encode(), "dump-of-somebody"))


def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    gone = Artifact("rank_1", Body(size=5, path=tmp_path / "rank_1"), 0)
    with pytest.raises(DumpError, match="cannot be read: No such file or directory"):
        read_artifact(gone)
