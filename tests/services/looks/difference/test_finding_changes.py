"""Which findings are the same one at two looks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.findings import Confidence, Finding, Group, Severity
from xpudbg.services.looks.difference.finding_changes import finding_changes, identity
from xpudbg.services.ranksets import RankSet

TP = Group("4", "tp", RankSet([0, 1]))
FINDING = Finding(
    "not_joined", Severity.CRITICAL, Confidence.LIKELY, RankSet([3]), "text", "advice", "refutation",
    waiting=RankSet([0, 1]), group=TP, op="nccl:all_reduce", seq=311,
)  # fmt: skip


@pytest.mark.parametrize(
    "other",
    [
        {"kind": "device_stuck"},
        {"group": replace(TP, name="5")},
        {"group": None},
        {"op": "nccl:all_gather"},
        {"seq": 312},
        {"culprits": RankSet([3, 4])},
    ],
    ids=["kind", "group", "no group", "op", "seq", "culprits"],
)
def test_another_one(other: dict[str, object]) -> None:
    now = replace(FINDING, **other)  # type: ignore[arg-type]
    made = finding_changes([FINDING], [now])
    assert (made.came, made.gone, made.changed, made.same) == ((now,), (FINDING,), (), ())


@pytest.mark.parametrize(
    "other",
    [{"severity": Severity.WARNING}, {"confidence": Confidence.CERTAIN}, {"waiting": RankSet([0])}],
    ids=["severity", "confidence", "waiting"],
)
def test_the_same_one_judged_differently(other: dict[str, object]) -> None:
    now = replace(FINDING, **other)  # type: ignore[arg-type]
    made = finding_changes([FINDING], [now])
    assert (made.came, made.gone, made.same) == ((), (), ())
    ((before, after),) = [(one.before, one.after) for one in made.changed]
    assert (before, after) == (FINDING, now)


def test_other_words_make_no_difference() -> None:
    now = replace(FINDING, text="it waits for 9 s now", advice="x")
    assert finding_changes([FINDING], [now]).same == (now,)


findings = st.lists(
    st.builds(
        lambda kind, rank, severity: replace(FINDING, kind=kind, culprits=RankSet([rank]), severity=severity),
        st.sampled_from(["dead", "stopped"]),
        st.integers(0, 2),
        st.sampled_from(Severity),
    ),
    max_size=6,
)


@given(findings, findings)
def test_each_finding_is_told_once(before: list[Finding], after: list[Finding]) -> None:
    made = finding_changes(before, after)
    paired = [one.after for one in made.changed] + list(made.same)
    assert sorted(map(id, [*made.came, *paired])) == sorted(map(id, after))
    assert len(made.gone) + len(paired) == len(before)
    came, gone = {identity(one) for one in made.came}, {identity(one) for one in made.gone}
    assert not came & gone
