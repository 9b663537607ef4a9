"""Whom the watchdog's lines accuse, and when nobody."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.services.artifacts.log_texts import signal, status, timeout
from tests.services.judging.test_watchdog_groups import lines
from xpudbg.services.findings import Confidence, Finding, Severity
from xpudbg.services.flight_recorder.causes import Kind
from xpudbg.services.judging.recorder_findings import RECORDER_VALUES
from xpudbg.services.judging.watchdog_findings import watchdog_findings
from xpudbg.services.ranksets import RankSet

ALL = RankSet(range(8))
TP = "ID 2 PG GUID 5(tp)"


def timed_out(
    *ranks: int, seq: int = 311, op: str = "ALLREDUCE", group: str = "ID 0 PG GUID 0(default_pg)"
) -> list[str]:
    return [text for rank in ranks for text in (timeout(rank, seq, op), status(rank, seq, seq, seq - 1, group))]


def find(*texts: str, heard: RankSet = ALL, world_size: int = 8) -> tuple[Finding, ...]:
    return watchdog_findings(lines(*texts), heard, world_size)


def only(*texts: str, heard: RankSet = ALL, world_size: int = 8) -> Finding:
    (found,) = find(*texts, heard=heard, world_size=world_size)
    return found


def test_a_rank_that_has_not_made_the_call_is_likely_the_cause() -> None:
    found = only(*timed_out(0, 1, 2, 3, 4, 5, 6), signal(7, 310, 310))
    assert (found.kind, found.culprits, found.confidence) == (Kind.NOT_JOINED, RankSet([7]), Confidence.LIKELY)
    assert found.severity is Severity.CRITICAL
    assert found.waiting == RankSet(range(7))
    assert (found.op, found.seq) == ("ALLREDUCE", 311)
    assert found.group is not None
    assert (found.group.name, found.group.desc) == ("0", "default_pg")
    assert found.text == (
        "Rank 7 has not joined ALLREDUCE #311 of the default group; its last call there is #310. "
        "Ranks 0-6 waited 10 m 00 s in ALLREDUCE #311 of the default group until the watchdog's timeout."
    )
    assert found.evidence[0].rank == 7
    assert found.evidence[0].text.startswith("log:15: [rank7]:[E1130 ")


def test_a_rank_that_has_joined_without_timing_out_itself_waits_too() -> None:
    found = only(*timed_out(0, 1, 2), signal(3, 311, 310), signal(4, 310, 310), world_size=5, heard=RankSet(range(5)))
    assert (found.culprits, found.waiting) == (RankSet([4]), RankSet(range(4)))


def test_one_against_one_is_a_hint_and_one_against_many_accuses_nobody() -> None:
    pair = only(*timed_out(0), signal(1, 310, 310), world_size=2, heard=RankSet(range(2)))
    assert (pair.culprits, pair.confidence, pair.severity) == (RankSet([1]), Confidence.POSSIBLE, Severity.WARNING)
    alone = only(*timed_out(0), *(signal(rank, 310, 310) for rank in range(1, 8)))
    assert (alone.kind, alone.culprits, alone.confidence) == (Kind.NOT_JOINED, RankSet(), Confidence.POSSIBLE)
    assert "one call too many" in alone.text


def test_a_rank_that_waits_in_another_group_is_no_cause() -> None:
    found = find(*timed_out(0, 1, 2, 3), signal(4, 310, 310), signal(5, 310, 310), *timed_out(5, seq=9, group=TP))
    assert [one.culprits for one in found] == [RankSet([4])]
    all_wait = find(*timed_out(0, 1, 2, 3), signal(5, 310, 310), *timed_out(5, seq=9, group=TP))
    assert [one.culprits for one in all_wait] == [RankSet()]
    assert all_wait[0].kind == Kind.ABORTED


@pytest.mark.parametrize(("seq", "confidence"), [(310, Confidence.LIKELY), (182, Confidence.POSSIBLE)])
def test_torchs_desync_report_counts_like_the_ranks_own_word(seq: int, confidence: Confidence) -> None:
    report = f"[rank0]: [7] finished collective #{seq}, but didn't join collective #{seq + 1} (count from 1)"
    found = only(timeout(0), report, status(0), *timed_out(1, 2))
    assert (found.culprits, found.confidence) == (RankSet([7]), confidence)
    assert f"its last call there is #{seq}" in found.text


def test_a_rank_that_never_made_a_call() -> None:
    found = only(*timed_out(0, 1, 2, seq=1), signal(3, -1, -1))
    assert (found.culprits, found.confidence) == (RankSet([3]), Confidence.LIKELY)
    assert "its last call there is none" in found.text


@pytest.mark.parametrize("enqueued", [12, 309, -1])
def test_a_number_that_does_not_fit_to_what_the_others_have_ended_is_only_a_hint(enqueued: int) -> None:
    found = only(*timed_out(0, 1, 2), signal(3, enqueued, enqueued))
    assert (found.culprits, found.confidence, found.severity) == (RankSet([3]), Confidence.POSSIBLE, Severity.WARNING)


@pytest.mark.parametrize(
    ("texts", "culprits"),
    [
        ([*timed_out(0, 1, 2), *timed_out(3, op="BROADCAST")], RankSet([3])),
        ([*timed_out(0, 1), *timed_out(2, 3, op="BROADCAST")], RankSet()),
        ([*timed_out(0, 1, 2), timeout(3, numel=7), status(3, 311, 311, 310)], RankSet([3])),
    ],
    ids=["one calls another", "halves", "one has another size"],
)
def test_ranks_that_call_different_things_by_one_number(texts: list[str], culprits: RankSet) -> None:
    found = only(*texts)
    assert (found.kind, found.culprits, found.confidence) == (Kind.MISMATCH, culprits, Confidence.LIKELY)
    assert "#311 of the default group" in found.text


def test_sizes_may_differ_where_the_operation_allows_it() -> None:
    gather = timeout(3, op="_ALLGATHER_BASE", numel=7)
    found = only(*timed_out(0, 1, 2, op="_ALLGATHER_BASE"), gather, status(3, 311, 311, 310))
    assert found.kind == Kind.ABORTED


def test_a_call_that_ended_for_the_others_and_not_for_one() -> None:
    found = only(*timed_out(0), signal(1, 312, 311), signal(2, 312, 311))
    assert (found.kind, found.culprits, found.confidence) == (Kind.DEVICE_STUCK, RankSet([0]), Confidence.POSSIBLE)
    rooted = only(*timed_out(0, op="BROADCAST"), signal(1, 312, 311), signal(2, 312, 311))
    assert (rooted.kind, rooted.culprits, rooted.confidence) == (Kind.DEVICE_STUCK, RankSet(), Confidence.POSSIBLE)


@pytest.mark.parametrize(
    "group", ["ID 0 PG GUID 0(default_pg)", ""], ids=["default group", "old lines without a group"]
)
def test_a_log_without_a_word_of_the_watchdog_is_a_hint_where_all_others_timed_out(group: str) -> None:
    texts = timed_out(*range(7), group=group) if group else [timeout(rank) for rank in range(7)]
    found = only(*texts)
    assert (found.kind, found.culprits) == (Kind.NOT_JOINED, RankSet([7]))
    assert (found.confidence, found.severity) == (Confidence.POSSIBLE, Severity.WARNING)
    assert found.text.startswith("Rank 7 may not have joined ALLREDUCE #311 of ")


@pytest.mark.parametrize(
    ("texts", "heard", "says"),
    [
        (timed_out(*range(7)), RankSet(range(7)), ": nothing is known of rank 7"),
        (timed_out(*range(6)), RankSet(range(7)), ": nothing is known of rank 7"),
        (timed_out(0), ALL, "."),
        (timed_out(0, 1, 2, 3), ALL, "."),
        (timed_out(*range(8)), ALL, "."),
        (timed_out(0, 1, 2, 3, group=TP), ALL, "."),
        ([timeout(0), timeout(1), timeout(2, 400)], RankSet(range(4)), "."),
        (timed_out(*range(7), op="SEND"), RankSet(range(7)), ": nothing is known of rank 7"),
    ],
    ids=[
        "no log",
        "one silent, one without a log",
        "first alone",
        "half",
        "all",
        "unknown members",
        "two groups",
        "p2p",
    ],
)
def test_nobody_is_accused_where_nothing_tells_ranks_apart(texts: list[str], heard: RankSet, says: str) -> None:
    world_size = 4 if heard == RankSet(range(4)) else 8
    found = only(*texts, heard=heard, world_size=world_size)
    assert (found.kind, found.culprits, found.severity) == (Kind.ABORTED, RankSet(), Severity.CRITICAL)
    assert "The lines don't tell who held " in found.text
    assert says in found.text
    assert found.waiting


def test_groups_of_which_nothing_is_known_are_told_together() -> None:
    texts = [text for at in range(5) for text in timed_out(at, group=f"ID 2 PG GUID {at}(tp)")]
    found = only(*texts, heard=RankSet(range(5)), world_size=5)
    assert found.text.count("waited") == 3
    assert "so did others in 2 more groups" in found.text
    assert found.waiting == RankSet(range(5))


def test_ranks_known_only_within_a_group_are_never_more_than_a_hint() -> None:
    known = [replace(line, rank_sure=False) for line in lines(*timed_out(0, 1, 2), signal(3, 310, 310))]
    (found,) = watchdog_findings(known, RankSet(range(4)), 4)
    assert (found.culprits, found.confidence) == (RankSet([3]), Confidence.POSSIBLE)


def test_what_remains_without_a_timeout() -> None:
    head = "[rank2]:[E1130 10:00:00.1 P:1] [PG ID 0 PG GUID 0 Rank 2]"
    stuck = only(f"{head} ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress")
    assert (stuck.kind, stuck.culprits, stuck.confidence) == (Kind.DEVICE_STUCK, RankSet([2]), Confidence.POSSIBLE)
    work = "WorkNCCL(SeqNum=4, OpType=BROADCAST, Timeout(ms)=1000)"
    error = only(f"[rank2]: Collective {work} raised the following async exception: x")
    assert (error.kind, error.culprits, error.op, error.seq) == (Kind.ABORTED, RankSet(), "BROADCAST", 4)
    assert find() == ()
    assert find(status(1)) == ()


def test_a_held_gil_is_evidence_against_a_culprit() -> None:
    gil = "[rank7]:[E1130 10:00:01.5 P:1] [PG ID 0 PG GUID 0 Rank 7] Could not acquire GIL within 300 ms on exit"
    found = only(*timed_out(*range(7)), signal(7, 310, 310), gil)
    assert "acquire GIL" in found.evidence[0].text


LINE = st.one_of(
    st.builds(timeout, st.integers(0, 5), st.integers(1, 3), st.sampled_from(["ALLREDUCE", "BROADCAST", "SEND"])),
    st.builds(status, st.integers(0, 5), st.integers(1, 3), st.integers(-1, 4), st.integers(-1, 4)),
    st.builds(signal, st.integers(0, 5), st.integers(-1, 4), st.integers(-1, 4)),
)


@given(st.lists(LINE, max_size=14), st.sets(st.integers(0, 5)), st.integers(0, 6))
def test_no_rank_is_accused_that_waits_itself_in_what_it_is_accused_of(
    texts: list[str], heard: set[int], world_size: int
) -> None:
    for found in watchdog_findings(lines(*texts), RankSet(heard), world_size):
        assert found.kind in RECORDER_VALUES
        assert found.text
        assert not found.culprits & found.waiting
        assert found.confidence is not Confidence.CERTAIN
        if found.kind == Kind.NOT_JOINED:
            inside = {line.rank for line in lines(*texts) if line.seq == found.seq and line.op}
            assert not found.culprits & RankSet(rank for rank in inside if rank is not None)
