"""The history beside a run: nothing that is wrong with it ends the run."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tests.services.run_history.made_runs import ENDPOINT, case, floats, output, run_of
from xpudbg.services.comparison.compare import compare
from xpudbg.services.dispatch import progress
from xpudbg.services.dispatch.errors import RunCancelledError
from xpudbg.services.run_history.database import FILE
from xpudbg.services.run_history.history import RunHistory
from xpudbg.services.run_history.recorder import Recorder
from xpudbg.services.run_history.records import RunState


async def test_a_run_is_written_from_its_begin_to_its_comparison(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    of = case(floats(1))
    entry = await recorder.begin(of, ENDPOINT)
    entry.progress(progress.Connecting(1))
    for sent in range(100):
        entry.progress(progress.Uploading(sent, 99))
    entry.progress(progress.Running())
    for received in range(100):
        entry.progress(progress.Downloading(received, 99))
    await entry.finish(run_of(of, output(floats(2))))
    await entry.compared({"0": compare(floats(2), floats(2))})
    await recorder.close()
    assert entry.note == ""
    assert entry.id is not None
    history = RunHistory(tmp_path)
    found = history.get(entry.id)
    assert (found.state, found.passed) == (RunState.OK, True)
    told = [(one.kind, dict(one.detail)) for one in history.progress_of(entry.id)]
    assert told == [
        ("Connecting", {"attempt": 1}),
        ("Uploading", {"sent": 99, "total": 99}),
        ("Running", {}),
        ("Downloading", {"received": 99, "total": 99}),
    ]


async def test_a_cancelled_run_is_written_as_such(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    entry = await recorder.begin(case(), ENDPOINT)
    await entry.fail(RunCancelledError("was cancelled"))
    assert entry.id is not None
    assert RunHistory(tmp_path).get(entry.id).state is RunState.CANCELLED


@pytest.mark.parametrize("damaged", [True, False], ids=["damaged", "no folder"])
async def test_a_run_goes_on_without_a_history_and_says_so(tmp_path: Path, damaged: bool) -> None:
    if damaged:
        (tmp_path / FILE).write_bytes(b"not a database" * 1000)
        folder = tmp_path
    else:
        folder = tmp_path / "file"
        folder.write_text("")
    recorder = Recorder(folder)
    entry = await recorder.begin(case(), ENDPOINT)
    entry.progress(progress.Running())
    await entry.finish(run_of(case()))
    assert entry.id is None
    assert entry.note.startswith("not in the history: ")
    assert ("--set-aside" in entry.note) == damaged
    await recorder.close()


async def test_a_disk_that_fills_up_during_a_run_is_said(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    entry = await recorder.begin(case(), ENDPOINT)
    assert entry.history is not None
    with entry.history._database.reading() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    many = tuple(output(np.zeros(1)) for _ in range(2000))
    await entry.finish(run_of(case(), *many))
    assert "full" in entry.note
    await recorder.close()
    assert entry.id is not None
    assert RunHistory(tmp_path).get(entry.id).state is RunState.UNDER_WAY


async def test_once_a_day_the_old_is_forgotten(tmp_path: Path) -> None:
    history = RunHistory(tmp_path, clock=lambda: 0)
    old = history.begin(case(), ENDPOINT)
    history.fail(old, RunCancelledError("long ago"))
    for expected in (1, 2):  # the second is opened on the same day
        recorder = Recorder(tmp_path)
        entry = await recorder.begin(case(), ENDPOINT)
        await entry.fail(RunCancelledError("now"))
        await recorder.close()
        assert len(history.latest()) == expected
    again = history.begin(case(), ENDPOINT)
    history.fail(again, RunCancelledError("long ago"))
    os.utime(tmp_path / "pruned", (0, 0))
    recorder = Recorder(tmp_path)
    await recorder.begin(case(), ENDPOINT)
    await recorder.close()
    assert again not in [record.id for record in history.latest()]
