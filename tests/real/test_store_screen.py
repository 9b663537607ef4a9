"""What the store's screen reads, from stores of a real torch: nothing is created, nothing blocks, nothing unpickled."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.real.attached import Attached
from tests.real.beside import Memory
from tests.real.test_store import RealStore, contents, real_store
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.services.store_browse.orders import ExportValue, ListKeys, ReadValues, SearchValues, StoreOrder
from xpudbg.services.store_browse.searching import parse_search
from xpudbg.services.store_browse.shown import StoreShown
from xpudbg.services.store_browse.values import ValueKind, kind_of
from xpudbg.services.targets import StoreTarget

pytestmark = pytest.mark.torch

HUGE = 8 * 1024 * 1024
VAST = 100 * 1024 * 1024


class Browsing:
    """An engine attached to a real store."""

    def __init__(self, engine: Engine, store: RealStore) -> None:
        self._attached = Attached(engine, StoreTarget("127.0.0.1", store.port), AttachOptions(timeout_s=1.0))

    @property
    def store(self) -> StoreShown:
        return self._attached.session.store

    def tell(self, order: StoreOrder, until: Callable[[], object]) -> StoreShown:
        engine, session = self._attached.engine, self._attached.session
        engine.browse_store(order)
        while not until():
            session.apply(engine.events.get(timeout=30))
            assert not session.faults, session.faults
        return session.store

    def listed(self) -> tuple[bytes, ...]:
        before = self.store.listing
        listing = self.tell(ListKeys(), lambda: self.store.listing is not before).listing
        assert listing is not None
        return listing.keys

    def read(self, *keys: bytes, limit: int = 100_000) -> StoreShown:
        self.store.values.clear()
        return self.tell(ReadValues(keys, limit), lambda: self.store.values.keys() >= set(keys))


@pytest.fixture(params=["libuv", "plain"])
def real(request: pytest.FixtureRequest) -> Any:
    with real_store(request.param) as running:
        yield running


def test_looking_reads_all_kinds_of_values_and_changes_nothing(real: RealStore, engine: Engine, tmp_path: Path) -> None:
    real.set({"huge": b"H" * HUGE})
    before = real.tell({"state": True})
    browsing = Browsing(engine, real)
    keys = browsing.listed()
    assert keys == tuple(sorted([*(key.encode() for key in contents()), b"huge"]))
    store = browsing.read(*keys, b"never there")
    for key, value in contents().items():
        if len(value) <= 100_000:
            assert store.values[key.encode()].head == value, key
    assert (store.values[b"huge"].length, len(store.values[b"huge"].head)) == (HUGE, 100_000)
    assert (store.values[b"big"].length, store.values[b"big"].whole) == (1_048_576, False)
    assert store.values[b"never there"].gone
    assert kind_of(store.values[b"pickled"]) is ValueKind.PICKLE
    assert kind_of(store.values[b"bin"]) is ValueKind.BINARY
    search = parse_search("value:gpu_node")
    found = browsing.tell(SearchValues(search, keys), lambda: store.search is not None and store.search.done).search
    assert found is not None
    assert found.hits == (b"debug_server/rank0", b"debug_server/rank3")
    browsing.tell(ExportValue(b"huge", tmp_path), lambda: store.said)
    assert (tmp_path / "xpudbg-store-huge.bin").read_bytes() == b"H" * HUGE
    real.tell({"delete": ["esc"]})
    assert browsing.read(b"esc", b"bin").values[b"esc"].gone
    assert browsing.store.values[b"bin"].head == contents()["bin"]
    after = real.tell({"state": True})
    assert after["keys"] == {key: value for key, value in before["keys"].items() if key != "esc"}
    assert after["count"] == before["count"] - 1


def test_a_store_that_stands_still_or_ends_says_so_within_its_limit(real: RealStore, engine: Engine) -> None:
    browsing = Browsing(engine, real)
    browsing.listed()
    process = real._process.pid
    os.kill(process, signal.SIGSTOP)
    try:
        assert "has not come within 1 s" in browsing.read(b"bin").values[b"bin"].error
    finally:
        os.kill(process, signal.SIGCONT)
    assert browsing.read(b"bin").values[b"bin"].head == contents()["bin"]
    real.end()
    store = browsing.tell(ListKeys(), lambda: browsing.store.failure)
    assert "refused" in store.failure or "closed" in store.failure
    assert store.listing is not None


def test_a_store_that_dies_in_the_middle_of_a_search_says_so(real: RealStore, engine: Engine) -> None:
    browsing = Browsing(engine, real)
    keys = browsing.listed()
    os.kill(real._process.pid, signal.SIGSTOP)
    engine.browse_store(SearchValues(parse_search("value:x"), keys))
    engine.browse_store(ReadValues((b"bin",), 100))
    real.end()
    store = browsing.tell(ListKeys(), lambda: browsing.store.search is not None and browsing.store.failure)
    assert store.search is not None
    assert store.search.done
    assert "closed the connection" in store.search.error or "refused" in store.search.error
    assert store.listing is not None
    assert store.listing.keys == keys


def test_of_a_value_that_is_too_long_the_size_is_said(engine: Engine, tmp_path: Path) -> None:
    with real_store("plain") as real:  # the other backend takes no value of that length
        real.tell({"fill": {"vast": VAST}})
        browsing = Browsing(engine, real)
        memory = Memory()
        value = browsing.read(b"vast", b"bin").values[b"vast"]
        assert (value.length, value.head) == (VAST, b"F" * 100_000)
        assert browsing.store.values[b"bin"].head == contents()["bin"]
        store = browsing.tell(ExportValue(b"vast", tmp_path), lambda: browsing.store.said)
        assert store.notices == ["not exported: it has 100 MiB, of a value 64 MiB are read at most"]
        assert memory.grown_mib < 50
