"""What the pane says of a row, in lines."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from xpudbg.services.recorder_tables.table import Detail, Sign
from xpudbg.tui.widgets.row_detail import TEXT_LINES, RowFacts, detail_lines

HOSTILE = "[/x] \x1b[31m\u202e節点\ud800"


def texts(facts: RowFacts, width: int = 50) -> list[str]:
    return [line.plain.rstrip() for line in detail_lines(facts, width)]


def test_labels_stand_beside_their_texts() -> None:
    details = [Detail("group", "tp"), Detail("missing", "5", Sign.MISSING), Detail("differs", "x", Sign.MISMATCH)]
    assert texts(RowFacts("call #4", details)) == [
        "call #4",
        "group    tp",
        "missing  ! 5",
        "differs  ≠ x",
    ]


def test_the_stack_comes_last_and_says_what_it_is() -> None:
    facts = RowFacts("call #4", [], "stack when the call was made", ["step step.py:1", "<module> train.py:2"])
    assert texts(facts) == ["call #4", "", "stack when the call was made", "  step step.py:1", "  <module> train.py:2"]


def test_without_a_row_there_is_nothing() -> None:
    assert texts(RowFacts()) == []


@pytest.mark.parametrize("width", [12, 30, 80])
@pytest.mark.parametrize("text", [HOSTILE, "節点" * 400, "x" * 5000, "a\nb\tc"])
def test_no_text_leaves_its_room_or_moves_the_cursor(text: str, width: int) -> None:
    facts = RowFacts(text, [Detail(text, text, Sign.OPEN)], text, [text])
    lines = detail_lines(facts, width)
    assert all(cell_len(line.plain) <= width for line in lines)
    assert all(line.plain.isprintable() for line in lines)


def test_a_list_of_ranks_goes_on_behind_a_comma() -> None:
    details = [Detail("ranks", "0-4,6-11,13-21,23-26,28-40 (35) wait")]
    assert texts(RowFacts("call", details), 18) == [
        "call",
        "ranks  0-4,6-11,",
        "       13-21,",
        "       23-26,28-40",
        "       (35) wait",
    ]
    assert texts(RowFacts("call", details), 30)[1:] == ["ranks  0-4,6-11,13-21,23-26,", "       28-40 (35) wait"]


def test_a_long_fact_is_cut_and_says_so() -> None:
    lines = texts(RowFacts("call", [Detail("ranks", "1 " * 600)]), 40)
    assert len(lines) == 1 + TEXT_LINES
    assert lines[-1].startswith("… ")
    assert lines[-1].endswith("more lines; y copies all")
