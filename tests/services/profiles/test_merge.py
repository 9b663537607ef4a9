"""Merged traces: every event of every rank, apart by process, on one clock."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.traces import trace_text
from tests.services.profiles.made import event, object_of, written
from xpudbg.services.profiles.merge import PIDS_PER_RANK, merge_traces


def merged(folder: Path, *texts: str) -> list[dict[str, Any]]:
    traces = [(rank, written(folder / f"rank-{rank}.json", text)) for rank, text in enumerate(texts)]
    count = merge_traces(traces, folder / "merged.json.gz")
    events: list[dict[str, Any]] = json.loads(gzip.decompress((folder / "merged.json.gz").read_bytes()))["traceEvents"]
    assert count == sum(1 for one in events if one["name"] not in ("process_name", "process_sort_index"))
    return events


def names(events: list[dict[str, Any]]) -> dict[int, str]:
    return {one["pid"]: one["args"]["name"] for one in events if one["name"] == "process_name"}


def test_ranks_are_processes_of_their_own(tmp_path: Path) -> None:
    events = merged(tmp_path, object_of([event(), event(pid=0, tid=7)]), object_of([event(pid="Spans")]))
    assert names(events) == {1: "rank 0 1", 2: "rank 0 0", PIDS_PER_RANK + 1: "rank 1 Spans"}
    timed = [(one["pid"], one["tid"], one["ts"], one["dur"], one["args"]) for one in events if one["ph"] == "X"]
    assert timed == [(1, 1, 10.0, 5.0, {"a": 1}), (2, 7, 10.0, 5.0, {"a": 1}), (1001, 1, 10.0, 5.0, {"a": 1})]


def test_a_process_keeps_the_name_it_gave_itself(tmp_path: Path) -> None:
    named = {"ph": "M", "name": "process_name", "pid": 5, "tid": 0, "args": {"name": "python <b>"}}
    assert names(merged(tmp_path, object_of([event(pid=5), named]))) == {1: "rank 0 python <b>"}


def test_clocks_are_brought_together(tmp_path: Path) -> None:
    events = merged(
        tmp_path,
        object_of([event(ts=100.0)], baseTimeNanoseconds=5_000_000),
        object_of([event(ts=100.0)], baseTimeNanoseconds=7_000_500),
        object_of([event(ts=100.0)]),
    )
    assert [one["ts"] for one in events if one["ph"] == "X"] == [100.0, 2_100.5, 100.0]


def test_flows_of_two_ranks_do_not_cross(tmp_path: Path) -> None:
    flow = {"ph": "s", "id": 4, "name": "ac2g", "cat": "ac2g", "pid": 1, "tid": 1, "ts": 1.0, "bp": "e"}
    events = merged(tmp_path, object_of([flow]), object_of([flow]))
    assert [(one["id"], one["bp"]) for one in events if one["ph"] == "s"] == [("0.4", "e"), ("1.4", "e")]


def test_nothing_of_a_whole_trace_is_lost(tmp_path: Path) -> None:
    text = trace_text(6)
    wanted = [one for one in json.loads(text)["traceEvents"] if one["ph"] == "X"]
    found = [one for one in merged(tmp_path, text) if one["ph"] == "X"]
    assert [one | {"pid": 0} for one in found] == [one | {"pid": 0} for one in wanted]


def test_a_broken_trace_gives_what_it_has(tmp_path: Path) -> None:
    text = object_of([event("a"), event("b"), event("c")]).replace('"b"', '"b"b"')
    events = merged(tmp_path, text[:-30], object_of([event("d")]))
    assert [one["name"] for one in events if one["ph"] == "X"][-1] == "d"
    assert {'b"b', "a"} <= {one["name"] for one in events}


def test_no_half_of_a_merged_trace_stays(tmp_path: Path) -> None:
    class EndedError(Exception):
        pass

    def stop(_read: int) -> None:
        raise EndedError

    with pytest.raises(EndedError):
        merge_traces([(0, written(tmp_path / "rank-0.json", trace_text(3)))], tmp_path / "merged.json.gz", stop)
    with pytest.raises(FileNotFoundError):
        merge_traces([(0, tmp_path / "none.json")], tmp_path / "merged.json.gz")
    assert [path.name for path in tmp_path.iterdir()] == ["rank-0.json"]


def test_what_is_no_text_or_nested_too_deep_does_not_spoil_the_file(tmp_path: Path) -> None:
    path = tmp_path / "rank-0.json"
    broken = json.dumps(event("broken", args={"x": "@"})).encode().replace(b"@", b"\xff")
    deep = {"ph": "M", "name": "process_name", "pid": 5, "tid": 0, "args": "@"}
    named = json.dumps(deep).encode().replace(b'"@"', b'{"name":' + b"[" * 2_000 + b"]" * 2_000 + b"}")
    path.write_bytes(b'{"traceEvents":[' + broken + b"," + named + b"]}")
    merge_traces([(0, path)], tmp_path / "merged.json.gz")
    events = json.loads(gzip.decompress((tmp_path / "merged.json.gz").read_bytes()))["traceEvents"]
    assert [one["args"] for one in events if one["name"] == "broken"] == [{"x": "\ufffd"}]
