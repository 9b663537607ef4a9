"""Detail, changes and legend."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tui.scripted import NOW, SECOND, job, look
from xpudbg.services import events
from xpudbg.services.session import Session
from xpudbg.services.snapshot import RankClass
from xpudbg.tui.widgets.changes_pane import change_lines
from xpudbg.tui.widgets.legend import legend_lines
from xpudbg.tui.widgets.rank_detail import detail_lines


def session_after(said: list[events.Event]) -> Session:
    session = Session()
    for event in said:
        session.apply(event)
    return session


def test_detail_says_what_is_known() -> None:
    state = session_after(job(8, {3: "stopped"})).ranks[3]
    for width in (40, 70):
        lines = detail_lines(state, True, NOW + 5 * SECOND, width)
        assert all(line.cell_length <= width for line in lines)
        said = " ".join(" ".join(line.plain for line in lines).split())
        assert "rank 3 * marked node-000" in said
        assert "S stopped for 5 s" in said
        assert "no answer to ping within 3 s" in said
        assert "heard never" in said
        assert "unanswered ping" in said
        assert "address http://node-000:25003" in said


@pytest.mark.parametrize(
    ("kind", "heard"),
    [("server_error", "heard nothing of use so far"), ("dead", "heard never")],
    ids=["answers", "gone"],
)
def test_a_rank_that_answers_with_errors_is_heard(kind: str, heard: str) -> None:
    state = session_after(job(8, {3: kind})).ranks[3]
    assert heard in " ".join(" ".join(line.plain for line in detail_lines(state, False, NOW, 70)).split())


def test_what_the_recorder_says_and_no_file_named_twice() -> None:
    state = session_after(job(8)).ranks[3]
    recorded = (("recorder", "all_reduce #3 of tp"), ("lag", ""), ("place", "dp0 tp1"))
    for width in (40, 70):
        said = " ".join(" ".join(line.plain for line in detail_lines(state, False, NOW, width, (), recorded)).split())
        assert "recorder all_reduce #3 of tp" in said
        assert "place dp0 tp1" in said
        assert "lag" not in said
        file = replace(state, address=replace(state.address, file="_dump_3"), reason="post mortem: _dump_3")
        assert " ".join(line.plain for line in detail_lines(file, False, NOW, width)).count("_dump_3") == 1


def test_a_url_that_may_carry_a_password_is_not_shown() -> None:
    state = session_after(job(1)).ranks[0]
    secret = replace(state, address=replace(state.address, url="http://me:pw@tunnel:1"))
    open_ = replace(state, address=replace(state.address, url="http://tunnel:1"))
    assert "pw" not in "".join(line.plain for line in detail_lines(secret, False, NOW, 40))
    assert "http://tunnel:1" in "".join(line.plain for line in detail_lines(open_, False, NOW, 40))


def test_no_rank() -> None:
    assert [line.plain for line in detail_lines(None, False, NOW, 40)] == []


def test_changes_tell_from_which_look_to_what() -> None:
    session = session_after(job(64))
    assert [line.plain for line in change_lines(session, 60, 9)] == ["no earlier look to compare"]
    for event in look(2, 64, {3: "stopped", 8: "dead", 9: "dead"}, closed=False):
        session.apply(event)
    lines = [line.plain for line in change_lines(session, 60, 9)]
    assert lines == ["changed since look 1", "rank 3 alive → S stopped", "ranks 8-9 alive → X dead"]
    (one,) = change_lines(session, 60, 1)
    assert one.plain == "since look 1: rank 3 alive → S stopped, and 1 more"
    for event in [events.LookClosed(2, NOW), *look(3, 64, {3: "stopped", 8: "dead", 9: "dead"})]:
        session.apply(event)
    assert [line.plain for line in change_lines(session, 60, 9)] == ["no rank changed since look 2"]


def test_legend_counts_worst_first_and_breaks_lines() -> None:
    counts = {RankClass.ALIVE: 4000, RankClass.DEAD: 1, RankClass.GIL_HELD: 2}
    assert legend_lines(counts, 80).plain == "X 1 dead   G 2 GIL held   o 4,000 alive"
    assert legend_lines(counts, 25).plain == "X 1 dead   G 2 GIL held\no 4,000 alive"
    assert legend_lines(counts, 25, accused=3).plain == "! 3 accused   X 1 dead\nG 2 GIL held\no 4,000 alive"
