"""Classes of ranks from what came back of their probes (spec: worker-server.md, both tables)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.replies import SECOND, START, address, reply
from xpudbg.services.cluster import liveness
from xpudbg.services.snapshot import Outcome, RankAddress, RankClass, RankReply, RankState


def row() -> RankState:
    return liveness.begin(address(3))


def after(*replies: RankReply, state: RankState | None = None) -> RankState:
    state = state or row()
    for one in replies:
        state = liveness.fold(state, one)
    return state


@pytest.mark.parametrize(
    ("ping", "rank_class"),
    [
        (reply(3), RankClass.ALIVE),
        (reply(3, body=b"pong\n"), RankClass.ALIVE),
        (reply(3, body=b"<html>hello</html>"), RankClass.FOREIGN_PORT),
        (reply(3, body=b""), RankClass.FOREIGN_PORT),
        (reply(3, outcome=Outcome.TIMEOUT), RankClass.STOPPED),
        (reply(3, outcome=Outcome.REFUSED), RankClass.DEAD),
        (reply(3, outcome=Outcome.UNREACHABLE), RankClass.UNREACHABLE),
        (reply(3, outcome=Outcome.NAME_UNKNOWN), RankClass.NAME_UNKNOWN),
        (reply(3, outcome=Outcome.RESET), RankClass.SERVER_ERROR),
        (reply(3, outcome=Outcome.TOO_LARGE), RankClass.FOREIGN_PORT),
        (reply(3, outcome=Outcome.HTTP_ERROR, status=500), RankClass.SERVER_ERROR),
        (reply(3, outcome=Outcome.HTTP_ERROR, status=503), RankClass.SERVER_ERROR),
        (reply(3, outcome=Outcome.HTTP_ERROR, status=501), RankClass.FOREIGN_PORT),
        (reply(3, outcome=Outcome.HTTP_ERROR, status=404), RankClass.FOREIGN_PORT),
        (reply(3, outcome=Outcome.HTTP_ERROR, status=302), RankClass.FOREIGN_PORT),
        (reply(3, outcome=Outcome.HTTP_ERROR, status=None, error="what answers is not HTTP"), RankClass.FOREIGN_PORT),
        (reply(3, outcome=Outcome.HTTP_ERROR, status=None, error="TLS failed: x"), RankClass.SERVER_ERROR),
        (reply(3, outcome=Outcome.CANCELLED), RankClass.UNKNOWN),
    ],
)
def test_a_ping_tells_the_class(ping: RankReply, rank_class: RankClass) -> None:
    assert after(ping).rank_class is rank_class


def test_a_rank_without_key_is_not_registered_and_a_bad_address_is_said() -> None:
    assert liveness.begin(address(1, registered=False)).rank_class is RankClass.NOT_REGISTERED
    broken = liveness.begin(RankAddress(1, "\x00", "", "", error="not an address"))
    assert (broken.rank_class, broken.reason) == (RankClass.NAME_UNKNOWN, "not an address")


def test_a_traceback_that_does_not_come_from_a_rank_that_answers_ping_means_the_gil_is_held() -> None:
    stuck = reply(3, "dump_traceback", Outcome.TIMEOUT, took_s=3.0)
    held = after(reply(3), stuck)
    assert held.rank_class is RankClass.GIL_HELD
    assert "GIL" in held.reason
    # The ping of the next look does not clear it; the traceback does.
    assert after(reply(3), state=held).rank_class is RankClass.GIL_HELD
    freed = after(reply(3), reply(3, "dump_traceback", body=b"Current thread"), state=held)
    assert freed.rank_class is RankClass.ALIVE


def test_a_rank_that_stops_between_ping_and_traceback_is_stopped_not_a_gil_holder() -> None:
    stuck = reply(3, "dump_traceback", Outcome.TIMEOUT, took_s=3.0)
    assert after(reply(3), stuck, reply(3, outcome=Outcome.TIMEOUT)).rank_class is RankClass.STOPPED


def test_a_rank_that_dies_between_ping_and_traceback_is_dead() -> None:
    lost = reply(3, "dump_traceback", Outcome.RESET)
    assert after(reply(3), lost, reply(3, outcome=Outcome.REFUSED)).rank_class is RankClass.DEAD


def test_an_answer_that_trickles_accuses_nobody() -> None:
    assert after(reply(3, outcome=Outcome.TIMEOUT, status=206, body=b"po")).rank_class is RankClass.UNKNOWN


def test_a_rank_alone_out_of_reach_on_a_host_that_can_be_reached_is_stopped() -> None:
    table = {
        0: after(reply(0), state=liveness.begin(address(0, "node-a"))),
        1: after(reply(1, outcome=Outcome.UNREACHABLE), state=liveness.begin(address(1, "node-a"))),
        2: after(reply(2, outcome=Outcome.UNREACHABLE), state=liveness.begin(address(2, "node-b"))),
    }
    changed = liveness.compare_hosts(table)
    assert list(changed) == [1]
    assert changed[1].rank_class is RankClass.STOPPED


def test_a_shared_address_tells_nothing_of_the_second_rank() -> None:
    shared = liveness.begin(RankAddress(5, "http://h:1", "", "h", shares=2))
    assert shared.rank_class is RankClass.UNKNOWN
    assert "rank 2" in shared.reason


@pytest.mark.parametrize("outcome", [Outcome.HTTP_ERROR, Outcome.RESET, Outcome.TOO_LARGE])
def test_a_traceback_that_fails_at_once_does_not_accuse(outcome: Outcome) -> None:
    assert after(reply(3), reply(3, "dump_traceback", outcome)).rank_class is RankClass.ALIVE


def test_a_gil_holder_that_stops_or_dies_changes_its_class() -> None:
    held = after(reply(3), reply(3, "dump_traceback", Outcome.TIMEOUT, took_s=3.0))
    assert after(reply(3, outcome=Outcome.TIMEOUT), state=held).rank_class is RankClass.STOPPED
    assert after(reply(3, outcome=Outcome.REFUSED), state=held).rank_class is RankClass.DEAD


def test_a_stopped_rank_with_a_full_listen_queue_stays_stopped() -> None:
    stopped = after(reply(3, outcome=Outcome.TIMEOUT))
    later = after(reply(3, outcome=Outcome.UNREACHABLE), state=stopped)
    assert later.rank_class is RankClass.STOPPED
    assert "queue" in later.reason
    assert after(reply(3, outcome=Outcome.REFUSED), state=later).rank_class is RankClass.DEAD
    assert after(reply(3), state=later).rank_class is RankClass.ALIVE


def test_since_is_the_first_of_an_unbroken_row_and_looks_are_counted() -> None:
    state = row()
    for look in range(3):
        ping = reply(3, outcome=Outcome.TIMEOUT, started_at=START + look * 10 * SECOND, took_s=1.0)
        state = liveness.settle(after(ping, state=state))
    assert state.since == START + SECOND
    assert state.confirmed == 3
    woken = after(reply(3, started_at=START + 60 * SECOND), state=state)
    assert woken.confirmed == 0
    assert woken.since is not None
    assert woken.since > START + 60 * SECOND
    assert woken.was_alive


def test_seen_at_is_the_newest_good_answer_of_any_kind() -> None:
    state = after(reply(3), reply(3, "handlers", body=b"[]", started_at=START + SECOND))
    assert state.seen_at == START + SECOND + 2_000_000
    assert after(reply(3, "handlers", Outcome.RESET), state=state).seen_at == state.seen_at


def test_a_silent_rank_whose_store_hung_up_is_dead_and_stays_so_until_it_answers() -> None:
    stopped = after(reply(0, outcome=Outcome.TIMEOUT))
    hung_up = reply(0, liveness.STORE, Outcome.RESET)
    dead = after(hung_up, state=stopped)
    assert dead.rank_class is RankClass.DEAD
    assert after(reply(0, outcome=Outcome.TIMEOUT), hung_up, state=dead) == dead
    assert after(reply(0), state=dead).rank_class is RankClass.ALIVE


def test_a_rank_that_answers_is_alive_whatever_became_of_the_store() -> None:
    assert after(reply(0), reply(0, liveness.STORE, Outcome.RESET)).rank_class is RankClass.ALIVE


@pytest.mark.parametrize(
    ("traceback", "counters", "rank_class"),
    [
        (Outcome.OK, Outcome.OK, RankClass.UNKNOWN),
        (Outcome.TIMEOUT, Outcome.OK, RankClass.GIL_HELD),
        (Outcome.TIMEOUT, Outcome.TIMEOUT, RankClass.STOPPED),
        (Outcome.TIMEOUT, None, RankClass.UNKNOWN),
        (Outcome.REFUSED, Outcome.REFUSED, RankClass.DEAD),
        (Outcome.UNREACHABLE, Outcome.UNREACHABLE, RankClass.UNREACHABLE),
        (Outcome.HTTP_ERROR, Outcome.OK, RankClass.UNKNOWN),
    ],
)
def test_periodic_dumps_tell_how_a_rank_answered_torch(
    traceback: Outcome, counters: Outcome | None, rank_class: RankClass
) -> None:
    known = liveness.begin(RankAddress(3, "", "", "", file="stacks_20261130_221404.txt"))
    asked = [("dump_traceback", traceback), ("wait_counter_values", counters)]
    answers = [reply(3, source, outcome) for source, outcome in asked if outcome is not None]
    assert after(*answers, state=known).rank_class is rank_class
    back = after(*answers, reply(3, "dump_traceback"), reply(3, "wait_counter_values"), state=known)
    assert (back.rank_class, back.reason) == (RankClass.UNKNOWN, known.reason)


@pytest.mark.parametrize(("hours", "rank_class"), [(14, RankClass.DEAD), (16, RankClass.UNKNOWN)])
def test_a_rank_that_recorded_calls_long_after_it_was_refused_ran_then(hours: int, rank_class: RankClass) -> None:
    known = liveness.begin(RankAddress(3, "", "", "", file="nccl_trace_rank_3"))
    refused = reply(3, "dump_traceback", Outcome.REFUSED)
    dead = after(refused, state=known)
    dump = replace(reply(3, "dump_file"), started_at=(dead.since or 0) + hours * 3600 * 10**9)
    found = after(dump, state=dead)
    assert found.rank_class is rank_class
    assert (found.reason == known.reason) is (rank_class is RankClass.UNKNOWN)
    assert after(replace(refused, started_at=dump.started_at), state=found).rank_class is RankClass.DEAD
