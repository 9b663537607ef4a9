"""Columns of one dump, and interning."""

from __future__ import annotations

import numpy as np
import pytest

from xpudbg.services.flight_recorder.columns import COLUMNS, Entries, Tables
from xpudbg.services.flight_recorder.interning import Interned

from .recorded import dump_of, entry


def test_rows_come_in_the_order_of_recording() -> None:
    entries = dump_of(0, [entry("nccl:barrier", seq) for seq in (3, 1, 2)]).entries
    assert entries.collective_seq.tolist() == [1, 2, 3]
    assert entries.record_id.dtype == np.uint64


def test_a_counter_beyond_64_bits_is_refused() -> None:
    with pytest.raises(OverflowError):
        Entries.of({name: [2**64 if name == "op_id" else 0] for name in COLUMNS}, Tables())


def test_no_entries() -> None:
    assert len(Entries.none()) == 0


def test_interning_makes_each_value_once() -> None:
    made: list[str] = []

    def make(key: str) -> str:
        made.append(key)
        return key.upper()

    interned: Interned[str] = Interned(make)
    assert interned.numbers(["b", "a", "b"]) == [0, 1, 0]
    assert interned.number("a") == 1
    assert interned.number("c") == 2
    assert (interned.values, made) == (["B", "A", "C"], ["b", "a", "c"])
