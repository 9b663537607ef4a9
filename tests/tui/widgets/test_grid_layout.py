"""Where ranks stand in the grid."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xpudbg.tui.widgets.grid_layout import Density, GridLayout, arrange


def hosts(size: int, per_host: int = 8) -> list[tuple[str, list[int]]]:
    return [
        (f"node-{first // per_host:03d}", list(range(first, min(first + per_host, size))))
        for first in range(0, size, per_host)
    ]


def overlaps(layout: GridLayout) -> bool:
    return any(b - a < layout.cell_width for line in layout.lines for a, b in pairwise(line.xs))


@pytest.mark.parametrize(
    ("size", "width", "height", "density"),
    [
        (4, 76, 8, Density.NUMBERED),
        (16, 76, 8, Density.NUMBERED),
        (256, 80, 30, Density.SPACED),
        (256, 76, 6, Density.DENSE),
        (4096, 190, 40, Density.DENSE),
        (4096, 76, 8, Density.DENSE),
    ],
)
def test_the_roomiest_that_fits(size: int, width: int, height: int, density: Density) -> None:
    layout = arrange(hosts(size), width, height)
    assert layout.density is density
    assert set(layout.places) == set(range(size))
    assert max(x + layout.cell_width for x, _ in layout.places.values()) <= width
    assert not overlaps(layout)


def test_hosts_are_named_when_they_fit() -> None:
    layout = arrange(hosts(16), 76, 8)
    assert [label for line in layout.lines for _, label in line.labels] == ["node-000", "node-001"]


def test_one_host_needs_no_name() -> None:
    layout = arrange(hosts(8), 76, 8)
    assert not any(line.labels for line in layout.lines)


def test_a_grid_that_scrolls_uses_the_whole_width() -> None:
    layout = arrange(hosts(4096), 76, 8)
    assert len(layout.lines) == -(-4096 // 56)


@settings(max_examples=60)
@given(st.integers(1, 300), st.integers(1, 9), st.integers(1, 200), st.integers(1, 60))
def test_every_rank_has_one_place_and_is_found_there(size: int, per_host: int, width: int, height: int) -> None:
    layout = arrange(hosts(size, per_host), width, height)
    assert set(layout.places) == set(range(size))
    assert not overlaps(layout)
    for rank, (x, y) in layout.places.items():
        assert layout.rank_at(x, y) == rank


def test_up_and_down_go_to_the_nearest() -> None:
    layout = arrange(hosts(64), 40, 8)
    below = layout.above_or_below(0, 1)
    assert layout.places[below] == (layout.places[0][0], layout.places[0][1] + 1)
    assert layout.above_or_below(below, -1) == 0
    assert layout.above_or_below(0, -1) == 0


def test_between_cells_there_is_no_rank() -> None:
    layout = arrange(hosts(16), 76, 8)
    assert layout.rank_at(0, 0) is None
    assert layout.rank_at(5, 99) is None


def test_hosts_follow_each_other_down_even_columns() -> None:
    layout = arrange(hosts(256), 80, 30)
    columns: dict[int, list[str]] = {}
    for line in layout.lines:
        for x, label in line.labels:
            columns.setdefault(x, []).append(label)
    assert [labels for _, labels in sorted(columns.items())] == [
        [f"node-{number:03d}" for number in range(16)],
        [f"node-{number:03d}" for number in range(16, 32)],
    ]


def test_hosts_stand_in_one_column_where_it_is_high_enough() -> None:
    layout = arrange(hosts(64), 200, 8)
    assert [[label for _, label in line.labels] for line in layout.lines] == [[f"node-{n:03d}"] for n in range(8)]
