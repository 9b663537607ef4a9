"""Literals read, everything else refused, nothing evaluated."""

from __future__ import annotations

import ast
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xpudbg.services.ttk_cases import literals
from xpudbg.services.ttk_cases.errors import CellError
from xpudbg.services.ttk_cases.literals import DEPTH_LIMIT, TEXT_LIMIT, parse_literal

texts = st.text(st.characters(codec="utf-8"), max_size=12)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.one_of(texts, st.integers()), inner, max_size=4),
    ),
    max_leaves=12,
)
json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=50, deadline=None)
@given(values)
def test_what_python_writes_is_read_back(value: Any) -> None:
    assert parse_literal(repr(value)) == value


@settings(max_examples=30, deadline=None)
@given(json_values)
def test_what_json_writes_is_read_back(value: Any) -> None:
    assert parse_literal(json.dumps(value)) == value
    assert parse_literal(json.dumps(value, indent=1, ensure_ascii=False)) == value


@settings(max_examples=100, deadline=None)
@given(st.text("()[]{},:'\"\\ 0123.eE+-_xTrueNoninfa", max_size=16))
def test_nothing_but_a_cell_error_and_no_other_value_than_python_reads(text: str) -> None:
    try:
        value = parse_literal(text)
    except CellError:
        return
    try:
        expected = ast.literal_eval(text.strip())
    except (SyntaxError, ValueError, TypeError):
        return  # more is read here: inf, nan, true, the last digits of 0123
    assert repr(value) == repr(expected)


@pytest.mark.parametrize("word", ["inf", "Infinity", "np.inf", "math.inf", "float('inf')", 'float("INF")', "+inf"])
def test_infinity(word: str) -> None:
    assert parse_literal(f"((-1, {word}),)") == ((-1, math.inf),)
    if not word.startswith(("+", "float")):
        assert parse_literal(f"-{word}") == -math.inf


def test_not_a_number_and_json_words() -> None:
    assert math.isnan(parse_literal("nan"))
    assert math.isnan(parse_literal("float('nan')"))
    assert parse_literal("[true, false, null]") == [True, False, None]


def test_one_value_in_brackets_is_no_tuple() -> None:
    assert parse_literal("((2))") == 2
    assert parse_literal("(2,)") == (2,)
    assert parse_literal("()") == ()


REFUSED = [
    "",
    "__import__('os').system('true')",
    "1 + 1",
    "1+2j",
    "1 2",
    "[1 2]",
    "(,)",
    "(1,,2)",
    "[1",
    "{'a'}",
    "{'a' 1}",
    "{'a': 1, 'a': 2}",
    "{(1,): 2}",
    "{[1]: 2}",
    "'open",
    "'ends in a backslash\\",
    "b'bytes'",
    "f'{1}'",
    "'a' 'b'",
    "torch.float32",
    "inf()",
    "-True",
    "--1",
    "0x10",
    "1e",
    "1__0",
    "9" * 500,
    "lambda: 0",
    "[x for x in (1,)]",
    "float('1')",
    "nan if 1 else 2",
]


@pytest.mark.parametrize("text", REFUSED, ids=[text[:20] or "empty" for text in REFUSED])
def test_what_is_no_literal(text: str) -> None:
    with pytest.raises(CellError, match="not a literal: "):
        parse_literal(text)


def test_messages_say_where_and_show_plain_text() -> None:
    with pytest.raises(CellError, match=r"^not a literal: no value begins at character 5, 'a\\\\x1b\[31m\(\)'$"):
        parse_literal("(1, a\x1b[31m()")


def test_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parse_literal("[" * DEPTH_LIMIT + "]" * DEPTH_LIMIT)
    with pytest.raises(CellError, match="nested deeper than"):
        parse_literal("[" * 100_000)
    with pytest.raises(CellError, match="nested deeper than"):
        parse_literal("{0:" * 100_000)
    with pytest.raises(CellError, match="1,048,577 characters"):
        parse_literal(" " * (TEXT_LIMIT + 1))
    monkeypatch.setattr(literals, "VALUE_LIMIT", 5)
    assert parse_literal("[0,0,0,0]") == [0] * 4
    with pytest.raises(CellError, match="more than 5 values"):
        parse_literal("[0,[0,0],0]")


def test_a_lone_surrogate_stands_for_nothing() -> None:
    assert parse_literal(r'"\ud83d\ude00 \ud83d"') == "\U0001f600 \ufffd"
