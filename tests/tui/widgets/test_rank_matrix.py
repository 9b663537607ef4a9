"""No number of a matrix is read from a part of its digits."""

from __future__ import annotations

import pytest
from rich.segment import Segment

from xpudbg.tui.widgets.rank_matrix import whole_cells

ROW = ("  1,234", "56,789 ", "    5 !")


@pytest.mark.parametrize(
    ("cut", "room", "seen"),
    [
        (0, 25, "  1,234  56,789       5 !"),
        (0, 24, "  1,234  56,789         "),
        (0, 16, "  1,234  56,789 "),
        (0, 15, "  1,234  56,789"),  # what the edge cuts is a blank
        (0, 14, "  1,234       "),
        (2, 23, "1,234  56,789       5 !"),
        (3, 22, "…234  56,789       5 !"),
        (7, 18, "…  56,789       5 !"[:18]),
        (0, 5, "  1,2"),  # wider than all the room that there is
    ],
    ids=str,
)
def test_a_cell_at_the_edge_is_whole_or_says_that_it_is_not(cut: int, room: int, seen: str) -> None:
    cells = [segment for text in ROW for segment in (Segment(text), Segment("  "))]
    line = "".join(segment.text for segment in whole_cells(cells, cut, room))
    assert line[cut : cut + room] == seen
