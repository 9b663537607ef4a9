"""The sorts of the progress matrix and the counters: remembered by name, over restarts and from job to job."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.counter_scripts import counter_job, trained
from tests.tui.progress_scripts import recorder_job, stopped_job
from xpudbg.services.counters.sheet import ACTIVITY
from xpudbg.services.counters.sheet import RANK as BY_RANK
from xpudbg.services.progress.matrix import LAG, RANK
from xpudbg.services.session import Session
from xpudbg.services.settings.state import Remembered, StateFile
from xpudbg.tui.counters.view import CountersView
from xpudbg.tui.recorder.progress_view import ProgressView
from xpudbg.tui.tables.column_settings import Tables, use_tables
from xpudbg.tui.tables.matrix_sort import MatrixSort

WORDS = {-1: "lag", -2: "rank"}


class Restarts:
    """Tables of one program after another, with one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tables = Tables()
        self.again()

    def again(self) -> None:
        assert self._tables.save(self._tables.take_unsaved()) == ""
        self._tables = Tables({}, Remembered(StateFile(self._path)))
        use_tables(self._tables)


@pytest.fixture
def restarts(tmp_path: Path) -> Iterator[Restarts]:
    yield Restarts(tmp_path / "state.json")
    use_tables(None)


@pytest.mark.parametrize(
    ("key", "descending"),
    [(-1, False), (-1, True), (-2, False), ("tp [/]節", True), ("rank", False), ("column x", True)],
)
def test_it_is_remembered(restarts: Restarts, key: int | str, descending: bool) -> None:
    MatrixSort("progress", WORDS).take(key, descending=descending)
    restarts.again()
    recalled, other = MatrixSort("progress", WORDS), MatrixSort("counters", WORDS)
    assert (recalled.key, recalled.descending) == (key, descending)
    assert (other.key, other.descending) == (-1, False)


@pytest.mark.parametrize("name", ["x" * 300, "\udc80", "a\x1b[31m"])
def test_a_name_that_is_too_long_or_cannot_be_written_holds_until_the_end_only(restarts: Restarts, name: str) -> None:
    sort = MatrixSort("progress", WORDS)
    sort.take(-2)
    sort.take(name, descending=True)
    assert (sort.key, sort.descending) == (name, True)
    restarts.again()
    assert MatrixSort("progress", WORDS).key == -1


@pytest.mark.parametrize("said", ["", "size", "columntp"])
def test_what_is_not_known_in_the_file_is_the_default(said: str) -> None:
    tables = Tables()
    tables.sort("progress", ((said, True),))
    use_tables(tables)
    sort = MatrixSort("progress", WORDS)
    assert (sort.key, sort.descending) == (-1, False)


def test_of_the_progress_matrix(restarts: Restarts) -> None:
    session = Session()
    for event in recorder_job(stopped_job()):
        session.apply(event)
    view = ProgressView(session)
    view.sort_by(view.progress.columns[1].key)
    view.sort_by(view.progress.columns[1].key)
    restarts.again()
    elsewhere = ProgressView(Session())
    assert (elsewhere.sorted_by, elsewhere.descending) == (LAG, False)
    recalled = ProgressView(session)
    assert (recalled.sorted_by, recalled.descending) == (1, True)
    recalled.sort_next()
    recalled.sort_next()
    assert (recalled.sorted_by, recalled.descending) == (RANK, False)


def test_of_the_counters(restarts: Restarts) -> None:
    session = Session()
    for event in counter_job(8, trained(8, waiting=[3], slow=[5])):
        session.apply(event)
    view = CountersView(session)
    name = view.sheet.names[0]
    view.sort_by(name)
    view.sort_by(name)
    restarts.again()
    elsewhere = CountersView(Session())
    assert (elsewhere.sorted_by, elsewhere.descending) == (ACTIVITY, False)
    recalled = CountersView(session)
    assert (recalled.sorted_by, recalled.descending) == (0, True)
    elsewhere.sort_by(BY_RANK)
    restarts.again()
    assert CountersView(session).sorted_by == BY_RANK
