"""Traces read as streams: whole ones, in any pieces; broken ones as far as they go, with what was repaired."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.traces import STEP_EVENTS, trace_text
from tests.services.profiles.made import event, object_of, read, summary_of_text, written
from xpudbg.services.profiles import reader as reader_module
from xpudbg.services.profiles.repairs import Repair, Repairs
from xpudbg.services.profiles.summary import summarise

THREE = [event(f"op{number}", ts=number * 10.0) for number in range(3)]


def names(text: str | bytes, size: int = 1 << 20) -> list[str]:
    return [one.name for one in read(text, size)[0]]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("size", [1, 7, 4096, 1 << 20])
def test_a_whole_trace_is_read_in_any_pieces(indent: int | None, size: int) -> None:
    text = trace_text(2, indent=indent)
    wanted = [one["name"] for one in json.loads(text)["traceEvents"]]
    events, repairs, reader = read(text, size)
    assert [one.name for one in events] == wanted
    assert repairs.sentences() == ()
    assert msgspec.json.decode(reader.header["traceName"]) == "trace.json"
    assert reader.read_bytes == len(text)


def test_more_than_one_batch_is_the_same_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    text = trace_text(40)
    whole = names(text)
    monkeypatch.setattr(reader_module, "PIECE", 3_000)
    assert names(text, 1_000) == whole
    assert len(whole) == 40 * STEP_EVENTS + 1


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.text(max_size=12), VALUES), max_size=12), st.integers(1, 400), st.booleans())
def test_any_arguments_and_names_are_read_as_json_reads_them(
    given_events: list[tuple[str, Any]], size: int, bare: bool
) -> None:
    made = [event(name, ts=float(at), args={"x": value}) for at, (name, value) in enumerate(given_events)]
    text = json.dumps(made) if bare else object_of(made, before={"traceEvents": [1]}, after_=[{"a": "]}"}])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader_module, "PIECE", 200)
        events, repairs, _ = read(text, size)
    assert [(one.name, one.ts) for one in events] == [(one["name"], one["ts"]) for one in made]
    assert [json.loads(bytes(one.args)) for one in events] == [one["args"] for one in made]
    assert repairs.sentences() == ()


def test_the_list_form_is_as_good_as_the_object() -> None:
    assert names(json.dumps(THREE)) == ["op0", "op1", "op2"]
    events, repairs, _ = read(json.dumps(THREE).removesuffix("]"))
    assert len(events) == 3
    assert repairs.sentences() == (Repair.CUT.value,)


TEXT = object_of(THREE, schemaVersion=1)
BROKEN: dict[str, tuple[str | bytes, list[str], list[Repair]]] = {
    "cut in an event": (TEXT[: TEXT.index('"op2"') + 3], ["op0", "op1"], [Repair.CUT]),
    "cut between events": (
        TEXT[: TEXT.index('{"ph": "X", "cat": "cpu_op", "name": "op2"')],
        ["op0", "op1"],
        [Repair.CUT],
    ),
    "cut in the arguments": (TEXT[: TEXT.rindex('"a": 1')], ["op0", "op1", "op2"], [Repair.CUT]),
    "cut in the header": ('{"schemaVersion": 1, "distributedInfo": {"ra', [], [Repair.CUT, Repair.NO_EVENTS]),
    "nothing": (b"", [], [Repair.NO_EVENTS]),
    "a page": ("<html>no</html>", [], [Repair.NO_EVENTS]),
    "no events": ('{"a": 1}', [], [Repair.NO_EVENTS]),
    "an unescaped quote in a name": (
        TEXT.replace('"op1"', '"op<"x">1"'),
        ["op0", 'op<"x">1', "op2"],
        [Repair.ARGUMENTS_LOST],
    ),
    "an unescaped quote in an argument": (
        TEXT.replace('{"a": 1}', '{"a": "say "no""}', 1),
        ["op0", "op1", "op2"],
        [Repair.ARGUMENTS_LOST],
    ),
    "control bytes": (TEXT.replace('"op1"', '"o\x01p\n1"'), ["op0", "o p 1", "op2"], [Repair.CONTROL]),
    "NaN": (TEXT.replace('{"a": 1}', '{"a": NaN}', 1), ["op0", "op1", "op2"], [Repair.NOT_A_NUMBER]),
    "infinity": (
        TEXT.replace('{"a": 1}', '{"a": -Infinity, "b": inf}', 1),
        ["op0", "op1", "op2"],
        [Repair.NOT_A_NUMBER],
    ),
    "not UTF-8": (TEXT.encode().replace(b'"op1"', b'"op\xff1"'), ["op0", "op�1", "op2"], [Repair.NOT_UTF8]),
    "a missing comma": (TEXT.replace('}}, {"ph"', '}} {"ph"', 1), ["op0", "op1", "op2"], [Repair.COMMA]),
    "a comma too many": (TEXT.replace("}}]", "}},]"), ["op0", "op1", "op2"], []),
    "a value among events": (TEXT.replace('}}, {"ph"', '}}, null, {"ph"', 1), ["op0", "op1", "op2"], [Repair.LOST]),
    "an event without anything": (TEXT.replace('}}, {"ph"', '}}, {}, {"ph"', 1), ["op0", "", "op1", "op2"], []),
    "a byte order mark": (b"\xef\xbb\xbf" + TEXT.encode(), ["op0", "op1", "op2"], []),
    "numbers as texts": (TEXT.replace('"dur": 5.0', '"dur": "5.0"'), ["op0", "op1", "op2"], []),
    "a lone surrogate": (TEXT.replace('"op1"', '"op\\ud8001"'), ["op0", "op\\ud8001", "op2"], [Repair.ARGUMENTS_LOST]),
}


@pytest.mark.parametrize("size", [9, 1 << 20])
@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_trace_is_read_as_far_as_it_goes(what: str, size: int) -> None:
    text, wanted, kinds = BROKEN[what]
    events, repairs, _ = read(text, size)
    assert [one.name for one in events] == wanted
    assert list(repairs.counts) == kinds
    assert all(one.ts is not None for one in events if one.name)


def test_a_broken_event_in_the_middle_of_many_costs_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [event(f"op{number}", ts=float(number)) for number in range(500)]
    text = object_of(many).replace('"op77"', '"op"77"').replace('"op300"', '"op\x02"')
    monkeypatch.setattr(reader_module, "PIECE", 5_000)
    events, repairs, _ = read(text, 1_000)
    assert len(events) == 500
    assert repairs.counts == {Repair.ARGUMENTS_LOST: 1, Repair.CONTROL: 1}
    assert events[77].ts == 77.0


def test_events_that_all_are_broken_are_read_too() -> None:
    text = object_of([event(f"op{number}", ts=float(number)) for number in range(2_000)]).replace('"op', '"o"p')
    events, repairs, _ = read(text)
    assert len(events) == 2_000
    assert repairs.counts == {Repair.ARGUMENTS_LOST: 2_000}


def test_objects_inside_arguments_are_no_seams() -> None:
    deep = event("op", args={"list": [{"a": 1}, {"b": [{"c": "}, {"}, {}]}]})
    events, repairs, _ = read(object_of([deep, deep, deep]))
    assert len(events) == 3
    assert repairs.sentences() == ()


@given(st.binary(max_size=300))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    read(b'{"traceEvents": [' + data, 50)
    read(data, 50)


@given(st.integers(0, len(TEXT)), st.binary(min_size=1, max_size=3))
def test_no_damage_makes_it_fail(place: int, put: bytes) -> None:
    data = TEXT.encode()
    events, _, _ = read(data[:place] + put + data[place + 1 :], 60)
    assert len(events) <= 4


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
@pytest.mark.parametrize("packed", [False, True])
def test_gzip_is_told_by_its_bytes_not_by_its_name(tmp_path: Path, name: str, packed: bool) -> None:
    summary = summarise(written(tmp_path / name, TEXT, packed=packed))
    assert summary.events == 3
    wanted = {("trace.json", True): Repair.GZIP_INSIDE, ("trace.json.gz", False): Repair.NOT_GZIP}.get((name, packed))
    assert summary.notes == ((wanted.value,) if wanted else ())


def test_gzip_that_is_cut_or_damaged_gives_what_came_before(tmp_path: Path) -> None:
    packed = gzip.compress(trace_text(300).encode())
    whole = summarise(written(tmp_path / "whole.json.gz", packed)).events
    cut = summarise(written(tmp_path / "cut.json.gz", packed[: len(packed) // 2]))
    assert 0 < cut.events < whole
    assert cut.notes == (Repair.CUT.value, Repair.CUT_GZIP.value)
    damaged = summarise(written(tmp_path / "bad.json.gz", packed[:-8] + b"\0" * 8))
    assert damaged.events == whole
    assert damaged.notes == (Repair.BAD_GZIP.value,)


def test_several_gzip_members_are_one_trace(tmp_path: Path) -> None:
    data = TEXT.encode()
    packed = gzip.compress(data[:50]) + gzip.compress(data[50:]) + b"\0" * 20
    assert summarise(written(tmp_path / "two.json.gz", packed)).events == 3


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"dur": -4.0}, Repair.NEGATIVE),
        ({"dur": None}, Repair.NO_DURATION),
        ({"dur": 1e300}, Repair.NO_DURATION),
        ({"ts": None}, Repair.NO_TIME),
        ({"ts": 1e300}, Repair.NO_TIME),
    ],
)
def test_times_that_cannot_be_are_told(tmp_path: Path, change: dict[str, Any], kind: Repair) -> None:
    summary = summary_of_text(tmp_path, object_of([event("good"), event("bad", **change)]))
    assert len(summary.notes) == 1
    assert summary.events == (1 if kind is Repair.NO_TIME else 2)
    assert summary.notes[0].startswith("1 event had")
    assert [row.self_time for row in summary.operators if row.name == "good"] == [5.0]


def test_what_was_repaired_is_said_in_words() -> None:
    repairs = Repairs()
    repairs.add(Repair.LOST, 1)
    repairs.add(Repair.NEGATIVE, 1_234)
    repairs.add(Repair.COMMA, 0)
    assert repairs.sentences() == ("1 event could not be read", "1,234 events had a negative duration: taken as 0")


def test_a_value_of_the_header_may_be_large_but_not_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_module, "HEADER_LIMIT", 10_000)
    assert names('{"a": "' + "x" * 5_000 + '", "traceEvents": [' + json.dumps(event()) + "]}", 100) == ["aten::mm"]
    monkeypatch.setattr(reader_module, "PIECE", 1_000)
    events, repairs, _ = read('{"a": "' + "x" * 50_000 + '", "traceEvents": [' + json.dumps(event()) + "]}", 100)
    assert events == []
    assert Repair.TOO_LARGE in repairs.counts


def test_values_of_the_header_have_one_limit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_module, "HEADER_LIMIT", 10_000)
    _, repairs, reader = read(object_of([event()], **{f"key{number}": "v" * 3_000 for number in range(9)}), 500)
    assert len(reader.header) == 4
    assert repairs.counts[Repair.TOO_LARGE] == 1


def test_reading_ends_where_too_many_events_are_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_module, "PIECE", 1_000)
    monkeypatch.setattr(reader_module, "BROKEN_LIMIT", 100)
    broken = b'{"ph": "X", "name": "a"b", "ts": 1, "dur": 2},'
    events, repairs, reader = read(b"[" + broken * 10_000, 1_000)
    assert 100 < len(events) < 3_000
    assert repairs.counts[Repair.TOO_BROKEN] == 1
    assert reader.read_bytes < 150_000


@pytest.mark.parametrize("cut", [False, True], ids=["whole", "cut"])
def test_arguments_nested_too_deep_cost_that_event_its_arguments_alone(cut: bool) -> None:
    deep = json.dumps(event("deep")).replace('"args": {"a": 1}', '"args": ' + '{"a":' * 100_000 + "1" + "}" * 100_000)
    assert '{"a":' * 9 in deep
    text = '{"traceEvents":[' + ",".join([json.dumps(THREE[0]), deep, json.dumps(THREE[1])])
    events, repairs, _ = read(text if cut else text + "]}", 1 << 20)
    assert [one.name for one in events] == ["op0", "deep", "op1"]
    assert events[1].dur == event("deep")["dur"]
    assert repairs.sentences()


@pytest.mark.parametrize("key", ["distributedInfo", "deviceProperties", "traceName", "baseTimeNanoseconds"])
@pytest.mark.parametrize("value", [b"[" * 100_000 + b"]" * 100_000, b'"\xff\xfe"'], ids=["deep", "no text"])
def test_a_header_that_cannot_be_read_costs_nothing_else(key: str, value: bytes, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(b'{"%s":%s,"traceEvents":[%s]}' % (key.encode(), value, json.dumps(THREE[0]).encode()))
    assert summarise(path).events == 1
