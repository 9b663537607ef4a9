"""Garbage collection is spared only where the program has the process to itself."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from xpudbg.tui.terminal.collections_spared import keep_what_is_there, spare_collections


class Knot:
    """Refers to itself: only a collection frees it."""

    def __init__(self) -> None:
        self.self = self


@pytest.fixture
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()
    gc.freeze()


@pytest.mark.usefixtures("thresholds")
def test_what_is_kept_is_not_looked_through_again() -> None:
    frozen = gc.get_freeze_count()
    keep_what_is_there()
    assert gc.get_freeze_count() == frozen
    spare_collections()
    kept = weakref.ref(Knot())
    keep_what_is_there()
    gc.collect()
    assert kept() is not None
    later = weakref.ref(Knot())
    gc.collect()
    assert later() is None
