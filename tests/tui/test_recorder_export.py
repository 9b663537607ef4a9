"""Tables as CSV: what a spreadsheet would run is text, what is not printable is written out."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.tui.recorder_scripts import HOSTILE, recorder_job, stuck
from xpudbg.services.session import Session
from xpudbg.tui.recorder_export import csv_cell, export_name, write_csv
from xpudbg.tui.recorder_order import Shown
from xpudbg.tui.recorder_view import RecorderView, Tab


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("all_reduce", "all_reduce"),
        ("-12.3 s", "-12.3 s"),
        ("+4", "+4"),
        ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
        ("=1+1", "'=1+1"),
        ("@sum(a)", "'@sum(a)"),
        ("-", "'-"),
        ("1-7", "'1-7"),
        ("15/16", "'15/16"),
        ("2026-11-30", "'2026-11-30"),
        ("15 of 16", "15 of 16"),
        ("0-7,12", "0-7,12"),
        ("\t=1", "\\t=1"),
        ("\x1b[31m\u202e", "\\x1b[31m\\u202e"),
    ],
)
def test_cells(text: str, written: str) -> None:
    assert csv_cell(text) == written


def test_the_name_says_target_recorder_table_and_time() -> None:
    name = export_name("store [b]head/../0", "CPU (Gloo)", "calls", 1_760_000_000 * 10**9)
    assert name == "xpudbg-store-b-head-0-CPU-Gloo-calls-20251009T085320Z.csv"


def shown(tab: Tab) -> Shown:
    session = Session()
    for event in recorder_job(stuck(tp=HOSTILE), looks=1):
        session.apply(event)
    view = RecorderView(session)
    view.choose(tab)
    view.update()
    assert view.shown is not None
    return view.shown


def test_all_rows_in_the_order_shown_and_no_file_is_written_over(tmp_path: Path) -> None:
    rows = shown(Tab.MEMBERSHIPS)
    for name in ("x.csv", "x-2.csv"):
        path, written = write_csv(rows, tmp_path, "x.csv", lambda: False)
        assert (path.name, written) == (name, 16)
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    assert len(lines) == 17
    assert [line[1] for line in lines[1:9]] == [str(rank) for rank in range(8)]
    assert "10:tp[/]\\x1b[31m\\u202e節点0" in {line[0] for line in lines}


def test_it_ends_when_it_is_told_to(tmp_path: Path) -> None:
    path, written = write_csv(shown(Tab.CALLS), tmp_path, "x.csv", lambda: True)
    assert written == 0
    assert path.read_text().count("\n") == 1
