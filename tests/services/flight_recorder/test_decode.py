"""Bytes to a dump: format told by content, every version, and one plain line for what is none."""

from __future__ import annotations

import gzip
import json
import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob
from xpudbg.services.flight_recorder import decode as decode_module
from xpudbg.services.flight_recorder import pickles
from xpudbg.services.flight_recorder.columns import GroupLabel, State
from xpudbg.services.flight_recorder.decode import SLOW, decode
from xpudbg.services.flight_recorder.dump import DumpError, Format, GroupStatus

JOB = FakeJob(2, [FakeGroup("0", "default_pg", (0, 1))], [Call("0")] * 3, frames=True)
ENTRY = JOB.dump(0)["entries"][0]


def test_json_and_pickle_say_the_same() -> None:
    dumps = [decode(JOB.as_json(1), 1), *(decode(JOB.as_pickle(1, protocol=version), 1) for version in range(2, 6))]
    assert [dump.format for dump in dumps] == [Format.JSON] + [Format.PICKLE] * 4
    for dump in dumps:
        assert dump.version == (2, 10)
        assert dump.entries.tables.groups == (GroupLabel("0", "default_pg"),)
        assert dump.entries.collective_seq.tolist() == [1, 2, 3]
        assert dump.entries.state.tolist() == [State.COMPLETED] * 3
        assert dump.entries.tables.shapes[dump.entries.input_shapes[0]] == ((1024,),)
        assert dump.statuses == {0: GroupStatus(3, 3, 3)}
        assert dump.configs[0].members is not None
        assert list(dump.configs[0].members) == [0, 1]
        assert [frame.name for frame in decode_module.stack_of(dump.entries.tables.stacks[0])] == [
            "forward",
            "step",
            "<module>",
        ]
        assert dump.notes == ()


def test_gzip_is_unpacked() -> None:
    assert len(decode(gzip.compress(JOB.as_pickle(0), mtime=0), 0).entries) == 3
    halves = JOB.as_json(0)[:100], JOB.as_json(0)[100:]
    assert len(decode(b"".join(map(gzip.compress, halves)), 0).entries) == 3


def test_numbers_are_exact_up_to_64_bits() -> None:
    entry = ENTRY | {"record_id": 2**64 - 1, "collective_seq_id": 2**53 + 1, "op_id": 2**63, "pg_id": 2**64 - 2}
    for form in (json.dumps([entry]), json.dumps([entry | {"duration_ms": math.nan}])):
        entries = decode(form.encode(), 0).entries
        assert int(entries.record_id[0]) == 2**64 - 1
        assert int(entries.collective_seq[0]) == 2**53 + 1
        assert int(entries.op_id[0]) == 2**63
        assert int(entries.pg_id[0]) == 2**64 - 2


def test_what_is_not_strict_json_is_read_slowly() -> None:
    for odd in ({"duration_ms": math.inf}, {"record_id": "12"}, {"frames": [{"name": "\ud83d"}]}):
        dump = decode(json.dumps({"version": "2.10", "entries": [ENTRY | odd]}).encode(), 0)
        assert dump.notes == (SLOW,)
    odd_ones = [ENTRY | {"record_id": "12"}, ENTRY | {"op_id": math.nan}]
    assert decode(json.dumps({"entries": odd_ones}).encode(), 0).entries.record_id.tolist() == [0, 12]


@pytest.mark.parametrize(
    ("entry", "sequence", "label"),
    [
        ({"profiling_name": "nccl:all_reduce", "seq_id": 7, "pg_id": 2}, 7, ("2", "")),
        ({"profiling_name": "nccl:all_reduce", "seq_id": 7, "pg_name": "tp"}, 7, ("tp", "")),
        ({"profiling_name": "nccl:all_reduce", "collective_seq_id": 7, "process_group": ["3", "tp"]}, 7, ("3", "tp")),
    ],
)
def test_older_versions(entry: dict[str, object], sequence: int, label: tuple[str, str]) -> None:
    dump = decode(json.dumps([entry]).encode(), 0)
    assert (int(dump.entries.collective_seq[0]), dump.entries.tables.groups[0]) == (sequence, label)
    assert "oldest format" in dump.notes[0]


