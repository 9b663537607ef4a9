"""What the card says in each state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.flight_recorder_jobs import Fault
from tests.tui import recorder_scripts
from tests.tui.progress_scripts import job_of, mesh, recorder_job, stopped_job
from tests.tui.scripted import job, look, opened
from tests.tui.stack_scripts import hung, traceback
from xpudbg.services import events
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.tui.widgets.verdict_lines import card as card_of


def session_after(said: list[events.Event]) -> Session:
    session = Session()
    for event in said:
        session.apply(event)
    return session


def card(session: Session, width: int = 80, height: int = 9) -> str:
    lines = [line.content for line in card_of(session, width, height)]
    assert all(line.cell_length <= width for line in lines)
    return "\n".join(line.plain for line in lines)


def test_calm_when_all_is_well() -> None:
    assert card(session_after(job(4))).split() == ["OK", "No", "problem", "found:", "all", "4", "ranks", "answer."]


def test_the_first_finding_is_told_with_what_would_refute_it() -> None:
    said = card(session_after(job(16, {3: "stopped"})))
    assert said.startswith(" HANG       Rank 3 (node-000) is stopped")
    assert " sure       likely · connected, but no answer to ping" in said
    assert "\n do         Look at the process" in said
    assert "\n refuted if A request that is out" in said


def test_further_findings_take_one_line_each() -> None:
    gone = dict.fromkeys(range(8, 16), "unreachable")
    said = card(session_after(job(16, {3: "stopped", 5: "dead", **gone})), height=12)
    assert said.startswith((" HANG", " DEAD"))
    also = [line for line in said.split("\n") if line.startswith(" also")]
    assert len(also) == 2
    assert "warning, possible: Ranks 8-15" in also[1]


def test_a_wide_terminal_is_used_by_what_has_one_line_only() -> None:
    said = [
        events.TargetOpening("s"),
        opened(16, hosts=dict.fromkeys([3], "h" * 150)),
        *look(1, 16, {3: "stopped", 5: "dead"}),
    ]
    for width, cut in [(100, 100), (150, 150), (250, 180)]:
        lines = card(session_after(said), width=width).split("\n")
        (also,) = (line for line in lines if line.startswith(" also"))
        assert len(also) == cut
        assert also.endswith("…")
        assert all(len(line) <= 120 for line in lines if line is not also)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_what_does_not_fit_is_counted(width: int) -> None:
    sick = {1: "dead", 2: "stopped", 3: "gil_held", 5: "server_error", 6: "foreign_port", 7: "name_unknown"}
    sick |= dict.fromkeys(range(8, 16), "unreachable")
    said = card(session_after(job(24, sick)), width=width, height=8)
    assert "more findings" in said
    said = card(session_after(job(24, sick)), width=width, height=4)
    assert said.count("more findings") == 1, "the keys say it, nothing has to say it again"


def test_opening_and_looking() -> None:
    assert card(session_after([events.TargetOpening("store [/x]\x1b[1m")])).endswith("Opening store [/x]\\x1b[1m …")
    said = [events.TargetOpening("s"), opened(8), *look(1, 8, silent=[3, 4], closed=False)]
    assert card(session_after(said)).startswith(" LOOKING    Looking: 6 of 8 ranks answer so far.")


def test_a_partial_look_says_so_beside_the_finding() -> None:
    said = [events.TargetOpening("s"), opened(8), *look(1, 8, {2: "dead"}, silent=[3], closed=False)]
    assert "the look is still under way" in card(session_after(said))


def test_a_failure_has_a_hint_and_keys() -> None:
    session = session_after([events.TargetFailed("store h:1", "connection refused", "is the job still running?")])
    said = card(session)
    assert said.startswith(" FAILED     connection refused\n try        is the job still running?")
    assert "r tries again" in said
    assert "t attaches to another target" in said


def test_notes_of_the_target_are_shown() -> None:
    opening = opened(4)
    noted = events.TargetOpened(opening.label, 4, opening.addresses, notes=("only 4 of 8 ranks have registered",))
    said = card(session_after([noted, *look(1, 4)]))
    assert "\n note       only 4 of 8 ranks have registered" in said


def test_what_does_not_fit_is_never_cut_off_in_silence() -> None:
    session = session_after(job(16, {3: "stopped", 5: "dead"}))
    lines = [line.content for line in card_of(session, 60, 9, None, 5)]
    assert len(lines) == 5
    assert "f shows it in full, and 1 more finding" in lines[-1].plain
    whole = [line.content for line in card_of(session, 60, 9, 0, 30)]
    assert any(line.plain.startswith(" evidence") for line in whole)
    assert "finding 1 of 2" in whole[0].plain


def test_evidence_for_which_there_is_no_room_is_counted() -> None:
    session = session_after(job(16, dict.fromkeys(range(8), "stopped")))
    lines = [line.content for line in card_of(session, 80, 9, 0, 9)]
    assert len(lines) <= 9
    assert "more, y copies all" in lines[-2].plain
    assert lines[-1].plain.startswith(" see ")


def of_recorder(**options: Any) -> Session:
    return session_after(recorder_job(stopped_job(), texts=hung(16, loading=[9]), **options))


def test_which_key_leads_to_the_evidence() -> None:
    assert "\n see        3 stacks   4 flight recorder   f all evidence" in card(of_recorder(), 120, 20)
    several = of_recorder(sick={3: "dead"})
    assert "3 stacks   4 flight recorder   f all evidence, 1 more finding" in card(several, 120, 20)
    in_full = [line.content.plain for line in card_of(several, 120, 20, 0, 40)]
    assert in_full[-1] == " see        3 stacks   4 flight recorder   esc all findings   f next finding"
    assert "\n see        2 ranks   f all evidence" in card(session_after(job(16, {3: "stopped"})))


@pytest.mark.parametrize("width", [80, 200])
def test_where_the_accused_ranks_are_is_told_once(width: int) -> None:
    session = of_recorder()
    compact = card(session, width, 20)
    assert "Rank 9 (node-001, dp2 tp1)" in compact
    assert "(job/decode.py:40)" in " ".join(compact.split())
    assert "\n where " not in compact
    in_full = [line.content.plain for line in card_of(session, width, 20, 0, 40)]
    assert " where      rank 9: node-001, dp2 tp1, decode (job/decode.py:40)" in in_full


def test_where_several_accused_ranks_are() -> None:
    jobs = [job_of(mesh(16), faults=[Fault(rank, 2, "stops") for rank in (8, 9, 10)])] * 2
    session = session_after(recorder_job(jobs, texts=hung(16, loading=[8, 9, 10])))
    assert session.verdict.findings[0].culprits == RankSet([8, 9, 10])
    said = card(session, 120, 20).split("\n")
    at = next(n for n, line in enumerate(said) if line.startswith(" where "))
    assert said[at] == " where      rank 8: node-001, dp2 tp0, decode (job/decode.py:40)"
    assert said[at + 1] == "            rank 9: node-001, dp2 tp1, decode (job/decode.py:40) · 1 more rank"


def test_each_line_knows_its_finding() -> None:
    session = of_recorder(sick={3: "dead", 5: "stopped"})
    lines = card_of(session, 120, 20)
    assert [line.finding for line in lines if line.content.plain.startswith(" also")] == [1, 2]
    assert {line.finding for line in lines if not line.content.plain.startswith(" also")} == {0}
    assert {line.finding for line in card_of(session, 120, 20, 1, 40)} == {1}
    assert {line.finding for line in card_of(session_after(job(4)), 80, 9)} == {None}


def test_where_it_is_narrow_each_part_keeps_a_line() -> None:
    sick = dict.fromkeys(range(1, 64, 2), "gil_held") | {2: "dead", 4: "stopped"}
    session = session_after(job(64, sick))
    whole = [line.content.plain for line in card_of(session, 60, 12)]
    short = [line.content.plain for line in card_of(session, 60, 12, None, 8)]
    assert len(whole) > 8 >= len(short)
    assert [line.split()[0] for line in short if line[1] != " "] == ["DEAD", "sure", "do", "refuted", "see"]
    assert short[-1].endswith("f all evidence, 2 more findings")


def test_texts_of_ranks_are_painted_as_they_are() -> None:
    bad = "[/x] \x1b[31m\u202e"
    texts = hung(16) | {9: traceback((f"{bad} /job/[link=x]run.py:1",))}
    hosts = dict.fromkeys(range(8, 16), bad)
    session = session_after(recorder_job(stopped_job(), texts=texts, hosts=hosts))
    for chosen in (None, 0):
        said = "\n".join(line.content.plain for line in card_of(session, 200, 20, chosen, 40))
        assert "[/x] \\x1b[31m\\u202e" in said
        assert "[link=x]run.py:1" in said
        assert "\x1b" not in said


def test_dumps_that_contradict_the_others_are_noted_and_many_of_them_counted() -> None:
    session = session_after(recorder_scripts.recorder_job(recorder_scripts.stuck()))
    look = session.recorder
    (source,) = look.diagnoses
    for many, lines in ((1, 1), (3, 3), (7, 3)):
        notes = tuple(f"rank {rank}: its dump is older than the others" for rank in range(many))
        session.live.recorder = replace(look, diagnoses={source: replace(look.diagnoses[source], contradictions=notes)})
        said = [line for line in card(session, 100, 20).split("\n") if line.startswith(" note")]
        assert len(said) == lines
        assert "rank 0: its dump is older" in said[0]
        assert ("5 more notes on dumps that contradict the others" in said[-1]) is (many == 7)
