"""Files read by the workers of a Dask cluster: a real scheduler and two real workers."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.post_mortem.reading_cluster import ReadingCluster
from xpudbg.services.report import document
from xpudbg.services.session import Phase, Session
from xpudbg.services.targets import FilesTarget, TargetError

if TYPE_CHECKING:
    from collections.abc import Iterator

DUMPS = Path(__file__).parents[2] / "data" / "flight_recorder"
LINKS = Path(__file__).parents[3] / ".links"


@contextmanager
def started(*arguments: str, says: str) -> Iterator[str]:
    """A process of dask; gives what stands where `says` has its group, once it has written that line."""
    environment = os.environ | {"PYTHONPATH": str(LINKS), "DASK_DISTRIBUTED__WORKER__DAEMON": "False"}
    command = [sys.executable, "-m", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        try:
            assert process.stderr is not None
            found = next(found for line in process.stderr if (found := re.search(says, line)))
            yield found[1]
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    quiet = ("--no-dashboard", "--host", "127.0.0.1")
    with ExitStack() as stack:
        address = stack.enter_context(
            started("distributed.cli.dask_scheduler", "--port", "0", *quiet, says=r"Scheduler at:\s+(tcp://\S+)")
        )
        for _ in range(2):
            worker = ("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", *quiet)
            stack.enter_context(started(*worker, says=r"Registered to:\s+(tcp://\S+)"))
        yield address


def opened(path: Path, executor: str) -> Session:
    session = Session()
    with Engine() as engine:
        engine.attach(FilesTarget((path,)), AttachOptions(executor=executor))
        while True:
            event = engine.events.get(timeout=60)
            session.apply(event)
            assert not isinstance(event, events.EngineFailed), event
            if isinstance(event, events.TargetFailed) or (isinstance(event, events.LookClosed) and not event.more):
                return session


def comparable(session: Session) -> str:
    made = document(session, with_ranks=True)
    return json.dumps({key: value for key, value in made.items() if key != "looks"}, sort_keys=True)


@pytest.mark.parametrize("name", ["coalesced-missing-on-one-rank", "broken-and-partial-files", "hostile-frame-text"])
def test_the_report_is_the_same_as_when_read_here(scheduler: str, name: str) -> None:
    assert comparable(opened(DUMPS / name, scheduler)) == comparable(opened(DUMPS / name, ""))


def test_a_path_that_only_the_workers_know_is_theirs_to_find(scheduler: str) -> None:
    session = opened(Path("/nowhere/at/all"), scheduler)
    assert session.failure == "on the cluster's workers: /nowhere/at/all does not exist"


def test_members_of_archives_are_not_read_there(scheduler: str, tmp_path: Path) -> None:
    import tarfile

    with tarfile.open(tmp_path / "dumps.tar", "w") as archive:
        archive.add(DUMPS / "coalesced-missing-on-one-rank", "dumps")
    session = opened(tmp_path, scheduler)
    assert session.phase is Phase.FAILED
    assert "archive" in session.failure


def test_both_workers_read(scheduler: str) -> None:
    cluster = ReadingCluster(scheduler)
    try:
        assert cluster.workers == 2
        assert list(cluster.map(len, ["a", "bb", "ccc"])) == [1, 2, 3]
    finally:
        cluster.shutdown()


def test_a_scheduler_that_is_not_there_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.post_mortem.reading_cluster.CONNECT_S", 0.2)
    session = opened(DUMPS / "coalesced-missing-on-one-rank", "tcp://127.0.0.1:1")
    assert session.phase is Phase.FAILED
    assert session.failure.startswith("no Dask scheduler answers at tcp://127.0.0.1:1")
    assert "dask worker" in session.hint


@pytest.mark.parametrize("address", ["10.0.0.5:8786", "http://10.0.0.5:8786", "tcp://", "tcp://host"])
def test_an_address_that_is_none_is_refused_before_anything_is_tried(address: str) -> None:
    with pytest.raises(TargetError, match="is no scheduler"):
        ReadingCluster(address)


def test_workers_of_another_version_are_refused(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.post_mortem.reading_cluster.__version__", "99.0")
    with pytest.raises(TargetError, match=r"this is 99\.0"):
        ReadingCluster(scheduler)