def test_versions_compare_as_numbers() -> None:
    versions = [decode(json.dumps({"version": text, "entries": []}).encode(), 0).version for text in ("2.9", "2.10")]
    assert versions == sorted(versions)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n", "empty: nothing but blanks"),
        (b"<html><title>502 Bad &amp; sad</title>", "not a dump: an HTML page titled '502 Bad & sad'"),
        (b'{"ok": false, "reason": "off\\n here"}', 'not a dump: "off here"'),
        (b'{"a": 1}', "not a dump: it has a"),
        (b"3", "not a dump: it begins with '3'"),
        (b'{"entries": [3]}', "not a dump: entry 0 is a int"),
        (b'{"entries": [{"record_id": 1}]}', "not a dump: entry 0 has no profiling_name"),
        (b'{"entries": {"a": 1}}', "not a dump: entries is an object"),
        (b'{"entries": [], "x": nope}', "not JSON: Expecting value at character 21"),
        (b'{"entries": [' + b"[" * 100_000, "not JSON: nested too deep"),
        (b'{"entries": [], "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "not JSON: nested too deep"),
        (gzip.compress(b"{}", mtime=0)[:-9], f"gzip cut at byte {len(gzip.compress(b'{}', mtime=0)) - 9}"),
        (b"\x1f\x8bnope", "not gzip: Error -3 while decompressing data: unknown compression method"),
        (JOB.as_json(0)[:-5], f"cut at byte {len(JOB.as_json(0)) - 5:,}"),
        (b"\x00\x01\x02", "not a dump: binary data of an unknown kind"),
    ],
)
def test_what_is_no_dump_says_why_in_one_line(data: bytes, reason: str) -> None:
    with pytest.raises(DumpError) as refused:
        decode(data, 0)
    assert str(refused.value) == reason


def test_a_gzip_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode_module, "MAX_BYTES", 1000)
    with pytest.raises(DumpError, match="gzip of more than 1,000 bytes"):
        decode(gzip.compress(bytes(100_000), mtime=0), 0)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("collective_seq_id", 2**64),
        ("collective_seq_id", [1]),
        ("process_group", ["a"]),
        ("input_sizes", 5),
        ("profiling_name", 4),
        ("record_id", "1" * 30),
    ],
)
def test_an_entry_of_another_shape_is_named(field: str, value: object) -> None:
    with pytest.raises(DumpError, match="a broken dump: entry 1: "):
        decode(json.dumps({"entries": [ENTRY, ENTRY | {field: value}]}).encode(), 0)


def _one_line_at_most(data: bytes) -> None:
    reason = ""
    try:
        decode(data, 0)
    except DumpError as refused:
        reason = str(refused)
    assert "\n" not in reason


@given(st.binary(max_size=300))
def test_no_bytes_crash_it(data: bytes) -> None:
    for start in (b"", b"{", b"[", b"\x80\x02", b"\x1f\x8b\x08"):
        _one_line_at_most(start + data)


@given(st.integers(0, 4000), st.integers(0, 255))
def test_no_broken_byte_crashes_it(place: int, byte: int) -> None:
    for whole in (JOB.as_json(0), JOB.as_pickle(0)):
        data = bytearray(whole)
        data[place % len(data)] = byte
        _one_line_at_most(bytes(data))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"entries": [' + b'{"a": 1},' * 20 + b"{}]}", "22 objects; a dump of more than 20 is not read"),
        (b'{"entries": [NaN, ' + b"1," * 40 + b"1]}", "bytes that are no strict JSON of a dump; not read"),
        (pickle.dumps([{} for _ in range(30)]), "a pickle of 31 objects; one of more than 20 is not read"),
        (pickle.dumps(list(range(300, 700))), "more than 600 bytes of numbers and marks; not read"),
    ],
    ids=["objects", "loose", "pickled objects", "pickled numbers"],
)
def test_what_would_fill_the_memory_is_refused_before_it_is_made(
    data: bytes, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (decode_module, pickles):
        monkeypatch.setattr(module, "_SMALL", 0)
        monkeypatch.setattr(module, "MOST_OBJECTS", 20)
    monkeypatch.setattr(decode_module, "SLOW_PARTS", 30)
    monkeypatch.setattr(pickles, "MOST_OPCODES", 600)
    with pytest.raises(DumpError, match=says):
        decode(data, 0)
