"""Raw JSON as lines: as it came, whatever it is."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.services.flight_recorder.recorded import dump_of, entry
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.recorder_tables import raw_json
from xpudbg.services.recorder_tables.raw_json import RawText, raw_lines
from xpudbg.services.snapshot import Outcome, RankReply
from xpudbg.services.spool import Body

from .making import mixed_job


def reply(data: bytes, error: str = "") -> RankReply:
    outcome = Outcome.HTTP_ERROR if error else Outcome.OK
    return RankReply(3, "fr_trace_json", "", outcome, 200, Body(len(data), data), error, 0, 0.0)


def told(data: bytes) -> RawText:
    return raw_lines(reply(data))


def test_values_stand_one_a_line_and_short_lists_on_one() -> None:
    data = {
        "version": "2.10",
        "pg": {},
        "entries": [{"sizes": [[4, 5], []], "on": True, "name": 'a"b, [c]'}],
        "none": [],
    }
    assert told(json.dumps(data).encode()).lines == (
        "{",
        '  "version": "2.10",',
        '  "pg": {},',
        '  "entries": [',
        "    {",
        '      "sizes": [',
        "        [4, 5],",
        "        []",
        "      ],",
        '      "on": true,',
        '      "name": "a\\"b, [c]"',
        "    }",
        "  ],",
        '  "none": []',
        "}",
    )


TEXTS = st.text(max_size=12) | st.text(alphabet=' ,:[]{}"\\\\a', max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4) | st.lists(VALUES, max_size=5))
def test_no_value_is_changed(value: object) -> None:
    text = json.dumps(value)  # escapes what is not ASCII, so that nothing has to be made plain
    shown = "".join(told(text.encode()).lines)
    assert repr(json.loads(shown)) == repr(json.loads(text))


def test_texts_that_look_like_json_are_left_alone() -> None:
    value = {"a": ["x ,y : z", "[1, 2]", "{", 'q" , "'], "b ,": " ,:"}
    assert json.loads("\n".join(told(json.dumps(value).encode()).lines)) == value
    assert told(b'{"a" "b" 1 2, [1 2 "c"]}').lines == ("{", '  "a" "b" 1 2,', '  [1 2 "c"]', "}")


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": [1, 2',
        b'{"a": "cut',
        b"[[[[",
        b"{]}[",
        b'{"a" "b" 1 2}',
        b'{"a": NaN}',
        b'{"\\',
        b'["\xff\xfe"]',
        b"[,,]",
    ],
)
def test_what_is_no_json_is_shown_too(data: bytes) -> None:
    text = told(data)
    assert text.lines
    assert {char for char in "".join(text.lines) if char not in " "} <= set(data.decode("utf-8", "replace") + "… \\xuf")


def test_nesting_costs_no_recursion() -> None:
    text = told(b"[" * 100_000)
    assert len(text.lines) == 100_000
    assert max(map(len, text.lines)) <= 81


def test_hostile_text_is_plain() -> None:
    data = b'{"name": "\x1b[31mred\xe2\x80\xae", "\x00": 1}'
    lines = told(data).lines
    assert lines[1] == '  "name": "\\x1b[31mred\\u202e",'
    assert all(line.isprintable() for line in lines)


def test_what_is_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_json, "MOST_BYTES", 64)
    data = json.dumps({"entries": list(range(1000))}).encode()
    text = told(data)
    assert text.said == "fr_trace_json of rank 3, 4.8 KiB; the first 64 B of it"
    assert "".join(text.lines).replace(" ", "").startswith('{"entries":[0,1,2')
    monkeypatch.setattr(raw_json, "MOST_LINES", 5)
    assert len(told(data).lines) == 5
    assert told(data).said.endswith("the first 5 lines of it")


def test_other_answers() -> None:
    page = raw_lines(reply(b"<html>\nno such handler\x07</html>", "404 Not Found"))
    assert page.lines == ("<html>", "no such handler\\x07</html>")
    assert page.said == "fr_trace_json of rank 3, 30 B; 404 Not Found; not JSON"
    pickled = told(b"\x80\x02}q\x00.")
    assert (pickled.lines, pickled.said.endswith("a pickle, not shown")) == ((), True)
    assert told(b"").lines == ()


def test_a_dump_from_a_file_is_written_as_json() -> None:
    job = mixed_job(frames=True)
    wanted = job.dump(1)
    dump = replace(decode(job.as_pickle(1), 1), source="nccl_trace_rank_1")
    text = raw_lines(dump)
    assert text.said.startswith("nccl_trace_rank_1 of rank 1, written as JSON from what was read of the pickle")
    shown = json.loads("\n".join(text.lines))
    assert (shown["version"], shown["pg_config"]["0"]["ranks"]) == ("2.10", "0-3")
    assert len(shown["entries"]) == len(wanted["entries"])
    for said, made in zip(shown["entries"], wanted["entries"], strict=True):
        known = {key: made[key] or None for key in made if key.startswith("time_discovered")}
        assert said == {"duration_ms": None} | made | known


def test_a_dump_without_entries_and_one_with_counts_per_peer() -> None:
    assert json.loads("\n".join(raw_lines(dump_of(0, [])).lines))["entries"] == []
    split = entry("nccl:all_to_all", 1, input_split_sizes=[1, 3], output_split_sizes=[2, 2])
    shown = json.loads("\n".join(raw_lines(dump_of(0, [split])).lines))
    assert shown["entries"][0]["input_split_sizes"] == [1, 3]


def test_a_long_dump_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_json, "MOST_BYTES", 500)
    text = raw_lines(dump_of(0, [entry("nccl:all_reduce", seq) for seq in range(50)]))
    assert text.said.endswith("the first 500 B of it")
    assert len("".join(text.lines).replace(" ", "")) < 500
