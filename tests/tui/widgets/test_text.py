"""Texts cut and padded to terminal cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.tui.widgets.text import cell_len, fit, plain, wrapped, wrapped_line


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


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("  a.json: it is empty", 30, ["  a.json: it is empty"]),
        ("  a.json: it is empty", 14, ["  a.json: it", "    is empty"]),
        ("  a/very/long/path.json", 12, ["  a/very/lon", "    g/path.j", "    son"]),
        ("節点節点", 5, ["節点", "  節", "  点"]),
    ],
)
def test_a_line_goes_on_in_the_next(text: str, width: int, lines: list[str]) -> None:
    assert wrapped_line(text, width) == lines


@given(st.text("ab 節/", max_size=60), st.integers(4, 20))
def test_a_line_that_goes_on_loses_no_word(text: str, width: int) -> None:
    made = wrapped_line(text, width)
    assert all(cell_len(line) <= width for line in made)
    assert "".join("".join(made).split()) == "".join(text.split())


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
