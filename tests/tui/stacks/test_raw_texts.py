"""The texts of a rank."""

from __future__ import annotations

from tests.tui.scripted import NOW, SECOND
from tests.tui.stack_scripts import hung, reply, stack_job
from xpudbg.services import events
from xpudbg.services.session import Session
from xpudbg.tui.stacks.raw_texts import about, newest, text_of


def session_with(*more: events.Event) -> Session:
    session = Session()
    for event in (*stack_job(4, hung(4, gone=[3]), {3: "dead"}), *more):
        session.apply(event)
    return session


def test_the_answer_of_the_look() -> None:
    session = session_with()
    assert text_of(session, 0, "dump_traceback").startswith("Current thread")
    size = len(text_of(session, 0, "dump_traceback"))
    said = about(session, 0, "dump_traceback", NOW + 5 * SECOND, None)
    assert said == f"dump_traceback of rank 0  {size:,} bytes  5 s ago"


def test_a_newer_one_that_was_asked_for_comes_before_it() -> None:
    newer = reply(0, "Thread 7\n", "pyspy_dump", at=NOW + SECOND)
    session = session_with(events.AskedReply(newer))
    assert newest(session, 0, "pyspy_dump") is newer
    assert about(session, 0, "pyspy_dump", NOW + 2 * SECOND, None).endswith("1 s ago, asked by hand")
    assert "asked 1 s ago, still out" in about(session, 1, "pyspy_dump", NOW + 2 * SECOND, NOW + SECOND)


def test_a_look_after_it_comes_before_what_was_asked_for() -> None:
    older = reply(0, "old", at=NOW - 50 * SECOND)
    assert text_of(session_with(events.AskedReply(older)), 0, "dump_traceback") != "old"


def test_what_failed_says_why_before_what_came() -> None:
    session = session_with(events.AskedReply(reply(0, "sh: 1: py-spy", "pyspy_dump", at=NOW + 1, error="status 500")))
    assert text_of(session, 0, "pyspy_dump") == "status 500\n\nsh: 1: py-spy"
    assert "http_error" in about(session, 0, "pyspy_dump", NOW, None)


def test_without_an_answer_a_sentence() -> None:
    session = session_with()
    assert text_of(session, 0, "pyspy_dump") == "There is no pyspy_dump of rank 0. P asks for it."
    assert text_of(session, 3, "dump_traceback").startswith("There is no dump_traceback of rank 3. Rank 3: ")
    assert about(session, 3, "dump_traceback", NOW, None) == "dump_traceback of rank 3"


def test_a_long_text_is_cut_and_says_so() -> None:
    session = session_with(events.AskedReply(reply(0, "x" * 100, "pyspy_dump", at=NOW + 1)))
    assert text_of(session, 0, "pyspy_dump", 10) == "xxxxxxxxxx\n… cut here: 90 bytes more; o opens all"
    assert text_of(session, 0, "pyspy_dump") == "x" * 100
