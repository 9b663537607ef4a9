"""What is asked besides a look, py-spy, and the document that comes of it all."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.services.doctor.examined import HANDLERS, answer, checks_of, session_of
from tests.tui.scripted import opened
from xpudbg.services import events
from xpudbg.services.cluster.probes import PYSPY
from xpudbg.services.doctor.check import Check, CheckState, worst
from xpudbg.services.doctor.examine import examine, frozen, requests
from xpudbg.services.doctor.recorder_checks import FRAMES
from xpudbg.services.doctor.rendering import SCHEMA, document, render_json, render_text, summary
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.services.snapshot import Outcome, RankReply

STACK = b"""Process 7: python train.py
Python v3.11.7 (/usr/bin/python3.11)

Thread 7 (active+gil): "MainThread"
    train (train.py:12)
"""


def asked(session: Session, *replies: RankReply) -> Session:
    for reply in replies:
        session.apply(events.AskedReply(reply))
    return session


def test_py_spy_is_asked_of_one_rank_of_each_host_and_frames_of_one() -> None:
    session = session_of(16, sick={0: "dead"}, handlers=lambda _rank: (*HANDLERS, FRAMES.source))
    assert requests(session) == [(RankSet([1]), PYSPY), (RankSet([1]), FRAMES)]
    assert requests(session, 3)[0] == (RankSet([1, 2, 8]), PYSPY)
    assert requests(session, one_each=True)[0] == (RankSet([1, 8]), PYSPY)
    assert requests(session, 0) == [(RankSet([1]), FRAMES)]
    assert requests(session_of(4, sick=dict.fromkeys(range(4), "dead"))) == []
    assert requests(session_of(4, handlers=lambda _rank: ("ping",))) == []


def test_of_a_bundle_only_what_the_recorders_say_is_checked() -> None:
    names = set(checks_of(session_of(4)))
    kept = set(checks_of(session_of(4, opening=replace(opened(4), replayed="a.xpudbg"))))
    assert names - kept == {
        *("store", "world size", "names", "answers", "handlers", "response times", "requests", "connections"),
        "py-spy",
    }
    assert "recorder" in kept


def test_py_spy_that_may_look() -> None:
    check = checks_of(asked(session_of(4), answer(0, PYSPY.source, STACK)))["py-spy"]
    assert check.state is CheckState.OK
    assert check.text == "Py-spy is there and may look on rank 0; the other ranks were not asked."


@pytest.mark.parametrize(
    ("said", "mended_by"),
    [
        (b"sh: 1: py-spy: not found\n", "pip install py-spy"),
        (b"Permission Denied: Try running again with elevated permissions\n", "SYS_PTRACE"),
        (b"Error: Failed to find python version from target process", "pip install -U py-spy"),
    ],
    ids=["not installed", "ptrace", "not readable"],
)
def test_py_spy_that_gives_no_stack(said: bytes, mended_by: str) -> None:
    failed = answer(2, PYSPY.source, said, outcome=Outcome.HTTP_ERROR, error="HTTP 500")
    check = checks_of(asked(session_of(4), answer(0, PYSPY.source, STACK), failed))["py-spy"]
    assert (check.state, check.ranks) == (CheckState.WARNING, RankSet([2]))
    assert mended_by in check.mend


def test_different_reasons_why_py_spy_gives_no_stack_are_all_said() -> None:
    refused = answer(1, PYSPY.source, b"Error: EPERM: Operation not permitted\n", outcome=Outcome.HTTP_ERROR)
    garbage = [answer(rank, PYSPY.source, b"\xff\x00{") for rank in (2, 3)]
    check = checks_of(asked(session_of(4), answer(0, PYSPY.source, STACK), refused, *garbage))["py-spy"]
    assert check.ranks == RankSet([1, 2, 3])
    assert check.text == (
        "Py-spy gives no stack on rank 1: py-spy may not look into the process (ptrace is forbidden); "
        "ranks 2-3: its answer has no stack; it may look on rank 0."
    )
    assert check.mend.startswith("the container needs the capability SYS_PTRACE")


def test_py_spy_that_does_not_answer_or_was_not_asked() -> None:
    late = answer(2, PYSPY.source, b"", outcome=Outcome.TIMEOUT, error="no answer after 12.0 s")
    check = checks_of(asked(session_of(4), late))["py-spy"]
    assert "no answer after 12.0 s" in check.text
    assert checks_of(session_of(4))["py-spy"].state is CheckState.UNKNOWN
    assert "has a handler" in checks_of(session_of(4, handlers=lambda _rank: ("ping",)))["py-spy"].text


def test_the_worst_of_some_checks() -> None:
    def made(*states: CheckState) -> list[Check]:
        return [Check("x", state, "said") for state in states]

    assert worst(made(CheckState.OK, CheckState.UNKNOWN)) is CheckState.OK
    assert worst(made(CheckState.OK, CheckState.WARNING, CheckState.PROBLEM)) is CheckState.PROBLEM
    assert worst(made(CheckState.UNKNOWN)) is worst([]) is CheckState.UNKNOWN
    assert summary(made(CheckState.PROBLEM, CheckState.OK, CheckState.OK)) == "1 problem, 2 ok"


def test_the_document() -> None:
    session = session_of(4, sick={3: "dead"})
    checks = examine(session)
    made = json.loads(render_json(session, checks))
    assert made == document(session, checks)
    assert (made["schema"], made["result"], made["world_size"]) == (SCHEMA, "problem", 4)
    assert made["looked_at"].endswith("Z")
    dead = next(check for check in made["checks"] if check["name"] == "answers: dead")
    assert set(dead) == {"name", "state", "text", "why", "mend", "ranks", "facts"}
    assert dead["ranks"] == [3]


def test_the_text_has_the_worst_first_and_nothing_that_steers_a_terminal() -> None:
    session = session_of(4, handlers=lambda rank: HANDLERS if rank else (*HANDLERS, "\x1b[31mbad\u202e[/]"))
    text = render_text(session, examine(session), 80)
    assert "\\x1b[31mbad\\u202e[/]" in text.replace("\n", "")
    assert all(char.isprintable() or char == "\n" for char in text)
    lines = text.splitlines()
    assert lines[0] == f"store head-0:29500, world size 4: {summary(examine(session))}"
    assert lines[2].startswith("WARNING  handlers")
    assert max(map(len, lines)) <= 80


def test_in_a_narrow_terminal_names_have_lines_of_their_own() -> None:
    session = session_of(4, sick={3: "foreign_port"})
    lines = render_text(session, examine(session), 64).splitlines()
    assert lines[2] == "PROBLEM  answers: foreign_port"
    assert lines[3] == "         Rank 3: something else answers at the address."
    assert lines[4].startswith("         why: A rank")
    assert max(map(len, lines)) <= 64


def test_a_session_without_a_look_is_not_known() -> None:
    session = Session()
    assert [check.state for check in examine(session)] == [CheckState.UNKNOWN]


def test_a_frozen_session_stays_as_it_was() -> None:
    session = session_of(4)
    copy = frozen(session)
    asked(session, replace(answer(0, PYSPY.source, STACK)))
    assert (len(copy.asked), len(session.asked)) == (0, 1)
    assert copy.verdict is not None
