"""Going from look to look: every screen shows the look as it was, and live things go on beside."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from textual.widgets import Input

from tests.tui.running import Running, running
from tests.tui.scripted import NOW, SECOND, job, look
from tests.tui.time_scripts import standing_job
from xpudbg.services import events
from xpudbg.services.looks.work import analysed_again
from xpudbg.services.snapshot import RankClass
from xpudbg.tui.recorder.spots import Tab
from xpudbg.tui.widgets.look_strip import LookStrip

if TYPE_CHECKING:
    from pathlib import Path

    from xpudbg.services.snapshot import Snapshot

SCREENS = ("1", "2", "3", "4", "5")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is room for the analyses of one look besides those of the newest and the one shown."""
    monkeypatch.setattr("xpudbg.services.looks.book.analyses_memory", lambda _record: 10)
    monkeypatch.setattr("xpudbg.services.looks.book.ANALYSES_MEMORY", 10)


def shown(run: Running) -> int | None:
    record = run.app.session.shown
    return None if record is None else record.snapshot.id


def class_of(run: Running, rank: int) -> RankClass:
    return run.app.session.ranks[rank].rank_class


def said(run: Running) -> list[str]:
    return [note.message for note in run.app._notifications]


def below(run: Running) -> list[str]:
    """The screen under the status line and the strip; its footer left out."""
    return run.lines()[2:-1]


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_each_screen_shows_an_older_look_as_it_was_when_it_was_the_newest(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """Everything but the lines that tell which look it is; ages too are those of that time."""
    full, then = standing_job(), {}
    ends = [at for at, event in enumerate(full) if isinstance(event, events.LookClosed)]
    async with running(full[: ends[1] + 1], tmp_path, size=size) as run:
        closed = run.app.session.looks[1].closed_at
        run.clock.now = closed
        run.app.attachment.change(events.RankSelected(0))
        for key in SCREENS:
            await run.press(key)
            run.app.screen.tick()  # type: ignore[attr-defined]
            await run.pilot.pause()
            then[key] = below(run)
    async with running(full, tmp_path, size=size) as run:
        run.app.attachment.change(events.RankSelected(0))
        await run.press("comma", "comma")
        assert shown(run) == 2
        for key in SCREENS:
            await run.press(key)
            now = below(run)
            if key == "5":  # how long ago the look was is told from the present on both
                now, then[key] = now[1:], then[key][1:]
            assert now == then[key], key
            assert "LOOK 2 OF 4" in run.lines()[0]


async def test_through_the_looks_and_back(tmp_path: Path) -> None:
    async with running(standing_job(), tmp_path, size=(120, 30)) as run:
        assert run.app.session.selected == 5
        assert "look 4" in run.lines()[1]
        walked = []
        for _ in range(4):
            await run.press("comma")
            walked.append(shown(run))
        assert walked == [3, 2, 1, 1]
        assert said(run)[-1] == "this is the oldest look that is kept"
        assert class_of(run, 7) is RankClass.ALIVE
        assert "[·]" in run.lines()[1]
        walked.clear()
        for _ in range(4):
            await run.press("full_stop")
            walked.append(shown(run))
        assert walked == [2, 3, None, None]
        assert said(run)[-1] == "this is the newest look"
        assert class_of(run, 7) is RankClass.STOPPED


async def test_with_one_look_there_is_nothing_to_go_to(tmp_path: Path) -> None:
    async with running(job(8), tmp_path) as run:
        assert not run.app.screen.query_one(LookStrip).display
        await run.press("comma")
        assert said(run) == ["not now: there is only one look"]


async def test_an_older_look_stays_while_new_ones_come_and_r_leads_back(tmp_path: Path) -> None:
    async with running([*job(8), *look(2, 8)], tmp_path, size=(100, 24)) as run:
        await run.press("2", "comma")
        assert shown(run) == 1
        before = below(run)
        await run.say(look(3, 8, {1: "dead"}, closed=False))
        assert "look 3: 8 of 8" in run.lines()[0]
        await run.say([events.LookClosed(3, NOW)])
        assert below(run) == before
        assert "LOOK 1 OF 3" in run.lines()[0]
        looks = run.engine.told("look")
        await run.press("r")
        assert shown(run) is None
        assert run.engine.told("look") == looks + 1
        assert "back from the older look" in said(run)[-1]
        assert "dead" in "\n".join(below(run))


async def test_looks_go_on_by_themselves_while_an_older_one_is_shown(tmp_path: Path) -> None:
    async with running([*job(8), *look(2, 8)], tmp_path, refresh_s=5.0) as run:
        await run.press("comma")
        looks = run.engine.told("look")
        run.clock.now = NOW + 6 * SECOND
        run.tick()
        await run.until(lambda: run.engine.told("look") > looks, "a look that came by itself")
        assert shown(run) == 1


@pytest.mark.usefixtures("small")
async def test_analyses_that_were_let_go_of_are_asked_for_and_said_to_come(tmp_path: Path) -> None:
    async with running(standing_job(6), tmp_path, size=(120, 30)) as run:
        asked: list[tuple[Snapshot, Snapshot | None]] = []
        run.engine.analyse_again = lambda one, before: asked.append((one, before))  # type: ignore[attr-defined]
        await run.press("4", *["comma"] * 3)
        assert shown(run) == 3
        assert asked[-1] == (run.app.session.looks[2], run.app.session.looks[1])
        assert "being read again" in run.lines()[1]
        why = {
            "1": "the job moves",
            "3": "Look 3: stacks",
            "4": "Look 3: stacks",
            "5": "Look 3: stacks",
        }
        for key, word in why.items():
            await run.press(key)
            assert word in run.text(), key
        one, before = asked[-1]
        await run.press("4")
        await run.say([events.AnalysedAgain(one.id, one.taken_at, analysed_again(one, before))])
        assert "being read again" not in run.text()
        assert run.app.session.recorder.look_id == 3
        await run.press("full_stop", "comma")
        assert asked[-1][0].id in (3, 4)


async def test_bodies_of_older_looks_are_moved_out_one_look_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xpudbg.services.looks.book.PACK_ABOVE", 0)
    async with running(job(4), tmp_path) as run:
        packed: list[Snapshot] = []
        run.engine.pack = packed.append  # type: ignore[attr-defined]
        for look_id in (2, 3, 4):
            await run.say(look(look_id, 4))
        assert [one.id for one in packed] == [1]
        await run.say([events.LookPacked(1, packed[0].taken_at, packed[0].replies)])
        assert [one.id for one in packed] == [1, 2]


async def test_a_click_on_the_strip_and_a_look_by_name(tmp_path: Path) -> None:
    async with running(standing_job(6), tmp_path, size=(120, 30)) as run:
        strip = run.app.screen.query_one(LookStrip)
        await run.pilot.click(LookStrip, offset=(1 + run.lines()[1].index("·"), 0))
        assert shown(run) in (1, 2)
        await run.pilot.click(LookStrip, offset=(strip.size.width - 2, 0))
        assert shown(run) in (1, 2)
        run.app.perform("newest_look")
        await run.pilot.pause()
        assert shown(run) is None
        run.app.perform("first_look")
        await run.pilot.pause()
        assert shown(run) == 1
        run.app.perform("to_look")
        await run.pilot.pause()
        run.app.screen.query_one(Input).value = "9"
        await run.press("enter")
        assert "there is no look 9: 1 to 6 are kept" in run.text()
        run.app.screen.query_one(Input).value = "4"
        await run.press("enter")
        await run.until(lambda: shown(run) == 4)


async def test_pages_that_do_not_follow_say_so(tmp_path: Path) -> None:
    async with running(standing_job(), tmp_path, size=(120, 30)) as run:
        await run.press("comma")
        assert "to newer ones" in run.lines()[0]
        await run.press("6")
        assert "this one has the newest state" in run.lines()[1]
        assert "look 4" in run.lines()[0]


async def test_a_low_terminal_has_no_strip_and_says_which_look_all_the_same(tmp_path: Path) -> None:
    async with running(standing_job(), tmp_path, size=(80, 19)) as run:
        assert not run.app.screen.query_one(LookStrip).display
        await run.press("comma")
        assert "LOOK 3 OF 4" in run.lines()[0]
        await run.pilot.resize_terminal(80, 24)
        await run.until(lambda: run.app.screen.query_one(LookStrip).display)
        await run.until(lambda: "look 3" in run.lines()[1])


async def test_jumps_and_tables_are_of_the_look_shown(tmp_path: Path) -> None:
    async with running(standing_job(), tmp_path, size=(140, 40)) as run:
        recorder = run.app.view.recorder
        await run.press("4")
        assert recorder.tab is Tab.FINDINGS
        newest = recorder.tables()
        await run.press("comma", "comma", "comma", "tab", "tab")
        older = recorder.tables()
        assert older is not None
        assert older is not newest
        assert older.look.look_id == 1
        assert recorder.shown is not None
        assert len(recorder.shown.order) == len(older.diagnosis.analysis.job.columns)
        sheet = run.app.view.counters.sheet
        assert sheet.look.look_id == 1
        assert run.app.view.stacks.merged is run.app.session.stacks.merged


async def test_of_a_bundle_r_says_that_it_does_not_change_and_leads_back(tmp_path: Path) -> None:
    script = [
        replace(event, replayed="a.xpudbg") if isinstance(event, events.TargetOpened) else event
        for event in standing_job()
    ]
    async with running(script, tmp_path) as run:
        await run.press("r")
        assert said(run) == ["not now: a bundle does not change, and all of its looks are here"]
        await run.press("comma")
        assert shown(run) is not None
        await run.press("r")
        assert shown(run) is None
        assert said(run)[-1] == (
            "a bundle does not change, and all of its looks are here; back from the older look to the newest"
        )
        assert run.engine.told("look") == 0
