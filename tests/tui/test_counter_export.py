"""Wait counters as a file."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.fakes.counter_answers import answer, counter, looks
from xpudbg.services.counters.metrics import Metric
from xpudbg.services.counters.sheet import CounterSheet
from xpudbg.services.ranksets import RankSet
from xpudbg.tui.counter_export import write_counters


def sheet(metric: Metric = Metric.TOTAL) -> CounterSheet:
    said: dict[int, dict[str, object]] = {0: answer(a=counter(0, 2**53 + 1, 2)), 2: {"=cmd\x1b[31m": counter(0, -4, 1)}}
    return CounterSheet(looks(said)[-1], metric, RankSet([0, 1, 2]))


def written(made: CounterSheet, folder: Path) -> list[list[str]]:
    path, rows = write_counters(made, np.array([2, 0, 1]), np.arange(len(made.names)), folder, "x.csv", lambda: False)
    assert rows == 3
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


def test_it_ends_when_told_to(tmp_path: Path) -> None:
    _, rows = write_counters(sheet(), np.array([0]), np.arange(2), tmp_path, "x.csv", lambda: True)
    assert rows == 0


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write_counters(sheet(), np.array([0]), np.arange(2), tmp_path / "none", "x.csv", lambda: False)
