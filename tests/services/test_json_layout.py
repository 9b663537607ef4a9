"""JSON of a stranger is laid out as far as that stays readable, and never grows without bound."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.json_layout import LAID_OUT_LIMIT, LayoutError, is_json, laid_out

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def nested(depth: int, items: int) -> bytes:
    return b"[" * depth + b"1," * items + b"1" + b"]" * depth


@given(JSON)
def test_what_is_laid_out_means_the_same(value: object) -> None:
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    assert is_json(data)
    assert json.loads(laid_out(data)) == value


def test_each_level_has_two_blanks() -> None:
    assert laid_out(b'{"a":[1,{"b":2}]}') == '{\n  "a": [\n    1,\n    {\n      "b": 2\n    }\n  ]\n}'


@pytest.mark.parametrize(
    ("data", "why"),
    [
        pytest.param(b"{", "it is no JSON", id="cut"),
        pytest.param(b'["\xff"]', "it is no JSON", id="no text"),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, "it is nested too deep", id="deep"),
        pytest.param(nested(400, 100_000), "it would fill too many lines", id="grows"),
    ],
)
def test_why_it_is_not_laid_out(data: bytes, why: str) -> None:
    with pytest.raises(LayoutError, match=why.removeprefix("it ")):
        laid_out(data)


def test_brackets_within_texts_count_for_nothing() -> None:
    data = json.dumps(["[{" * 5_000 + '\\"[' + "," * 5_000, *range(1_000)]).encode()
    assert json.loads(laid_out(data)) == json.loads(data)


def test_the_limit_is_about_the_result() -> None:
    flat = nested(1, 500_000)
    assert len(flat) * 2 < len(laid_out(flat)) <= LAID_OUT_LIMIT
