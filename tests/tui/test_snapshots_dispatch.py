"""How the dispatch screen looks, as pictures. To renew them: pytest --snapshot-update, and look at each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from textual.widgets import Input

from tests.services.console.console_cases import op_case
from tests.services.console.test_console import line
from tests.services.run_history.made_runs import ENDPOINT
from tests.services.shown_runs import failed
from tests.tui.dispatch_running import OTHER, TOTAL, cases, gave
from tests.tui.running import made
from tests.tui.scripted import NOW, SECOND
from tests.tui.test_snapshots import Compare
from xpudbg.services.console import events
from xpudbg.services.dispatch.progress import Running, Uploading
from xpudbg.services.events import OpProgressed
from xpudbg.services.run_history.records import RunState
from xpudbg.services.runs.shown import show_run
from xpudbg.tui.dispatch.desk import DispatchStart

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from textual.pilot import Pilot

    from xpudbg.services.events import Event

START = DispatchStart((), (ENDPOINT, OTHER))
SUMS = np.arange(256, dtype=np.float32).reshape(4, 64)


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


def same(compare: Compare, folder: Path, script: Sequence[Event], size: tuple[int, int], keys: Iterable[str]) -> bool:
    """Whether the screen looks as it did, without a job, after the script and the keys."""
    run = made([], folder, target=None, dispatch=START)

    async def ready(pilot: Pilot[int]) -> None:
        run.pilot = pilot
        await run.say(script)
        for key in keys:
            await run.press(key)
            for entry in run.app.screen.query(Input):
                entry.cursor_blink = False
        await run.app.workers.wait_for_complete()
        await run.settled()

    return compare(run.app, terminal_size=size, run_before=ready)


def over(key: str, *, failing: bool = False, case_id: str = "id-running_total") -> list[Event]:
    case = op_case() if failing else TOTAL
    expected = SUMS + (np.arange(256).reshape(4, 64) % 50 == 49)
    shown = show_run(failed(axis=2)) if failing else gave(TOTAL, SUMS.astype(np.float16), ENDPOINT, expected)
    return [events.RunBegun(key, case_id, case, ENDPOINT, 1), events.RunCompared(key, shown)]


def test_cases_and_a_field_being_edited(snap_compare: Compare, tmp_path: Path) -> None:
    script = [events.CasesOpened("cases", cases()), *over("a", failing=True, case_id="id-join_shards"), *over("b")]
    keys = ("down", "enter", *["down"] * 6, "enter", "x", "enter")
    assert same(snap_compare, tmp_path, script, (80, 24), keys)


def test_a_wrong_result_and_its_worst_elements(snap_compare: Compare, tmp_path: Path) -> None:
    script = [events.CasesOpened("cases", cases()), *over("a", failing=True, case_id="id-join_shards"), *over("b")]
    keys = ("down", "enter", *["down"] * 4, "enter", *"float32", "enter", "tab")
    assert same(snap_compare, tmp_path, script, (120, 40), keys)


def test_several_servers_under_way_and_the_history(snap_compare: Compare, tmp_path: Path) -> None:
    kept = [
        line("#4", RunState.OK, number=4, passed=False, changes=(("attr.axis", "0"),), said="fails mixed: 3 off"),
        line("#3", RunState.INTERRUPTED, number=3, took_s=None, said="interrupted"),
        line("#2", RunState.FAILED, number=2, said="AxisError: axis 2 is out of bounds for array of dimension 2"),
    ]
    mine = tuple(replace(one, case_id="id-join_shards", started_ns=NOW - at * SECOND) for at, one in enumerate(kept))
    script = [
        events.CasesOpened("cases", cases()),
        *over("b"),
        events.KeptRunsRead({"id-join_shards": mine}, interrupted=(3,)),
        events.RunBegun("x", "id-join_shards", op_case(), ENDPOINT, 2),
        events.RunBegun("y", "id-join_shards", op_case(), OTHER, 2),
        OpProgressed("x", Uploading(3_400_000, 10_000_000)),
        OpProgressed("y", Running()),
    ]
    keys = ("g", "tab", "tab", "tab", "down")
    assert same(snap_compare, tmp_path, script, (200, 60), keys)


def test_what_to_compare_with(snap_compare: Compare, tmp_path: Path) -> None:
    script = [events.CasesOpened("cases", cases()), *over("b")]
    keys = ("g", "c", *"nothing", "enter")
    assert same(snap_compare, tmp_path, script, (80, 24), keys)
