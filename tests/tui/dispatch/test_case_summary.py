"""What is said of a case that has not run here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.services.console.console_cases import console_case, unusable
from xpudbg.services.console.case import ConsoleCase
from xpudbg.services.ttk_cases.case import Outcome
from xpudbg.tui.dispatch.case_summary import COLUMNS, case_lines


def text(case: ConsoleCase, width: int = 60, *, running: bool = False) -> list[str]:
    return [line.plain for line in case_lines(case, running=running, width=width)]


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (Outcome.FAILED, "Its file says that its last run was wrong. 97%"),
        (Outcome.BROKEN, "Its file says that its last run gave nothing to compare. 97%"),
    ],
)
def test_a_failure_in_the_file_with_its_reason(said: Outcome, line: str) -> None:
    assert text(console_case(said=said, reason="97%"), 80) == ["It has not run here. r runs it.", line]


def test_a_new_case_says_only_how_to_run_it() -> None:
    assert text(console_case()) == ["It has not run here. r runs it."]
    assert text(console_case(), running=True) == ["It is running here for the first time."]


def test_a_row_that_makes_no_case_says_why() -> None:
    assert text(unusable())[:2] == ["It can't be run.", "float7: no such dtype"]


def test_columns_are_kept_those_of_no_meaning_too_and_nothing_is_wider_than_the_pane() -> None:
    raw = {"my_column": "also", "empty": " ", "\x1b[31mbad": "[/]", "long": "節" * 300}
    lines = text(replace(console_case(), raw=raw), 40)
    assert any(line.startswith("my_column") and line.endswith("also") for line in lines)
    assert not any("empty" in line or "\x1b" in line for line in lines)
    assert any("[/]" in line for line in lines)
    assert all(line.cell_length <= 40 for line in case_lines(replace(console_case(), raw=raw), running=False, width=40))


def test_more_columns_are_counted() -> None:
    raw = {f"c{at}": "x" for at in range(COLUMNS + 3)}
    assert text(replace(console_case(), raw=raw))[-1] == "and 3 more columns"
