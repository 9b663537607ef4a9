"""Which look of a target a word means."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpudbg.services.looks.choice import LookChoice, NamedLook, parse_named_look


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("x.xpudbg", ("x.xpudbg", None)),
        ("x.xpudbg#2", ("x.xpudbg", 2)),
        ("head-0:29500#13", ("head-0:29500", 13)),
        ("[::1]:29500#1", ("[::1]:29500", 1)),
        ("a#b#2", ("a#b", 2)),
        ("a#b", ("a#b", None)),
        ("a#", ("a#", None)),
        ("#2", ("#2", None)),
        ("a#-1", ("a#-1", None)),
        ("a#٣", ("a#٣", None)),
        ("a#1234567890", ("a#1234567890", None)),
        ("a\0#1", ("a\0", 1)),
    ],
)
def test_a_number_after_the_last_hash_is_a_look(word: str, expected: tuple[str, int | None]) -> None:
    assert parse_named_look(word) == NamedLook(*expected)


def test_a_file_of_that_name_is_that_file(tmp_path: Path) -> None:
    file = tmp_path / "dump#2"
    assert parse_named_look(str(file)) == NamedLook(str(tmp_path / "dump"), 2)
    file.touch()
    assert parse_named_look(str(file)) == NamedLook(str(file), None)


def test_a_choice_in_words() -> None:
    assert [LookChoice(3).said(), LookChoice(first=True).said(), LookChoice().said()] == [
        "look 3",
        "the first look",
        "the last look",
    ]
