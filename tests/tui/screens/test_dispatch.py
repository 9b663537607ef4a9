"""Screen 8: running, editing, comparing, choosing, and what is painted of hostile texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from textual.widgets import Input

from tests.services.console.console_cases import op_case
from tests.services.console.test_console import line
from tests.services.run_history.made_runs import ENDPOINT
from tests.tui.dispatch_running import HOSTILE, OTHER, TOTAL, dispatching, gave
from tests.tui.running import running
from xpudbg.services.console import events, orders
from xpudbg.services.console.editing import set_field
from xpudbg.services.dispatch.progress import Uploading
from xpudbg.services.events import OpProgressed
from xpudbg.services.run_history.records import RunState
from xpudbg.services.runs.references import ComputedReference
from xpudbg.services.settings.shape import Endpoint, Settings
from xpudbg.services.settings.sources import Loaded
from xpudbg.tui.dispatch.named_servers import NamedServers
from xpudbg.tui.dispatch.view import Tab
from xpudbg.tui.screens.dispatch import DispatchScreen
from xpudbg.tui.screens.dispatch_panes import Pane, RunList
from xpudbg.tui.screens.line_request import LineRequest
from xpudbg.tui.screens.start import StartScreen
from xpudbg.tui.widgets.run_result_pane import RunResultPane

ONES = np.ones((4, 16), np.float32)


async def test_a_case_is_run_edited_run_again_and_the_runs_are_listed(tmp_path: Path) -> None:
    async with dispatching(tmp_path, size=(120, 36)) as run:
        view = run.app.desk.view
        await run.press("down", "r")
        assert view.case is not None
        (started,) = run.starts()
        assert (started.endpoint, started.case.attrs["axis"]) == (ENDPOINT, 2)
        await run.say([OpProgressed(started.key, Uploading(10, 100))])
        assert "uploading 10 % of 100 B" in run.text()
        await run.press("r")
        assert len(run.starts()) == 1, "a case that is running is not run again"
        await run.over()
        assert "axis 2 is out of bounds" in run.text()
        await run.press("enter", *["down"] * 5, "enter", "1", "enter")
        assert "attr.axis *" in run.text()
        await run.press("r")
        await run.over(gave(set_field(op_case(), "attr.axis", "1", tmp_path), ONES))
        assert run.starts()[1].case.attrs["axis"] == 1
        assert run.starts()[1].before is not None
        await run.press("tab", "tab")
        assert run.app.focused is run.screen.query_one(RunList)
        text = run.text()
        assert "attr.axis=1" in text
        assert "AxisError" in text
        await run.press("down", "enter")
        assert "FAILED" in run.text()


async def test_what_can_not_be_stands_at_its_field_and_esc_loses_no_edit(tmp_path: Path) -> None:
    async with dispatching(tmp_path) as run:
        await run.press("down", "enter", *["down"] * 5, "enter", "1", "enter")
        await run.press("end", "enter", "0", "enter")
        assert "1 to 100 repetitions" in run.text()
        entry = run.screen.editor.entry
        assert entry.has_focus
        await run.press("escape")
        assert not run.screen.editor.typing
        await run.press("escape")
        assert run.screen.pane is Pane.CASES
        case = run.app.desk.view.case
        assert case is not None
        assert [one.field for one in case.edits] == ["attr.axis"]
        await run.press("u")
        assert run.app.desk.view.case is not None
        assert not run.app.desk.view.case.edits


async def test_fields_are_added_taken_out_and_read_from_files(tmp_path: Path) -> None:
    async with dispatching(tmp_path) as run:
        await run.press("down", "enter", "a")
        assert isinstance(run.app.screen, LineRequest)
        run.app.screen.query_one(Input).value = "attr.mode"
        await run.press("enter")
        assert "write attr.NAME=VALUE" in run.text()
        run.app.screen.query_one(Input).value = "attr.out=null"
        await run.press("enter")
        assert "attr.out *" in run.text()
        await run.press("d")
        assert "attr.out" not in run.text()
        await run.press(*["g"], "down", "down", "enter")
        await run.press(*"gone.npy", "enter")
        assert "reading the file" in run.text()
        (order,) = [one for one in run.ordered if isinstance(one, orders.EditFromFile)]
        await run.press("escape", "r")
        assert not run.starts(), "a run waits for the edit that is being read"
        await run.say([events.EditRefused(order.case_id, order.field, "gone.npy: can't be read", "give another")])
        assert "gone.npy: can't be read" in run.text()


async def test_runs_go_to_all_servers_chosen_and_stand_side_by_side(tmp_path: Path) -> None:
    async with dispatching(tmp_path, size=(200, 40)) as run:
        await run.press("down", "down", "S")
        run.app.screen.query_one(Input).value = "127.0.0.1:9090 http://"
        await run.press("enter")
        assert isinstance(run.app.screen, LineRequest), "an address that is none is refused there"
        run.app.screen.query_one(Input).value = f"127.0.0.1:9090 {OTHER}"
        await run.press("enter", "r")
        first, second = run.starts()
        assert {first.endpoint, second.endpoint} == {ENDPOINT, OTHER}
        assert all(case is run.starts()[0].case for case in (first.case, second.case))
        values = np.ones((4, 64), np.float32)
        await run.say(
            [
                events.RunCompared(first.key, gave(TOTAL, values)),
                events.RunCompared(second.key, gave(TOTAL, values, OTHER)),
            ]
        )
        panes = [pane for pane in run.screen.query(RunResultPane) if pane.display]
        assert [pane.shown.run.endpoint for pane in panes if pane.shown is not None] == [str(ENDPOINT), str(OTHER)]
        await run.press("comma")
        assert run.app.desk.view.run() is not None


async def test_servers_of_the_settings_are_listed_completed_and_shown_by_name(tmp_path: Path) -> None:
    async with dispatching(tmp_path, size=(200, 40)) as run:
        endpoints = {"gpu": Endpoint("10.0.0.6:9090"), "broken": Endpoint("ftp://x")}
        run.app.desk.servers = NamedServers(Loaded(Settings(endpoints=endpoints)))
        await run.press("down", "down", "S")
        line = run.app.screen.query_one(Input)
        assert "gpu  http://10.0.0.6:9090" in run.text()
        assert "endpoints.broken" in run.text()
        line.value = "broken"
        await run.press("enter")
        assert isinstance(run.app.screen, LineRequest), "a name without a usable address is refused there"
        line.value = ""
        await run.press(*"127.0.0.1:9090 g")
        await run.until(lambda: line._suggestion == "127.0.0.1:9090 gpu", "the name is suggested")
        await run.press("right", "enter")
        assert "gpu (10.0.0.6:9090)" in run.text()
        await run.press("r")
        assert {one.endpoint for one in run.starts()} == {ENDPOINT, OTHER}


async def test_a_run_is_ended_by_its_key_and_by_esc(tmp_path: Path) -> None:
    async with dispatching(tmp_path) as run:
        for key in ("x", "escape"):
            await run.press("r", key, key)
            await run.over()
        cancelled = [order.key for order in run.ordered if isinstance(order, orders.CancelRun)]
        assert cancelled == [order.key for order in run.starts()]
        assert isinstance(run.app.screen, DispatchScreen)


async def test_the_reference_is_chosen_and_the_run_is_compared_anew(tmp_path: Path) -> None:
    async with dispatching(tmp_path) as run:
        await run.press("down", "r")
        await run.over(gave(op_case(), ONES))
        await run.press("c")
        run.app.screen.query_one(Input).value = "elsewhere"
        await run.press("enter")
        assert "nothing to compare with" in run.text()
        run.app.screen.query_one(Input).value = "numpy"
        await run.press("enter")
        (order,) = [one for one in run.ordered if isinstance(one, orders.ShowRunAgain)]
        assert order.reference == ComputedReference("numpy")
        shown = gave(op_case(), ONES, expected=ONES * 2)
        await run.say([events.KeptRunShown(order.key, shown)])
        assert "WRONG" in run.text()


async def test_texts_from_files_and_servers_are_painted_as_they_are(tmp_path: Path) -> None:
    async with dispatching(tmp_path, size=(160, 40)) as run:
        text = run.text()
        assert "bad [/]" in text
        assert "Its file says that its last run was wrong. bad [/]\\x1b[31m[bold]" in text
        assert "\x1b" not in text
        assert "\u202e" not in text
        await run.press("slash", *"stack", "enter")
        assert run.app.desk.view.order() == ["id-from_file"]
        await run.press("escape")
        await run.say([events.ConsoleRefused(HOSTILE)])
        assert "[bold]" in run.text()
        await run.press("y")


async def test_a_run_of_the_history_is_read_when_it_is_looked_at(tmp_path: Path) -> None:
    async with dispatching(tmp_path, size=(120, 30)) as run:
        kept = replace(line("#5", RunState.OK, number=5, passed=True), case_id="id-join_shards")
        await run.say([events.KeptRunsRead({"id-join_shards": (kept,)})])
        await run.press("G")
        wanted = [one.number for one in run.ordered if isinstance(one, orders.ShowKeptRun)]
        assert wanted == [5]
        await run.say([events.KeptRunShown("#5", gave(op_case(), ONES, expected=ONES))])
        assert "PASSES" in run.text()
        await run.press("n", "N")
        case = run.app.desk.view.case
        assert case is not None
        assert case.id == "id-from_file"


async def test_files_are_opened_and_a_case_is_exported(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").touch()
    async with dispatching(tmp_path) as run:
        await run.press("o")
        run.app.screen.query_one(Input).value = str(tmp_path / "cas")
        await run.press("enter", "e")
        assert run.app.screen.query_one(Input).value == "from_file.toml"
        await run.press("enter")
        opened = [one for one in run.ordered if isinstance(one, orders.OpenCases)]
        written = [one for one in run.ordered if isinstance(one, orders.WriteCase)]
        assert opened[-1].paths == (tmp_path / "cas",)
        assert written[0].path == Path("from_file.toml")


async def test_without_cases_and_servers_it_says_how_to_begin(tmp_path: Path) -> None:
    async with running([], tmp_path, target=None) as run:
        assert isinstance(run.app.screen, StartScreen)
        await run.press("f8")
        text = run.text()
        assert "o opens a file of cases" in text
        assert "no op server is chosen" in text
        await run.press("r", "u", "e", "c", "tab", "tab", "tab")
        assert run.app.desk.view.tab is Tab.RUNS
        await run.press("escape", "escape")
        assert isinstance(run.app.screen, StartScreen)
