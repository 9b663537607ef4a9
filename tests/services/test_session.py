"""The session folds events, and nothing else changes it."""

from __future__ import annotations

import pytest

from tests.fakes.replies import START, address, reply
from xpudbg.services import events
from xpudbg.services.findings import VerdictValue
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import LOOKS_KEPT, Phase, Session
from xpudbg.services.snapshot import ROW_BYTES, Outcome, RankClass


def opened(world_size: int = 3) -> Session:
    session = Session()
    session.apply(events.TargetOpening("store h:1"))
    session.apply(events.TargetOpened("store h:1", world_size, tuple(address(rank) for rank in range(world_size))))
    return session


def look(session: Session, look_id: int, outcomes: dict[int, Outcome]) -> None:
    session.apply(events.LookStarted(look_id, START, RankSet(outcomes)))
    for rank, outcome in outcomes.items():
        session.apply(events.ReplyArrived(look_id, reply(rank, outcome=outcome)))
    session.apply(events.LookClosed(look_id, START + 1))


def test_phases() -> None:
    session = Session()
    assert session.verdict.value is VerdictValue.UNKNOWN
    steps: list[tuple[events.Event, Phase, str]] = [
        (events.TargetOpening("store h:1"), Phase.OPENING, ""),
        (events.TargetFailed("store h:1", "refused", "start it"), Phase.FAILED, "refused"),
        (events.TargetOpened("store h:1", 1, (address(0),)), Phase.OPEN, ""),
        (events.TargetClosed(), Phase.IDLE, ""),
    ]
    for event, phase, failure in steps:
        session.apply(event)
        assert (session.phase, session.failure) == (phase, failure)


def test_replies_show_at_once_and_the_verdict_is_partial_until_the_look_closes() -> None:
    session = opened()
    session.apply(events.LookStarted(1, START, RankSet.full(3)))
    session.apply(events.ReplyArrived(1, reply(0)))
    session.apply(events.ReplyArrived(1, reply(2, outcome=Outcome.REFUSED)))
    assert session.ranks[0].rank_class is RankClass.ALIVE
    assert session.under_way is not None
    assert session.under_way.waiting_for == RankSet([1])
    verdict = session.verdict
    assert verdict.value is VerdictValue.DEAD
    assert verdict.partial
    session.apply(events.ReplyArrived(1, reply(1)))
    session.apply(events.LookClosed(1, START + 5))
    verdict = session.verdict
    assert not verdict.partial
    assert session.latest is not None
    assert session.latest.of_class(RankClass.ALIVE) == RankSet([0, 1])
    assert set(session.latest.replies) == {(0, "ping"), (1, "ping"), (2, "ping")}


def test_a_closed_look_does_not_change_with_the_table() -> None:
    session = opened()
    look(session, 1, {0: Outcome.OK, 1: Outcome.OK, 2: Outcome.TIMEOUT})
    first = session.latest
    look(session, 2, {0: Outcome.OK, 1: Outcome.REFUSED, 2: Outcome.OK})
    assert first is not None
    assert first.ranks[1].rank_class is RankClass.ALIVE
    assert session.ranks[1].rank_class is RankClass.DEAD
    assert [snapshot.id for snapshot in session.looks] == [1, 2]


def test_replies_of_another_look_are_ignored() -> None:
    session = opened()
    session.apply(events.ReplyArrived(7, reply(0)))
    session.apply(events.LookStarted(8, START, RankSet.full(3)))
    session.apply(events.ReplyArrived(7, reply(0)))
    session.apply(events.LookClosed(7, START))
    assert session.ranks[0].rank_class is RankClass.UNKNOWN
    assert session.under_way is not None


def test_a_late_reply_wakes_a_rank_between_looks() -> None:
    session = opened()
    look(session, 1, {0: Outcome.OK, 1: Outcome.OK, 2: Outcome.TIMEOUT})
    session.apply(events.StuckChanged(2, ("ping",)))
    assert session.ranks[2].stuck == ("ping",)
    session.apply(events.StuckChanged(2, ()))
    session.apply(events.LateReply(reply(2)))
    assert session.ranks[2].rank_class is RankClass.ALIVE
    assert session.latest is not None
    assert session.latest.ranks[2].rank_class is RankClass.STOPPED


