"""The session folds events, and nothing else changes it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.replies import START, address, reply
from xpudbg.services import events
from xpudbg.services.counters.look import CounterLook
from xpudbg.services.findings import VerdictValue
from xpudbg.services.looks.analysis import LookFindings
from xpudbg.services.looks.book import LOOKS_KEPT
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.looks.stacks import StackLook
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Phase, Session
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
    monkeypatch.setattr("xpudbg.services.looks.book.LOOKS_MEMORY", 3 * 2 * ROW_BYTES + 3 * len(b"pong"))
    for number in range(1, 12):
        look(session, number, {0: Outcome.OK})
    assert [snapshot.id for snapshot in session.looks] == [7, 8, 9, 10, 11]
    monkeypatch.setattr("xpudbg.services.looks.book.LOOKS_MEMORY", 1)
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


# older looks ----------------------------------------------------------------------------------------------------


def class_of(session: Session, rank: int) -> RankClass:
    return session.ranks[rank].rank_class


def two_looks() -> Session:
    session = opened()
    look(session, 1, {0: Outcome.OK, 1: Outcome.OK, 2: Outcome.OK})
    look(session, 2, {0: Outcome.OK, 1: Outcome.OK, 2: Outcome.REFUSED})
    return session


def test_the_look_gone_to_is_shown_as_it_was() -> None:
    session = two_looks()
    assert (session.shown, session.look, session.look_before) == (None, session.looks[1], session.looks[0])
    session.apply(events.LookShown(1))
    assert session.look is session.looks[0]
    assert session.look_before is None
    assert class_of(session, 2) is RankClass.ALIVE
    assert session.verdict.value is not VerdictValue.DEAD
    assert (session.live_verdict.value, session.live.ranks[2].rank_class) == (VerdictValue.DEAD, RankClass.DEAD)
    assert session.frozen().ranks[2].rank_class is RankClass.DEAD
    session.apply(events.LookShown(None))
    assert class_of(session, 2) is RankClass.DEAD
    assert session.verdict is session.live_verdict


def test_an_older_look_stays_shown_while_new_ones_come() -> None:
    session = two_looks()
    session.apply(events.LookShown(1))
    look(session, 3, {0: Outcome.REFUSED, 1: Outcome.OK, 2: Outcome.OK})
    assert (session.book.pinned, session.ranks[0].rank_class) == (1, RankClass.ALIVE)
    session.apply(events.LookShown(3))
    assert session.book.pinned is None, "the newest look is what is known now"


def test_the_newest_look_can_be_gone_to_while_another_is_under_way() -> None:
    session = two_looks()
    session.apply(events.LookStarted(3, START, RankSet.full(3)))
    session.apply(events.ReplyArrived(3, reply(2)))
    assert session.look_before is session.looks[1]
    session.apply(events.LookShown(2))
    assert class_of(session, 2) is RankClass.DEAD
    assert session.verdict.value is VerdictValue.DEAD
    session.apply(events.LookShown(77))
    assert session.shown is None


def test_selection_and_marks_are_of_the_look_shown() -> None:
    session = opened(2)
    look(session, 1, {0: Outcome.OK, 1: Outcome.OK})
    session.apply(events.TargetOpened("store h:1", 3, tuple(address(rank) for rank in range(3))))
    look(session, 2, {0: Outcome.OK, 1: Outcome.OK, 2: Outcome.OK})
    session.apply(events.RankSelected(2))
    session.apply(events.RanksMarked(RankSet([1, 2])))
    session.apply(events.LookShown(1))
    assert (session.world_size, session.selected, session.marked) == (2, 0, RankSet([1]))
    session.apply(events.RankSelected(2))
    assert session.selected == 0


def test_another_target_shows_what_is_known_of_it() -> None:
    session = two_looks()
    session.apply(events.LookShown(1))
    session.apply(events.TargetOpening("store other:1"))
    assert (session.shown, session.look) == (None, None)


def analysed(session: Session, look_id: int) -> None:
    session.apply(events.LookStarted(look_id, START + look_id, RankSet([0])))
    session.apply(events.ReplyArrived(look_id, reply(0)))
    session.apply(events.Analysed(look_id, StackLook(look_id), RecorderLook(look_id), counters=CounterLook(look_id)))
    session.apply(events.LookClosed(look_id, START + look_id))


def test_analyses_are_those_of_the_look_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.looks.book.analyses_memory", lambda _record: 10)
    monkeypatch.setattr("xpudbg.services.looks.book.ANALYSES_MEMORY", 20)
    session = opened(1)
    for look_id in (1, 2, 3):
        analysed(session, look_id)
    session.apply(events.LookShown(2))
    assert (session.stacks.look_id, session.recorder.look_id, session.counters.look_id) == (2, 2, 2)
    session.apply(events.LookShown(1))
    assert (session.stacks.look_id, session.recorder.look_id, session.counters.look_id) == (0, 0, 0)
    assert "being read again" in session.reading_again
    found = LookFindings(StackLook(1), RecorderLook(1), CounterLook(1))
    session.apply(events.AnalysedAgain(1, START, found))
    assert session.reading_again, "that was a look of another target with the same number"
    session.apply(events.AnalysedAgain(1, START + 1, None, "the disk is gone"))
    assert session.reading_again == "look 1 can't be read again: the disk is gone"
    session.apply(events.AnalysedAgain(1, START + 1, found))
    assert session.reading_again == ""
    assert (session.stacks.look_id, session.recorder.look_id, session.counters.look_id) == (1, 1, 1)


def test_a_look_without_analyses_has_none_of_the_look_before() -> None:
    session = opened(1)
    analysed(session, 1)
    look(session, 2, {0: Outcome.OK})
    look(session, 3, {0: Outcome.OK})
    session.apply(events.LookShown(2))
    assert (session.stacks.look_id, session.recorder.look_id, session.counters.look_id) == (0, 0, 0)
    assert session.reading_again == ""


def test_packed_replies_take_the_place_of_those_in_memory() -> None:
    session = two_looks()
    replies = {(0, "ping"): reply(0, body=b"elsewhere")}
    session.apply(events.LookPacked(1, START + 5, replies))
    assert len(session.looks[0].replies) == 3
    session.apply(events.LookPacked(1, START, replies))
    assert dict(session.looks[0].replies) == replies


STEPS = st.lists(
    st.one_of(
        st.sampled_from(["look", "start", "end", "open", "older", "newer", "newest", "again"]),
        st.integers(0, 30),
    ),
    max_size=60,
)


@settings(max_examples=60)
@given(STEPS, st.integers(2, 6), st.integers(1, 4))
def test_whatever_comes_the_look_shown_is_there_and_bounds_hold(steps: list[str | int], most: int, kept: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("xpudbg.services.looks.book.analyses_memory", lambda _record: 1)
        patch.setattr("xpudbg.services.looks.book.ANALYSES_MEMORY", kept)
        patch.setattr("xpudbg.services.looks.book.LOOKS_KEPT", most)
        session, newest = opened(1), 0
        for step in steps:
            book = session.book
            match step:
                case "look":
                    newest += 1
                    analysed(session, newest)
                case "start":
                    newest += 1
                    session.apply(events.LookStarted(newest, START + newest, RankSet([0])))
                case "end":
                    session.apply(events.LookClosed(newest, START + newest))
                case "open":
                    session.apply(events.TargetOpened("store h:1", 1, (address(0),)))
                case "older" if session.look_before is not None:
                    session.apply(events.LookShown(session.look_before.id))
                case "newer" if session.shown is not None:
                    after = book.after(session.shown.snapshot.id)
                    session.apply(events.LookShown(after.snapshot.id if after is not None else None))
                case "again" if session.shown is not None and session.shown.dropped:
                    one = session.shown.snapshot
                    found = LookFindings(StackLook(one.id), RecorderLook(one.id), CounterLook(one.id))
                    session.apply(events.AnalysedAgain(one.id, one.taken_at, found))
                    assert session.stacks.look_id == one.id
                case "newest":
                    session.apply(events.LookShown(None))
                case int():
                    session.apply(events.LookShown(step))
            ids = [one.id for one in session.looks]
            assert ids == sorted(set(ids)) == [one.snapshot.id for one in session.book.records]
            assert len(ids) <= max(most, 3)
            assert session.book.memory == sum(one.memory() for one in session.looks)
            assert session.book.memory_of_analyses <= max(kept, 2)
            shown = session.shown
            assert session.book.pinned == (shown.snapshot.id if shown is not None else None)
            assert session.ranks is (shown.snapshot.ranks if shown is not None else session.live.ranks)
            assert session.verdict is (shown.verdict if shown is not None else session.live_verdict)
            assert session.look is None or session.look in session.looks
            assert session.stacks.look_id in (0, shown.snapshot.id) if shown is not None else True
