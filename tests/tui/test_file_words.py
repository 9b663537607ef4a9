"""What is said of the files of a target: how far their reading is, which could not be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakes.replies import START
from tests.tui.running import running
from tests.tui.scripted import job
from xpudbg.services import events
from xpudbg.services.artifacts.artifact import Refused
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.services.snapshot import RankAddress
from xpudbg.tui.actions.conditions import needs_unused
from xpudbg.tui.file_words import reading_said, unused_said, unused_text
from xpudbg.tui.screens.answer import AnswerScreen
from xpudbg.tui.widgets.status_bar import status_line
from xpudbg.tui.widgets.verdict_lines import card

if TYPE_CHECKING:
    from pathlib import Path

EMPTY = Refused("rank_3.json", "empty")
README = Refused("README", "a text", partial=False)


def files(*unused: Refused, notes: tuple[str, ...] = (), partial: bool = False) -> Session:
    """One look at files."""
    session = Session()
    address = RankAddress(0, "", "", "", file="rank_0.json")
    for event in (
        events.TargetOpening("dumps"),
        events.TargetOpened("dumps", 1, (address,), unused=unused),
        events.LookStarted(1, START, RankSet([0])),
        events.LookClosed(1, START, notes=notes, partial=partial),
    ):
        session.apply(event)
    return session


def test_how_far_the_reading_is() -> None:
    session = Session()
    session.apply(events.TargetOpening("dumps"))
    assert reading_said(session) == ""
    session.apply(events.TargetProgress(0, 0, "job.tgz: 500 members"))
    assert reading_said(session) == "job.tgz: 500 members"
    session.apply(events.TargetProgress(312, 1024))
    assert "reading 312 of 1,024 files" in status_line(session, START, None, 100).plain
    assert "Opening dumps: reading 312 of 1,024 files …" in card(session, 100, 10)[0].content.plain
    session.apply(events.TargetOpened("dumps", 1, (RankAddress(0, "", "", "", file="rank_0.json"),)))
    assert reading_said(session) == ""


def test_the_end_of_a_reading_that_failed() -> None:
    session = Session()
    session.apply(events.TargetProgress(1, 2))
    session.apply(events.TargetFailed("dumps", "gone", ""))
    assert reading_said(session) == ""


def test_which_could_not_be_used() -> None:
    assert unused_said(files()) == ("", "")
    assert unused_said(files(README)) == ("", "1 left aside (U lists): README: a text")
    both = files(EMPTY, README, notes=("rank_3.json: empty",), partial=True)
    assert unused_said(both) == (
        "partial",
        "1 file could not be used (U lists), 1 left aside: rank_3.json: empty",
    )
    cut = files(README, notes=("stack of rank 0: cut",), partial=True)
    assert unused_said(cut) == ("partial", "stack of rank 0: cut; 1 left aside (U lists)")


def test_the_card_says_that_an_answer_is_partial() -> None:
    lines = [line.content.plain.rstrip() for line in card(files(EMPTY, partial=True, notes=("x",)), 80, 20)]
    assert lines[-1] == " files      partial: 1 file could not be used (U lists): rank_3.json: empty"
    whole = [line.content.plain for line in card(files(), 80, 20)]
    assert not any("files" in line for line in whole)


def test_the_list_of_them() -> None:
    title, text = unused_text(files(EMPTY, README))
    assert title == "2 files of dumps not used"
    assert text.split("\n") == [
        "could not be used; the answer is partial (1)",
        "",
        "  rank_3.json: empty",
        "",
        "left aside; nothing of a job (1)",
        "",
        "  README: a text",
    ]


async def test_a_long_reason_goes_on_in_the_next_line(tmp_path: Path) -> None:
    reason = " ".join(f"word-{number}" for number in range(30)) + " end-of-it"
    async with running([*job(4)], tmp_path, size=(80, 24)) as run:
        screen = AnswerScreen("files", f"could not be used\n\n  rank_3.json: {reason}", wrap=True)
        run.app.push_screen(screen)
        await run.until(lambda: "end-of-it" in run.text(), "the whole reason is there")
        assert "word-29" in run.text()
        assert screen.text_to_copy()[0].endswith(f"rank_3.json: {reason}")


def test_when_there_is_no_such_list() -> None:
    assert needs_unused(files(EMPTY)) == ""
    assert needs_unused(files()) == "every file could be used"
    assert needs_unused(Session()) == "nothing is attached"
    live = Session()
    live.apply(events.TargetOpened("head-0:29500", 1, (RankAddress(0, "http://a:1", "http://a:1", "a"),)))
    assert needs_unused(live) == "the target is no file"
