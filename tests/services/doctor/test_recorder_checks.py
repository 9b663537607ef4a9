"""Flight recorders: on or off, how much they hold, frames, timing, versions, clocks."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes.flight_recorder_jobs import FakeJob
from tests.services.doctor.examined import answer, checks_of, session_of
from tests.services.recorder_timeline.timed_jobs import TimedJob
from tests.tui.recorder_scripts import CPU, NCCL, dump_reply, train
from xpudbg.services.doctor.check import CheckState
from xpudbg.services.doctor.recorder_checks import FRAMES, FramesSeen, read_frames
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome, RankReply

OFF = b'{"comm_lib_version":"","nccl_comm_state":{},"pg_config":{},"pg_status":{},"version":"2.10"}'
"""What a rank of torch 2.13 answers whose recorder is off."""
NO_CALL = OFF.replace(b'"pg_config":{}', b'"pg_config":{"":{"desc":"","name":"","ranks":"[0, 1]"}}')


def changed(job: FakeJob, change: Callable[[int, dict[str, Any]], None], source: str = NCCL) -> list[RankReply]:
    """The dumps of a job, each changed."""
    made = []
    for rank in range(job.world):
        dump = json.loads(dump_reply(job, rank, source).body.read())
        change(rank, dump)
        made.append(answer(rank, source, json.dumps(dump).encode()))
    return made


def test_recorders_that_are_on() -> None:
    checks = checks_of(session_of(8, dumps={CPU: train(backend="gloo")}))
    assert checks["recorder"].text == "The flight recorder of every rank heard (8) holds calls."
    assert checks["ring (CPU)"].state is CheckState.OK
    assert checks["ring (CPU)"].text == "12 calls on each rank, from the first on: no ring has wrapped."
    assert checks["versions"].state is CheckState.OK
    assert checks["frames (CPU)"].state is checks["timing (CPU)"].state is CheckState.UNKNOWN
    assert checks["clocks"].text == "The 8 ranks heard of the largest group share the clock of one host."


def test_clocks_that_cannot_be_told_from_slowness() -> None:
    check = checks_of(session_of(16, dumps={NCCL: train(world=16)}))["clocks"]
    assert check.state is CheckState.UNKNOWN
    assert "takes 20 collectives" in check.text


@pytest.mark.parametrize(("ahead_ms", "state"), [(2.0, CheckState.OK), (300.0, CheckState.WARNING)], ids=["ok", "off"])
def test_clocks_that_are_apart(ahead_ms: float, state: CheckState) -> None:
    job = TimedJob(
        4, 200, work_ms=(40.0, 0.2), jitter_ms=0.1, clocks_ms={2: ahead_ms}, hosts={r: f"h{r}" for r in range(4)}
    )
    session = session_of(4)
    session.live.recorder = RecorderLook(1, {NCCL: job.diagnosis()})
    check = checks_of(session)["clocks"]
    assert check.state is state
    assert check.facts["apart_s"] == pytest.approx(ahead_ms / 1e3, abs=0.001)


@pytest.mark.parametrize(
    ("data", "state", "said"),
    [(OFF, CheckState.PROBLEM, "not even a group"), (NO_CALL, CheckState.WARNING, "holds no call")],
    ids=["off", "no call yet"],
)
def test_recorders_with_nothing_in_them(data: bytes, state: CheckState, said: str) -> None:
    check = checks_of(session_of(2, replies=[answer(rank, CPU, data) for rank in range(2)]))["recorder"]
    assert check.state is state
    assert said in check.text
    assert "TORCH_FR_BUFFER_SIZE" in check.mend
    assert check.ranks == RankSet([0, 1])


def test_one_rank_whose_recorder_is_off() -> None:
    session = session_of(8, dumps={CPU: train(backend="gloo")}, replies=[answer(3, CPU, OFF)])
    assert checks_of(session)["recorder"].ranks == RankSet([3])


def test_no_dump_at_all_is_not_known() -> None:
    checks = checks_of(session_of(2))
    assert checks["recorder"].state is CheckState.UNKNOWN
    assert "versions" not in checks


def test_a_dump_that_is_garbage() -> None:
    session = session_of(8, dumps={NCCL: train()}, replies=[answer(3, NCCL, b'{"entries": [')])
    check = checks_of(session)["recorder"]
    assert (check.state, check.ranks) == (CheckState.PROBLEM, RankSet([3]))
    assert "rank 3: dump_nccl_trace_json: cut at byte" in check.text


def test_a_dump_that_does_not_come_is_said_beside_one_that_is_garbage() -> None:
    large = answer(2, CPU, b"", outcome=Outcome.TOO_LARGE, error="gave up after 300 bytes")
    late = answer(7, CPU, b"", outcome=Outcome.TIMEOUT, error="no answer after 12.0 s")
    garbage = answer(3, CPU, b"\xff\x00{")
    session = session_of(8, sick={7: "stopped"}, dumps={CPU: train(backend="gloo")}, replies=[large, garbage, late])
    check = checks_of(session)["recorder"]
    assert (check.state, check.ranks) == (CheckState.PROBLEM, RankSet([2, 3]))  # what is stopped is said elsewhere
    assert check.text == (
        "The dump of rank 3 can't be read (rank 3: fr_trace_json: not a dump: binary data of an unknown kind); "
        "the dump of rank 2 has not come (rank 2: fr_trace_json: gave up after 300 bytes)."
    )
    assert "--timeout" in check.mend


def test_clocks_are_those_of_ranks_that_were_heard() -> None:
    gone = [answer(rank, CPU, b"{", outcome=Outcome.OK) for rank in (4, 5)]
    check = checks_of(session_of(8, dumps={CPU: train(backend="gloo")}, replies=gone))["clocks"]
    assert check.text == "The 6 ranks heard of the largest group share the clock of one host."


@pytest.mark.parametrize(("held", "state"), [(5, CheckState.WARNING), (8, CheckState.OK)], ids=["wrapped", "not yet"])
def test_a_ring_that_has_wrapped(held: int, state: CheckState) -> None:
    def cut(_rank: int, dump: dict[str, Any]) -> None:
        dump["entries"] = dump["entries"][-held:]

    check = checks_of(session_of(8, replies=changed(train(steps=4), cut)))["ring (NCCL)"]
    assert check.state is state
    assert check.facts["fewest"] == held
    assert check.facts["wrapped"] == ([*range(8)] if state is CheckState.WARNING else [])
    assert ("TORCH_FR_BUFFER_SIZE" in check.mend) == (state is CheckState.WARNING)


def test_timing() -> None:
    def untimed(_rank: int, dump: dict[str, Any]) -> None:
        for entry in dump["entries"]:
            del entry["duration_ms"]

    off = checks_of(session_of(8, replies=changed(train(), untimed)))["timing (NCCL)"]
    assert off.state is CheckState.WARNING
    assert "TORCH_NCCL_ENABLE_TIMING=1" in off.mend

    on = checks_of(session_of(8, dumps={NCCL: train()}))["timing (NCCL)"]
    assert (on.state, on.facts) == (CheckState.OK, {"timed": 96})


def test_versions_that_differ() -> None:
    def older(rank: int, dump: dict[str, Any]) -> None:
        dump["version"] = "2.9" if rank == 6 else "2.10"

    check = checks_of(session_of(8, replies=changed(train(), older)))["versions"]
    assert (check.state, check.ranks) == (CheckState.PROBLEM, RankSet([6]))
    assert "2.10" in check.text
    assert "2.9" in check.text


@pytest.mark.parametrize(
    ("frames", "state"),
    [
        (None, CheckState.UNKNOWN),
        (FramesSeen(2, error="HTTP 500"), CheckState.UNKNOWN),
        (FramesSeen(2), CheckState.UNKNOWN),
        (FramesSeen(2, 10, 10), CheckState.OK),
        (FramesSeen(2, 10), CheckState.WARNING),
    ],
    ids=["not asked", "failed", "no call", "there", "none"],
)
def test_frames(frames: FramesSeen | None, state: CheckState) -> None:
    assert checks_of(session_of(8, dumps={NCCL: train()}), frames)["frames (NCCL)"].state is state


def test_reading_frames() -> None:
    job = train()
    assert read_frames(answer(1, FRAMES.source, job.as_pickle(1))) == FramesSeen(1, 12, 0)
    dump = job.dump(1)
    dump["entries"][3]["frames"] = [{"name": "step", "filename": "train.py", "line": 7}]
    assert read_frames(answer(1, FRAMES.source, pickle.dumps(dump, protocol=2))) == FramesSeen(1, 12, 1)
    assert read_frames(answer(1, FRAMES.source, b"\x80")).error
    assert read_frames(answer(1, FRAMES.source, b"", outcome=Outcome.TIMEOUT, error="no answer")) == FramesSeen(
        1, error="no answer"
    )
