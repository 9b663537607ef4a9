"""The one dialog for what goes into a file: what is offered, what is refused, what is written."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from textual.widgets import Input, OptionList

from tests.tui.profile_scripts import captured
from tests.tui.recorder_scripts import recorder_job, stuck
from tests.tui.running import Running, running
from tests.tui.scripted import job
from xpudbg.tui.screens.export_request import ExportRequest


def dialog(run: Running) -> ExportRequest:
    assert isinstance(run.app.screen, ExportRequest)
    return run.app.screen


def line(run: Running) -> Input:
    return dialog(run).query_one(Input)


async def test_ranks_as_shown_or_all_and_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(job(8, {3: "dead"}), tmp_path, size=(100, 30)) as run:
        await run.press("2", "slash", *"class:dead", "enter", "e")
        assert "ranks as shown: 1 row" in run.text()
        assert "A new file: .csv, .json or .md by its ending." in run.text()
        assert "ranks, all of them: 8 rows" in run.text()
        offered = line(run).value
        assert offered.startswith("xpudbg-store-head-0-29500-ranks-")
        for typed, said in (
            ("", "write the name"),
            ("x.txt", "ends in .csv or"),
            ("no/x.csv", "no folder no"),
            (".md", "before"),
        ):
            line(run).value = typed
            await run.press("enter")
            assert said in run.text()
        line(run).value = "mine.md"
        await run.press("enter")
        await run.until(lambda: "1 row of ranks as shown in" in run.text())
        written = (tmp_path / "mine.md").read_text().splitlines()
        assert [row.split(" | ")[0] for row in written[2:]] == ["| 3"]
        await run.press("e", "escape")
        assert "Export" not in run.text()
        await run.press("e", "down", "down")
        assert line(run).value == offered.replace("ranks", "all-ranks")
        await run.press("enter")
        await run.until(lambda: "8 rows of ranks in" in run.text())


async def test_a_typed_name_stays_when_something_else_is_chosen(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        await run.press("2", "e")
        line(run).value = "mine.csv"
        await run.press("down", "down")
        assert dialog(run).query_one(OptionList).highlighted == 1
        assert line(run).value == "mine.csv"


async def test_a_trace_of_the_flight_recorders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(recorder_job(stuck()), tmp_path, size=(120, 30)) as run:
        await run.press("4", "tab", "e", "down", "down", "down")
        name = line(run).value
        assert name.endswith("Z.trace.json.gz")
        assert "A new file: its name ends in .json.gz or .json." in run.text()
        await run.press("enter")
        await run.until(lambda: "calls of 8 ranks in" in run.text())
        made = json.loads(gzip.decompress((tmp_path / name).read_bytes()))
        assert {event["pid"] for event in made["traceEvents"]} == set(range(8))


async def test_the_table_of_the_profiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with running([*job(8), *captured()], tmp_path, size=(120, 30)) as run:
        await run.press("6", "e")
        line(run).value = "p.json"
        await run.press("enter")
        await run.until(lambda: (tmp_path / "p.json").exists() and "rows of profiles" in run.text())
        assert [row["rank"] for row in json.loads((tmp_path / "p.json").read_text())] == list(range(6))


async def test_a_folder_that_can_not_be_written_to_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("xpudbg.tui.screens.export_request.export_table", full)
    async with running(job(4), tmp_path) as run:
        await run.press("2", "e", "enter")
        await run.until(lambda: "not exported: No space" in run.text())


async def test_the_progress_matrix_as_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(recorder_job(stuck()), tmp_path, size=(120, 40)) as run:
        await run.press("e")
        assert "progress as shown" in run.text()
        line(run).value = "progress.json"
        await run.press("enter")
        await run.until(lambda: "of progress as shown in" in run.text())
        rows = json.loads((tmp_path / "progress.json").read_text())
        progress = run.app.session.recorder.progress
        assert sorted(row["rank"] for row in rows) == progress.ranks.tolist()
        title = progress.columns[0].title
        late = max(rows, key=lambda row: row["lag"] or 0)
        assert late == rows[0]
        assert (late["lag"], late[f"{title} behind"], late[f"{title} state"]) == (1, 1, "idle")
