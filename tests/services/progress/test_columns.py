"""Groups that split the ranks among them share a column; groups that share a rank never do."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.flight_recorder.groups import JobGroup
from xpudbg.services.progress.columns import collapse
from xpudbg.services.ranksets import RankSet

DESCS = ["mesh_tp", "TENSOR_MODEL_PARALLEL_GROUP", "mesh_dp", "undefined", "", "extra", "tp (2)"]


def group(index: int, desc: str, *ranks: int, name: str | None = None) -> JobGroup:
    return JobGroup(index, str(index) if name is None else name, desc, RankSet(ranks), ranks=tuple(sorted(ranks)))


def titles(*groups: JobGroup) -> list[tuple[str, list[int]]]:
    return [(column.title, [one.index for one in column.groups]) for column in collapse("x", groups)]


def test_a_dimension_is_one_column() -> None:
    found = titles(
        group(0, "default_pg", 0, 1, 2, 3),
        group(1, "mesh_tp", 0, 1),
        group(2, "mesh_dp", 0, 2),
        group(3, "mesh_dp", 1, 3),
        group(4, "TENSOR_MODEL_PARALLEL_GROUP", 2, 3),
    )
    assert found == [("default_pg", [0]), ("tp", [1, 4]), ("dp", [2, 3])]


def test_groups_with_a_common_rank_stand_apart() -> None:
    found = titles(group(0, "mesh_dp", 0, 1), group(1, "mesh_dp", 1, 2), group(2, "mesh_dp", 2, 3))
    assert found == [("dp", [0, 2]), ("dp (2)", [1])]


def test_groups_without_a_description_go_by_their_size() -> None:
    rows = [group(1 + row, "undefined", *range(row * 4, row * 4 + 4)) for row in range(4)]
    columns = [group(10 + one, "", *range(one, 16, 4), name=f"h{one}") for one in range(4)]
    # In the order in which the ranks tell of them: rank 0 its row and its column, rank 1 its column, ...
    told = [rows[0], *columns, *rows[1:]]
    assert titles(*told) == [("groups 1-4", [1, 2, 3, 4]), ("h0 +3", [10, 11, 12, 13])]


@pytest.mark.parametrize(("name", "title"), [("7", "group 7"), ("ab12", "ab12"), ("", "default group")])
def test_a_single_group_without_a_description_has_its_name(name: str, title: str) -> None:
    assert titles(group(0, "undefined", 0, 1, name=name)) == [(title, [0])]


@given(st.lists(st.tuples(st.sampled_from(DESCS), st.sets(st.integers(0, 9), min_size=1)), max_size=14))
def test_every_group_is_in_one_column_and_no_rank_twice(told: list[tuple[str, set[int]]]) -> None:
    groups = [group(index, desc, *ranks) for index, (desc, ranks) in enumerate(told)]
    columns = collapse("x", groups)
    assert sorted(one.index for column in columns for one in column.groups) == list(range(len(groups)))
    assert len({column.key for column in columns}) == len(columns)
    for column in columns:
        for one, other in combinations(column.groups, 2):
            assert not one.members & other.members


def test_4096_ranks_in_5000_groups_are_a_handful_of_columns() -> None:
    world = range(4096)
    groups = [group(0, "default_pg", *world)]
    groups += [group(1 + one, "mesh_tp", *range(one * 8, one * 8 + 8)) for one in range(512)]
    groups += [group(1000 + one, "mesh_dp", *range(one, 4096, 64)) for one in range(64)]
    groups += [group(2000 + one, "undefined", 2 * one, 2 * one + 1) for one in range(2048)]
    found = titles(*groups)
    assert [(title, len(of_it)) for title, of_it in found] == [
        ("default_pg", 1),
        ("tp", 512),
        ("dp", 64),
        ("groups 2000-4047", 2048),
    ]
