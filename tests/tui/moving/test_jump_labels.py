"""Letters for places: none begins another, the home row first, none covers another."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.tui.moving.jump_labels import ALL, APART, HOME, Place, labels, spread


def nowhere() -> None:
    """Where the places of these tests lead."""


@pytest.mark.parametrize("count", [0, 1, 8, 9, 10, 17, 18, 80, 81, 82, 400, 676])
def test_no_label_begins_another(count: int) -> None:
    made = labels(count)
    assert len(set(made)) == count
    assert all(len(label) <= 2 for label in made)
    doubles = {label[0] for label in made if len(label) == 2}
    assert not doubles & {label for label in made if len(label) == 1}
    assert set("".join(made)) <= set(HOME if count <= 81 else ALL)


def test_as_many_as_possible_are_one_letter() -> None:
    assert labels(9) == list(HOME)
    assert labels(10)[:8] == list(HOME[:8])
    assert labels(10)[8:] == ["la", "ls"]


@pytest.mark.parametrize(
    ("x", "before", "label", "begins"),
    [(5, 0, "as", 5), (5, 1, "a", 5), (5, 1, "as", 4), (5, 3, "as", 4), (0, 1, "as", 0)],
)
def test_a_second_letter_takes_the_blank_before_a_place(x: int, before: int, label: str, begins: int) -> None:
    assert Place(x, 2, nowhere, before).under(label) == Place(begins, 2, nowhere)


def test_more_than_there_are_letters_is_refused() -> None:
    with pytest.raises(ValueError, match="677 labels"):
        labels(677)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5)), max_size=60), st.integers(1, 20))
def test_no_label_covers_part_of_another(points: list[tuple[int, int]], most: int) -> None:
    kept = spread([Place(x, y, nowhere) for x, y in points], most)
    assert len(kept) <= most
    assert [(place.y, place.x) for place in kept] == sorted((place.y, place.x) for place in kept)
    for before, after in pairwise(kept):
        assert before.y != after.y or after.x - before.x >= APART
    assert {(place.x, place.y) for place in kept} <= set(points)
    assert bool(kept) == bool(points)
