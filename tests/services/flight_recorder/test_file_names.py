"""Which files are dumps by their names: rank, host and time in a name, and the rule for folders."""

from __future__ import annotations

import pytest

from xpudbg.services.flight_recorder.file_names import read_name


@pytest.mark.parametrize(
    ("name", "rank", "host"),
    [
        ("nccl_trace_rank_5", 5, ""),
        ("comm_lib_trace_rank_12", 12, ""),
        ("_dump_5", 5, ""),
        ("rank_5.json", 5, ""),
        ("rank5.json.gz", 5, ""),
        ("nccl_trace_rank_node-a02_5", 5, "node-a02"),
        ("node1.pci3_rank_9", 9, "node1.pci3"),
        ("node1.pci3_rank_9.pickle", 9, "node1.pci3"),
        ("nccl_trace_rank_10.0.0.7_31", 31, "10.0.0.7"),
        ("gpu17_rank3", 3, "gpu17"),
        ("torch_fr_dump_global_rank_1023", 1023, ""),
    ],
)
def test_names(name: str, rank: int, host: str) -> None:
    named = read_name(name)
    assert named is not None
    assert (named.rank, named.host, named.taken_at, named.plain) == (rank, host, None, True)


def test_a_time_stamp_is_no_rank() -> None:
    named = read_name("nccl_trace_rank_5_20250923_065505.json")
    assert named is not None
    assert (named.rank, named.taken_at) == (5, 1_758_610_505_000_000_000)
    assert read_name("stacks_20250923_065505.txt") is None
    named = read_name("rank_3_20251399_065505")
    assert named is not None
    assert (named.rank, named.taken_at) == (65505, None)


@pytest.mark.parametrize("name", ["README.txt", "notes", "rank_.json", "rank_99999999", "dump_1048576"])
def test_names_without_a_rank(name: str) -> None:
    assert read_name(name) is None
