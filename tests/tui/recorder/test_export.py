"""Tables of screens as files: the rows and columns that are shown, or all there are."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.tui.profile_scripts import summary
from tests.tui.recorder_scripts import HOSTILE, recorder_job, stuck
from xpudbg.services.session import Session
from xpudbg.services.settings.shape import Table
from xpudbg.services.settings.state import KeptTable
from xpudbg.services.table_export import ExportTable, export_table
from xpudbg.tui.profiler.rows import ProfileRows
from xpudbg.tui.profiler.tables import Weighed, operators
from xpudbg.tui.ranks.rows import RankRows
from xpudbg.tui.recorder.export import export_name, grid_table, shown_table, whole_table
from xpudbg.tui.recorder.order import Shown
from xpudbg.tui.recorder.view import RecorderView, Tab
from xpudbg.tui.tables.column_settings import Tables, use_tables


def session() -> Session:
    made = Session()
    for event in recorder_job(stuck(tp=HOSTILE), looks=1):
        made.apply(event)
    return made


def shown(tab: Tab, filter_text: str = "") -> Shown:
    view = RecorderView(session())
    view.choose(tab)
    view.set_filter(filter_text)
    view.update()
    assert view.shown is not None
    return view.shown


def lines(table: ExportTable, folder: Path) -> list[list[str]]:
    path, written = export_table(table, folder, "x.csv")
    with path.open(newline="", encoding="utf-8") as file:
        found = list(csv.reader(file))
    assert len(found) - 1 == written == table.size
    return found


def test_the_name_says_target_recorder_table_and_time() -> None:
    name = export_name("store [b]head/../0", "CPU (Gloo)", "calls", 1_760_000_000 * 10**9)
    assert name == "xpudbg-store-b-head-0-CPU-Gloo-calls-20251009T085320Z.csv"
    assert export_name("j", "", "", 0, ".trace.json.gz") == "xpudbg-j-19700101T000000Z.trace.json.gz"


def test_as_shown_and_whole_differ_by_the_filter_and_the_columns(tmp_path: Path) -> None:
    rows = shown(Tab.CALLS, "rank:5")
    head, *some = lines(shown_table(rows), tmp_path)
    whole_head, *every = lines(whole_table(rows), tmp_path)
    assert {line[head.index("global_rank")] for line in some} == {"5"}
    assert {line[whole_head.index("global_rank")] for line in every} == {str(rank) for rank in range(8)}
    assert len(every) == rows.total > len(some)
    assert set(head) <= set(whole_head)


def test_columns_stand_as_they_are_arranged(tmp_path: Path) -> None:
    rows = shown(Tab.CALLS)
    keys = [column.key for column in rows.rows.columns]
    tables = Tables({"calls": Table(shown=("rank",), hidden=tuple(set(keys) - {"rank", "id", "op"}))})
    use_tables(tables)
    head, first, *_ = lines(shown_table(rows), tmp_path)
    assert head == ["global_rank", "id", "collective_type"]
    assert first[0] == rows.rows.cell(int(rows.order[0]), keys.index("rank"))[0]
    tables.arrange("calls", KeptTable(hidden=(), order=("op",)))
    assert lines(shown_table(rows), tmp_path)[0][:2] == ["collective_type", "id"]
    assert len(lines(whole_table(rows), tmp_path)[0]) == len(rows.rows.table.fields)


def test_hostile_names_are_written_out(tmp_path: Path) -> None:
    written = lines(shown_table(shown(Tab.MEMBERSHIPS)), tmp_path)
    assert len(written) == 17
    assert "10:tp[/]\\x1b[31m\\u202e節点0" in {line[0] for line in written}


def test_numbers_are_numbers() -> None:
    table = whole_table(shown(Tab.CALLS))
    row = dict(zip(table.titles, next(table.rows()), strict=True))
    assert (row["id"], row["global_rank"]) == (0, 0)
    assert isinstance(row["collective_type"], str)


def test_ranks_and_profiles_as_their_tables_show_them(tmp_path: Path) -> None:
    ranks = RankRows(session().ranks, 0)
    head, *rows = lines(grid_table(ranks, [3, 1]), tmp_path)
    assert (head[0], [row[0] for row in rows]) == ("rank", ["3", "1"])
    assert rows[0][1] == "o alive"
    items = dict(enumerate(Weighed(row, 1.0) for row in summary(0).operators))
    head, *rows = lines(grid_table(ProfileRows(operators("none"), items), list(items)), tmp_path)
    assert head[:2] == ["operator", "self"]
    assert len(rows) == len(summary(0).operators)


def test_a_rank_that_is_gone_meanwhile_is_an_error_of_ours() -> None:
    with pytest.raises(KeyError):
        next(grid_table(RankRows({}, 0), [1]).rows())
