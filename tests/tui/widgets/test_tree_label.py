"""One line of the tree."""

from __future__ import annotations

import pytest
from rich.style import Style

from xpudbg.services.ranksets import RankSet
from xpudbg.tui.widgets.tree_label import LabelStyles, branch_label

STYLES = LabelStyles(Style(), Style(dim=True), Style(underline=True), Style(bold=True))
CHAIN = ("<module>", "train", "step", "all_reduce")
RANKS = RankSet([*range(32), *range(33, 64)])


def label(width: int, names: tuple[str, ...] = CHAIN, place: str = "dist.py:3252", threads: int = 63) -> str:
    return branch_label(names, place, RANKS, 8, width, STYLES, threads=threads).plain


def test_with_room_it_says_all() -> None:
    said = label(100)
    assert said.startswith("<module> > train > step > all_reduce  dist.py:3252  (4 frames)  ")
    assert said.endswith("  0-31,33-63  63 ranks  8 hosts")
    assert len(said) == 100


def test_the_last_name_and_its_place_stay_longest() -> None:
    assert label(86).startswith("<module> > … > all_reduce  dist.py:3252  (4 frames)  ")
    assert label(60).startswith("… > all_reduce  dist.py:3252  ")
    assert "hosts" in label(60)
    assert label(53).split() == ["…", ">", "all_reduce", "dist.py:3252", "0-31,33-63", "63", "ranks"]
    assert label(34).startswith("… > all_red…  ")


def test_a_single_frame_has_no_number_of_frames() -> None:
    assert label(80, ("f",)).startswith("f  dist.py:3252   ")


def test_threads_are_told_when_there_are_more_than_ranks() -> None:
    assert "130 threads of 63 ranks" in label(100, threads=130)


@pytest.mark.parametrize("width", [30, 40, 64, 120])
@pytest.mark.parametrize("name", ["x" * 1200, "界" * 1200, "[/rank0]\x1b[2J\u202e"])
def test_it_is_as_wide_as_there_is_room_and_plain(width: int, name: str) -> None:
    made = branch_label((name, name, name), f"{name}.py:3", RankSet(range(0, 4096, 3)), 9, width, STYLES)
    assert made.cell_len == width
    assert "\x1b" not in made.plain
    assert "\u202e" not in made.plain
    assert not made.spans or all("link" not in str(span.style) for span in made.spans)


def test_what_is_found_is_painted_so() -> None:
    made = branch_label(("f",), "a.py:1", RANKS, 8, 60, STYLES, matching=True)
    assert made.spans[0].style == STYLES.match
