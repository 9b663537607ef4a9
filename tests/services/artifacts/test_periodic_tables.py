"""Torch's printed flight recorder tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.artifacts.periodic_tables import NOT_JUDGED, TableError, read_recorder_tables, read_table

from .log_texts import plain_table

COLLECTIVE = [
    "id",
    "group_id",
    "pass_check",
    "collective_seq_id",
    "p2p_seq_id",
    "record_id",
    "pg_desc",
    "collective_name",
    "input_sizes",
    "output_sizes",
    "expected_ranks",
    "collective_state",
    "collective_frames",
    "input_numel",
    "output_numel",
    "missing_ranks",
    "mismatch_collectives",
    "type_of_mismatch",
]
"""The columns of torch 2.13."""
FRAMES = "[{'name': 'f', 'filename': 'a  b.py', 'line': 3}]"


def collective(
    number: int, *, passed: bool = True, missing: str | None = None, mismatch: str | None = None
) -> list[object]:
    start = [number, "0", passed, number + 1, 0, number, "0:default_pg", "nccl:all_reduce", "[[4]]", "[[4], [4]]"]
    return [*start, "{0, 1, 2}", "scheduled", FRAMES, None, None, missing, mismatch, None]


def printed(rows: list[list[object]], title: str = "FR Trace") -> str:
    return "\n".join(
        [
            f"=== {title} ===",
            "--- Groups ---",
            plain_table(["id", "desc", "size"], [["0-4850097147344926394", "default_pg", 3]]),
            "--- Memberships ---",
            plain_table(["group_id", "global_rank"], [["0-4850097147344926394", rank] for rank in range(3)]),
            "--- Collectives ---",
            plain_table(COLLECTIVE, rows),
            "--- NCCL Calls ---",
            plain_table(["id", "collective_id", "group_id", "global_rank"], []),
        ]
    )


def test_rows_are_read_by_their_columns() -> None:
    text = printed([collective(0), collective(1)]) + "\n\n" + printed([], "FR Trace NCCL")
    cpu, nccl = read_recorder_tables(text.encode())
    assert (cpu.source, nccl.source) == ("fr_trace_json", "dump_nccl_trace_json")
    assert cpu.tables["Groups"].rows == (("0-4850097147344926394", "default_pg", "3"),)
    assert cpu.tables["Memberships"].column("global_rank") == ("0", "1", "2")
    table = cpu.tables["Collectives"]
    assert table.columns == tuple(COLLECTIVE)
    assert table.column("output_sizes") == ("[[4], [4]]",) * 2
    assert table.column("collective_frames") == (FRAMES,) * 2
    assert table.column("missing_ranks") == ("", "")
    assert table.column("no such column") == ()
    assert nccl.tables["Collectives"].rows == ()
    assert cpu.notes == nccl.notes == (NOT_JUDGED,)


def test_what_torchs_analysis_found_is_told_as_its_word() -> None:
    odd = "{1: Collective(id=1, group_id='0', pass_check=False), 2: Collective(id=1)}"
    rows = [collective(0), collective(1, missing="{1}"), collective(2, passed=False, mismatch=odd)]
    (tables,) = read_recorder_tables(printed(rows).encode())
    assert tables.notes == (
        "torch's own analysis says: nccl:all_reduce #2 of 0:default_pg without rank 1",
        "torch's own analysis says: nccl:all_reduce #3 of 0:default_pg ranks 1-2 differ",
        NOT_JUDGED,
    )


def test_many_findings_are_counted() -> None:
    (tables,) = read_recorder_tables(printed([collective(at, missing="{1}") for at in range(30)]).encode())
    assert tables.notes[-2] == "torch's own analysis says so of 10 more collectives"


def test_ranks_that_gave_nothing_are_told_once() -> None:
    head = "PARTIAL DATA: 2/3 workers responded\n  Rank 2: TimeoutError: \n\n"
    text = head + printed([]) + "\n\n=== FR Trace NCCL ===\nFailed to fetch NCCL trace"
    cpu, nccl = read_recorder_tables(text.encode())
    assert cpu.errors == {2: "TimeoutError:"}
    assert (nccl.errors, nccl.tables, nccl.notes) == ({}, {}, ("torch wrote: Failed to fetch NCCL trace",))


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "no header"),
        (["a b"], "run into each other"),
        (["   a  b", "x  1  2"], "left of the first column"),
        (["a    b", "1    2", "     3"], "no first cell"),
        (["a      b", "界界     2"], "width"),
    ],
    ids=["empty", "one blank", "text before the header", "a line break in a cell", "wide characters"],
)
def test_a_table_that_is_not_unambiguous_is_refused(lines: list[str], why: str) -> None:
    with pytest.raises(TableError, match=why):
        read_table(lines)


def test_a_refused_table_is_said_and_the_others_are_kept() -> None:
    text = printed([]).replace("default_pg       3", "default          3\n                       _pg")
    (tables,) = read_recorder_tables(text.encode())
    assert set(tables.tables) == {"Memberships", "Collectives", "NCCL Calls"}
    assert tables.notes[0].startswith("table Groups is left out: ")


CELL = st.text("abc123[]{}':,", min_size=1, max_size=8)


@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), max_size=5)))
def test_a_printed_table_comes_back(rows: list[list[str]]) -> None:
    columns = [f"column_{at}" for at in range(len(rows[0]) if rows else 2)]
    table = read_table(plain_table(columns, rows).split("\n"))
    assert table.columns == tuple(columns)
    assert [list(row) for row in table.rows] == rows


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    read_recorder_tables(data)
    read_recorder_tables(b"=== FR Trace ===\n--- Groups ---\n" + data)
