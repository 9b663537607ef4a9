"""How counts and sizes are written."""

from __future__ import annotations

import pytest

from xpudbg.services.sizes import number_text, size_text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (12, "12 B"),
        (1023, "1,023 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (8 << 20, "8 MiB"),
        (1023 << 20, "1,023 MiB"),
        (1 << 30, "1 GiB"),
        (1 << 62, "4 EiB"),
        (5 << 70, "5,120 EiB"),
        (10**4000, "over 2^13227 EiB"),
    ],
)
def test_sizes(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(("number", "text"), [(0, "0"), (-12_345, "-12,345"), (2**90, "over 2^90")])
def test_numbers(number: int, text: str) -> None:
    assert number_text(number) == text
