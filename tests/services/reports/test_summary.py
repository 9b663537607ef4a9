"""Several jobs in a line each."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.services.reports.html.pages import hung, session_of
from tests.tui.scripted import job
from xpudbg.services import events
from xpudbg.services.findings import Confidence, Finding, Severity, Verdict, VerdictValue
from xpudbg.services.ranksets import RankSet
from xpudbg.services.reports.summary import (
    JobLine,
    job_line,
    refused,
    summary_json,
    summary_markdown,
    summary_notes,
    summary_row,
    summary_title,
    target_width,
    worst,
)
from xpudbg.services.session import Session

HOSTILE = "a|b\x1b[31m\n\u202e"


def lines() -> list[JobLine]:
    failed = Session()
    failed.apply(events.TargetFailed("x", "nobody is there", "start it"))
    return [
        job_line("a/1", hung(), 1),
        job_line("b", session_of(job(4)), 0),
        job_line(HOSTILE, failed, 3),
        refused("c", "no such file", 3),
        job_line("d", session_of(job(8, {2: "dead", 3: "stopped"})), 1),
    ]


def test_a_line_says_verdict_how_sure_ranks_and_the_first_finding() -> None:
    width = target_width(line.target for line in lines())
    rows = [summary_row(line, width) for line in lines()]
    assert rows[0].startswith(f"{'a/1':<{width}}  hang")
    assert "certain" in rows[0]
    assert "       8  Rank 5 (node-000) has not joined all_gather #4" in rows[0]
    assert "ok" in rows[1]
    assert rows[2].startswith("a|b\\x1b[31m\\n\\u202e  unreadable ")
    assert rows[2].endswith("nobody is there; start it")
    assert rows[3].endswith("no such file")
    assert rows[4].endswith("(+1)")
    assert summary_title(width).index("verdict") == rows[0].index("hang")


def test_json_is_a_list_with_all_culprits() -> None:
    made = json.loads(summary_json(lines()))
    assert [one["verdict"] for one in made] == ["hang", "ok", "unreadable", "unreadable", made[4]["verdict"]]
    assert made[0]["culprits"] == [5]
    assert (made[0]["schema"], made[0]["confidence"], made[0]["kind"]) == ("xpudbg.summary/1", "certain", "not_joined")
    assert made[2]["target"] == HOSTILE
    assert [one["exit_code"] for one in made] == [1, 0, 3, 3, 1]


def test_markdown_is_one_table() -> None:
    text = summary_markdown(lines())
    assert [line.replace("\\|", "").count("|") for line in text.splitlines()] == [6] * 7
    assert "\x1b" not in text


def test_the_sign_of_a_partial_answer_is_explained_where_it_stands() -> None:
    assert summary_notes(lines()) == ""
    unreadable = refused("c", "no such file", 3)
    assert summary_notes([unreadable]) == ""
    partial = replace(job_line("b", session_of(job(4)), 4), partial=True)
    assert " ok* " in summary_row(partial, 1)
    assert summary_notes([unreadable, partial]).startswith("* partial: ")


def test_an_unknown_verdict_is_as_sure_as_its_first_finding() -> None:
    found = Finding("waits", Severity.INFO, Confidence.LIKELY, RankSet(), "Rank 3 waits.", "", "")
    for verdict, sure in ((VerdictValue.UNKNOWN, "likely"), (VerdictValue.OK, None)):
        session = session_of(job(4))
        session._verdict = Verdict(verdict, "Rank 3 waits for somebody.", (found,))
        line = job_line("a", session, 0)
        assert (line.confidence, line.kind, line.findings) == (sure, None, 0)


@pytest.mark.parametrize(
    ("codes", "code"),
    [([], 0), ([0, 0], 0), ([0, 4], 4), ([4, 3, 0], 3), ([3, 1, 4], 1)],
)
def test_the_worst_counts(codes: list[int], code: int) -> None:
    assert worst(codes) == code
