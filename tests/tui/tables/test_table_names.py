"""The names of tables and columns: those that the tables have, and those that the page lists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tui.recorder_scripts import NCCL, recorder_job, stuck
from xpudbg.services.session import Session
from xpudbg.tui.recorder.lookup import table_of
from xpudbg.tui.recorder.view import TABLES as TABS
from xpudbg.tui.recorder.view import RecorderView
from xpudbg.tui.tables.table_names import TABLES

PAGE = Path(__file__).parents[3] / "docs" / "settings.md"


def test_those_of_the_recorder() -> None:
    session = Session()
    for event in recorder_job({NCCL: stuck()}):
        session.apply(event)
    view = RecorderView(session)
    view.update()
    tables = view.tables()
    assert tables is not None
    for tab in TABS:
        assert TABLES[tab.value] == tuple(field.key for field in table_of(tables, tab).fields), tab


@pytest.mark.parametrize("table", TABLES)
def test_each_key_once(table: str) -> None:
    assert len(set(TABLES[table])) == len(TABLES[table]) > 1


def test_the_page_lists_them() -> None:
    listed = dict(re.findall(r"^\| `(\w+)` \| ((?:`\w+` ?)+)\|$", PAGE.read_text(), re.MULTILINE))
    assert {name: tuple(re.findall(r"\w+", keys)) for name, keys in listed.items()} == dict(TABLES)
