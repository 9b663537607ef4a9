"""Stacks of simulated ranks have the lines of recorded ones, and say what the rank does."""

from __future__ import annotations

import re

import pytest

from tests.services.simulate import recorded
from xpudbg.services.simulate import stack_texts
from xpudbg.services.simulate.job import Job

KINDS = (
    ("header", re.compile(r"Current thread 0x[0-9a-f]{16} \(most recent call first\):")),
    ("thread", re.compile(r"Thread 0x[0-9a-f]{16} \(most recent call first\):")),
    ("none", re.compile(r"  <no Python frame>")),
    ("frame", re.compile(r'  File "/[\w./-]+\.py", line \d+ in [\w<>]+')),
    ("process", re.compile(r"Process \d+: /usr/bin/python3 -u train\.py")),
    ("python", re.compile(r"Python v3\.11\.7 \(/usr/bin/python3\.11\)")),
    ("py-spy thread", re.compile(r'Thread \d+ \((idle|active|active\+gil)\): "MainThread"')),
    ("py-spy frame", re.compile(r"    [\w.<>]+ \([\w./-]+\.py:\d+\)")),
    ("empty", re.compile(r"")),
)


def outline(text: str) -> list[str]:
    """The kinds of lines of a stack text, equal ones in a row once."""
    assert text.endswith("\n")
    found: list[str] = []
    for line in text[:-1].split("\n"):
        (kind,) = [name for name, pattern in KINDS if pattern.fullmatch(line)]
        if not found or found[-1] != kind:
            found.append(kind)
    return found


@pytest.fixture
def job() -> Job:
    return Job(8, held_up_by={2, 3}, holding_gil={3})


@pytest.mark.parametrize("rank", range(4))
def test_a_traceback_has_the_lines_of_a_recorded_one(job: Job, rank: int) -> None:
    made = outline(stack_texts.traceback(job, rank))
    assert (
        made == outline(recorded.text("rank1_dump_traceback.txt")) == outline(recorded.text("rank2_dump_traceback.txt"))
    )


@pytest.mark.parametrize("rank", range(4))
def test_py_spy_has_the_lines_of_a_recorded_one(job: Job, rank: int) -> None:
    made = outline(stack_texts.py_spy(job, rank))
    assert made == outline(recorded.text("rank1_pyspy_dump.txt")) == outline(recorded.text("rank2_pyspy_dump.txt"))


def test_a_waiting_rank_stands_in_the_frames_of_torch_that_were_recorded(job: Job) -> None:
    real = recorded.text("rank1_dump_traceback.txt").splitlines()
    (call, wrapper) = [line for line in real if "torch/distributed/" in line]
    made = stack_texts.traceback(job, 0).splitlines()
    assert wrapper in made
    assert call in made or 'distributed_c10d.py", line 5117 in barrier' in made[4]


def test_the_main_thread_is_the_last_one_and_ends_in_the_module(job: Job) -> None:
    assert stack_texts.traceback(job, 0).splitlines()[-1].endswith("in <module>")


def test_who_holds_the_gil_is_seen_by_py_spy_with_its_native_frame(job: Job) -> None:
    text = stack_texts.py_spy(job, 3, native=True)
    assert "(active+gil)" in text
    assert "decode_all (_decode.so)" in text
    assert "decode_all" not in stack_texts.py_spy(job, 3)


def test_an_idle_rank_sleeps_in_its_loader() -> None:
    job = Job(2, held_up_by=set(), holding_gil=set(), idle=True)
    assert "wait_for_shard" in stack_texts.traceback(job, 0)


def test_ranks_that_compute_are_in_different_places() -> None:
    job = Job(64, held_up_by=set(range(64)), holding_gil=set())
    assert len({stack_texts.py_spy(job, rank).partition("MainThread")[2] for rank in range(64)}) == 3