def test_ranks_that_join_a_look_widen_it() -> None:
    session = opened(2)
    session.apply(events.LookStarted(1, START, RankSet([0, 1])))
    session.apply(events.ReplyArrived(1, reply(0)))
    session.apply(events.TargetOpened("store h:1", 3, tuple(address(rank) for rank in range(3))))
    session.apply(events.LookStarted(1, START, RankSet([2])))
    assert session.under_way is not None
    assert session.under_way.waiting_for == RankSet([1, 2])
    assert session.ranks[0].rank_class is RankClass.ALIVE


def test_a_new_address_starts_a_rank_anew() -> None:
    session = opened(2)
    look(session, 1, {0: Outcome.OK, 1: Outcome.OK})
    session.apply(events.TargetOpened("store h:1", 2, (address(0), address(1, "spare-1"))))
    assert session.ranks[0].rank_class is RankClass.ALIVE
    assert session.ranks[1].rank_class is RankClass.UNKNOWN


def test_one_selected_rank_and_marks_within_the_job() -> None:
    session = opened(3)
    assert session.selected == 0
    session.apply(events.RankSelected(2))
    assert (session.selected, session.neighbour(1), session.neighbour(-1)) == (2, 0, 1)
    session.apply(events.RankSelected(99))
    assert session.selected == 2
    session.apply(events.RanksMarked(RankSet([1, 2, 50])))
    assert session.marked == RankSet([1, 2])
    session.apply(events.TargetOpened("store h:1", 2, (address(0), address(1))))
    assert session.selected == 0
    assert session.marked == RankSet([1])


def test_only_so_many_looks_are_kept() -> None:
    session = opened(1)
    for number in range(1, LOOKS_KEPT + 10):
        look(session, number, {0: Outcome.OK})
    assert len(session.looks) == LOOKS_KEPT
    assert session.looks[-1].id == LOOKS_KEPT + 9
    assert session.ranks[0].confirmed == LOOKS_KEPT + 9


def test_every_event_moves_the_revision() -> None:
    session = opened(1)
    before = session.revision
    session.apply(events.TransferProgress(1, 0, "ping", 10))
    session.apply(events.EngineFailed("x", "E: y", ""))
    assert session.revision == before + 2
    assert session.faults[0].error == "E: y"


def test_another_target_starts_with_nothing_of_the_one_before() -> None:
    session = opened(3)
    look(session, 1, {0: Outcome.OK, 1: Outcome.OK, 2: Outcome.REFUSED})
    session.apply(events.RanksMarked(RankSet([2])))
    session.apply(events.TargetOpening("store other:1"))
    assert (session.ranks, session.looks, session.selected, session.marked) == ({}, [], None, RankSet())


def test_looks_that_take_too_much_memory_go_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(1)
    monkeypatch.setattr("xpudbg.services.session.LOOKS_MEMORY", 5 * 2 * ROW_BYTES + 5 * len(b"pong"))
    for number in range(1, 12):
        look(session, number, {0: Outcome.OK})
    assert [snapshot.id for snapshot in session.looks] == [7, 8, 9, 10, 11]
    monkeypatch.setattr("xpudbg.services.session.LOOKS_MEMORY", 1)
    look(session, 12, {0: Outcome.OK})
    assert [snapshot.id for snapshot in session.looks] == [11, 12]


def test_choosing_a_rank_does_not_judge_anew() -> None:
    session = opened(2)
    verdict = session.verdict
    session.apply(events.RankSelected(1))
    session.apply(events.RanksMarked(RankSet([1])))
    assert session.verdict is verdict
    session.apply(events.LookStarted(1, START, RankSet([0])))
    assert session.verdict is not verdict


def test_a_rank_that_a_look_could_not_ask_is_not_alive_by_what_an_earlier_look_saw() -> None:
    session = opened(2)
    look(session, 1, {0: Outcome.OK, 1: Outcome.OK})
    look(session, 2, {0: Outcome.OK, 1: Outcome.CANCELLED})
    assert session.ranks[1].rank_class is RankClass.UNKNOWN
    assert session.verdict.missing == RankSet([1])
    session.apply(events.LookStarted(3, START, RankSet([0, 1])))
    session.apply(events.ReplyArrived(3, reply(0)))
    session.apply(events.LookClosed(3, START + 1, cancelled=True))
    assert session.ranks[0].rank_class is RankClass.ALIVE
