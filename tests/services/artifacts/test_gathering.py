"""Files read and put together: failures told, hosts kept apart, several dumps of a rank in the order of time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob
from tests.fakes.gathered_files import gathered
from xpudbg.services.artifacts.recorder_dump import newest_instant
from xpudbg.services.flight_recorder.dump_looks import looks_of

GROUP = FakeGroup("0", "default_pg", (0, 1))
JOB = FakeJob(2, [GROUP], [Call("0")] * 3)


def test_an_executor_reads_the_same(tmp_path: Path) -> None:
    for rank in range(2):
        (tmp_path / f"_dump_{rank}").write_bytes(JOB.as_pickle(rank))
    with ThreadPoolExecutor() as executor:
        there = gathered(tmp_path, executor=executor)
    here = gathered(tmp_path)
    assert [dump.source for dump in there.dumps] == [dump.source for dump in here.dumps] == ["_dump_0", "_dump_1"]
    assert not there.partial


def test_a_number_at_the_end_of_a_name_makes_no_dump(tmp_path: Path) -> None:
    (tmp_path / "checkpoint_3").write_text("weights")
    (tmp_path / "part_7").write_bytes(JOB.as_json(0))
    (tmp_path / "_dump_1").write_bytes(JOB.as_json(1))
    read = gathered(tmp_path)
    assert [dump.rank for dump in read.dumps] == [1, 7]
    assert (read.failed, read.unreadable) == ((), {})
    assert [(one.name, one.reason) for one in read.left_aside] == [
        ("checkpoint_3", 'nothing that a job leaves: it begins with "weights"')
    ]


def test_one_rank_from_two_hosts_is_kept_and_said(tmp_path: Path) -> None:
    for host in ("a", "b"):
        (tmp_path / f"{host}_rank_1").write_bytes(JOB.as_json(1))
    read = gathered(tmp_path)
    assert [dump.host for dump in read.dumps] == ["a", "b"]
    assert read.notes == ("rank 1 has dumps from 2 hosts: 'a', 'b'; the newest is judged",)
    assert [[dump.host for dump in look] for look in looks_of(read.dumps)] == [["b"]]


def test_several_dumps_of_a_rank_are_looks(tmp_path: Path) -> None:
    for stamp in ("20250923_065505", "20250923_065510"):
        for rank in range(2):
            (tmp_path / f"fr_rank_{rank}_{stamp}.json").write_bytes(JOB.as_json(rank))
    looks = looks_of(gathered(tmp_path).dumps)
    assert [[dump.rank for dump in look] for look in looks] == [[0, 1], [0, 1]]
    assert looks[1][0].taken_at - looks[0][0].taken_at == 5_000_000_000  # type: ignore[operator]


def test_the_time_of_a_dump_is_its_newest_instant(tmp_path: Path) -> None:
    (tmp_path / "_dump_0").write_bytes(JOB.as_json(0))
    (tmp_path / "_dump_1").write_text('{"entries": []}')
    first, second = gathered(tmp_path).dumps
    assert first.taken_at == newest_instant(first) == int(first.entries.completed.max())
    assert newest_instant(second) is None
    assert second.taken_at == (tmp_path / "_dump_1").stat().st_mtime_ns
