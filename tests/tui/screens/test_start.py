"""The start screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.tui.running import running
from tests.tui.scripted import NOW, job
from xpudbg.services.recent import RecentTargets
from xpudbg.services.targets import DemoTarget, StoreTarget

if TYPE_CHECKING:
    from pathlib import Path


async def test_an_address_is_attached_to(tmp_path: Path) -> None:
    async with running(job(4), tmp_path, target=None) as run:
        assert run.app.current_mode == "start"
        await run.press(*"10.0.0.5:29500", "enter")
        await run.settled()
        assert run.engine.calls[0] == ("attach", StoreTarget("10.0.0.5", 29500))
        assert run.app.current_mode == "overview"
        assert "all 4 ranks answer" in run.text()


async def test_what_is_wrong_is_said_with_a_hint(tmp_path: Path) -> None:
    async with running([], tmp_path, target=None) as run:
        await run.press(*"host:99999", "enter")
        assert run.engine.calls == []
        assert "99999" in run.text()
        await run.press("backspace")
        assert run.app.current_mode == "start"


async def test_an_empty_line_and_files_attach_to_nothing(tmp_path: Path) -> None:
    async with running([], tmp_path, target=None) as run:
        await run.press("enter")
        assert "Nothing is typed." in run.text()
        await run.press(*str(tmp_path), "enter")
        assert "Opening dump files comes with a later version." in run.text()
        assert "Type an address as host:port" in run.text()
        assert run.engine.calls == []


async def test_the_environment_is_read(tmp_path: Path) -> None:
    env = {"MASTER_ADDR": "head-7", "MASTER_PORT": "1234"}
    async with running(job(4), tmp_path, target=None, env=env) as run:
        await run.press("enter")
        assert run.engine.calls[0] == ("attach", StoreTarget("head-7", 1234))


async def test_the_demo_is_one_choice(tmp_path: Path) -> None:
    async with running(job(4), tmp_path, target=None) as run:
        await run.press("down", "enter")
        called, target = run.engine.calls[0]
        assert called == "attach"
        assert isinstance(target, DemoTarget)


async def test_a_target_used_before_is_one_choice(tmp_path: Path) -> None:
    RecentTargets(tmp_path / "recent.json").add(StoreTarget("old-head", 4000), NOW)
    async with running(job(4), tmp_path, target=None) as run:
        assert "old-head:4000" in run.text()
        await run.press("down", "enter")
        assert run.engine.calls[0] == ("attach", StoreTarget("old-head", 4000))


async def test_a_target_that_opened_is_remembered(tmp_path: Path) -> None:
    async with running(job(4), tmp_path):
        assert [entry.words for entry in RecentTargets(tmp_path / "recent.json").load()] == [("head-0:29500",)]


async def test_a_damaged_list_is_said(tmp_path: Path) -> None:
    (tmp_path / "recent.json").write_text("{")
    async with running([], tmp_path, target=None) as run:
        assert "damaged" in run.text()


async def test_back_to_the_start_screen_and_on(tmp_path: Path) -> None:
    async with running(job(4), tmp_path) as run:
        await run.press("t")
        await run.settled()
        assert run.app.current_mode == "start"
        assert run.engine.told("detach") == 1
        assert not run.app.session.ranks
        await run.press(*"b:1", "enter")
        await run.settled()
        assert run.app.current_mode == "overview"
        assert "all 4 ranks answer" in run.text()
