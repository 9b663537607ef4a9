"""Prose is broken within lists of ranks, and not between a number and its unit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from xpudbg.tui.widgets.line_breaks import with_breaks
from xpudbg.tui.widgets.text import cell_len

LONG = "0-4,6-11,13-21,23-26,28-40"


def lines(text: str, width: int) -> list[str]:
    return [line.plain.rstrip() for line in with_breaks(Content(text), width).wrap(width)]


@pytest.mark.parametrize(
    ("text", "width", "broken"),
    [
        (f"ranks {LONG} (on 7 hosts) wait", 24, ["ranks 0-4,6-11,13-21,", "23-26,28-40 (on 7 hosts)", "wait"]),
        (f"default_pg; ranks {LONG}", 28, ["default_pg; ranks", LONG]),  # room for too little of it
        (f"they are: {LONG}.", 40, [f"they are: {LONG}."]),
        (LONG, 10, ["0-4,6-11,", "13-21,", "23-26,", "28-40"]),
        ("hosts) wait for 101 s.", 20, ["hosts) wait for", "101 s."]),
        ("hosts) wait for 101 s.", 22, ["hosts) wait for 101 s."]),
        ("hosts) wait for 101 ranks", 20, ["hosts) wait for 101", "ranks"]),
        ("it took (1.5 GiB)", 13, ["it took", "(1.5 GiB)"]),
        ("first\n  0-4,6-11,13-21", 14, ["first", "  0-4,6-11,", "13-21"]),
        ("101 s", 4, ["101", "s"]),
        ("a,b,cdefghij", 5, ["a,b,", "cdefg", "hij"]),
        ("one, two, three", 9, ["one, two,", "three"]),
        ("", 9, [""]),
    ],
    ids=str,
)
def test_lines(text: str, width: int, broken: list[str]) -> None:
    assert lines(text, width) == broken


@given(
    st.lists(st.sampled_from(["rank", "12", "s", "(9", "ms)", LONG, "0,1,2", "節点", "x" * 30, "a,b"]), max_size=12),
    st.integers(4, 50),
)
def test_nothing_is_lost_and_no_line_is_too_long(words: list[str], width: int) -> None:
    text = " ".join(words)
    made = lines(text, width)
    assert "".join(made).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(line) <= width for line in made)
