"""A dump that gives other members of a group than the others makes no deadlock and convicts nobody for certain."""

from __future__ import annotations

import json

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from xpudbg.services.findings import Confidence
from xpudbg.services.flight_recorder.analysis import Analysis, analyse
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.flight_recorder.disputes import settle
from xpudbg.services.ranksets import RankSet

from .looking import said, the_finding

WORLD = FakeGroup("0", "default_pg", (0, 1, 2, 3))


def contradicted(*faults: Fault) -> Analysis:
    """Rank 2 says that the default group has ranks 2 and 3 alone."""
    job = FakeJob(4, [WORLD], [Call("0")] * 6, faults=faults)
    dumps = []
    for rank in range(4):
        made = job.dump(rank)
        if rank == 2:
            made["pg_config"]["0"]["ranks"] = "[2, 3]"
        dumps.append(decode(json.dumps(made).encode(), rank))
    return analyse(dumps)


def words(**said: str) -> dict[int, RankSet]:
    return {int(rank[1:]): RankSet.parse(members) for rank, members in said.items()}


def test_it_makes_no_deadlock_and_the_culprit_is_found() -> None:
    look = contradicted(Fault(3, 4, "stops"))
    diagnosis = diagnose(look)
    finding = the_finding(diagnosis)
    assert said(finding) == ("not_joined", "3", "0-2", "all_reduce", 5)
    assert finding.confidence is Confidence.LIKELY
    assert [str(group.members) for group in look.job.groups] == ["0-3"]
    assert (
        "the dump of rank 2 gives other members of group '0' than the others, who say 0-3: theirs is taken"
        in diagnosis.notes
    )


def test_a_healthy_job_stays_healthy() -> None:
    assert diagnose(contradicted()).findings == ()


def test_groups_of_one_name_without_common_ranks_are_no_dispute() -> None:
    assert settle(words(r0="0-1", r1="0-1", r2="2-3", r3="2-3")) == {}


def test_members_of_whom_one_is_silent_are_no_dispute() -> None:
    assert settle(words(r0="0-2", r1="0-2")) == {}


def test_the_word_of_most_counts_then_the_larger_set() -> None:
    assert settle(words(r0="0-2", r1="0-2", r2="2-3")) == {2: RankSet([0, 1, 2])}
    assert settle(words(r0="0-1", r1="0-2")) == {0: RankSet([0, 1, 2])}


def test_who_is_in_nobody_else_s_group_is_left_with_those_who_say_nothing_else() -> None:
    assert settle(words(r0="0-1", r1="0-1", r9="1,8-9")) == {9: RankSet([8, 9])}
