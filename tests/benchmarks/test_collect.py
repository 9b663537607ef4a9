"""Figures are kept, and the page says what they come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.collect import BENCHES
from benchmarks.figures import VARIABLE, Figure, read_figures, record, record_all
from benchmarks.page import Bench, Runs, compared, goal_of, render

MODULES = {path.stem.removeprefix("bench_") for path in (Path(__file__).parents[2] / "benchmarks").glob("bench_*.py")}


def test_every_benchmark_is_run_once() -> None:
    assert sorted(bench.name for bench in BENCHES) == sorted(MODULES)


def test_every_benchmark_keeps_its_figures() -> None:
    folder = Path(__file__).parents[2] / "benchmarks"
    assert [name for name in MODULES if " record" not in (folder / f"bench_{name}.py").read_text()] == []


def test_figures_are_kept_where_somebody_asks_for_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figures"
    monkeypatch.delenv(VARIABLE, raising=False)
    record("told to nobody", 1, "s")
    assert read_figures(path) == []
    monkeypatch.setenv(VARIABLE, str(path))
    record("sweep", 2, "s", peer=4.0, against="bare", at_most=3)
    record_all([("page", 1.5)], "ms", "table: ")
    assert read_figures(path) == [Figure("sweep", 2.0, "s", 4.0, "bare", 3), Figure("table: page", 1.5, "ms")]


@pytest.mark.parametrize(
    ("ours", "peer", "expected"),
    [
        ([2.0], 4.0, "0.50 times bare: 4"),
        ([3.0], 2.0, "1.50 times bare: 2"),
        ([1.0], 26.0, "1/26 of bare: 26.0"),
        ([1.0], None, ""),
        ([1.0, 2.0, 9.0], 2.0, "1.00 times bare: 2 (2 to 2)"),
    ],
)
def test_a_peer_beside_it(ours: list[float], peer: float | None, expected: str) -> None:
    assert compared([Figure("a", one, "s", peer, "bare") for one in ours]) == expected


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        (Figure("a", 1, "s", at_most=2), "at most 2: kept"),
        (Figure("a", 3, "s", at_most=2), "at most 2: **missed**"),
        (Figure("a", 3, "s", 2.0, "bare", times_at_most=1.5), "at most 1.5 times: kept"),
        (Figure("a", 1, "s", 20.0, "torch", times_at_most=1 / 25), "at most 1/25: **missed**"),
        (Figure("a", 1, "s", times_at_most=1.5), ""),
    ],
)
def test_a_goal(figure: Figure, expected: str) -> None:
    assert goal_of([figure]) == expected


def test_the_page_has_medians_spread_and_the_number_of_goals() -> None:
    runs = Runs()
    for seconds in (1.0, 5.0, 2.0):
        runs.add([Figure("a|b", seconds, "s", at_most=3)])
    text = render([(Bench("x", "Title", "About."), runs)], "2 cores", [("numpy", "2")], "2026-12-01", 61)
    assert "in 1 minutes on 2 cores, with numpy 2." in text
    assert "Of 1 goals that were set before, 1 are kept and 0 missed." in text
    assert "| a\\|b | 2 (1 to 5) s |  | at most 3: kept |" in text
    assert "`bench_x`, 3 runs." in text
