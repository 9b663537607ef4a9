"""Matching by group and sequence number, in columns, against a plain reading of the same entries."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import FakeJob, Fault
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.job import build_job
from xpudbg.services.flight_recorder.match import match

from .job_shapes import group_layouts, programs, rings
from .looking import analysed
from .recorded import dump_of, entry


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_calls_are_those_of_a_plain_reading(data: st.DataObject) -> None:
    world, groups = data.draw(group_layouts())
    job = FakeJob(
        world,
        groups,
        data.draw(programs(groups)),
        faults=[Fault(data.draw(st.integers(0, world - 1)), data.draw(st.integers(0, 6)), "stops")],
        rings=data.draw(rings(world)),
        first_seq=data.draw(st.sampled_from([0, 2**62])),
    )
    expected: dict[tuple[str, bool, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for rank in range(world):
        for row in job.dump(rank)["entries"]:
            seq = row["p2p_seq_id"] if row["is_p2p"] else row["collective_seq_id"]
            expected[row["process_group"][0], row["is_p2p"], seq][rank] += 1
    look = analysed(job)
    matched = look.matched
    found = {
        (look.job.groups[matched.call_group[call]].name, bool(matched.call_p2p[call]), int(matched.call_seq[call])): {
            int(matched.part_rank[part]): len(matched.rows_of(part)) for part in matched.parts_of(call)
        }
        for call in range(len(matched.call_seq))
    }
    assert found == expected
    assert np.array_equal(np.sort(matched.order), np.arange(len(look.job.columns)))


def test_the_end_of_a_batch_speaks_for_its_members() -> None:
    members = [
        entry("nccl:send 0->1", 0, p2p_seq_id=1, is_p2p=True, state="scheduled", retired=False, record_id=0),
        entry("nccl:recv 0<-1", 0, p2p_seq_id=1, is_p2p=True, state="scheduled", retired=False, record_id=1),
    ]
    end = entry("nccl:coalesced", 0, p2p_seq_id=1, is_p2p=False, record_id=2)
    for state, retired, ended in (("completed", True, True), ("started", False, False)):
        matched = match(build_job([dump_of(0, [*members, end | {"state": state, "retired": retired}])]))
        assert (len(matched.call_seq), matched.call_p2p.tolist(), matched.ended.tolist()) == (1, [True], [ended])


def test_retired_ends_a_scheduled_call_and_later_ones_end_earlier_ones() -> None:
    matched = match(build_job([dump_of(0, [entry("gloo:all_reduce", 1, state="scheduled")])]))
    assert matched.ended.tolist() == [True]
    for backend, ended in (("nccl", [True, True]), ("gloo", [False, True])):
        entries = [entry(f"{backend}:barrier", 1, state="scheduled", retired=False), entry(f"{backend}:barrier", 2)]
        assert match(build_job([dump_of(0, entries)])).ended.tolist() == ended


def test_an_end_after_the_timeout_is_late() -> None:
    late = entry(
        "nccl:barrier", 1, timeout_ms=1000, time_created_ns=10**18, time_discovered_completed_ns=10**18 + 2 * 10**9
    )
    endless = late | {"timeout_ms": 2**63 - 1}
    assert match(build_job([dump_of(0, [late])])).late.tolist() == [True]
    assert match(build_job([dump_of(0, [endless])])).late.tolist() == [False]


def test_a_group_made_again_under_its_name_starts_anew() -> None:
    old = [entry("nccl:barrier", seq, pg_id=0, record_id=seq) for seq in (1, 2, 3)]
    new = [entry("nccl:all_reduce", seq, pg_id=4, record_id=10 + seq) for seq in (1, 2)]
    look = analyse([dump_of(0, old + new), dump_of(1, new)])
    assert look.mismatches == ()
    assert look.matched.call_seq.tolist() == [1, 2]
    assert look.job.columns.current.tolist() == [False] * 3 + [True] * 4


def test_no_dumps_at_all() -> None:
    look = analyse([])
    assert (len(look.matched.call_seq), look.causes) == (0, ())
    assert analyse([dump_of(0, [])]).causes == ()
