"""Coordinates of ranks from what their groups are called."""

from __future__ import annotations

import pytest

from xpudbg.services.flight_recorder.coordinates import coordinates, dimension_of, written
from xpudbg.services.flight_recorder.groups import JobGroup
from xpudbg.services.ranksets import RankSet


def group(desc: str, *ranks: int) -> JobGroup:
    return JobGroup(0, desc, desc, RankSet(ranks), ranks=tuple(sorted(ranks)))


@pytest.mark.parametrize(
    ("desc", "dimension"),
    [
        ("TENSOR_MODEL_PARALLEL_GROUP", "tp"),
        ("PIPELINE_MODEL_PARALLEL_GROUP", "pp"),
        ("DATA_PARALLEL_GROUP", "dp"),
        ("DATA_PARALLEL_GROUP_WITH_CP", "dp_cp"),
        ("CONTEXT_PARALLEL_GROUP", "cp"),
        ("EXPERT_MODEL_PARALLEL_GROUP", "ep"),
        ("EXPERT_TENSOR_PARALLEL_GROUP", "etp"),
        ("EXPERT_DATA_PARALLEL_GROUP", "edp"),
        ("MODEL_PARALLEL_GROUP", None),
        ("EMBEDDING_GROUP", None),
        ("tp", "tp"),
        ("mesh_pp", "pp"),
        ("mesh_dp_shard", "dp_shard"),
        ("dp_replicate", "dp_replicate"),
        ("cp", "cp"),
        ("mesh_ep", "ep"),
        ("mesh_fsdp", "fsdp"),
        ("data_parallel_group", "dp"),
        ("pipe_parallel_group", "pp"),
        ("sequence_parallel", "sp"),
        ("ep_size_4", "ep"),
        ("default_pg", None),
        ("undefined", None),
        ("", None),
    ],
)
def test_descriptions(desc: str, dimension: str | None) -> None:
    assert dimension_of(desc) == dimension


def test_the_coordinate_is_the_place_among_the_ranks_of_the_group() -> None:
    groups = [
        group("tp", 0, 1),
        group("tp", 3, 2),
        group("dp", 0, 2),
        group("dp", 1, 3),
        group("default_pg", 0, 1, 2, 3),
    ]
    assert coordinates(groups) == {
        0: {"dp": 0, "tp": 0},
        1: {"dp": 0, "tp": 1},
        2: {"dp": 1, "tp": 0},
        3: {"dp": 1, "tp": 1},
    }
    assert written(coordinates(groups)[2]) == "dp1 tp0"


def test_a_rank_in_two_groups_of_a_dimension_has_no_coordinate_there() -> None:
    assert coordinates([group("dp", 0, 1), group("dp", 1, 2), group("tp", 0, 2)]) == {0: {"tp": 0}, 2: {"tp": 1}}
