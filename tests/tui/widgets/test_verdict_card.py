"""What the card says in each state."""

from __future__ import annotations

import pytest

from tests.tui.scripted import job, look, opened
from xpudbg.services import events
from xpudbg.services.session import Session
from xpudbg.tui.widgets.verdict_card import card_lines


def session_after(said: list[events.Event]) -> Session:
    session = Session()
    for event in said:
        session.apply(event)
    return session


def card(session: Session, width: int = 80, height: int = 9) -> str:
    lines = card_lines(session, width, height)
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
    lines = card_lines(session, 60, 9, None, 5)
    assert len(lines) == 5
    assert "f shows it in full, and 1 more finding" in lines[-1].plain
    whole = card_lines(session, 60, 9, 0, 30)
    assert any(line.plain.startswith(" evidence") for line in whole)
    assert "finding 1 of 2" in whole[0].plain


def test_evidence_for_which_there_is_no_room_is_counted() -> None:
    session = session_after(job(16, dict.fromkeys(range(8), "stopped")))
    lines = card_lines(session, 80, 9, 0, 9)
    assert len(lines) <= 9
    assert "more, y copies all" in lines[-1].plain
