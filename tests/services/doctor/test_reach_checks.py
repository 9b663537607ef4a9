"""The store, the world size, names, answers, handlers and times: each said with what mends it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.services.doctor.examined import HANDLERS, answer, checks_of, session_of
from tests.tui.scripted import opened
from xpudbg.services import events
from xpudbg.services.doctor import reach_checks
from xpudbg.services.doctor.check import CheckState
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome, RankAddress

REACH = ("store", "world size", "names", "answers", "handlers", "response times", "requests", "connections")


def test_a_job_that_is_well() -> None:
    checks = checks_of(session_of(16))
    assert [checks[name].state for name in REACH] == [CheckState.OK] * len(REACH)
    assert checks["world size"].text == "World size 16; every rank that is asked is registered."
    assert checks["names"].text == "Every host name resolves from here (2)."
    assert "dump_traceback, fr_trace_json, ping" in checks["handlers"].text


@pytest.mark.parametrize(
    ("kind", "name", "mended_by"),
    [
        ("dead", "answers: dead", "log"),
        ("stopped", "answers: stopped", "state T or D"),
        ("unreachable", "answers: unreachable", "--map"),
        ("server_error", "answers: server_error", "log"),
        ("foreign_port", "answers: foreign_port", "--proxy"),
        ("name_unknown", "names", "--map node-001=ADDRESS"),
    ],
    ids=lambda given: given,
)
def test_a_host_that_does_not_answer(kind: str, name: str, mended_by: str) -> None:
    check = checks_of(session_of(16, sick=dict.fromkeys(range(8, 16), kind)))[name]
    assert (check.state, check.ranks) == (CheckState.PROBLEM, RankSet(range(8, 16)))
    assert check.text.startswith("Ranks 8-15")
    assert mended_by in check.mend
    assert check.why


def test_a_rank_whose_gil_is_held_is_a_warning() -> None:
    checks = checks_of(session_of(4, sick={1: "gil_held"}))
    assert checks["answers: gil_held"].state is CheckState.WARNING
    assert checks["requests"].ranks == RankSet([1])


def test_ranks_that_have_not_registered() -> None:
    opening = opened(4)
    addresses = (*opening.addresses[:3], RankAddress(3, "", "", ""))
    check = checks_of(session_of(3, opening=replace(opening, addresses=addresses)))["world size"]
    assert (check.state, check.ranks) == (CheckState.PROBLEM, RankSet([3]))
    assert "start_debug_server()" in check.mend
    assert check.facts == {"world_size": 4, "registered": 3}


def test_ranks_at_one_address() -> None:
    opening = opened(2)
    shared = replace(opening.addresses[1], url="", shares=0)
    session = session_of(1, opening=replace(opening, addresses=(opening.addresses[0], shared)))
    assert checks_of(session)["world size"].ranks == RankSet([1])


def test_handlers_that_differ() -> None:
    session = session_of(8, handlers=lambda rank: (*HANDLERS, "my[/]own") if rank in (2, 6) else HANDLERS)
    check = checks_of(session)["handlers"]
    assert (check.state, check.ranks) == (CheckState.WARNING, RankSet([2, 6]))
    assert "ranks 2,6 have my[/]own besides" in check.text
    lacking = checks_of(session_of(8, handlers=lambda rank: HANDLERS[rank == 5 :]))["handlers"]
    assert "rank 5 lacks dump_traceback" in lacking.text


def test_a_handler_that_nobody_has() -> None:
    check = checks_of(session_of(4, handlers=lambda _rank: ("ping",)))["handlers"]
    assert check.state is CheckState.PROBLEM
    assert check.text == "No rank has dump_traceback, wait_counter_values."


def test_one_rank_that_does_not_say_which_handlers_it_has() -> None:
    large = answer(3, "handlers", b"", outcome=Outcome.TOO_LARGE, error="gave up after 300 bytes")
    check = checks_of(session_of(4, replies=[large]))["handlers"]
    assert (check.state, check.ranks) == (CheckState.WARNING, RankSet([3]))
    assert check.text == "Rank 3 does not say which handlers it has (rank 3: gave up after 300 bytes)."
    assert check.mend
    both = session_of(8, replies=[large], handlers=lambda rank: HANDLERS[rank == 5 :])
    check = checks_of(both)["handlers"]
    assert check.ranks == RankSet([3, 5])
    assert "rank 5 lacks dump_traceback; rank 3 does not say which handlers it has" in check.text


def test_handlers_that_are_not_heard_are_unknown() -> None:
    garbage = [answer(rank, "handlers", b"<html>") for rank in range(2)]
    assert checks_of(session_of(2, replies=garbage))["handlers"].state is CheckState.UNKNOWN


def test_a_slow_rank() -> None:
    slow = replace(answer(5, "ping", b"pong"), took_s=0.4)
    check = checks_of(session_of(8, replies=[slow]))["response times"]
    assert (check.state, check.ranks) == (CheckState.WARNING, RankSet([5]))
    assert "400.0 ms at worst; rank 5 takes more than 50 ms" in check.text
    assert check.mend.startswith("look at the load of these hosts; --timeout")
    most = [replace(answer(rank, "ping", b"pong"), took_s=0.4) for rank in range(7)]
    check = checks_of(session_of(8, replies=most))["response times"]
    assert check.mend.startswith("look at the load of this machine")


def test_very_scattered_ranks_are_counted_and_the_first_named() -> None:
    scattered = dict.fromkeys((rank for rank in range(400) if rank * rank % 7 == 2), "dead")
    check = checks_of(session_of(400, sick=scattered))["answers: dead"]
    assert check.ranks == RankSet(scattered)
    assert check.text.startswith(f"{len(scattered)} ranks (3-4,10-11,")
    assert check.text.endswith(", …): nothing listens at the registered address.")
    assert len(check.text) < 130


def test_workers_named_by_hand() -> None:
    check = checks_of(session_of(2, store=""))["store"]
    assert check.state is CheckState.UNKNOWN


def test_a_store_that_has_fallen_silent() -> None:
    session = session_of(2, closed=False)
    session.apply(events.LookClosed(1, 5, notes=("the store could not be read again (refused); ...",)))
    assert checks_of(session)["store"].state is CheckState.WARNING


def test_too_few_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach_checks, "connections_allowed", lambda: 3)
    check = checks_of(session_of(4))["connections"]
    assert check.state is CheckState.WARNING
    assert check.mend.startswith("ulimit -n 516")


def test_a_target_that_cannot_be_read() -> None:
    session = session_of(1)
    session.apply(events.TargetOpening("store x:1"))
    session.apply(events.TargetFailed("store x:1", "x:1 refused the connection", "is it up?"))
    check = checks_of(session)["target"]
    assert (check.state, check.mend) == (CheckState.PROBLEM, "is it up?")
    assert check.text == "Store x:1 can't be read: x:1 refused the connection."


def test_a_look_that_nobody_answered() -> None:
    refused = dict.fromkeys(range(4), "dead")
    checks = checks_of(session_of(4, sick=refused))
    assert "answers" not in checks
    assert checks["answers: dead"].ranks == RankSet.full(4)
    assert checks["response times"].state is CheckState.UNKNOWN
