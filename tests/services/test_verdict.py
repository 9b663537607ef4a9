"""The verdict on the rank table: who is accused, how sure, and that a healthy job is left alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.replies import address
from xpudbg.services.cluster import liveness
from xpudbg.services.findings import Confidence, Severity, Verdict, VerdictValue
from xpudbg.services.looks.stacks import StackLook
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankClass, RankState
from xpudbg.services.stacks.communication import CommunicationKind
from xpudbg.services.stacks.model import Frame, StackDump, StackSource
from xpudbg.services.stacks.stuck import StuckReport, Waiting
from xpudbg.services.verdict import judge, name_ranks


def table(classes: dict[int, RankClass], **changes: object) -> dict[int, RankState]:
    rows = {rank: replace(liveness.begin(address(rank)), rank_class=kind) for rank, kind in classes.items()}
    return {rank: replace(state, **changes) for rank, state in rows.items()}  # type: ignore[arg-type]


ALIVE = RankClass.ALIVE


@pytest.mark.parametrize(
    ("sick", "value", "severity", "confidence"),
    [
        (RankClass.DEAD, VerdictValue.DEAD, Severity.CRITICAL, Confidence.LIKELY),
        (RankClass.STOPPED, VerdictValue.HANG, Severity.CRITICAL, Confidence.LIKELY),
        (RankClass.GIL_HELD, VerdictValue.HANG, Severity.WARNING, Confidence.LIKELY),
        (RankClass.UNREACHABLE, VerdictValue.UNKNOWN, Severity.WARNING, Confidence.POSSIBLE),
        (RankClass.FOREIGN_PORT, VerdictValue.UNKNOWN, Severity.WARNING, Confidence.LIKELY),
        (RankClass.SERVER_ERROR, VerdictValue.UNKNOWN, Severity.WARNING, Confidence.POSSIBLE),
        (RankClass.NOT_REGISTERED, VerdictValue.UNKNOWN, Severity.WARNING, Confidence.LIKELY),
    ],
)
def test_each_wrong_class_is_a_finding_of_its_kind(
    sick: RankClass, value: VerdictValue, severity: Severity, confidence: Confidence
) -> None:
    verdict = judge(table({0: ALIVE, 1: ALIVE, 2: sick, 3: sick}))
    (finding,) = verdict.findings
    assert (verdict.value, verdict.accuses) == (value, True)
    assert (finding.kind, finding.severity, finding.confidence) == (sick.value, severity, confidence)
    assert finding.culprits == RankSet([2, 3])
    assert finding.text.startswith("Ranks 2-3 (node-2, node-3) ")
    assert finding.text.endswith(".")
    assert finding.refutation
    assert finding.advice
    assert [item.rank for item in finding.evidence] == [2, 3]


def test_a_rank_that_answered_before_and_refuses_now_is_certainly_dead() -> None:
    (finding,) = judge(table({0: RankClass.DEAD}, was_alive=True)).findings
    assert finding.confidence is Confidence.CERTAIN


def test_a_gil_held_over_two_looks_is_critical() -> None:
    (finding,) = judge(table({0: RankClass.GIL_HELD}, confirmed=2)).findings
    assert finding.severity is Severity.CRITICAL


def test_a_name_that_does_not_resolve_from_here_accuses_nobody() -> None:
    verdict = judge(table({0: ALIVE, 1: RankClass.NAME_UNKNOWN}))
    assert not verdict.accuses
    assert verdict.partial
    assert verdict.missing == RankSet([1])
    assert verdict.findings[0].severity is Severity.INFO


def test_first_cause_first() -> None:
    ranks = {0: RankClass.SERVER_ERROR, 1: RankClass.GIL_HELD, 2: RankClass.STOPPED, 3: RankClass.NAME_UNKNOWN}
    verdict = judge(table(ranks))
    assert [finding.kind for finding in verdict.findings] == ["stopped", "gil_held", "server_error", "name_unknown"]
    assert verdict.value is VerdictValue.HANG
    assert "2 more below" in verdict.summary


def test_while_looking_nothing_is_called_healthy() -> None:
    verdict = judge(table({0: ALIVE, 1: RankClass.UNKNOWN}), waiting=RankSet([1]), under_way=True)
    assert verdict.value is VerdictValue.UNKNOWN
    assert verdict.partial
    assert "1 of 2" in verdict.summary


def test_all_alive_is_ok_and_names_what_limits_the_look() -> None:
    assert judge(table({0: ALIVE, 1: ALIVE})).value is VerdictValue.OK
    assert "the store" in judge(table({0: ALIVE}), notes=["the store could not be read again"]).summary


def test_hosts_are_named_up_to_three() -> None:
    states = table(dict.fromkeys(range(5), ALIVE))
    assert name_ranks(RankSet([4]), states) == "rank 4 (node-4)"
    assert name_ranks(RankSet([0, 1]), states) == "ranks 0-1 (node-0, node-1)"
    assert name_ranks(RankSet(range(5)), states) == "ranks 0-4 (on 5 hosts)"


def test_long_rank_sets_are_cut_in_sentences_and_nowhere_else() -> None:
    scattered = RankSet(rank * rank for rank in range(30))
    states = table(dict.fromkeys(scattered, RankClass.DEAD))
    named = name_ranks(scattered, states)
    assert named.startswith("ranks 0-1,4,9,16,25,36,49,64,81,100,121,144,...")
    assert "(30 in all)" in named
    (found,) = judge(states).findings
    assert found.culprits == scattered


def test_a_single_rank_is_named_with_its_coordinates() -> None:
    states = table(dict.fromkeys(range(5), ALIVE))
    where = {4: {"pp": 1, "tp": 0, "ep_tp": 3}}
    assert name_ranks(RankSet([4]), states, where) == "rank 4 (node-4, pp1 tp0)"
    assert name_ranks(RankSet([3]), states, where) == "rank 3 (node-3)"
    assert name_ranks(RankSet([3, 4]), states, where) == "ranks 3-4 (node-3, node-4)"


def test_evidence_of_many_ranks_is_cut_and_culprits_are_not() -> None:
    (finding,) = judge(table(dict.fromkeys(range(1000), RankClass.DEAD))).findings
    assert len(finding.culprits) == 1000
    assert len(finding.evidence) == 8


@given(st.dictionaries(st.integers(0, 40), st.sampled_from(list(RankClass)), min_size=1))
def test_who_is_accused_is_exactly_who_is_sick(classes: dict[int, RankClass]) -> None:
    verdict = judge(table(classes))
    accused = {rank for finding in verdict.findings if finding.severity.accuses for rank in finding.culprits}
    harmless = (RankClass.ALIVE, RankClass.UNKNOWN, RankClass.NAME_UNKNOWN)
    assert accused == {rank for rank, kind in classes.items() if kind not in harmless}
    assert verdict.accuses == bool(accused)
    if set(classes.values()) == {ALIVE}:
        assert verdict.value is VerdictValue.OK
        assert not verdict.partial


SITE = Frame("flush", "/srv/train/engine/buckets.py", 57)


def all_in_one_call(*, world: int, **changes: object) -> Verdict:
    """Ranks 0-3 of a job stand in one collective by their stacks."""
    waiting = Waiting(RankSet(range(4)), CommunicationKind.COLLECTIVE, "all_reduce", SITE, sure=True)
    stuck = replace(StuckReport(waiting=(waiting,)), **changes)  # type: ignore[arg-type]
    dump = StackDump(StackSource.FAULTHANDLER, ())
    stacks = StackLook(2, dict.fromkeys(range(4), dump), stuck=stuck)
    ranks = table(dict.fromkeys(range(4), ALIVE))
    return judge(ranks, stacks=stacks, world_size=world)


def test_whom_all_ranks_looked_at_wait_for_may_be_beyond_them() -> None:
    verdict = all_in_one_call(world=8)
    assert (verdict.value, verdict.accuses, str(verdict.missing)) == (VerdictValue.UNKNOWN, False, "4-7")
    assert verdict.summary == (
        "Ranks 0-3 stand in all_reduce at flush (engine/buckets.py:57); whom they wait for is not to be seen: "
        "ranks 4-7 are not looked at."
    )


@pytest.mark.parametrize(
    ("world", "changes"),
    [(4, {}), (0, {}), (8, {"moving": RankSet([1])}), (8, {"ambiguous": RankSet([2])}), (8, {"waiting": ()})],
    ids=["all of the job", "its size not known", "one moves", "one may work", "nobody waits"],
)
def test_ranks_that_need_nobody_beyond_them_are_well(world: int, changes: dict[str, object]) -> None:
    verdict = all_in_one_call(world=world, **changes)
    assert (verdict.value, verdict.partial) == (VerdictValue.OK, False)
