"""What there is of the recorders in a line, and why there is nothing."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.tui.recorder_scripts import CPU, HOSTILE, NCCL, dump_reply, recorded, recorder_job, stuck, train
from tests.tui.scripted import NOW, SECOND, look, opened
from xpudbg.services import events
from xpudbg.services.looks.recorders import RecorderAnalyst
from xpudbg.services.session import Session
from xpudbg.services.snapshot import Outcome, RankReply
from xpudbg.services.spool import EMPTY, Body
from xpudbg.tui.recorder.status import recorder_line, source_states, why_nothing
from xpudbg.tui.recorder.view import RecorderView

OPENING: list[events.Event] = [events.TargetOpening("store head-0:29500"), opened(8)]


def session_of(script: Iterable[events.Event]) -> Session:
    session = Session()
    for event in script:
        session.apply(event)
    return session


def both(script: Iterable[events.Event]) -> tuple[Session, RecorderView]:
    session = session_of(script)
    return session, RecorderView(session)


def answered(rank: int, source: str, body: bytes, error: str = "") -> RankReply:
    outcome = Outcome.TIMEOUT if error else Outcome.OK
    return RankReply(rank, source, "", outcome, 200, Body(len(body), body) if body else EMPTY, error, NOW, 0.01)


def one_look(replies: list[RankReply]) -> list[events.Event]:
    return [*OPENING, *recorded(1, 8, replies, analyst=RecorderAnalyst((NCCL, CPU)))]


EMPTY_DUMP = b'{"version": "2.10", "entries": [], "pg_config": {}, "pg_status": {}}'


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ([], "Nothing is attached."),
        ([events.TargetOpening("store")], "Opening the target …"),
        ([events.TargetOpening("store"), events.TargetFailed("store", "refused", "")], "refused"),
        (OPENING, "The flight recorders come with the end of the first look."),
        (
            [*OPENING, *look(1, 8, silent=[6, 7], closed=False)],
            "The flight recorders come with the end of the first look: 6 of 8 ranks answered so far.",
        ),
        ([*OPENING, *look(1, 8)], "The look that has ended brought no flight recorder."),
        (
            one_look([answered(0, NCCL, EMPTY_DUMP), answered(1, CPU, b"", "no answer")]),
            "No rank has a flight recorder with entries: NCCL nothing recorded, CPU (Gloo) no dump came, "
            "torchcomms not there. TORCH_FR_BUFFER_SIZE or TORCH_NCCL_TRACE_BUFFER_SIZE turns the recorder on.",
        ),
        (one_look([dump_reply(stuck(), 0)]), ""),
    ],
)
def test_why_there_is_nothing(script: list[events.Event], said: str) -> None:
    assert why_nothing(*both(script)) == said


def test_dumps_that_cannot_be_read_are_named() -> None:
    said = why_nothing(*both(one_look([answered(rank, NCCL, b"<html>") for rank in (2, 3)])))
    assert said.startswith("No dump can be used. Rank 2 (and 1 more): dump_nccl_trace_json: ")


def test_ranks_that_were_not_asked_do_not_lack_the_recorder() -> None:
    script = [event for event in one_look([]) if not isinstance(event, events.ReplyArrived)]
    assert set(source_states(*both(script)).values()) == {"not asked"}


def test_the_line_says_what_each_recorder_brought_and_shortens() -> None:
    session = session_of(recorder_job({NCCL: stuck(), CPU: train(4, 1, backend="gloo")}))
    view = RecorderView(session)
    line = recorder_line(session, view, NOW, 80, busy=False)
    assert line.plain.strip() == "NCCL 8 ranks · CPU (Gloo) 4 ranks · torchcomms not there"
    view.jump_to_calls_of(2, 4)
    assert recorder_line(session, view, NOW, 70, busy=True).plain == (
        "calls of #4 of tp1 · ! 1 rank missing: 5 · ordering the rows …    NCCL"
    )
    for width in (1, 10, 40, 200):
        assert recorder_line(session, view, NOW, width, busy=True).cell_length <= max(width, 4)


def test_an_older_look_says_how_old_it_is() -> None:
    session = session_of(recorder_job(stuck()))
    view = RecorderView(session)
    later = NOW + 20 * SECOND
    for event in look(3, 8, at=later, closed=False):
        session.apply(event)
    assert "of look 2, 24 s ago; look 3 is under way" in recorder_line(session, view, later, 120, busy=False).plain
    session.apply(events.LookClosed(3, later))
    assert "of look 2, 24 s ago; look 3 brought none" in recorder_line(session, view, later, 120, busy=False).plain


def test_names_are_made_plain() -> None:
    session = session_of(recorder_job(stuck(tp=HOSTILE)))
    view = RecorderView(session)
    view.jump_to_group(2)
    line = recorder_line(session, view, NOW, 120, busy=False).plain
    assert line.isprintable()
    assert "members of tp[/]\\x1b[31m\\u202e節点1" in line
