"""The finding that is shown in full."""

from __future__ import annotations

from dataclasses import replace

from tests.tui.progress_scripts import recorder_job, stopped_job
from tests.tui.scripted import NOW, SECOND, job, look
from xpudbg.services.session import Session
from xpudbg.tui.moving.finding_choice import FindingChoice, place_in_recorder


def session_after(sick: dict[int, str]) -> Session:
    session = Session()
    for event in job(16, sick):
        session.apply(event)
    return session


def test_none_is_chosen_until_somebody_does() -> None:
    assert FindingChoice(session_after({3: "stopped"})).at is None
    assert FindingChoice(session_after({})).step(1) is None


def test_it_goes_round_both_ways() -> None:
    choice = FindingChoice(session_after({3: "stopped", 5: "dead", 7: "gil_held"}))
    places = []
    for step in (1, 1, 1, -1):
        choice.step(step)
        places.append(choice.at)
    assert places == [0, 1, 2, 1]


def test_it_stays_with_its_finding_when_others_come_before_it() -> None:
    session = session_after({3: "unreachable", 7: "foreign_port"})
    choice = FindingChoice(session)
    chosen = choice.step(-1)
    assert chosen is not None
    sick = {1: "dead", 3: "unreachable", 7: "foreign_port"}
    for event in look(2, 16, sick, at=NOW + SECOND):
        session.apply(event)
    assert choice.at is not None
    assert session.verdict.findings[choice.at].culprits == chosen.culprits


def test_when_its_finding_is_gone_there_is_no_choice() -> None:
    session = session_after({3: "stopped", 5: "dead"})
    choice = FindingChoice(session)
    choice.step(-1)
    for event in look(2, 16, at=NOW + SECOND):
        session.apply(event)
    assert choice.at is None


def test_one_is_chosen_by_its_place() -> None:
    session = session_after({3: "stopped", 5: "dead"})
    choice = FindingChoice(session)
    second = session.verdict.findings[1]
    assert choice.choose(1) is second
    assert choice.chosen is second
    assert choice.at == 1
    assert choice.choose(2) is None
    assert choice.at == 1


def test_its_place_in_the_recorder() -> None:
    session = Session()
    for event in recorder_job(stopped_job(), {3: "dead"}):
        session.apply(event)
    by_kind = {finding.kind: finding for finding in session.verdict.findings}
    assert place_in_recorder(session.recorder, by_kind["not_joined"]) == ("dump_file", 0)
    assert place_in_recorder(session.recorder, by_kind["dead"]) is None
    elsewhere = replace(by_kind["not_joined"], seq=77)
    assert place_in_recorder(session.recorder, elsewhere) is None
