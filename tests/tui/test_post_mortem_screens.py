"""Dumps of a job that is gone, on the screens: the program's own engine reads real files."""

from __future__ import annotations

from pathlib import Path

from tests.tui.running import Clock, Running
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.recent import RecentTargets
from xpudbg.tui.app import XpudbgApp

DUMPS = Path(__file__).parents[1] / "data" / "flight_recorder" / "coalesced-missing-on-one-rank"


async def test_dumps_are_opened_from_the_start_screen(tmp_path: Path) -> None:
    with Engine() as engine:
        app = XpudbgApp(engine, None, AttachOptions(), env={}, recent=RecentTargets(tmp_path / "recent.json"))
        run = Running(app, None, Clock())  # type: ignore[arg-type]
        async with app.run_test(size=(120, 36), notifications=True) as run.pilot:
            await run.press(*str(DUMPS), "enter")
            await run.until(lambda: app.session.latest is not None, "the dumps are read")
            await run.until(lambda: "Rank 2 has not joined" in run.text())
            assert app.session.post_mortem
            assert "3 post mortem" in run.text()
            assert "rank_2.json" in run.text()
            assert "read again" in run.lines()[-1]
            for action in ("refresh", "cancel_look"):
                app.perform(action)
            await run.until(lambda: run.text().count("post mortem: nothing to ask") == 2)
            looks = len(app.session.looks)
            await run.press("r")
            await run.until(lambda: len(app.session.looks) > looks, "the dumps are read again")
            await run.press("2")
            titles = next(line for line in run.lines() if line.split()[:1] == ["rank"])
            assert "in call" in titles
            assert not {"class", "since", "ping", "reason", "address"} & set(titles.split())
            row = next(line for line in run.lines() if line.split()[:1] == ["2"])
            assert "not in a call" in row
            assert "rank_2.json" in row
            app.clock = lambda: 2**62
            app.attachment.look_when_due()
            await run.press("3")
            app.perform("py_spy")
            await run.until(lambda: run.text().count("post mortem: nothing to ask") >= 1)
            assert not app.attachment.asking
