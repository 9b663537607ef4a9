"""What comparing costs in memory beside the arrays themselves."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest

from xpudbg.services.comparison.compare import compare
from xpudbg.services.comparison.heatmap import error_heatmap, value_heatmap
from xpudbg.services.comparison.statistics import statistics
from xpudbg.services.comparison.window import window

if TYPE_CHECKING:
    from collections.abc import Callable

EXPECTED = np.random.default_rng(0).random((1024, 2048), np.float32)
ACTUAL = EXPECTED + np.float32(1e-3)
"""8 MiB each; in float64, with one temporary, already 32 MiB."""

READERS: dict[str, Callable[[], object]] = {
    "mixed": lambda: compare(ACTUAL, EXPECTED),
    "binary": lambda: compare(ACTUAL, EXPECTED, "binary"),
    "cosine": lambda: compare(ACTUAL, EXPECTED, "cosine"),
    "cross_check": lambda: compare(ACTUAL, EXPECTED, "cross_check", third_party=ACTUAL),
    "strided": lambda: compare(ACTUAL[:, ::2], EXPECTED[:, ::2]),
    "errors": lambda: error_heatmap(ACTUAL, EXPECTED, 50, 100),
    "values": lambda: value_heatmap(ACTUAL.T, 50, 100),
    "statistics": lambda: statistics(ACTUAL),
    "window": lambda: window(ACTUAL, 500, 500, 40, 40),
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_reader_takes_a_few_blocks_and_not_a_copy(reader: Callable[[], object]) -> None:
    tracemalloc.start()
    try:
        reader()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 24 << 20
