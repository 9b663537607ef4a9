"""One column or several to sort by: the same steps on every table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.tui.tables.column_settings import Tables, use_tables
from xpudbg.tui.tables.sort_choice import SortChoice

KEYS = ["a", "b", "c"]


@pytest.fixture(autouse=True)
def remembered() -> Iterator[Tables]:
    made = Tables()
    use_tables(made)
    yield made
    use_tables(None)


def told(choice: SortChoice) -> str:
    return "".join(f"{key}{'-' if falls else '+'}" for key, falls in choice.sorts)


def done(steps: str, default: str = "") -> str:
    """What is sorted by after keys s, S, a, A and titles clicked (a letter in `[ ]` with shift)."""
    choice = SortChoice("t", ((default, False),) if default else ())
    take = iter(steps)
    for step in take:
        match step:
            case "s":
                choice.next(KEYS)
            case "S":
                choice.turn(KEYS)
            case "+":
                choice.also(KEYS)
            case "-":
                choice.less()
            case "[":
                choice.by(next(take), also=True)
                next(take)
            case key:
                choice.by(key)
    return told(choice)


@pytest.mark.parametrize(
    ("steps", "default", "found"),
    [
        ("", "", ""),
        ("s", "", "a+"),
        ("ss", "", "b+"),
        ("s", "a", "b+"),
        ("sss", "a", "a+"),
        ("S", "", "a-"),
        ("S", "b", "b-"),
        ("SS", "b", "b+"),
        ("+", "a", "a+b+"),
        ("++", "a", "a+b+c+"),
        ("+++", "a", "a+b+c+"),
        ("+s", "a", "a+c+"),
        ("+S", "a", "a+b-"),
        ("+-", "a", "a+"),
        ("+---", "a", "a+"),
        ("c---", "", ""),
        ("c", "a", "c+"),
        ("cc", "a", "c-"),
        ("c[b]", "", "c+b+"),
        ("c[b][c]", "", "c-b+"),
        ("c[b]b", "", "b+"),
    ],
)
def test_steps(steps: str, default: str, found: str) -> None:
    assert done(steps, default) == found


@given(st.text("sS+-abc", max_size=12))
def test_no_column_twice(steps: str) -> None:
    use_tables(Tables())
    found = [key for key in done(steps) if key.isalpha()]
    assert len(found) == len(set(found))


def test_remembered_by_the_table(remembered: Tables) -> None:
    SortChoice("t").by("b")
    assert told(SortChoice("t")) == "b+"
    assert told(SortChoice("other")) == ""
    assert remembered.is_unsaved is False  # there is no file
    unnamed = SortChoice("")
    unnamed.by("b")
    assert told(SortChoice("")) == ""


def test_a_column_may_fall_when_it_is_chosen() -> None:
    choice = SortChoice("t", falls=lambda key: key == "b")
    choice.next(KEYS)
    choice.also(KEYS)
    assert told(choice) == "a+b-"
