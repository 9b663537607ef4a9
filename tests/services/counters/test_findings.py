"""What wait counters add to the verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.counter_answers import answer, counter, looks
from xpudbg.services.counters.findings import WAIT_COUNTER, counter_findings, with_counters
from xpudbg.services.findings import Confidence, Evidence, Finding, Severity
from xpudbg.services.ranksets import RankSet

WAITS = answer(TCPStore__wait=counter(1, 50, 2))
FREE = answer(TCPStore__wait=counter(0, 50, 2))
HELD = looks({0: FREE, 1: WAITS, 2: WAITS}, {0: FREE, 1: WAITS, 2: WAITS})[-1]


def named(ranks: RankSet) -> str:
    return f"rank{'s' if len(ranks) > 1 else ''} {ranks}"


def finding(culprits: RankSet, waiting: RankSet | None = None) -> Finding:
    return Finding(
        "not_joined",
        Severity.CRITICAL,
        Confidence.LIKELY,
        culprits,
        "x",
        "y",
        "z",
        evidence=(Evidence("ping", None, "e"),),
        waiting=waiting or RankSet(),
    )


def test_a_finding_tells_in_what_its_ranks_wait() -> None:
    made = with_counters(finding(RankSet([0, 1])), HELD)
    assert made.evidence[1:] == (
        Evidence(
            "wait_counter_values", 1, "waits in TCPStore__wait now; so it did at the look before, in the same wait"
        ),
    )


def test_one_look_says_no_more_than_what_is_now() -> None:
    look = looks({3: answer(compile=counter(4))})[0]
    made = with_counters(finding(RankSet([3])), look)
    assert made.evidence[-1].text == "waits in compile now with 4 threads"


def test_a_held_up_rank_that_waits_in_a_counter_is_told_too() -> None:
    made = with_counters(finding(RankSet([0]), RankSet([2])), HELD)
    assert [one.rank for one in made.evidence] == [None, 2]


def test_a_finding_about_ranks_that_wait_in_nothing_stays_as_it_is() -> None:
    before = finding(RankSet([0]))
    assert with_counters(before, HELD) is before


def test_what_many_ranks_wait_in_is_told_of_a_few() -> None:
    look = looks(dict.fromkeys(range(50), WAITS))[0]
    assert len(with_counters(finding(RankSet(range(50))), look).evidence) == 5


def test_a_wait_is_a_finding_of_its_own_where_nothing_else_tells_of_the_rank() -> None:
    made = counter_findings(HELD, RankSet([0]), [], named)
    assert [(one.kind, one.severity, one.confidence, str(one.culprits)) for one in made] == [
        (WAIT_COUNTER, Severity.INFO, Confidence.POSSIBLE, "1-2")
    ]
    assert made[0].text == "Ranks 1-2 wait in TCPStore__wait, in the same wait as a look ago."


def test_a_rank_whose_stack_or_recorder_is_known_or_that_is_named_already_has_none() -> None:
    assert counter_findings(HELD, RankSet([1]), [finding(RankSet([2]))], named) == []


def test_names_of_counters_are_made_plain() -> None:
    bad = answer(**{"c10d.\x1b[31m[bold]": counter(1)})
    look = looks({0: bad}, {0: bad})[-1]
    text = counter_findings(look, RankSet(), [], named)[0].text
    assert "\x1b" not in text
    assert text.startswith("Rank 0 waits in c10d.")


@pytest.mark.parametrize(
    ("kind", "culprits", "doubted"),
    [("stuck_stack", [1, 2], True), ("stuck_stack", [0, 1], False), ("stuck_stack", [0], False), ("dead", [1], False)],
)
def test_what_stacks_say_against_ranks_that_wait_themselves_is_only_possible(
    kind: str, culprits: list[int], doubted: bool
) -> None:
    made = with_counters(replace(finding(RankSet(culprits)), kind=kind), HELD)
    weighed = (made.severity, made.confidence) == (Severity.WARNING, Confidence.POSSIBLE)
    assert weighed is doubted
    assert made.text.endswith("By their wait counters they wait in communication themselves.") is doubted
