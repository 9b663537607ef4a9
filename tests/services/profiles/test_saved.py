"""Captures on the disk, and traces on their way there."""

from __future__ import annotations

import gzip
import stat
from pathlib import Path

import pytest

from xpudbg.services.profiles.saved import (
    FOLDER_VARIABLE,
    TracesError,
    captures_folder,
    new_folder,
    open_folder,
    open_traces,
    saved_captures,
    trace_name,
    write_about,
)
from xpudbg.services.profiles.trace_set import TraceRow, TraceSet, TraceState
from xpudbg.services.profiles.trace_sink import HEAD, TraceSink
from xpudbg.services.ranksets import RankSet

BEGAN = 1_760_000_000_000_000_000


def capture_in(parent: Path, *ranks: int) -> TraceSet:
    """A capture on the disk."""
    folder = new_folder(parent, BEGAN)
    made = TraceSet(str(folder), folder.name, folder, 2.5, BEGAN, {}, "store x [b]")
    write_about(made)
    for rank in ranks:
        (folder / trace_name(rank)).write_bytes(gzip.compress(b'{"traceEvents": []}'))
    return made


def test_each_capture_has_a_folder_of_its_own_that_nobody_else_reads(tmp_path: Path) -> None:
    folders = [new_folder(tmp_path / "deep" / "profiles", BEGAN) for _ in range(3)]
    assert [folder.name for folder in folders] == ["20251009T085320Z", "20251009T085320Z-2", "20251009T085320Z-3"]
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}


def test_captures_are_listed_newest_first_and_opened_again(tmp_path: Path) -> None:
    made = capture_in(tmp_path, 3, 0)
    capture_in(tmp_path)  # without a trace
    (tmp_path / "20260101T000000Z").mkdir()
    (tmp_path / "20260101T000000Z" / "other.json").write_text("[]")
    (tmp_path / "20260101T000000Z" / "merged-0.json.gz").write_bytes(b"")
    listed = saved_captures(tmp_path)
    assert [(one.folder.name, one.traces, one.target, one.began_at) for one in listed] == [
        ("20260101T000000Z", 1, "", None),
        (made.title, 2, "store x [b]", BEGAN),
    ]
    assert made.folder is not None
    opened = open_folder(made.folder)
    assert (opened.duration_s, opened.began_at, opened.target) == (2.5, BEGAN, "store x [b]")
    assert opened.done == RankSet([0, 3])
    assert saved_captures(tmp_path / "none") == ()


@pytest.mark.parametrize(
    "text", ["", "[]", '{"began_at": "x"}', "\udcff"], ids=["empty", "a list", "a text", "no UTF-8"]
)
def test_what_a_folder_says_of_itself_may_be_nonsense(tmp_path: Path, text: str) -> None:
    made = capture_in(tmp_path, 1)
    assert made.folder is not None
    (made.folder / "capture.json").write_bytes(text.encode("utf-8", errors="surrogateescape"))
    (listed,) = saved_captures(tmp_path)
    assert (listed.target, listed.began_at, listed.traces) == ("", None, 1)


def test_ranks_are_told_by_the_names_of_files(tmp_path: Path) -> None:
    names = ["rank-7.json", "trace_rank12.json.gz", "other.json", "Rank_00003.json", "again-rank-7.json"]
    for name in names:
        (tmp_path / name).write_text("[]")
    rows = open_traces([tmp_path / name for name in names]).rows
    assert {rank: row.path.name for rank, row in rows.items() if row.path} == {
        3: "Rank_00003.json",
        7: "rank-7.json",
        8: "again-rank-7.json",
        12: "trace_rank12.json.gz",
        13: "other.json",
    }


@pytest.mark.parametrize(
    ("name", "why"), [("none.json", "none.json is no file"), ("", "has no trace")], ids=["no file", "an empty folder"]
)
def test_what_is_not_there_is_told(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(TracesError, match=why):
        open_traces([tmp_path / name])
    with pytest.raises(TracesError, match="no file was named"):
        open_traces([])


def test_the_folder_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert captures_folder() == tmp_path
    monkeypatch.delenv(FOLDER_VARIABLE)
    assert captures_folder().name == "profiles"


def test_a_trace_has_its_name_when_it_is_one(tmp_path: Path) -> None:
    sink = TraceSink(tmp_path / "rank-00001.json.gz")
    sink.write(b'{"a"')
    sink.write(b": 1}" * 2_000)
    assert [path.name for path in tmp_path.iterdir()] == ["rank-00001.json.gz.part"]
    body = sink.finish()
    assert (body.size, len(body.read())) == (8_004, HEAD)
    assert sink.keep()
    assert gzip.decompress(sink.path.read_bytes()) == b'{"a"' + b": 1}" * 2_000
    assert sink.stored == sink.path.stat().st_size
    sink.discard()
    assert sink.path.exists()


@pytest.mark.parametrize("data", [b"", b"<html>", b"   "], ids=["nothing", "a page", "blanks"])
def test_what_is_no_trace_leaves_nothing(tmp_path: Path, data: bytes) -> None:
    sink = TraceSink(tmp_path / "rank-00001.json.gz")
    if data:
        sink.write(data)
    assert sink.finish().read() == data
    assert not sink.keep()
    assert list(tmp_path.iterdir()) == []
    assert sink.stored == 0


def test_what_nobody_waits_for_is_not_written(tmp_path: Path) -> None:
    sink = TraceSink(tmp_path / "rank-00001.json.gz")
    sink.write(b"{" * 10)
    sink.discard()
    sink.write(b"{" * 10)
    assert sink.finish().size == 20
    assert not sink.keep()
    assert list(tmp_path.iterdir()) == []


def test_a_set_knows_who_gave_something() -> None:
    rows = {rank: TraceRow(rank, state, started_at=BEGAN + rank) for rank, state in enumerate(TraceState)}
    made = TraceSet("1", "x", None, None, None, rows)
    assert made.done == RankSet([2, 3])
    assert made.failed == RankSet([4, 5, 6])
    assert made.under_way
    assert made.spread_s == 6e-9
    made.rows.update({rank: TraceRow(rank, TraceState.DONE) for rank in range(2)})
    assert not made.under_way
