"""Several logs of one job."""

from __future__ import annotations

import io

from xpudbg.services.artifacts.job_log import JobLog, lines_of, read_job_log
from xpudbg.services.artifacts.log_clashes import without_clashes
from xpudbg.services.ranksets import RankSet

from .log_texts import faulthandler_text, put, timeout


def read(name: str, *texts: str, prefix: str = "") -> JobLog:
    lines = "".join(f"{prefix}{line}\n" for text in texts for line in text.splitlines())
    return read_job_log(name, lines_of(io.BytesIO(lines.encode())), 7, put)


def test_hosts_that_number_their_ranks_alike_are_left_out() -> None:
    one = read("node1.log", faulthandler_text(0), prefix="[default0]:")
    other = read("node2.log", faulthandler_text(8), prefix="[default0]:")
    for log in without_clashes([one, other]):
        assert (log.evidence, log.heard, log.assumed) == ((), RankSet(), RankSet())
        assert "another log has such ranks too" in log.notes[-1]
    assert without_clashes([one]) == (one,)


def test_files_of_one_torchrun_belong_together() -> None:
    files = [
        read(f"logs/attempt_0/0/{name}.log", faulthandler_text(at)) for at, name in enumerate(("stdout", "stderr"))
    ]
    assert {log.origin for log in files} == {"logs/attempt_0"}
    assert without_clashes(files) == tuple(files)
    elsewhere = read("node2/attempt_0/0/stderr.log", faulthandler_text(5))
    assert [log.assumed for log in without_clashes([*files, elsewhere])] == [RankSet()] * 3


def test_a_launchers_log_and_the_files_of_its_ranks_say_it_once() -> None:
    whole = read("job.log", faulthandler_text(0), prefix="[default0]:")
    own = read("logs/attempt_0/0/stderr.log", faulthandler_text(0))
    first, second = without_clashes([whole, own])
    assert (len(first.evidence), len(second.evidence)) == (1, 0)
    assert first.assumed == second.assumed == RankSet([0])


def test_a_rank_that_is_told_goes_before_one_that_is_assumed() -> None:
    assumed = read("node1.log", faulthandler_text(0), prefix="[default3]:")
    told = read("node2.log", timeout(3))
    first, second = without_clashes([assumed, told])
    assert (first.evidence, first.heard) == ((), RankSet())
    assert second == told
