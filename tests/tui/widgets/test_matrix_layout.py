"""How the cells of the progress matrix are written, and where they stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rich.cells import cell_len

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob
from tests.tui.progress_scripts import job_of, mesh, recorder_looks, stopped_job
from xpudbg.services.flight_recorder.motion import Pace
from xpudbg.services.progress.matrix import EMPTY, PACES, Progress
from xpudbg.tui.widgets.matrix_layout import MatrixLayout, cell_said, cell_text, lags, legend_said
from xpudbg.tui.widgets.progress_pane import legend_line


@pytest.fixture(scope="module")
def progress() -> Progress:
    """Rank 9 of 16 has not made its third call of tp."""
    return recorder_looks(stopped_job())[-1].progress


def with_cell(progress: Progress, **numbers: int | bool) -> tuple[Progress, int]:
    """The cell of rank 9 in tp with other numbers."""
    at = int(progress.cells[9, 0])
    changed = {}
    for name, number in numbers.items():
        values = getattr(progress, name).copy()
        values[at] = number
        changed[name] = values
    return replace(progress, **changed), at


@pytest.mark.parametrize(
    ("numbers", "text", "component"),
    [
        ({}, "2 -1 _", "matrix--behind"),
        ({"lag": 0, "pace": PACES.index(Pace.FROZEN)}, "2 =", "matrix--frozen"),
        ({"lag": 0, "pace": PACES.index(Pace.CRAWLING)}, "2 ~", "matrix--crawling"),
        ({"lag": 0, "pace": PACES.index(Pace.MOVING)}, "2 >", "matrix--moving"),
        ({"lag": 1, "pace": PACES.index(Pace.MOVING)}, "2 -1 >", "matrix--moving"),
        ({"lag": 2, "pace": PACES.index(Pace.MOVING)}, "2 -2 >", "matrix--behind"),
        ({"lag": 0, "pace": PACES.index(Pace.IDLE)}, "2 _", "matrix--idle"),
        ({"lag": 0, "pace": 0, "inside": True}, "2 +", "matrix--inside"),
        ({"lag": 0, "pace": 0}, "2", "matrix--outside"),
        ({"lag": -1, "position": -1, "pace": 0}, "?", "matrix--unknown"),
        ({"silent": True, "lag": 3}, "- -3 _", "matrix--behind"),
        ({"position": 1_234_567, "lag": 20_000}, "1234567 -20000 _", "matrix--behind"),
    ],
)
def test_a_cell_has_a_sign_beside_its_colour(
    progress: Progress, numbers: dict[str, int], text: str, component: str
) -> None:
    changed, at = with_cell(progress, **numbers)
    layout = MatrixLayout(changed, 80)
    written, painted = cell_text(changed, at, layout.columns[0])
    assert (written.strip(), painted) == (text, component)
    assert len(written) == layout.columns[0].width


def test_where_there_is_no_cell_nothing_is_written(progress: Progress) -> None:
    column = MatrixLayout(progress, 80).columns[0]
    assert cell_text(progress, -1, column) == (" " * column.width, "matrix--outside")


def test_columns_are_found_at_their_places(progress: Progress) -> None:
    layout = MatrixLayout(progress, 80)
    edge = 0
    for number, column in enumerate(layout.columns):
        assert layout.start(number) == edge
        assert {layout.column_at(edge + x) for x in range(column.width)} == {number}
        edge += column.width + 2
    assert layout.column_at(edge) is None
    assert layout.column_at(-1) is None
    assert layout.total == layout.left + edge - 2


def test_scrolling_shows_a_whole_column_and_no_more_than_needed(progress: Progress) -> None:
    layout = MatrixLayout(progress, 80)
    last = len(layout.columns) - 1
    width = layout.left + layout.columns[last].width
    assert layout.scroll_to_show(last, width, 0) == layout.start(last)
    assert layout.scroll_to_show(0, width, layout.start(last)) == 0
    assert layout.scroll_to_show(1, 200, 0) == 0


@pytest.mark.parametrize(("lag", "length"), [(0, 0), (1, 1), (5, 1), (300, 3), (600, 6), (-1, 0)])
def test_the_longest_bar_is_the_greatest_lag(progress: Progress, lag: int, length: int) -> None:
    layout = MatrixLayout(replace(progress, row_lag=np.where(progress.row_lag > 0, 600, 0)), 80)
    assert layout.bar_of(lag) == ("━" * length).ljust(6)


def test_a_narrow_matrix_has_no_bars(progress: Progress) -> None:
    assert MatrixLayout(progress, 40).bar == 0


def test_titles_from_outside_are_plain_and_short() -> None:
    bad = "[/x] \x1b[31m\u202e節点" * 3
    group = FakeGroup("7", bad, (0, 1))
    made = recorder_looks([FakeJob(2, [group], [Call("7")])])[0].progress
    (column,) = MatrixLayout(made, 80).columns
    assert column.title.startswith("[/x] \\x1b[31m\\u20")
    assert cell_len(column.title) == 18
    assert "\x1b" not in cell_said(made.cell(0, 0), 0, column.title, culprit=False, waiting=False)


def test_the_cell_in_words(progress: Progress) -> None:
    said = cell_said(progress.cell(9, 0), 9, "tp", culprit=True, waiting=False)
    assert said == (
        "rank 9, accused: call #2 of tp, 1 behind the newest, idle (_), 0 calls since the last look (ranks 8-11)"
    )
    said = cell_said(progress.cell(8, 0), 8, "tp", culprit=False, waiting=True)
    assert said == "rank 8, held up: call #3 of tp, frozen (=), 0 calls since the last look (ranks 8-11)"
    assert cell_said(None, 3, "pp", culprit=False, waiting=False) == "rank 3: in no group of pp"
    unknown, _ = with_cell(progress, position=-1)
    assert cell_said(unknown.cell(9, 0), 9, "tp", culprit=False, waiting=False).endswith(
        ": its position in tp is not known (ranks 8-11)"
    )
    silent, _ = with_cell(progress, silent=True, lag=3)
    said = cell_said(silent.cell(9, 0), 9, "tp", culprit=False, waiting=False)
    assert said.endswith(": nothing recorded in tp; the others have made at least 3 calls more (ranks 8-11)")
    once, _ = with_cell(progress, pace=0, inside=True, p2p=True, lag=-1, made=-1)
    assert cell_said(once.cell(9, 0), 9, "tp", culprit=False, waiting=False).endswith(
        "P2P call #2 of tp, in a call (+) (ranks 8-11)"
    )


def test_the_legend_has_the_signs_that_are_there(progress: Progress) -> None:
    assert legend_said(progress) == [("=", "frozen"), ("_", "idle")]
    moving = recorder_looks([job_of(mesh(16), 2), job_of(mesh(16), 3)])[-1].progress
    assert legend_said(moving) == [(">", "moving")]
    once = recorder_looks(stopped_job()[:1], absent=[3])[-1].progress
    assert legend_said(once) == [("+", "in a call"), ("?", "not known")]
    assert legend_said(EMPTY) == []


def test_the_legend_counts_groups_without_a_call() -> None:
    groups = [FakeGroup("0", "default_pg", (0, 1)), FakeGroup("1", "a", (0, 1)), FakeGroup("2", "b", (0, 1))]
    made = recorder_looks([FakeJob(2, groups, [Call("0")])])[0].progress
    assert legend_line(made, 80).plain == "2 groups without a call"
    assert legend_line(made, 80, [("!", "accused")]).plain == "! accused   2 groups without a call"
    assert legend_line(made, 20, [("!", "accused")]).plain == "! accused"


def test_two_recorders_are_told_apart(progress: Progress) -> None:
    other = replace(
        progress,
        columns=(progress.columns[0], replace(progress.columns[1], source="fr_trace_json"), progress.columns[2]),
    )
    titles = [column.title for column in MatrixLayout(other, 80).columns]
    assert titles == ["tp dump_file", "dp cpu", "default_pg dump_f…"]


def test_a_group_without_a_description_is_called_by_its_own_name() -> None:
    groups = [FakeGroup("1", "undefined", (0, 1)), FakeGroup("2", "undefined", (2, 3))]
    made = recorder_looks([FakeJob(4, groups, [Call("1"), Call("2")])])[0].progress
    (column,) = MatrixLayout(made, 80).columns
    assert column.title == "groups 1-2"
    said = cell_said(made.cell(3, 0), 3, column.title, culprit=False, waiting=False)
    assert said.startswith("rank 3: call #1 of group 2 (")


@pytest.mark.parametrize(
    ("pace", "lag", "behind"),
    [
        (Pace.MOVING, 0, False),
        (Pace.MOVING, 1, False),
        (Pace.MOVING, 2, True),
        (Pace.IDLE, 1, True),
        (Pace.FROZEN, 1, True),
    ],
)
def test_one_call_behind_is_nothing_where_the_rank_moves(
    progress: Progress, pace: Pace, lag: int, *, behind: bool
) -> None:
    at = progress.cells[9][progress.cells[9] >= 0]
    cell_lag, paces, row_lag = progress.lag.copy(), progress.pace.copy(), progress.row_lag.copy()
    cell_lag[at], paces[at], row_lag[9] = lag, PACES.index(pace), lag
    assert lags(replace(progress, lag=cell_lag, pace=paces, row_lag=row_lag), 9) == behind
