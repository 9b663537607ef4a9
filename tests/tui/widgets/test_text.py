"""Texts cut and padded to terminal cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.tui.widgets.text import cell_len, fit, plain, wrapped


@pytest.mark.parametrize(
    ("text", "width", "fitted"),
    [
        ("abc", 5, "abc  "),
        ("abcdef", 5, "abcd…"),
        ("節点節点", 8, "節点節点"),
        ("節点節点", 7, "節点節…"),
        ("節点節点", 6, "節点 …"),
        ("abc", 0, ""),
        ("abc", 1, "…"),
    ],
)
def test_it_fits(text: str, width: int, fitted: str) -> None:
    assert fit(text, width) == fitted


def test_numbers_stand_at_the_right() -> None:
    assert fit("12", 5, "right") == "   12"
    assert fit("節", 4, "right") == "  節"


@given(st.text(), st.integers(0, 40), st.sampled_from(["left", "right"]))
def test_any_plain_text_takes_exactly_the_width(text: str, width: int, align: str) -> None:
    assert cell_len(fit(plain(text), width, align)) == width  # type: ignore[arg-type]


def test_what_steers_a_terminal_is_gone() -> None:
    made = plain("[/x] \x1b[31m\u202e\u200b\ud800\tend")
    assert made == "[/x] \\x1b[31m\\u202e\\u200b\\ud800\\tend"
    assert made.isprintable()


def test_a_sentence_in_place_of_rows_is_wrapped() -> None:
    lines = [wrapped("no capture is shown: c runs the profiler on ranks", line, 24) for line in range(-1, 4)]
    said = ["", "  no capture is shown:", "  c runs the profiler", "  on ranks", ""]
    assert [line.rstrip() for line in lines] == said
    assert {len(line) for line in lines} == {24}


def test_and_cut_with_a_sign_where_it_is_very_long() -> None:
    assert wrapped("word " * 100, 5, 24).rstrip().endswith("…")
    assert wrapped("word " * 100, 6, 24).strip() == ""
