"""Orders of the console through the engine's thread."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.services.console.console_cases import op_case
from xpudbg.services.console import events, orders
from xpudbg.services.console.case_export import write_case
from xpudbg.services.console.console import Console
from xpudbg.services.console.events import ConsoleEvent
from xpudbg.services.console.status import CaseStatus
from xpudbg.services.engine import Engine
from xpudbg.services.events import OpProgressed
from xpudbg.services.targets import DemoTarget


@pytest.fixture(autouse=True)
def own_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XPUDBG_HISTORY", str(tmp_path / "runs"))


def test_files_are_opened_on_the_engines_thread(tmp_path: Path) -> None:
    write_case(tmp_path / "join.toml", op_case())
    with Engine() as engine:
        engine.console(orders.OpenCases((tmp_path / "join.toml",)))
        opened, kept = engine.events.get(timeout=30), engine.events.get(timeout=30)
    assert isinstance(opened, events.CasesOpened)
    assert [case.name for case in opened.cases] == ["join"]
    assert kept == events.KeptRunsRead({})


def test_the_demos_cases_have_run_once_when_they_are_first_seen() -> None:
    console = Console()
    with Engine() as engine:
        engine.attach(DemoTarget(2, "healthy"))
        engine.console(orders.OpenDemoCases())
        while not (console.history_read and not console.under_way and len(console.runs) == 3):
            event = engine.events.get(timeout=30)
            if isinstance(event, ConsoleEvent | OpProgressed):
                console.apply(event)
    assert {case_id: console.status(case_id) for case_id in console.order()} == {
        "demo:join_shards": CaseStatus.FAILED,
        "demo:running_total": CaseStatus.WRONG,
        "demo:matmul": CaseStatus.PASSED,
    }
    folders = {case.folder for case in console.cases.values()}
    assert not any(folder.exists() for folder in folders), "the references go with the engine"
