"""The page: what it says, that it holds no script and leads nowhere, and that nothing foreign becomes markup."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.fakes.counter_answers import answer, counter
from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.reports.html.pages import Page, hung, session_of
from tests.tui.counter_scripts import counter_job
from tests.tui.recorder_scripts import recorder_job, stuck
from tests.tui.scripted import NOW, job, look, opened
from xpudbg.services import events
from xpudbg.services.reports.html.page import POLICY, render_html
from xpudbg.services.session import Session

HOSTILE = "</td></table><script>alert(1)</script><img src=http://x/ onerror=a>&lt;\x1b[31m\u202e\ud800\n'\"]]>"
TAGS = frozenset(
    (
        *("html", "head", "meta", "title", "style", "body", "main", "header", "section", "article", "footer", "div"),
        *("span", "h1", "h2", "h3", "p", "b", "code", "dl", "dt", "dd", "ul", "li", "table", "thead", "tbody", "tr"),
        *("th", "td", "svg", "rect", "text", "details", "summary", "pre"),
    )
)
ATTRIBUTES = frozenset(
    (
        *("lang", "charset", "http-equiv", "content", "name", "class", "scope", "open", "role", "aria-label"),
        *("viewbox", "style", "x", "y", "width", "height", "rx"),
    )
)
"""None of them leads anywhere or does anything."""


def healthy() -> Session:
    return session_of(job(4))


def failed() -> Session:
    session = Session()
    session.apply(events.TargetFailed(HOSTILE, HOSTILE, HOSTILE))
    session.apply(events.EngineFailed("looking", HOSTILE, "trace"))
    return session


def hostile() -> Session:
    """Every text that comes from outside is hostile."""
    start = opened(8, hosts=dict.fromkeys(range(8), HOSTILE))
    start = replace(start, label=HOSTILE, notes=(HOSTILE,))
    return session_of(
        [events.TargetOpening(HOSTILE), start, *look(1, 8, {3: "dead", 4: "server_error"}, error=HOSTILE)]
    )


def hostile_recorders() -> Session:
    return session_of(recorder_job(stuck(tp=HOSTILE.replace("\ud800", ""))))


def counted() -> Session:
    waits: dict[int, dict[str, object]] = {
        rank: answer(**{HOSTILE.replace("\ud800", ""): counter(1, 5, 1)}) for rank in range(4)
    }
    return session_of(counter_job(4, [waits]))


CASES = {
    "nothing": Session,
    "failed": failed,
    "healthy": healthy,
    "hung": hung,
    "hostile": hostile,
    "hostile recorders": hostile_recorders,
    "counters": counted,
}


@pytest.mark.parametrize("with_ranks", [False, True], ids=["some ranks", "all ranks"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_page_is_whole_has_no_script_and_leads_nowhere(case: object, with_ranks: bool) -> None:
    text = render_html(case(), with_ranks=with_ranks)  # type: ignore[operator]
    page = Page(text)
    assert (page.open, page.stray) == ([], [])
    assert {tag for tag, _ in page.tags} <= TAGS
    assert {name for _, attributes in page.tags for name in attributes} <= ATTRIBUTES
    assert {"http-equiv": "Content-Security-Policy", "content": POLICY} in page.of("meta")
    assert len(page.of("style")) == 1
    styles = "".join(said for where, said in page.texts if where == "style")
    assert not re.search(r"url\(|@import|expression|</", styles)
    assert all(char.isprintable() or char == "\n" for char in text)
    assert text.startswith("<!DOCTYPE html>\n<html")


@pytest.mark.parametrize("case", [hostile, hostile_recorders, counted], ids=["ranks", "recorders", "counters"])
def test_what_is_hostile_is_there_as_text(case: object) -> None:
    page = Page(render_html(case(), with_ranks=True))  # type: ignore[operator]
    assert "</td></table><script>alert(1)</script><img src=http://x/ onerror=a>&lt;\\x1b[31m\\u202e" in page.all_text()


FOREIGN = st.text(st.one_of(st.characters(), st.sampled_from("<>&\"'`=/\\!-[]\x00\x1b\u202e\ud800")), max_size=40)


@given(FOREIGN)
@example("<script>")
@example("<!--")
@example("]]><![CDATA[")
@example("&#60;script&#62;&quot;")
def test_any_text_stays_text(foreign: str) -> None:
    start = replace(opened(2, hosts={0: foreign}), label=foreign, notes=(foreign,))
    session = session_of([events.TargetOpening(foreign), start, *look(1, 2, {1: "dead"}, error=foreign)])
    page, plainly = Page(render_html(session, with_ranks=True)), Page(render_html(healthy(), with_ranks=True))
    assert (page.open, page.stray) == ([], [])
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in plainly.tags} | {
        "ul",
        "li",
        "article",
        "h3",
        "dl",
        "dt",
        "dd",
        "code",
    }
    assert {name for _, attributes in page.tags for name in attributes} <= ATTRIBUTES


def test_the_verdict_comes_first_then_findings_with_evidence() -> None:
    page = Page(render_html(hung()))
    text = page.all_text()
    order = [
        text.index(said) for said in ("hang", "Rank 5", "Findings (1)", "refuted if", "Ranks (8)", "Progress by group")
    ]
    assert order == sorted(order)
    assert "last called #" in text
    assert "Collectives that are open, not joined by all, or differ: NCCL" in text
    assert "Stacks of main threads (2 different, the odd ones first)" in text
    assert "xpudbg.report/1" in text


def test_counts_are_right() -> None:
    page = Page(render_html(session_of(job(300, {3: "dead", 7: "stopped"})), with_ranks=True))
    picture = page.of("svg")[0]["aria-label"]
    assert picture == "300 ranks: 298 alive, 1 stopped, 1 dead; accused: 3,7"
    assert len(page.of("rect")) == 300 // 64 + 1 + 4 + 2  # a run a row, one of them in five, frames
    rows = [said for where, said in page.texts if where == "td"]
    assert {"298", "1"} <= set(rows)
    assert [said for where, said in page.texts if where == "text" and said in "XS"] == ["X", "S"]
    table = render_html(session_of(job(300, {3: "dead", 7: "stopped"})))
    assert table.count("<tr>") < 20 < render_html(session_of(job(300)), with_ranks=True).count("<tr>")


def test_groups_that_stand_alike_share_a_row() -> None:
    groups = [FakeGroup(str(10 + at), "tp", tuple(range(4 * at, 4 * at + 4))) for at in range(4)]
    calls = [Call(group.name) for group in groups] * 6
    text = render_html(session_of(recorder_job(FakeJob(16, groups, calls, faults=(Fault(5, 3, "stops"),)), looks=1)))
    assert "Progress by group (4, greatest lag first" in Page(text).all_text()
    part = text[text.index("Progress by group") : text.index("Collectives that")]
    rows = [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in part.split("<tr>")[2:]]
    assert rows == [
        ["tp", "tp", "1", "4", "4-7", "#4", "1", "5", "3"],
        ["tp", "tp", "3", "4", "0-3,8-15", "#6", "", "", "0"],
    ]


def test_waits_that_count_now_are_told() -> None:
    text = Page(render_html(counted())).all_text()
    assert "Wait counters that count now (1)" in text
    assert "0-3" in text


def test_what_is_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.reports.html.rank_parts.MOST_RANKS", 4)
    monkeypatch.setattr("xpudbg.services.reports.html.rank_parts.ROOM", 300)
    monkeypatch.setattr("xpudbg.services.reports.html.rank_parts.MOST_STACKS", 1)
    monkeypatch.setattr("xpudbg.services.reports.html.recorder_parts.MOST_GROUPS", 1)
    monkeypatch.setattr("xpudbg.services.reports.html.recorder_parts.MOST_CALLS", 1)
    text = Page(render_html(hung(), with_ranks=True)).all_text()
    assert "and 4 more ranks, left out here" in text
    assert "more ranks, left out here" in text[text.index("and 4 more ranks") + 10 :]
    assert "and 1 more different stack, left out here" in text
    assert "and 2 more rows, left out here" in text
    assert re.search(r"and \d+ more collectives?, left out here", text)


def test_a_page_of_a_big_job_stays_small() -> None:
    session = session_of(job(4096, dict.fromkeys(range(0, 4096, 50), "unreachable")))
    assert len(render_html(session, with_ranks=True).encode()) < 5_000_000
    assert len(render_html(session).encode()) < 500_000


def test_an_instant_is_in_utc() -> None:
    assert NOW == 1_760_000_000_000_000_000
    assert "2025-10-09T08:53:16.000Z" in render_html(healthy())
