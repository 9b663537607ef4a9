"""Reading the answer of wait_counter_values."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.counter_answers import counter, reply
from xpudbg.services.cluster.answers import AnswerError
from xpudbg.services.counters.decode import ABSENT, MOST_COUNTERS, NAME_LIMIT, read_counters
from xpudbg.services.snapshot import Outcome


def test_numbers_beyond_what_a_float_holds_stay_exact() -> None:
    said = {"a": counter(1, 2**53 + 1, 2**63 - 1, 9)}
    assert read_counters(reply(0, said)) == {"a": (1, 9_007_199_254_740_993, 9_223_372_036_854_775_807, 9)}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("active_count", "1"),
        ("active_count", 1.5),
        ("active_count", True),
        ("active_count", None),
        ("active_count", [1]),
        ("active_count", 2**63),
        ("active_count", -(2**63)),
        ("active_count", 10**400),
    ],
    ids=["text", "fraction", "truth", "null", "list", "beyond", "lowest", "huge"],
)
def test_what_is_no_whole_number_of_64_bits_is_not_known_and_spoils_nothing_else(field: str, value: object) -> None:
    said = {"a": counter(3, 4, 5, 6) | {field: value}, "b": counter(7)}
    assert read_counters(reply(0, said)) == {"a": (ABSENT, 4, 5, 6), "b": (7, 0, 0, 0)}


def test_missing_fields_negative_numbers_and_other_fields_are_no_fault() -> None:
    said = {"odd": {"active_count": -1}, "more": counter(1) | {"note": "x"}, "none": {}, "text": "?", "number": 4}
    assert read_counters(reply(0, said)) == {
        "odd": (-1, ABSENT, ABSENT, ABSENT),
        "more": (1, 0, 0, 0),
        "none": (ABSENT,) * 4,
        "text": (ABSENT,) * 4,
        "number": (ABSENT,) * 4,
    }


def test_a_rank_without_any_counter_has_none() -> None:
    assert read_counters(reply(0, {})) == {}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "no data"),
        (b"pong", "not JSON"),
        (b"[1]", "another shape"),
        (b'{"a": ', "not JSON"),
        (b"<html><title>gate</title></html>", "an HTML page titled 'gate'"),
        (b"[" * 100_000, "another shape"),
    ],
    ids=["empty", "text", "list", "cut", "page", "deep"],
)
def test_what_is_no_such_answer_is_told(body: bytes, says: str) -> None:
    with pytest.raises(AnswerError, match=says):
        read_counters(reply(0, body))


def test_a_rank_without_the_handler_is_not_there() -> None:
    with pytest.raises(AnswerError, match="not there"):
        read_counters(reply(0, b"no", outcome=Outcome.HTTP_ERROR, status=404))


def test_an_answer_nested_too_deep_is_told() -> None:
    deep = b'{"a": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    with pytest.raises(AnswerError, match="nested too deep"):
        read_counters(reply(0, deep))


def test_bytes_that_are_no_text_are_replaced() -> None:
    made = read_counters(reply(0, b'{"a\xff": {"active_count": 1}}'))
    assert made == {"a\N{REPLACEMENT CHARACTER}": (1, ABSENT, ABSENT, ABSENT)}


def test_names_and_numbers_of_counters_are_capped() -> None:
    said = {f"{number:05}" + "x" * NAME_LIMIT: counter(1) for number in range(MOST_COUNTERS + 5)}
    made = read_counters(reply(0, said))
    assert len(made) == MOST_COUNTERS
    assert {len(name) for name in made} == {NAME_LIMIT}


@given(st.dictionaries(st.text(max_size=8), st.tuples(*[st.integers(-(2**63) + 1, 2**63 - 1)] * 4), max_size=6))
def test_every_number_of_64_bits_comes_back(said: dict[str, tuple[int, int, int, int]]) -> None:
    fields = ("active_count", "total_time_us", "total_calls", "max_time_us")
    body = json.dumps({name: dict(zip(fields, values, strict=True)) for name, values in said.items()})
    assert read_counters(reply(0, body.encode())) == said
