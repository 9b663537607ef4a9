"""Files without a flight recorder clear nobody, and ranks that were seen to die are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.post_mortem.test_target import found, opened
from xpudbg.services.findings import VerdictValue
from xpudbg.services.report import render_text
from xpudbg.tui.commands.report import exit_code

LOADING = 'Thread 0x01 (most recent call first):\n  File "/job/data/loader.py", line 88 in next_batch\n'
DIED = "Fatal Python error: {}\n\nCurrent thread 0x01 (most recent call first):\n" + LOADING.partition("\n")[2]


def stacks(folder: Path, texts: dict[int, str]) -> None:
    for rank, text in texts.items():
        (folder / f"rank_{rank}.txt").write_text(text)


def test_stacks_in_which_nobody_waits_are_no_all_clear(tmp_path: Path) -> None:
    stacks(tmp_path, dict.fromkeys(range(3), LOADING))
    session = opened(tmp_path)
    assert session.verdict.value is VerdictValue.UNKNOWN
    assert session.verdict.summary == (
        "Nobody is accused, which clears nobody: there are stacks, and no flight recorder dump."
    )
    assert exit_code(session) == 4


def test_wait_counters_alone_are_no_all_clear(tmp_path: Path) -> None:
    counter = {"active_count": 1, "total_calls": 2, "total_time_us": 3, "max_time_us": 3}
    for rank in range(2):
        (tmp_path / f"wait_counters_rank_{rank}.json").write_text(
            json.dumps({"pytorch.wait_counter.TCPStore__wait": counter})
        )
    session = opened(tmp_path)
    assert session.verdict.value is VerdictValue.UNKNOWN
    assert "there are wait counters, and no flight recorder dump" in session.verdict.summary
    assert exit_code(session) == 4


def test_a_rank_that_died_of_a_signal_is_named_with_its_place(tmp_path: Path) -> None:
    stacks(tmp_path, dict.fromkeys(range(3), LOADING) | {2: DIED.format("Segmentation fault")})
    session = opened(tmp_path)
    assert found(session)[0] == ("dead", "certain", "2")
    assert session.verdict.value is VerdictValue.DEAD
    assert session.verdict.summary == ("Rank 2 died: Segmentation fault. Rank 2 was in next_batch (data/loader.py:88).")
    assert exit_code(session) == 1


def test_a_job_that_was_aborted_as_a_whole_accuses_nobody(tmp_path: Path) -> None:
    stacks(tmp_path, dict.fromkeys(range(3), DIED.format("Aborted")))
    session = opened(tmp_path)
    assert found(session)[0] == ("dead", "possible", "")
    assert "Ranks 0-2 were aborted (SIGABRT)" in session.verdict.summary


def test_who_died_goes_before_who_was_aborted_for_it(tmp_path: Path) -> None:
    texts = dict.fromkeys(range(3), DIED.format("Aborted")) | {1: DIED.format("Bus error")}
    stacks(tmp_path, texts)
    assert found(opened(tmp_path))[:2] == [("dead", "certain", "1"), ("dead", "possible", "")]


def test_dumps_of_one_rank_in_several_folders_are_said_to_be_looks(tmp_path: Path) -> None:
    job = FakeJob(2, [FakeGroup("0", "default_pg", (0, 1))], [Call("0")] * 3)
    for folder in "ab":
        (tmp_path / folder).mkdir()
        for rank in range(2):
            (tmp_path / folder / f"rank_{rank}.json").write_bytes(job.as_json(rank))
    said = "ranks 0-1 have dumps in 2 folders (a, b): taken as looks of one job"
    assert any(note.startswith(said) for note in opened(tmp_path).notes)
    assert not any("folders" in note for note in opened(tmp_path / "a").notes)


@pytest.mark.parametrize("cause", ["[red]x[/]", "\x1b[31mx"])
def test_the_cause_is_plain_text(tmp_path: Path, cause: str) -> None:
    stacks(tmp_path, {0: DIED.format(cause), 1: LOADING})
    assert "\x1b" not in opened(tmp_path).verdict.summary


def test_of_wait_counters_alone_it_is_said_who_waits(tmp_path: Path) -> None:
    for rank in range(3):
        counter = {"active_count": int(rank == 1), "total_calls": 2, "total_time_us": 3, "max_time_us": 3}
        (tmp_path / f"wait_counters_rank_{rank}.json").write_text(
            json.dumps({"pytorch.wait_counter.TCPStore__wait": counter})
        )
    assert opened(tmp_path).verdict.summary.endswith(" Rank 1 waits in TCPStore__wait.")


def test_a_rank_inside_a_call_that_names_no_peer_is_said(tmp_path: Path) -> None:
    calls = [Call("9"), Call("9", pairs=((0, 1),), batched=False)]
    job = FakeJob(3, [FakeGroup("9", "pp", (0, 1, 2))], calls, faults=[Fault(1, 1, "stops")])
    for rank in range(3):
        dump = job.dump(rank)
        for entry in dump["entries"]:
            entry["profiling_name"] = entry["profiling_name"].partition(" ")[0]
        (tmp_path / f"nccl_trace_rank_{rank}").write_text(json.dumps(dump))
    summary = opened(tmp_path).verdict.summary
    assert summary.endswith("the dumps of all 3 ranks agree; rank 0 is inside a call, and nothing tells for whom.")


def test_the_stack_of_the_only_rank_that_has_one_is_printed(tmp_path: Path) -> None:
    stacks(tmp_path, {2: LOADING})
    assert "1 x  rank 2\n      next_batch (/job/data/loader.py:88)" in render_text(opened(tmp_path))


@pytest.mark.parametrize(
    ("faults", "value", "summary"),
    [
        (
            [],
            VerdictValue.OK,
            "No problem found, but nothing is known of rank 3; 4 of 4 ranks have left a dump, and rank 3 has an empty "
            "one.",
        ),
        (
            [Fault(3, 3, "stops")],
            VerdictValue.HANG,
            "Who holds up all_reduce #4 of default_pg is not to be seen: the flight recorder of rank 3 holds nothing "
            "of that group; ranks 0-2 wait.",
        ),
    ],
)
def test_an_empty_recorder_is_told_and_accuses_nobody(
    tmp_path: Path, faults: list[Fault], value: VerdictValue, summary: str
) -> None:
    job = FakeJob(4, [FakeGroup("0", "default_pg", (0, 1, 2, 3))], [Call("0")] * 5, faults=faults)
    for rank in range(4):
        dump = b'{"version": "2.10", "entries": []}' if rank == 3 else job.as_json(rank)
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(dump)
    session = opened(tmp_path)
    assert (session.verdict.value, session.verdict.summary) == (value, summary)
    assert all(not finding.culprits for finding in session.verdict.findings)
    assert "the flight recorder of rank 3 is empty" in render_text(session)
