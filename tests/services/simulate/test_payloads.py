"""Answers of simulated ranks have the shape of recorded ones, and say what the job does."""

from __future__ import annotations

import json

import pytest

from tests.services.simulate import recorded
from xpudbg.services.simulate import payloads
from xpudbg.services.simulate.job import Job


@pytest.fixture
def held_up() -> Job:
    return Job(4, held_up_by={2}, holding_gil=set())


@pytest.mark.parametrize("rank", [1, 2])
def test_a_flight_recorder_has_the_recorded_shape(held_up: Job, rank: int) -> None:
    made = json.loads(payloads.flight_recorder(held_up, rank))
    real = json.loads(recorded.text(f"rank{rank}_fr_trace_json.json"))
    assert list(made) == list(real)
    assert {tuple(entry) for entry in made["entries"]} == {tuple(entry) for entry in real["entries"]}
    assert recorded.shape(made) == recorded.shape(real)
    assert made["pg_config"] == real["pg_config"]
    assert {entry["state"] for entry in made["entries"]} == {entry["state"] for entry in real["entries"]}


def test_the_recorder_of_a_waiting_rank_ends_with_a_collective_that_the_culprit_lacks(held_up: Job) -> None:
    waiting, culprit = (json.loads(payloads.flight_recorder(held_up, rank)) for rank in (1, 2))
    last = waiting["entries"][-1]
    assert (last["retired"], last["state"]) == (False, "scheduled")
    assert all(entry["retired"] for entry in waiting["entries"][:-1] + culprit["entries"])
    assert last["collective_seq_id"] == culprit["entries"][-1]["collective_seq_id"] + 1
    assert waiting["pg_status"]["0"] == {
        "last_completed_collective": str(last["collective_seq_id"] - 1),
        "last_enqueued_collective": str(last["collective_seq_id"]),
        "last_started_collective": "-1",
    }


def test_all_ranks_record_the_same_collectives() -> None:
    job = Job(64, held_up_by={2}, holding_gil=set())
    calls: dict[int, tuple[str, str]] = {}
    for rank in range(64):
        for entry in json.loads(payloads.flight_recorder(job, rank))["entries"]:
            call = (entry["profiling_name"], str(entry["input_sizes"]))
            assert calls.setdefault(entry["collective_seq_id"], call) == call
    assert len({name for name, _sizes in calls.values()}) == 2


def test_the_ring_holds_the_last_collectives_without_a_gap(held_up: Job) -> None:
    entries = json.loads(payloads.flight_recorder(held_up, 0))["entries"]
    numbers = [entry["collective_seq_id"] for entry in entries]
    assert numbers == list(range(numbers[-1] - payloads.RING + 1, numbers[-1] + 1))


@pytest.mark.parametrize("rank", [1, 2])
def test_wait_counters_have_the_recorded_shape(rank: int) -> None:
    made = json.loads(payloads.wait_counters(rank))
    assert recorded.shape(made) == recorded.shape(json.loads(recorded.text(f"rank{rank}_wait_counter_values.json")))
    assert all(counter["max_time_us"] <= counter["total_time_us"] for counter in made.values())


def test_wait_counters_are_the_same_each_time_and_differ_between_ranks() -> None:
    assert payloads.wait_counters(3) == payloads.wait_counters(3)
    assert payloads.wait_counters(3) != payloads.wait_counters(4)


def test_an_unknown_handler_is_told_in_the_recorded_words() -> None:
    assert payloads.not_found("nope") == recorded.text("unknown_handler.txt")


def test_the_list_of_handlers_is_json() -> None:
    assert json.loads(payloads.handler_list()) == [*payloads.HANDLERS, payloads.PROFILER]
    assert json.loads(payloads.handler_list(torchcomms=True))[len(payloads.HANDLERS) + 1 :] == [
        "torchcomms_fr_trace_json",
        "torchcomms_health_check",
        "torchcomms_fr_dump_file",
    ]
