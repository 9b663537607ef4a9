"""Texts in Markdown, and pieces as far as there is room."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.markdown_text import Piece, joined, unmarked


@given(st.text(st.characters(), max_size=60))
def test_nothing_in_a_text_means_anything(text: str) -> None:
    made = unmarked(text)
    assert all(char.isprintable() for char in made)
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_{}\[\]<>()#+!|~&@$]", made)


def test_pieces_stand_below_each_other_with_one_head() -> None:
    pieces = [
        Piece("a", "one"),
        Piece("b", "| 1 |", "\n| n |\n|---|"),
        Piece("b", "| 2 |", "\n| n |\n|---|"),
        Piece("c", "x", ""),
    ]
    assert joined(pieces) == "one\n\n| n |\n|---|\n| 1 |\n| 2 |\n\nx\n"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 400)), max_size=30), st.integers(700, 3_000))
def test_what_has_no_room_is_counted(sizes: list[tuple[str, int]], limit: int) -> None:
    made = joined([Piece(kind, kind * size, "head") for kind, size in sizes], limit)
    assert len(made) <= limit
    left = sum(int(count) for count in re.findall(r"(\d+) × [abc]", made))
    lines = made.split("\n*Left out")[0].split("\n")
    there = sum(1 for line in lines if line and line != "head")
    assert left + there == len(sizes)


def test_once_a_piece_has_no_room_its_kind_has_none() -> None:
    made = joined([Piece("row", "x" * 90), Piece("row", "y" * 300), Piece("row", "z"), Piece("note", "n")], 800)
    assert made == f"{'x' * 90}\nn\n\n*Left out, since a ticket takes 800 characters: 2 × row.*\n"
