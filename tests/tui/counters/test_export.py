"""Wait counters as a file."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np

from tests.fakes.counter_answers import answer, counter, looks
from xpudbg.services.counters.metrics import Metric
from xpudbg.services.counters.sheet import CounterSheet
from xpudbg.services.ranksets import RankSet
from xpudbg.services.table_export import export_table
from xpudbg.tui.counters.export import counter_table


def sheet(metric: Metric = Metric.TOTAL) -> CounterSheet:
    said: dict[int, dict[str, object]] = {0: answer(a=counter(0, 2**53 + 1, 2)), 2: {"=cmd\x1b[31m": counter(0, -4, 1)}}
    return CounterSheet(looks(said)[-1], metric, RankSet([0, 1, 2]))


def written(made: CounterSheet, folder: Path) -> list[list[str]]:
    table = counter_table(made, np.array([2, 0, 1]), np.arange(len(made.names)))
    path, rows = export_table(table, folder, "x.csv")
    assert rows == table.size == 3
    return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))


def test_whole_numbers_are_whole_and_no_name_is_a_formula(tmp_path: Path) -> None:
    head, *rows = written(sheet(), tmp_path)
    assert head[0] == "rank"
    assert head[1].startswith("'=cmd")
    assert "\x1b" not in head[1]
    assert head[2] == "pytorch.wait_counter.a"
    assert rows == [["2", "-4", ""], ["0", "", "9007199254740993"], ["1", "", ""]]


def test_fractions_keep_all_their_digits(tmp_path: Path) -> None:
    assert written(sheet(Metric.MEAN), tmp_path)[2][2] == repr((2**53 + 1) / 2)


def test_json_has_numbers_and_nulls(tmp_path: Path) -> None:
    table = counter_table(sheet(), np.array([0]), np.arange(2))
    path, _ = export_table(table, tmp_path, "x.json")
    assert json.loads(path.read_text()) == [
        {"rank": 0, "=cmd\\x1b[31m": None, "pytorch.wait_counter.a": 9007199254740993}
    ]
