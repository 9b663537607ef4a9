"""Screen 4: from a finding to a rank's stack and back, tabs, order, filter, JSON, files; with data and without."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tui.recorder_scripts import (
    CPU,
    HOSTILE,
    NCCL,
    dump_reply,
    recorded,
    recorder_job,
    stuck,
    train,
)
from tests.tui.running import Clock, Running, running
from tests.tui.scripted import NOW, SECOND, look, opened
from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.looks.recorders import RecorderAnalyst
from xpudbg.services.ranksets import RankSet
from xpudbg.services.settings.recent import RecentTargets
from xpudbg.services.snapshot import Outcome, RankReply
from xpudbg.services.spool import Body
from xpudbg.services.targets import FilesTarget
from xpudbg.tui.app import XpudbgApp
from xpudbg.tui.recorder import order as recorder_order
from xpudbg.tui.recorder.view import Tab
from xpudbg.tui.widgets.grid_table import GridTable
from xpudbg.tui.widgets.row_detail import RowDetail
from xpudbg.tui.widgets.tab_line import TabLine

if TYPE_CHECKING:
    from xpudbg.tui.recorder.view import RecorderView

DUMPS = Path(__file__).parents[2] / "data" / "flight_recorder" / "coalesced-missing-on-one-rank"


def recorder(run: Running) -> RecorderView:
    return run.app.view.recorder


def table(run: Running) -> list[str]:
    """The lines of the table that have a row."""
    widget = run.app.screen.query_one("#rows", GridTable)
    return [text for y in range(1, widget.size.height) if (text := widget.render_line(y).text).strip()]


def words(run: Running) -> str:
    """The screen as text, wherever its lines end."""
    return " ".join(run.text().split())


def column(run: Running, key: str) -> list[str]:
    """The cells of a column of all rows shown."""
    shown = recorder(run).shown
    assert shown is not None
    place = [one.key for one in shown.rows.columns].index(key)
    return [shown.rows.cell(int(row), place)[0] for row in shown.order]


async def test_from_a_finding_to_the_stack_and_all_the_way_back(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(120, 40)) as run:
        await run.press("right", "4")
        assert "[findings 1]" in run.text()
        assert "Rank 5 (node-000) has not" in run.text()
        assert run.app.session.selected == 6
        await run.press("enter")
        assert run.app.session.selected == 5, "the culprit has no row among the calls"
        assert "[collectives 12]" in run.text()
        assert "collective #4 of tp1" in run.text()
        await run.press("enter")
        assert "[calls 3/59]" in run.text()
        assert "calls of #4 of tp1 · ! 1 rank missing: 5 · of rank 5: m calls, 3 stack" in run.text()
        assert column(run, "rank") == ["4", "6", "7"]
        await run.press("down")
        assert run.app.session.selected == 6
        assert "where rank 6 is now" in run.text()
        assert "all_reduce" in run.text()
        await run.press("enter")
        assert run.app.current_mode == "stacks"
        assert run.app.session.selected == 6
        for wanted in ("[calls 3/59]", "[collectives 12]", "[findings 1]"):
            await run.press("escape")
            assert wanted in run.text()
        await run.press("escape")
        assert run.app.current_mode == "overview"


async def test_groups_members_and_their_calls(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(120, 40)) as run:
        await run.press("4", "tab", "tab", "tab", "down", "down", "enter")
        assert "[memberships 4/16]" in run.text()
        assert column(run, "rank") == ["4", "5", "6", "7"]
        await run.press("down", "enter")
        assert "calls of rank 5 in tp1" in run.text()
        assert run.app.session.selected == 5
        await run.press("right_square_bracket")
        assert "calls of rank 6 in tp1" in run.text()
        assert set(column(run, "rank")) == {"6"}
        await run.press("m")
        assert "calls of rank 6 " in run.text()
        assert len(column(run, "rank")) == 7
        await run.press("escape", "escape", "escape")
        assert "[groups 3]" in run.text()


async def test_tabs_by_key_and_mouse(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(120, 30)) as run:
        await run.press("4")
        seen = []
        for _ in Tab:
            seen.append(recorder(run).tab)
            await run.press("tab")
        assert seen == list(Tab)
        assert recorder(run).tab is Tab.FINDINGS
        await run.press("shift+tab")
        assert recorder(run).tab is Tab.JSON
        x = run.lines()[2].index("groups")
        await run.pilot.click(TabLine, offset=(x, 0))
        assert recorder(run).tab is Tab.GROUPS
        await run.press("down")
        assert "group tp0" in run.text()


async def test_another_screen_leads_here_and_escape_leads_there(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(120, 30)) as run:
        recorder(run).jump_to_rank(5, 2, NCCL)
        run.app.go_to("recorder")
        await run.until(lambda: "calls of rank 5 in tp1" in run.text())
        await run.press("escape")
        assert run.app.current_mode == "overview"
        await run.press("4")
        assert "[findings 1]" in run.text()


async def test_the_filter_is_live_says_what_is_wrong_and_escape_takes_it_away(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(120, 30)) as run:
        await run.press("4", "tab", "tab", "slash", *"rank:5")
        assert "6 of 59 rows" in run.text()
        assert set(column(run, "rank")) == {"5"}
        await run.press(*" seq:x")
        assert "seq:" in run.lines()[2]
        assert "is no number" in run.text()
        await run.press(*["backspace"] * 6, "enter", "2")
        assert "rows" not in run.lines()[1]
        await run.press("4")
        assert "6 of 59 rows" in run.text()
        await run.press("n")
        spot = recorder(run).spot()
        assert spot is not None
        assert (spot.group and spot.group.name, spot.seq) == ("0", 1)
        await run.press("escape")
        assert len(column(run, "rank")) == 59
        await run.press("slash", *"zzz", "enter")
        assert "No row matches the filter. Esc takes it away." in run.text()


async def test_n_goes_from_trouble_to_trouble(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(120, 30)) as run:
        await run.press("4", "tab")
        seen = []
        for key in ("n", "n", "n", "N"):
            await run.press(key)
            seen.append(recorder(run).cursor())
        assert seen == [10, 11, 10, 11]


async def test_order_by_keys_and_by_mouse(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(160, 30)) as run:
        await run.press("4", "tab", "tab", "s", "s")
        assert "rank ▲" in run.text()
        assert column(run, "rank") == sorted(column(run, "rank"))
        await run.press("S", "a", "a")
        assert "rank▼1" in run.text()
        assert "group▲2" in run.text()
        assert "seq▲3" in run.text()
        await run.press("A", "A")
        assert "rank ▼" in run.text()
        header = run.app.screen.query_one("#rows", GridTable).render_line(0).text
        await run.pilot.click("#rows", offset=(header.index("state"), 0))
        await run.pilot.click("#rows", offset=(header.index("rank"), 0), control=True)
        await run.pilot.pause()
        assert "state▲1" in run.text()
        assert "rank▲2" in run.text()
        assert column(run, "state")[:7] == ["scheduled"] * 7
        assert column(run, "rank")[:7] == ["0", "1", "2", "3", "4", "6", "7"]


async def test_findings_one_after_the_other_from_anywhere(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(120, 30)) as run:
        await run.press("4", "tab", "tab", "f")
        assert recorder(run).tab is Tab.FINDINGS
        assert run.app.session.selected == 5
        await run.press("f", "F", "space")
        assert run.app.session.marked == RankSet([5])
        await run.press("space", "escape")
        assert not run.app.session.marked
        assert recorder(run).tab is Tab.CALLS


async def test_the_timeline_of_a_row_and_from_it_to_the_call(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(120, 30)) as run:
        await run.press("4", "enter", "v")
        assert "[timeline]" in run.text()
        assert "tp1" in run.lines()[4]
        assert any(line.startswith(">     5") for line in run.lines()), "the cursor is on the culprit"
        await run.press("enter")
        assert "calls of #4 of tp1" in run.text()
        await run.press("escape")
        footer = run.lines()[-1]
        assert "s sort" not in footer
        assert "v timeline" not in footer
        await run.press("s", "a", "v")
        said = [one.message for one in run.app._notifications]
        assert said[-2] == "timeline has no columns to sort by; w puts the latest ranks first"
        assert said[-1].startswith("this is the timeline; u turns ")
        await run.press("escape")
        assert "[collectives 12]" in run.text()


async def test_raw_json_of_the_selected_rank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paged: list[tuple[str, str]] = []
    monkeypatch.setattr(
        "xpudbg.tui.screens.handing_over.page", lambda _app, text, name, _env: paged.append((name, text))
    )
    async with running(recorder_job(stuck()), tmp_path, size=(120, 30)) as run:
        await run.press("4", "o", "shift+tab")
        await run.until(lambda: '"pg_config": {' in run.text())
        assert "dump_nccl_trace_json of rank 5" in run.text()
        await run.press("right_square_bracket")
        await run.until(lambda: "dump_nccl_trace_json of rank 6" in run.text())
        await run.press("o", "y")
        (row, said), (name, text) = paged
        assert row.endswith(".txt")
        assert "Rank 5 (node-000) has not joined all_gather #4 of tp1" in said
        assert name == f"rank-6-{NCCL}.json"
        assert json.loads(text)["pg_config"]["14"]["desc"] == "tp1"
        assert run.app.clipboard == text
        await run.press("slash")
        await run.until(lambda: "JSON has no rows to filter" in run.text())


async def test_copying_a_row_and_writing_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(recorder_job(stuck()), tmp_path, size=(120, 30)) as run:
        await run.press("4", "y")
        assert "Rank 5 (node-000) has not joined all_gather #4 of tp1" in run.app.clipboard
        await run.press("tab", "tab", "s", "S", "slash", *"rank:5", "enter", "e", "enter")
        await run.until(lambda: "6 rows of calls as shown in" in run.text())
        path = tmp_path / "xpudbg-store-head-0-29500-NCCL-calls-20251009T085316Z.csv"
        with path.open(newline="", encoding="utf-8") as file:
            written = list(csv.reader(file))
        assert written[0][:3] == ["id", "global_rank", "group_id"]
        ids = [int(line[0]) for line in written[1:]]
        assert ids == sorted(ids, reverse=True)
        assert {line[1] for line in written[1:]} == {"5"}


async def test_a_new_look_keeps_tab_filter_order_and_cursor(tmp_path: Path) -> None:
    job = stuck()
    async with running(recorder_job(job), tmp_path, size=(120, 30)) as run:
        await run.press("4", "tab", "tab", "s", "S", "slash", *"op:all_gather", "enter", "down", "down")
        before, spot = table(run), recorder(run).spot()
        run.clock.now = NOW + 20 * SECOND
        at = NOW + 20 * SECOND
        replies = [dump_reply(job, rank, at=at) for rank in range(8)]
        script = recorded(3, 8, replies, analyst=RecorderAnalyst((NCCL,)), at=at, closed=False)
        await run.say(script[:-1])
        assert "of look 2, 24 s ago; look 3 is under way" in run.text()
        await run.say([script[-1], events.LookClosed(3, at)])
        assert "is under way" not in run.text()
        assert (table(run), recorder(run).spot()) == (before, spot)
        await run.say(look(4, 8, at=at + SECOND))
        assert "of look 3," in run.text()
        assert "look 4 brought none" in run.text()


async def test_two_recorders_take_turns(tmp_path: Path) -> None:
    jobs = {NCCL: stuck(), CPU: train(steps=1, backend="gloo")}
    async with running(recorder_job(jobs), tmp_path, size=(120, 30)) as run:
        await run.press("4", "tab", "tab")
        assert "NCCL 8 ranks · CPU (Gloo) 8 ranks · torchcomms not there" in run.text()
        assert len(column(run, "rank")) == 59
        await run.press("c")
        assert set(column(run, "op")) == {"gloo:all_gather", "gloo:all_reduce"}
        await run.press("c")
        assert len(column(run, "rank")) == 59


async def test_details_go_come_and_scroll(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path) as run:
        await run.press("4")
        pane = run.app.screen.query_one(RowDetail)
        height = run.app.screen.query_one("#rows").size.height
        await run.press("J")
        assert pane.scroll_offset.y == 4
        await run.press("K", "d")
        assert run.app.screen.query_one("#rows").size.height > height
        await run.press("d")
        assert pane.scroll_offset.y == 0
        assert "has not joined" in run.text()
        await run.press("question_mark")
        assert "! a rank has not come to the call" in run.text()


async def test_a_big_job_is_ordered_beside_the_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder_order, "LONG", 10)
    async with running(recorder_job(stuck()), tmp_path, size=(120, 30)) as run:
        await run.press("4", "tab", "tab")
        await run.until(lambda: len(table(run)) > 10, "the calls are there")
        await run.press("slash", *"rank:5 op:gather")
        await run.until(lambda: "3 of 59 rows" in run.text())
        await run.until(lambda: "ordering the rows" not in run.text())


async def test_names_are_painted_as_themselves(tmp_path: Path) -> None:
    job = stuck(tp=HOSTILE)
    async with running(recorder_job(job), tmp_path, size=(120, 30)) as run:
        await run.press("4")
        for _ in range(5):
            assert all(line.isprintable() for line in run.lines())
            assert "tp[/]\\x1b[31m\\u202e節点" in run.text()
            await run.press("tab")
        await run.press("shift+tab", "enter")
        assert all(line.isprintable() for line in run.lines())


async def test_4096_ranks(tmp_path: Path) -> None:
    world = 4096
    small = train(8, 1)
    body = small.dump(0)
    body["pg_config"] = {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(world)))}}
    body["entries"] = [entry for entry in body["entries"] if entry["process_group"][0] == "0"]
    data = json.dumps(body).encode()
    replies = [RankReply(r, NCCL, "", Outcome.OK, 200, Body(len(data), data), "", NOW, 0.01) for r in range(world)]
    said: list[events.Event] = [events.TargetOpening("store head-0:29500"), opened(world)]
    said += recorded(1, world, replies, analyst=RecorderAnalyst((NCCL,)), at=NOW)
    async with running(said, tmp_path, size=(200, 60)) as run:
        await run.press("4", "tab", "enter", "G")
        assert "calls 4,096" in run.text()
        assert run.app.session.selected == 4095
        await run.press("enter", "escape", "tab", "tab", "end")
        assert "rank 4095 of default_pg" in run.text()


@pytest.mark.parametrize("size", [(80, 24), (120, 30)])
async def test_without_dumps_it_says_why(tmp_path: Path, size: tuple[int, int]) -> None:
    opening: list[events.Event] = [events.TargetOpening("store head-0:29500"), opened(16)]
    async with running(opening, tmp_path, size=size) as run:
        await run.press("4")
        assert "come with the end of the first look." in words(run)
        await run.press("enter")
        await run.until(lambda: "not now: there is no flight" in run.text())
        await run.say(look(1, 16, silent=range(12), closed=False))
        assert "4 of 16 ranks answered" in words(run)
        await run.say(recorded(1, 16, [], analyst=RecorderAnalyst((NCCL,))))
        assert "No rank has a flight recorder with entries: NCCL not there" in words(run)
        await run.press("shift+tab")
        await run.until(lambda: "JSON of rank 0" in run.text())
        assert "No rank has a flight recorder with entries" in run.text()
        await run.press("shift+tab", "shift+tab", "down", "enter", "y")
        await run.until(lambda: "there is nothing to copy yet" in run.text())


async def test_dumps_from_files(tmp_path: Path) -> None:
    with Engine() as engine:
        target = FilesTarget((DUMPS,))
        app = XpudbgApp(engine, target, AttachOptions(), env={}, recent=RecentTargets(tmp_path / "recent.json"))
        run = Running(app, None, Clock())  # type: ignore[arg-type]
        async with app.run_test(size=(120, 36), notifications=True) as run.pilot:
            await run.until(lambda: app.session.latest is not None, "the dumps are read")
            await run.press("4")
            await run.until(lambda: "dump files" in run.text())
            assert "Rank 2 has not" in run.text()
            await run.press("enter", "enter")
            assert "! 1 rank missing: 2 · of rank 2: m calls  " in run.text()
            assert "look 1 at files of " in run.lines()[0]
            (finding,) = app.session.verdict.findings
            assert finding.advice.startswith("Read the ends of these ranks' logs.")
            await run.press("tab", "tab", "tab", "tab")
            await run.until(lambda: "written as JSON from what was read" in run.text())
