"""Calls of a rank's own handlers: what can be typed, what goes out, how the answer is shown."""

from __future__ import annotations

import pytest

from tests.services.doctor.examined import answer, session_of
from xpudbg.services import events
from xpudbg.services.cluster.handler_calls import (
    ANSWER_LIMIT,
    CallError,
    HandlerCall,
    answer_text,
    handlers_of,
    parse_call,
)
from xpudbg.services.snapshot import Outcome, RankClass, RankReply
from xpudbg.services.spool import EMPTY


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("ping", "/handler/ping"),
        (" /handler/ping ", "/handler/ping"),
        ("state?depth=2&name=a b", "/handler/state?depth=2&name=a%20b"),
        ("state?x=&y=ä", "/handler/state?x=&y=%C3%A4"),
        ("a%2f?q=%41", "/handler/a%252f?q=A"),
        ("节?1=2", "/handler/%E8%8A%82?1=2"),
    ],
    ids=["name", "path", "query", "empty value", "percent", "wide"],
)
def test_what_goes_out(text: str, path: str) -> None:
    probe = parse_call(text).probe
    assert (probe.method, probe.path) == ("POST", path)
    assert probe.path.isascii()


@pytest.mark.parametrize(
    "text",
    ["", "  ", "?a=1", "a b", "a/b", "..", "../x", "a#b", "a\nb", "a\x00", "name?", "name?x", "name?a=1&", "x" * 300],
    ids=range(14),
)
def test_what_is_no_call(text: str) -> None:
    with pytest.raises(CallError):
        parse_call(text)


def test_the_budget_is_that_of_the_handler() -> None:
    assert parse_call("dump_traceback?x=1").probe.source == "dump_traceback"
    assert HandlerCall("a", (("b", "c"), ("d", ""))).shown == "a?b=c&d="


@pytest.mark.parametrize("name", ["handlers", "store"])
def test_a_handler_is_not_taken_for_what_else_tells_of_a_rank(name: str) -> None:
    session = session_of(2, sick={0: "stopped"}, handlers=lambda _rank: ("ping", name))
    call = parse_call(f"{name}?all=1")
    assert call.probe.path == f"/handler/{name}?all=1"
    lost = RankReply(0, call.source, "", Outcome.RESET, None, EMPTY, "it hung up", started_at=1, took_s=0.1)
    session.apply(events.AskedReply(lost))
    session.apply(events.AskedReply(answer(1, call.source, b'["others"]')))
    assert session.ranks[0].rank_class is RankClass.STOPPED
    assert handlers_of(session, 1) == tuple(sorted(("ping", name)))


def test_json_that_would_fill_the_memory_is_shown_as_it_came() -> None:
    deep = b"[" * 500 + b"1," * 100_000 + b"1" + b"]" * 500
    assert answer_text(answer(0, "own", deep)) == deep.decode()


def test_the_handlers_of_a_rank_are_the_newest_heard() -> None:
    session = session_of(3, sick={2: "dead"}, handlers=lambda rank: ("ping", f"own{rank}", "", "x" * 999))
    assert handlers_of(session, 1) == ("own1", "ping")
    assert handlers_of(session, 2) is None
    session.apply(events.AskedReply(answer(1, "handlers", b'["new"]')))
    assert handlers_of(session, 1) == ("new",)
    session.apply(events.AskedReply(answer(1, "handlers", b"<html>", outcome=Outcome.HTTP_ERROR)))
    assert handlers_of(session, 1) == ("own1", "ping")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'{"a":[1,2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}'),
        (b'{"a":', '{"a":'),
        (b"[" * 50_000, "[" * 50_000),
        (b"plain\ntext", "plain\ntext"),
        (b"\xff\x00", "\\xff\x00"),
        (b"", "(an empty answer)"),
    ],
    ids=["json", "broken json", "deep json", "text", "binary", "empty"],
)
def test_answers(data: bytes, text: str) -> None:
    assert answer_text(answer(0, "own", data)) == text


def test_an_answer_that_is_long_or_an_error() -> None:
    assert answer_text(answer(0, "own", b"x" * (ANSWER_LIMIT + 5))).endswith("\n… cut here: 5 bytes more")
    failed = answer(0, "own", b"ValueError: no", outcome=Outcome.HTTP_ERROR, error="HTTP 500")
    assert answer_text(failed) == "HTTP 500\n\nValueError: no"
    assert answer_text(answer(0, "own", b"", outcome=Outcome.TIMEOUT, error="no answer")) == "no answer"
