"""Identity and members of groups: said by dumps, moved for replicas, or worked out from use."""

from __future__ import annotations

import json

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.dump import Dump
from xpudbg.services.flight_recorder.groups import find_groups

from .looking import analysed


def dump(rank: int, configs: dict[str, tuple[str, str]], used: list[tuple[str, str]]) -> Dump:
    """A dump with these groups in its table, and one call in each of those used."""
    return decode(
        json.dumps(
            {
                "version": "2.10",
                "pg_config": {
                    name: {"name": name, "desc": desc, "ranks": ranks} for name, (desc, ranks) in configs.items()
                },
                "entries": [
                    {
                        "profiling_name": "nccl:all_reduce",
                        "process_group": label,
                        "collective_seq_id": 1,
                        "pg_id": place,
                    }
                    for place, label in enumerate(used)
                ],
            }
        ).encode(),
        rank,
    )


def shapes(dumps: list[Dump], **options: object) -> list[tuple[str, str, bool]]:
    return [
        (group.name, str(group.members), group.inferred)
        for group in find_groups(dumps, **options).table  # type: ignore[arg-type]
    ]


def test_name_and_members_are_the_identity() -> None:
    """After split_group one name stands for several sets."""
    dumps = [
        dump(0, {"5": ("a", "[0, 1]")}, [("5", "a")]),
        dump(1, {"5": ("b", "[0, 1]")}, [("5", "b")]),
        dump(2, {"5": ("a", "[2, 3]")}, [("5", "a")]),
    ]
    groups = find_groups(dumps)
    assert shapes(dumps) == [("5", "0-1", False), ("5", "2-3", False)]
    assert {desc: str(ranks) for desc, ranks in groups.table[0].descs.items()} == {"a": "0", "b": "1"}
    assert [groups.of_label[rank] for rank in range(3)] == [(0,), (0,), (1,)]


def test_replicas_number_their_ranks_from_zero() -> None:
    dumps = [dump(rank, {"0": ("default_pg", "[0, 1]")}, [("0", "default_pg")]) for rank in range(6)]
    assert shapes(dumps) == [("0", "0-1", False), ("0", "2-3", False), ("0", "4-5", False)]
    assert find_groups(dumps).replicas == 3


def test_without_a_table_those_who_use_it_are_the_members() -> None:
    dumps = [
        dump(0, {"": ("", "[]")}, [("0", "default_pg"), ("1", "undefined")]),
        dump(1, {"": ("", "[]")}, [("0", "default_pg"), ("1", "undefined")]),
        dump(2, {"": ("", "[]")}, [("2", "undefined")]),
    ]
    assert shapes(dumps) == [("0", "0-2", True), ("1", "0-1", True), ("2", "2", True)]
    assert shapes(dumps, world_size=4)[0] == ("0", "0-3", True)


def test_sizes_from_the_store_name_everybody_or_count_the_unseen() -> None:
    dumps = [dump(rank, {}, [("1", "undefined")]) for rank in range(2)] + [dump(2, {}, [])]
    assert shapes(dumps, world_size=3, sizes={"1": 3}) == [("1", "0-2", False)]
    assert shapes(dumps, world_size=4, sizes={"1": 2}) == [("1", "0-1", False)]
    groups = find_groups(dumps, world_size=8, sizes={"1": 5})
    assert (str(groups.table[0].members), groups.table[0].unseen, groups.table[0].size) == ("0-1", 3, 5)


def test_a_rank_without_a_table_is_in_its_peers_group() -> None:
    dumps = [dump(0, {"0": ("default_pg", "[0, 1]")}, [("0", "default_pg")]), dump(1, {}, [("0", "default_pg")])]
    assert shapes(dumps) == [("0", "0-1", False)]


def test_group_local_ranks_are_places_among_the_members() -> None:
    job = FakeJob(8, [FakeGroup("3", "pp", (1, 4, 7))], [Call("3")])
    group = analysed(job).job.groups[0]
    assert [group.global_rank(place) for place in (0, 1, 2, 3, None, -1)] == [1, 4, 7, None, None, None]
