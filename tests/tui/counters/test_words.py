"""Values of wait counters in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.counters.metrics import Unit
from xpudbg.tui.counters.words import VALUE, exact, short


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (None, Unit.COUNT, ""),
        (0, Unit.COUNT, "0"),
        (-1, Unit.COUNT, "-1"),
        (99_999, Unit.COUNT, "99,999"),
        (100_000, Unit.COUNT, "100 k"),
        (2**53 + 1, Unit.COUNT, "9.01 P"),
        (0, Unit.MICROSECONDS, "0 µs"),
        (999, Unit.MICROSECONDS, "999 µs"),
        (5_473, Unit.MICROSECONDS, "5.47 ms"),
        (59_000_000, Unit.MICROSECONDS, "59.0 s"),
        (90_000_000, Unit.MICROSECONDS, "1.50 min"),
        (7_200_000_000, Unit.MICROSECONDS, "2.00 h"),
        (2**53 + 1, Unit.MICROSECONDS, "286 y"),
        (2**63 - 1, Unit.MICROSECONDS, "292471 y"),
        (0.984, Unit.SHARE, "98.4 %"),
        (12.0, Unit.SHARE, "x12.0"),
        (20.0, Unit.RATE, "20.0/s"),
        (12_345.6, Unit.RATE, "12.3k/s"),
    ],
)
def test_a_cell_is_short(value: float | None, unit: Unit, said: str) -> None:
    assert short(value, unit) == said


@pytest.mark.parametrize("unit", list(Unit))
@given(value=st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats(-1e15, 1e15)))
def test_no_value_is_longer_than_its_cell(unit: Unit, value: float) -> None:
    assert 0 < len(short(value, unit)) <= VALUE


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (None, Unit.COUNT, "not known"),
        (2**53 + 1, Unit.MICROSECONDS, "9,007,199,254,740,993 µs (286 y)"),
        (999, Unit.MICROSECONDS, "999 µs"),
        (7.25, Unit.MICROSECONDS, "7.2 µs"),
        (-3, Unit.COUNT, "-3"),
        (0.5, Unit.SHARE, "0.500 s a second (50.0 %)"),
        (1.5, Unit.RATE, "1.50 a second"),
    ],
)
def test_the_pane_has_the_whole_value(value: float | None, unit: Unit, said: str) -> None:
    assert exact(value, unit) == said
