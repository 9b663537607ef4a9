"""`xpudbg report` into files, and over several targets."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.fakes.flight_recorder_jobs import FakeJob
from tests.services.recorder_trace.trace_schema import check
from tests.services.reports.html.pages import Page
from tests.tui.recorder_scripts import stuck, train
from tests.tui.test_cli import xpudbg
from xpudbg.tui.cli import main


def dumped(job: FakeJob, folder: Path) -> Path:
    """The dumps of a job as files."""
    folder.mkdir()
    for rank in range(job.world):
        (folder / f"rank_{rank}.json").write_text(json.dumps(job.dump(rank)))
    return folder


def test_a_page_a_trace_and_the_stacks_go_into_files_that_are_named(tmp_path: Path) -> None:
    job = stuck()
    folder = dumped(job, tmp_path / "dumps")
    page, trace, stacks = tmp_path / "r.html", tmp_path / "t.json.gz", tmp_path / "s.txt"
    page.write_text("older")
    files = ("-o", str(page), "--trace", str(trace), "--stacks", str(stacks))
    done = xpudbg("report", str(folder), "--format", "html", "--ranks", *files)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[:2] == [f"xpudbg: the report in {page}", f"xpudbg: the stacks in {stacks}"]
    calls = sum(len(job.dump(rank)["entries"]) for rank in range(8))
    assert f"the trace in {trace}: {calls} calls of 8 ranks; times " in done.stderr
    made = Page(page.read_text(encoding="utf-8"))
    assert "Rank 5 has not joined all_gather #4" in made.all_text()
    assert made.stray == []
    check(json.loads(gzip.decompress(trace.read_bytes())))


def test_several_targets_in_a_line_each_and_one_that_is_none(tmp_path: Path) -> None:
    sick, well = dumped(stuck(), tmp_path / "sick"), dumped(train(4), tmp_path / "well")
    done = xpudbg("report", "--summary", str(well), str(tmp_path / "none"), str(sick))
    assert (done.returncode, done.stderr) == (1, "")
    title, *lines = done.stdout.splitlines()
    assert title.split() == ["target", "verdict", "sure", "ranks", "first", "finding"]
    assert [line.split()[1] for line in lines] == ["ok", "unreadable", "hang"]
    assert "no such file or folder" in lines[1]


def test_the_list_goes_into_a_file_as_json(tmp_path: Path) -> None:
    well, file = dumped(train(4), tmp_path / "well"), tmp_path / "list.json"
    done = xpudbg("report", "--summary", "--format", "json", "-o", str(file), str(well), str(well))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"xpudbg: the report in {file}\n")
    assert [one["verdict"] for one in json.loads(file.read_text())] == ["ok", "ok"]


def test_a_file_that_can_not_be_written_is_2(tmp_path: Path) -> None:
    well = dumped(train(4), tmp_path / "well")
    done = xpudbg("report", str(well), "-o", str(tmp_path / "no" / "x.md"))
    assert done.returncode == 2
    assert "the report could not be written: " in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--summary",), "no target"),
        (("--summary", "--format", "html", "x"), "text, json, markdown"),
        (("--summary", "--tables", "x"), "goes without"),
        (("--summary", "--trace", "t.json", "x"), "goes without"),
        (("--one-clock", "x"), "--trace only"),
    ],
)
def test_what_does_not_go_together(words: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(main, ["report", *words])
    assert done.exit_code == 2
    assert said in done.output
