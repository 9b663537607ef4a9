"""How instants are written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.instants import stamp_text, utc_moment, utc_seconds, utc_text

NOW = 1_796_046_929 * 10**9


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (NOW + 123_999_999, "2026-11-30T13:55:29.123Z"),
        (NOW + 999_999_999, "2026-11-30T13:55:29.999Z"),
        (2**63 - 1, "2262-04-11T23:47:16.854Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
    ],
)
def test_an_instant_is_cut_and_never_rounded_up(ns: int, text: str) -> None:
    assert utc_text(ns) == text
    assert utc_seconds(ns) == text[:19] + "Z"
    assert stamp_text(ns) == (text[:19] + "Z").replace("-", "").replace(":", "")


@given(st.integers(-(2**60), 2**63 - 1))
def test_a_program_reads_it_back(ns: int) -> None:
    back = datetime.fromisoformat(utc_text(ns))
    assert back.tzinfo == UTC
    assert round((back - utc_moment(0)).total_seconds() * 1000) == ns // 1_000_000
