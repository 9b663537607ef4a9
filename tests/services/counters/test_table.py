"""Counters of ranks side by side."""

from __future__ import annotations

import numpy as np
import pytest

from xpudbg.services.counters import table as tables
from xpudbg.services.counters.decode import ABSENT
from xpudbg.services.counters.table import EMPTY_TABLE, table_of

NOTHING = (ABSENT,) * 4


def test_ranks_and_counters_are_in_order_and_what_a_rank_lacks_is_absent() -> None:
    made = table_of({5: {"b": (1, 2, 3, 4)}, 2: {"b": (5, 6, 7, 8), "a": (9, 10, 11, 12)}}, {5: 50, 2: 20})
    assert made.ranks.tolist() == [2, 5]
    assert made.names == ("a", "b")
    assert made.values[:, 0, :].T.tolist() == [[9, 10, 11, 12], [5, 6, 7, 8]]
    assert made.values[:, 1, 0].tolist() == list(NOTHING)
    assert made.at.tolist() == [20, 50]
    assert (made.row_of(5), made.row_of(3), made.row_of(None), made.row_of(9)) == (1, None, None, None)
    assert (made.column_of("b"), made.column_of("c")) == (1, None)


def test_a_rank_without_counters_has_a_row_all_the_same() -> None:
    made = table_of({0: {}, 1: {"a": (1, 1, 1, 1)}}, {0: 0, 1: 0})
    assert made.active.tolist() == [[ABSENT], [1]]


def test_the_prefix_of_torch_is_left_out_of_titles_alone() -> None:
    made = table_of({0: {"pytorch.wait_counter.x": NOTHING, "mine": NOTHING, "pytorch.wait_counter.": NOTHING}}, {0: 0})
    assert [made.title(column) for column in range(3)] == ["mine", "pytorch.wait_counter.", "x"]


def test_where_there_are_too_many_the_counters_of_most_ranks_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_COLUMNS", 2)
    common = {"z": (1, 0, 0, 0), "y": (2, 0, 0, 0)}
    made = table_of({0: common, 1: common | {f"a{number}": NOTHING for number in range(9)}}, {0: 0, 1: 0})
    assert made.names == ("y", "z")
    assert made.left_out == 9
    assert made.active.tolist() == [[2, 1], [2, 1]]


def test_another_table_is_seen_in_the_places_of_this_one() -> None:
    before = table_of({0: {"a": (1, 2, 3, 4)}, 1: {"a": (5, 5, 5, 5), "gone": (0, 0, 0, 0)}}, {0: 0, 1: 0})
    now = table_of({1: {"a": (6, 6, 6, 6), "new": (1, 1, 1, 1)}, 2: {"a": NOTHING}}, {1: 0, 2: 0})
    assert now.seen_from(before)[0].tolist() == [[5, ABSENT], [ABSENT, ABSENT]]
    assert now.seen_from(now) is now.values
    assert np.all(now.seen_from(EMPTY_TABLE) == ABSENT)


def test_it_can_not_be_changed() -> None:
    made = table_of({0: {"a": (1, 2, 3, 4)}}, {0: 0})
    with pytest.raises(ValueError, match="read-only"):
        made.values[0, 0, 0] = 1


def test_one_cell_alone() -> None:
    made = table_of({0: {"a": (1, 2, 3, 4), "b": (5, 6, 7, 8)}, 1: {"a": NOTHING}}, {0: 7, 1: 8})
    one = made.only(0, "b")
    assert (one.ranks.tolist(), one.names, one.values[:, 0, 0].tolist(), one.at.tolist()) == (
        [0],
        ("b",),
        [5, 6, 7, 8],
        [7],
    )
    assert made.only(4, "b").values.shape == (4, 0, 1)
    assert made.only(0, "c").values.shape == (4, 1, 0)
