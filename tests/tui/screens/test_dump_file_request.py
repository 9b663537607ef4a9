"""Letting ranks write their recorder's dump file: offered where torchcomms is, asked for first, the answer told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.tui.running import running
from tests.tui.scripted import NOW, job, look, opened
from tests.tui.stack_scripts import reply
from xpudbg.services import events
from xpudbg.services.cluster.probes import WRITE_DUMP_FILE
from xpudbg.services.ranksets import RankSet
from xpudbg.tui.screens.question import QuestionScreen

if TYPE_CHECKING:
    from pathlib import Path

SICK = '{"healthy": false, "reason": "link [b]3[/b] is down"}'


def torchcomms(size: int, sick: int) -> list[events.Event]:
    said: list[events.Event] = [opened(size), *look(1, size, closed=False)]
    for rank in range(size):
        text = SICK if rank == sick else '{"healthy": true}'
        said.append(events.ReplyArrived(1, reply(rank, text, "torchcomms_health_check")))
    return [events.TargetOpening("store head-0:29500"), *said, events.LookClosed(1, NOW)]


async def test_it_asks_first_and_tells_the_answer(tmp_path: Path) -> None:
    async with running(torchcomms(4, sick=2), tmp_path, size=(120, 40)) as run:
        assert run.app.session.selected == 2
        text = run.text()
        assert "Rank 2 (node-000) is unhealthy by torchcomms' own health check." in text
        assert "link [b]3[/b] is down" in text
        assert "D write the recorder's dump file" in text
        assert "unhealthy:" in text
        await run.press("D")
        assert isinstance(run.app.screen, QuestionScreen)
        assert "Let 1 rank (2) write" in run.text()
        await run.press("n")
        assert run.engine.told("ask") == 0
        await run.press("D", "y")
        assert run.engine.last("ask") == (RankSet([2]), WRITE_DUMP_FILE)
        answer = reply(2, '{"file": "/var/log/fr_[red]2.json"}', WRITE_DUMP_FILE.source)
        await run.say([events.AskedReply(answer)])
        await run.until(lambda: 'dump file of rank 2: {"file": "/var/log/fr_[red]2.json"}' in run.text())
        await run.press("D", "y")
        await run.say([events.AskedReply(replace(answer, error="HTTP 500: disk full"))])
        await run.until(lambda: "dump file of rank 2: HTTP 500: disk full" in run.text())


async def test_where_no_rank_has_torchcomms_it_says_so(tmp_path: Path) -> None:
    async with running(job(4), tmp_path, size=(120, 40)) as run:
        run.app.perform("dump_file")
        await run.until(lambda: "no rank has the handlers of" in run.text())
        assert run.engine.told("ask") == 0
