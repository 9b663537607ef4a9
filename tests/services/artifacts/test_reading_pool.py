"""Processes that read: the same as here, none left behind, and one that is killed costs no answer."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob
from tests.fakes.gathered_files import gathered
from xpudbg.services.artifacts import reading_pool
from xpudbg.services.artifacts.artifact import Artifact
from xpudbg.services.artifacts.reading_pool import LEAST_BYTES, ReadingPool, pays
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.post_mortem import reading as file_reading
from xpudbg.services.post_mortem.reading import FileReading
from xpudbg.services.spool import Body, Spool
from xpudbg.services.targets import FilesTarget

JOB = FakeJob(2, [FakeGroup("0", "default_pg", (0, 1))], [Call("0")] * 3)


@pytest.fixture(scope="module")
def pool() -> Iterator[ReadingPool]:
    """One for all tests: each process takes a while to start."""
    made = ReadingPool(1)
    yield made
    made.shutdown()
    assert not multiprocessing.active_children()


def _id_or_death(number: int) -> int:
    """In a process of the pool: dies at 3."""
    if number == 3 and multiprocessing.parent_process() is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def _fails(_number: int) -> int:
    raise ValueError("no")


def test_it_reads_what_is_read_here(tmp_path: Path, pool: ReadingPool) -> None:
    for rank in range(2):
        (tmp_path / f"_dump_{rank}").write_bytes(JOB.as_pickle(rank))
    (tmp_path / "_dump_2").write_bytes(b"")
    there, here = gathered(tmp_path, executor=pool), gathered(tmp_path)
    assert [(one.rank, one.source, len(one.entries)) for one in there.dumps] == [(0, "_dump_0", 3), (1, "_dump_1", 3)]
    assert [one.taken_at for one in there.dumps] == [one.taken_at for one in here.dumps]
    assert there.refused == here.refused


def test_results_come_in_order_and_not_all_are_made_ahead(pool: ReadingPool) -> None:
    results = pool.map(abs, range(0, -200, -1))
    assert list(results) == list(range(200))


def test_an_exception_is_raised_here(pool: ReadingPool) -> None:
    with pytest.raises(ValueError, match="no"):
        list(pool.map(_fails, range(3)))


def test_where_a_process_is_killed_the_rest_is_read_here() -> None:
    before = set(multiprocessing.active_children())
    made = ReadingPool(1)
    try:
        assert list(made.map(_id_or_death, range(20))) == list(range(20))
    finally:
        made.shutdown()
    assert set(multiprocessing.active_children()) <= before


@pytest.mark.parametrize(
    ("sizes", "cpus", "expected"),
    [
        ([1 << 20] * 1024, 2, True),
        ([1 << 20] * 1024, 1, False),
        ([1 << 20] * 100, 2, False),
        ([LEAST_BYTES * 2, 10], 2, False),
    ],
    ids=["many", "one processor", "few", "one large file"],
)
def test_when_it_pays(sizes: list[int], cpus: int, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_pool, "usable_cpus", lambda: cpus)
    artifacts = [Artifact(f"_dump_{rank}", Body(size=size), 0) for rank, size in enumerate(sizes)]
    assert pays(artifacts) is expected


def test_files_of_a_big_job_are_read_by_processes_that_are_gone_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(multiprocessing.active_children())
    made: list[ReadingPool] = []

    def one() -> ReadingPool:
        made.append(ReadingPool(1))
        return made[-1]

    monkeypatch.setattr(file_reading, "pays", lambda _artifacts: True)
    monkeypatch.setattr(file_reading, "ReadingPool", one)
    for rank in range(2):
        (tmp_path / f"_dump_{rank}").write_bytes(JOB.as_json(rank))
    spool = Spool()
    told: list[int] = []
    reading = FileReading(FilesTarget((tmp_path,)), AttachOptions(), spool, lambda event: told.append(event.done))
    try:
        assert [one.rank for one in reading.read().dumps] == [0, 1]
    finally:
        reading.close()
        spool.close()
    assert len(made) == 1
    assert told[-2:] == [1, 2]
    assert set(multiprocessing.active_children()) <= before


SCRIPT = """
import sys
from xpudbg.services.artifacts.reading_pool import ReadingPool

class Captured:
    write = flush = lambda *_given: None
    def fileno(self):
        return -1

if __name__ == "__main__":
    said, sys.stderr = sys.stderr, Captured()
    pool = ReadingPool(1)
    print(list(pool.map(abs, [-1, -2])))
    pool.shutdown()
    sys.stderr = said
"""


def test_processes_start_below_an_application_on_the_whole_screen(tmp_path: Path) -> None:
    """Textual puts an object without a descriptor in place of standard error."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    links = Path(__file__).parents[3] / ".links"
    ran = subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | {"PYTHONPATH": str(links)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == ("[1, 2]\n", "", 0)
