"""How the store's screen and the doctor look, as pictures. To renew them: pytest --snapshot-update, look at each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.running import made
from tests.tui.screens.test_doctor import checked_job
from tests.tui.store_scripts import ScriptedStore, job_keys, store_job
from tests.tui.test_snapshots import Compare
from xpudbg.services.doctor import reach_checks
from xpudbg.tui.widgets.store_tree import StoreTree


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setattr(reach_checks, "connections_allowed", lambda: 19_744)


def same(compare: Compare, folder: Path, size: tuple[int, int], keys: tuple[str, ...], at: bytes = b"") -> bool:
    run = made(store_job(), folder, refresh_s=5.0)
    run.engine.on_store = ScriptedStore(job_keys())

    async def ready(pilot: Pilot[int]) -> None:
        run.pilot = pilot
        await run.settled()
        await run.press("7")
        store = run.app.session.store
        await run.until(lambda: store.values, "values have been read")
        for key in keys:
            await run.settled()
            await run.press(key)
        tree = run.app.screen.query_one(StoreTree)
        if at:
            assert tree.go_to(at)
        await run.until(lambda: set(tree.in_view()) <= store.values.keys(), "all values in view have been read")
        for _ in range(3):
            await run.settled()

    return compare(run.app, terminal_size=size, run_before=ready)


def test_keys_in_a_small_terminal(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, (80, 24), (), b"debug_server/rank1")


def test_hostile_keys_and_a_pickle(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, (120, 40), (), b"odd/pickled")


def test_values_that_were_searched(snap_compare: Compare, tmp_path: Path) -> None:
    assert same(snap_compare, tmp_path, (200, 60), ("slash", *"value:node-000", "enter"))


def test_the_doctor(snap_compare: Compare, tmp_path: Path) -> None:
    run = made(checked_job(), tmp_path)

    async def ready(pilot: Pilot[Any]) -> None:
        run.pilot = pilot
        await run.settled()
        run.app.perform("doctor")
        await run.until(lambda: "answers: dead" in run.text(), "the checks are shown")
        await run.settled()

    wait: Callable[[Pilot[Any]], Awaitable[None]] = ready
    assert snap_compare(run.app, terminal_size=(120, 40), run_before=wait)
