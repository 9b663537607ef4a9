"""How numbers, sizes, times and names are written, and in which order texts stand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.recorder_tables.moments import instant_text, ms_text, offset_text, span_text
from xpudbg.services.recorder_tables.tensors import (
    bytes_of,
    dtype_short,
    tensors_exact,
    tensors_text,
)
from xpudbg.services.recorder_tables.texts import Texts

SECOND = 1_000_000_000
NOW = 1_796_046_929 * SECOND


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 ms"),
        (1e-10, "under 1 µs"),
        (2e-6, "2 µs"),
        (0.0003, "0.30 ms"),
        (0.0123, "12.3 ms"),
        (0.25, "250 ms"),
        (0.9996, "1.0 s"),
        (12.34, "12.3 s"),
        (99.96, "1 m 40 s"),
        (485, "8 m 05 s"),
        (7620, "2 h 07 m"),
        (273_600, "3 d 04 h"),
        (-2.5, "-2.5 s"),
        (1e30, "1.0e+30 s"),
        (float("inf"), "inf s"),
    ],
)
def test_spans(seconds: float, text: str) -> None:
    assert span_text(seconds) == text


def test_instants() -> None:
    assert instant_text(NOW + 123_999_999) == "2026-11-30T13:55:29.123Z"
    assert instant_text(2**63 - 1) == "2262-04-11T23:47:16.854Z"
    assert [instant_text(value) for value in (0, -5)] == ["—", "—"]


def test_offsets() -> None:
    assert [offset_text(NOW - at, NOW) for at in (0, SECOND * 12, 3_400_000, -SECOND)] == [
        "0 ms",
        "-12.0 s",
        "-3.40 ms",
        "+1.0 s",
    ]
    assert offset_text(0, NOW) == offset_text(NOW, 0) == ms_text(float("nan")) == "—"


@pytest.mark.parametrize(
    ("shapes", "dtypes", "text"),
    [
        (((1024, 4096),), ("BFloat16",), "[1024, 4096] bf16 8 MiB"),
        (((16,),) * 8, ("Float",) * 8, "8 x [16] f32 512 B"),
        (((16,),) * 8, ("Float",), "8 x [16] f32 512 B"),
        (((1,), (2,), (3,), (3,)), ("Long",) * 4, "[1], [2] and 2 more i64 72 B"),
        (((4,), (4,)), ("Float", "Half"), "[4] f32, [4] f16 24 B"),
        (((4,),), ("Brand_new",), "[4] Brand_new"),
        (((4,),), (), "[4]"),
        (((),), ("Float",), "[] f32 4 B"),
        ((), ("Float",), ""),
    ],
)
def test_tensors(shapes: tuple[tuple[int, ...], ...], dtypes: tuple[str, ...], text: str) -> None:
    assert tensors_text(shapes, dtypes) == text


def test_exact_tensors() -> None:
    assert tensors_exact(((2, 3), (1,)), ("Float", "Odd")) == [
        "[2, 3] Float, 6 elements, 24 bytes",
        "[1] Odd, 1 element",
    ]
    assert tensors_exact(((1,),) * 70, ())[-1] == "and 6 more"


def test_sizes_beyond_all_sense_are_still_written() -> None:
    shapes = ((2**63 - 1,) * 64,)
    assert bytes_of(shapes, ("Double",)) == 8 * (2**63 - 1) ** 64
    assert tensors_text(shapes, ("Double",)).endswith(" EiB")
    assert "over 2^" in tensors_exact(((10**4000, 10**4000),), ("Float",))[0]


def test_known_and_unknown_dtypes() -> None:
    assert [dtype_short(name) for name in ("BFloat16", "Long", "Float8_e4m3fn", "\x1b[31m")] == [
        "bf16",
        "i64",
        "f8e4m3",
        "\x1b[31m",
    ]


def test_texts_stand_in_natural_order() -> None:
    texts = Texts(["tp10", "TP2", "", "tp2", "tp10"], np.array([0, 1, 2, 3, 4, -1], dtype=np.int32))
    keys = texts.keys.tolist()
    assert keys[0] == keys[4]
    assert keys[5] < min(keys[:5])
    assert [texts.text(row) for row in np.argsort(texts.keys, kind="stable")] == ["", "", "TP2", "tp2", "tp10", "tp10"]


@given(st.lists(st.text(max_size=8), max_size=40))
def test_keys_of_any_texts(values: list[str]) -> None:
    texts = Texts(values, np.arange(len(values), dtype=np.int32))
    keys = texts.keys
    assert [len({values[row] for row in np.flatnonzero(keys == key)}) for key in set(keys.tolist())] == [1] * len(
        set(values)
    )
