"""From a collective to an operator on its shapes and dtypes."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Input

from tests.tui.recorder_scripts import recorder_job, stuck
from tests.tui.running import running
from xpudbg.tui.screens.line_request import LineRequest


async def test_a_collective_leads_to_a_case_on_its_tensors(tmp_path: Path) -> None:
    async with running(recorder_job(stuck()), tmp_path, size=(120, 36)) as run:
        await run.press("4", "T")
        assert not isinstance(run.app.screen, LineRequest), "a finding has no tensors"
        await run.press("tab", "T")
        assert "[512, 64] bf16" in run.text()
        run.app.screen.query_one(Input).value = "torch add"
        await run.press("enter")
        assert isinstance(run.app.screen, LineRequest)
        run.app.screen.query_one(Input).value = "torch.sum"
        await run.press("enter")
        assert run.app.current_mode == "dispatch"
        assert "bfloat16[512,64]" in run.text()
        case = run.app.desk.view.case
        assert case is not None
        assert case.title == "torch.sum"
        await run.press("escape")
        assert run.app.current_mode == "recorder"
