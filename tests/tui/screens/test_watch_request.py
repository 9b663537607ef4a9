"""W switches the watch on and off: what is asked, what it does to looks, status line and terminal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input

from tests.tui.running import Running, running
from tests.tui.scripted import NOW, SECOND, job, look
from xpudbg.services.bundle.events import BundleEvent, FolderRotated
from xpudbg.services.bundle.orders import BundleOrder, WriteIncident
from xpudbg.services.targets import StoreTarget
from xpudbg.tui.screens.watch_request import WatchRequest


def set_field(run: Running, name: str, text: str) -> None:
    run.app.screen.query_one(f"#watch-{name}", Input).value = text


def written(order: BundleOrder) -> list[BundleEvent]:
    """As the engine writes files of a watch."""
    assert isinstance(order, WriteIncident)
    facts = order.facts() if callable(order.facts) else order.facts
    done = order.folder.write(order.at, order.why, order.looks, facts)
    return [replace(done, why=order.why), FolderRotated(order.folder.path)]


async def test_it_looks_rings_and_keeps_files_until_it_is_switched_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    async with running(job(4), tmp_path, size=(100, 30)) as run:
        app, attachment = run.app, run.app.attachment
        run.engine.on_bundle = written
        sent: list[str] = []
        rung: list[int] = []
        assert app._driver is not None
        monkeypatch.setattr(app._driver, "write", sent.append)
        monkeypatch.setattr(app, "bell", lambda: rung.append(1))
        await run.press("W")
        assert isinstance(app.screen, WatchRequest)
        for name, typed, said in (
            ("stall", "soon", "seconds, from 1 to 86,400"),
            ("stall", "nan", "seconds, from 1"),
            ("every", "0.1", "seconds, from 0.5"),
            ("folder", "file", "file is a file, no folder"),
            ("folder", "file/in", "file/in: Not a directory"),
        ):
            for usual, text in (("stall", "15"), ("every", "20 s"), ("folder", "kept")):
                set_field(run, usual, text)
            set_field(run, name, typed)
            await run.press("enter")
            assert said in run.text()
        set_field(run, "folder", "kept")
        await run.press("enter")
        assert attachment.refresh_s == 20.0
        assert "watching, stall 15 s · look 1" in run.lines()[0]
        attachment._looked_twice = True
        run.clock.now = NOW + 19 * SECOND
        attachment.look_when_due()
        assert run.engine.told("look") == 0
        run.clock.now = NOW + 20 * SECOND
        attachment.look_when_due()
        assert run.engine.told("look")
        await run.say(look(2, 4, {2: "dead"}, at=run.clock.now))
        await run.until(lambda: "kept/xpudbg-" in run.text(), "it is said")
        assert "rang 08:53:40Z dead" in run.lines()[0]
        assert [entry.name for entry in (tmp_path / "kept").iterdir()] == ["xpudbg-20251009T085340Z-dead.xpudbg"]
        (notice,) = [text for text in sent if text.startswith("\x1b]9;")]
        assert notice.startswith("\x1b]9;xpudbg: Rank 2 (node-000) is dead")
        assert len(rung) == 1
        for _ in range(2):
            await run.press("R")
        assert attachment.refresh_s == 2.0  # never off while it watches
        await run.press("W")
        assert [attachment.watch, attachment.refresh_s] == [None, None]
        assert "not watching any more" in run.text()
        assert "watching, stall" not in run.lines()[0]


async def test_another_target_is_not_watched(tmp_path: Path) -> None:
    async with running(job(4), tmp_path, refresh_s=5.0) as run:
        await run.press("W")
        set_field(run, "folder", "")
        set_field(run, "every", "7")
        await run.press("enter")
        assert run.app.attachment.watch is not None
        assert run.app.attachment.watch.folder is None
        run.app.attach(StoreTarget("other", 29500))
        await run.settled()
        assert [run.app.attachment.watch, run.app.attachment.refresh_s] == [None, 5.0]
