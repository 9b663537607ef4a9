"""docs/accuracy.md says what xpudbg says now: a page that nobody has renewed fails here.

Scenarios are told whole by tests/services/test_demo_looks.py, whose truth is the same as the page's; here one of them
runs. The folders of dumps are all read.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accuracy.demo_scenarios import scenario_said, truth_of
from accuracy.dump_cases import CASES, DUMPS, RECORDED, case_said
from accuracy.page import Group, render
from accuracy.real_jobs import FAULTS
from accuracy.rows import Row, Said, Score, Truth, score
from xpudbg.services.markdown_text import unmarked
from xpudbg.services.ranksets import RankSet
from xpudbg.services.simulate.scenarios import SCENARIOS

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
ROW = re.compile(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \((\*?\*?[a-z ]+\*?\*?)\) \|$", re.M)


Rows = dict[str, tuple[str, str, str]]
"""Truth, xpudbg's words and their score, by the name of the job."""


@pytest.fixture(scope="module")
def page() -> dict[str, Rows]:
    """The rows of the page by the heading of their table."""
    _, *parts = re.split(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.M)
    return {
        title: {name: (truth, ours, scored.strip("*")) for name, truth, _, ours, scored in ROW.findall(text)}
        for title, text in zip(parts[::2], parts[1::2], strict=True)
    }


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Demo scenarios", list(SCENARIOS)),
        ("Recorded cases", list(CASES)),
        ("Real NCCL jobs", list(RECORDED)),
        ("Real Gloo jobs", [fault.name for fault in FAULTS]),
    ],
)
def test_every_job_has_a_row(title: str, names: list[str], page: dict[str, Rows]) -> None:
    assert list(page[title]) == [unmarked(name) for name in names]


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_truth_of_a_scenario(name: str, page: dict[str, Rows]) -> None:
    truth = truth_of(SCENARIOS[name])
    said, ours, scored = page["Demo scenarios"][unmarked(name)]
    assert (said, scored) == (unmarked(truth.text), "right")
    for rank_set in SCENARIOS[name].culprits(SCENARIOS[name].default_ranks).values():
        assert f" {rank_set}," in ours


def test_a_scenario_is_told_as_the_page_says(page: dict[str, Rows]) -> None:
    assert page["Demo scenarios"]["dead"][1] == unmarked(scenario_said("dead", looks=1).text)


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_told_as_the_page_says(name: str, page: dict[str, Rows]) -> None:
    truth, ours, scored = page["Recorded cases"][unmarked(name)]
    now = case_said(DUMPS / name)
    assert truth == unmarked(CASES[name].text)
    assert (ours, scored) == (unmarked(now.text), score(CASES[name], now).value)


def test_totals_stand_first_and_hostile_text_stays_text() -> None:
    truth = Truth.of("sleeps | here", "2")
    right, wrong = Said("x | y", accuses=True, named=RankSet([2])), Said("<b>", accuses=True, named=RankSet([3]))
    page = render([Group("Jobs", "About.", "it", (Row("a_b", truth, wrong, right),))], [("torch", "1")], "2026-12-01")
    totals, table = page.split("## Jobs")
    assert f"| Jobs (1) | it | {' | '.join('1' if one is Score.WRONG else '0' for one in Score)} |" in totals
    assert f"| Jobs (1) | xpudbg | {' | '.join('1' if one is Score.RIGHT else '0' for one in Score)} |" in totals
    assert r"| a\_b | sleeps \| here: rank 2 | \<b\> (**wrong**) | x \| y (right) |" in table
