"""Numbers as small bars."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.tui.widgets.sparkline import BARS, GAP, SparkLine, bars


@pytest.mark.parametrize(
    ("values", "width", "said"),
    [
        ([], 9, ""),
        ([1, 2], 0, ""),
        ([0, 0, 0], 9, "▁▁▁"),
        ([0, 1, None, 7], 9, "▁▂·█"),
        ([-5, 7], 9, "▁█"),
        ([-5, -7], 9, "▁▁"),
        ([None, None], 9, "··"),
        ([0, 0, 0, 9, 0, 0], 3, "▁█▁"),
        ([None, 3, None, None], 2, "█·"),
        ([2**53 + 1, 2**53], 2, "██"),
    ],
)
def test_bars(values: list[float | None], width: int, said: str) -> None:
    assert bars(values, width) == said


@given(st.lists(st.one_of(st.none(), st.floats(-1e300, 1e300)), max_size=40), st.integers(0, 20))
def test_the_highest_is_always_seen_and_the_width_is_kept(values: list[float | None], width: int) -> None:
    drawn = bars(values, width)
    assert len(drawn) == min(width, len(values))
    assert set(drawn) <= {*BARS, GAP}
    if drawn and max((value for value in values if value is not None), default=0) > 0:
        assert BARS[-1] in drawn


@pytest.mark.parametrize(
    ("width", "said"),
    [(40, "over ranks   ▂█  most 5: rank 1"), (30, "over ranks   ▂█"), (14, "over ranks   █"), (5, "over ")],
)
def test_the_words_go_before_the_bars_where_it_is_narrow(width: int, said: str) -> None:
    assert SparkLine("over ranks", [1, 9], "most 5: rank 1").content(width).plain == said
