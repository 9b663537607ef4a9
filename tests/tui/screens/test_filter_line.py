"""One grammar on every screen: what `/` takes, counts and refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.widgets import Input

from tests.tui.counter_scripts import counter_job, trained
from tests.tui.dispatch_running import dispatching
from tests.tui.profile_scripts import captured
from tests.tui.running import running
from tests.tui.scripted import job
from xpudbg.services.ranksets import RankSet
from xpudbg.tui.widgets.filter_bar import FilterBar

if TYPE_CHECKING:
    from pathlib import Path

WRONG = "grp: is no field, in quotes it is a text; fields here are "


@pytest.mark.parametrize(
    ("key", "filters"),
    [
        (
            "2",
            {
                "host:node-001 !rank:8": "7 of 16 ranks",
                "state:dead": "1 of 16 ranks",
                '"node-000" rank:6-9': "2 of 16 ranks",
                "re:node-00[1-9] grp:x": WRONG,
            },
        ),
        (
            "5",
            {
                "host:node-000": "8 of 16 ranks",
                "rank:2-4 re:^tcp": "3 of 16 ranks",
                "state:dead": "1 of 16 ranks",
                "group:tp": "group: can't be asked of wait counters; fields here are ",
                "re:(x*)*": "re: what is repeated holds a repetition",
            },
        ),
    ],
)
async def test_screens_of_ranks(tmp_path: Path, key: str, filters: dict[str, str]) -> None:
    script = counter_job(16, trained(14, waiting=[3], slow=[9]), {14: "dead"}, without=[15])
    async with running(script, tmp_path, size=(160, 30)) as run:
        await run.press(key, "slash")
        for text, said in filters.items():
            run.app.screen.query_one(Input).value = text
            await run.settled()
            assert said in run.text(), text
        await run.press("escape")
        assert not run.app.screen.query_one(FilterBar).has_class("open")


async def test_the_text_stays_as_typed_though_a_term_of_it_is_wrong(tmp_path: Path) -> None:
    async with running(job(16), tmp_path, size=(160, 30)) as run:
        await run.press("2", "slash", *'rank:2-4 grp:x "node', "enter")
        assert 'rank:2-4 grp:x "node' in run.text()
        assert 'a " has no partner' in run.text()
        assert run.app.view.shown() == RankSet([2, 3, 4])
        await run.press("escape")
        assert len(run.app.view.shown()) == 16


async def test_what_is_wrong_can_be_read_to_its_end(tmp_path: Path) -> None:
    async with running(job(16), tmp_path, size=(80, 24)) as run:
        await run.press("2", "slash", *"grp:x")
        said = " ".join(line[24:].strip() for line in run.lines()[1:6])
        assert f"{WRONG}rank:0-63, host:x, state:stopped, group:x, op:x, frame:x, is:marked, re:x" in said
        await run.press("backspace", "backspace", "backspace")
        assert "0 of 16 ranks" in " ".join(run.lines()[1:3])


async def test_tables_of_the_profiler(tmp_path: Path) -> None:
    async with running([*job(8), *captured()], tmp_path, size=(160, 30)) as run:
        await run.press("6", "slash", *"rank:1-4 state:done")
        assert "3 of 6 rows" in run.text()
        await run.press(*" !host:zzz is:red")
        assert "is: knows marked; 'red' is none of them" in run.text()
        await run.press("enter", "escape")
        await run.press("enter", "slash", *"re:^aten::m", "enter")
        assert "1 of 11 rows" in run.text()
        await run.press("slash", *" rank:3")
        assert "rank: can't be asked of operators of a trace; fields here are op:x, re:x" in run.text()
        await run.press("tab")
        await run.press("escape", "tab")
        assert "of 11 rows" not in run.text()


async def test_cases(tmp_path: Path) -> None:
    async with dispatching(tmp_path, size=(160, 30)) as run:
        total = len(run.app.desk.view.order())
        await run.press("slash", *"op:concat !state:failed")
        left = len(run.app.desk.view.order())
        assert 0 < left < total
        assert f"{left} of {total} cases" in run.text()
        await run.press(*" rank:3")
        assert "rank: can't be asked of cases; fields here are op:x, state:failed, re:x" in run.text()
        assert len(run.app.desk.view.order()) == left
        await run.press("enter", "escape")
        assert len(run.app.desk.view.order()) == total
