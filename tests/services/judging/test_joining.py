"""One cause, one finding: liveness, recorder and stacks on the same ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from xpudbg.services.findings import Confidence, Evidence, Finding, Group, Severity
from xpudbg.services.judging.joining import one_cause_one_finding
from xpudbg.services.ranksets import RankSet


def finding(kind: str, culprits: str, waiting: str = "", **more: Any) -> Finding:
    return Finding(
        kind=kind,
        severity=more.pop("severity", Severity.CRITICAL),
        confidence=more.pop("confidence", Confidence.LIKELY),
        culprits=RankSet.parse(culprits),
        waiting=RankSet.parse(waiting),
        text=f"{kind} {culprits}.",
        advice="",
        refutation="r",
        evidence=(Evidence(kind, None, "seen"),),
        **more,
    )


def joined(
    by_class: list[Finding],
    by_recorder: list[Finding],
    by_stack: list[Finding],
    recorded: str = "",
    inside: str = "",
    missed: str | None = None,
) -> list[Finding]:
    return one_cause_one_finding(
        by_class,
        by_recorder,
        by_stack,
        stacks=None,
        recorded=RankSet.parse(recorded),
        inside=RankSet.parse(inside),
        missed=None if missed is None else RankSet.parse(missed),
    )


NOT_JOINED = finding("not_joined", "3", "0-2", op="all_reduce", seq=7, group=Group("tp", "tp", RankSet.parse("0-3")))


def test_the_class_of_a_rank_takes_in_the_call_it_has_not_joined() -> None:
    (made,) = joined([finding("stopped", "3")], [NOT_JOINED], [])
    assert (made.kind, made.culprits, made.waiting) == ("stopped", RankSet([3]), RankSet([0, 1, 2]))
    assert (made.op, made.seq) == ("all_reduce", 7)
    assert "not_joined 3." in made.text
    assert [item.source for item in made.evidence] == ["stopped", "not_joined"]


def test_the_second_sentence_does_not_name_the_ranks_again() -> None:
    stopped = replace(finding("stopped", "3"), text="Rank 3 (node-1) is stopped: no answer.")
    call = replace(NOT_JOINED, text="Rank 3 (node-1) has not joined all_reduce #7 of tp; ranks 0-2 wait.")
    (made,) = joined([stopped], [call], [])
    assert made.text == (
        "Rank 3 (node-1) is stopped: no answer. It has not joined all_reduce #7 of tp; ranks 0-2 wait."
    )


def test_that_a_stopped_rank_gave_no_dump_is_not_said_again() -> None:
    stopped = replace(finding("stopped", "3"), text="Rank 3 is stopped: no answer.")
    text = "Rank 3 left no flight recorder dump, and others wait in all_reduce #7 of tp; ranks 0-2 wait."
    (made,) = joined([stopped], [replace(finding("no_dump", "3", "0-2"), text=text)], [])
    assert made.text == "Rank 3 is stopped: no answer. Others wait in all_reduce #7 of tp; ranks 0-2 wait."


def test_what_the_class_does_not_explain_stays() -> None:
    two = finding("not_joined", "3-4", "0-2")
    made = joined([finding("dead", "3")], [two], [])
    assert [(one.kind, one.culprits) for one in made] == [("dead", RankSet([3])), ("not_joined", RankSet([4]))]


def test_a_mismatch_is_no_consequence_of_a_stopped_rank() -> None:
    made = joined([finding("stopped", "3")], [finding("mismatch", "3")], [])
    assert [one.kind for one in made] == ["stopped", "mismatch"]


def test_an_info_class_takes_nothing_in() -> None:
    made = joined([finding("name_unknown", "3", severity=Severity.INFO)], [NOT_JOINED], [])
    assert [one.kind for one in made] == ["name_unknown", "not_joined"]


def test_where_the_recorder_names_a_cause_stacks_accuse_nobody_else() -> None:
    made = joined([], [NOT_JOINED], [finding("stuck_stack", "5", "0-2")], recorded="0-5")
    assert [one.kind for one in made] == ["not_joined"]
    made = joined([], [NOT_JOINED], [finding("stuck_stack", "5", "0-2")], recorded="0-4")
    assert [one.kind for one in made] == ["not_joined", "stuck_stack"]


def test_a_rank_that_has_recorded_nothing_and_is_missed_is_named_once() -> None:
    made = joined([], [NOT_JOINED], [finding("stuck_stack", "3", "0-2")], recorded="0-2", inside="0-2")
    assert [one.kind for one in made] == ["not_joined"]
    early = replace(NOT_JOINED, severity=Severity.INFO)
    made = joined([], [early], [finding("stuck_stack", "3", "0-2")], recorded="0-2", inside="0-2")
    assert [(one.kind, one.severity) for one in made] == [("not_joined", Severity.INFO)]


def test_where_the_recorder_misses_nobody_stacks_do_not_accuse() -> None:
    """Ranks 0 and 1 wait in a group of their own; that 3 is elsewhere is nothing against it."""
    (made,) = joined([], [], [finding("stuck_stack", "3", "0-1")], recorded="0-3", inside="0-1")
    assert (made.severity, made.confidence) == (Severity.INFO, Confidence.POSSIBLE)
    (made,) = joined([], [], [finding("stuck_stack", "3", "0-1")], recorded="0-3", inside="0")
    assert made.severity is Severity.CRITICAL


def test_a_rank_that_has_ended_and_that_nobody_waits_for_is_a_warning() -> None:
    dead = finding("dead", "3")
    (made,) = joined([dead], [], [], missed="")
    assert made.severity is Severity.WARNING
    assert made.text.endswith("Nobody waits for it: it may have finished early.")
    (made,) = joined([finding("dead", "3-4")], [], [], missed="9")
    assert made.text.endswith("Nobody waits for them: they may have finished early.")


@pytest.mark.parametrize("missed", ["3", "0,3", None])
def test_a_dead_rank_that_a_call_waits_for_or_may_wait_for_stays_critical(missed: str | None) -> None:
    (made,) = joined([finding("dead", "3")], [], [], missed=missed)
    assert made.severity is Severity.CRITICAL


def test_a_dead_rank_whose_call_is_known_stays_critical() -> None:
    (made,) = joined([finding("dead", "3")], [NOT_JOINED], [], missed="")
    assert made.severity is Severity.CRITICAL


def test_a_stopped_rank_is_critical_whether_anybody_waits_or_not() -> None:
    (made,) = joined([finding("stopped", "3")], [], [], missed="")
    assert made.severity is Severity.CRITICAL


def test_a_rank_that_the_recorder_names_without_accusing_is_not_accused_by_its_stack() -> None:
    early = finding("not_joined", "5", "0-2", severity=Severity.INFO)
    stuck = finding("stuck_stack", "5", "0-2")
    assert [one.kind for one in joined([], [early], [stuck], recorded="0-5", inside="0-2")] == ["not_joined"]
    assert len(joined([], [early], [finding("stuck_stack", "6", "0-2")], recorded="0-5", inside="0-2")) == 2
