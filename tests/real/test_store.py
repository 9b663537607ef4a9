"""The store client against a store of a real torch, both of its backends."""

from __future__ import annotations

import contextlib
import json
import pickle
import struct
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.real.torch_python import find_torch_python
from xpudbg.services.addressing.addresses import AddressMap
from xpudbg.services.cluster.registry import read_registry
from xpudbg.services.cluster.store import Oversized, StoreClient, StoreError, StoreFault
from xpudbg.services.cluster.store_connection import StoreConnection

pytestmark = pytest.mark.torch

SERVER = Path(__file__).parent / "jobs" / "store.py"
TIMEOUT_S = 5.0


def contents() -> dict[str, bytes]:
    """Keys and values of all the kinds that stores of real jobs were seen to hold."""
    gloo = struct.pack("<Q", 2) + b"vm" + struct.pack("<Q", 136) + bytes(range(256))
    return {
        "bin": b"\0\xff\xfe",
        "default_pg/0//cpu//0/0": gloo,
        "default_pg/0//cuda//timeout_dump": b"1",
        "debug_server/rank0": b"http://gpu_node_07:41234",
        "debug_server/rank1": b"http://[fd00::7]:41235",
        "debug_server/rank3": b"http://gpu_node_08:41236",
        "none/torchelastic/assigned_ranks/0": b"[0, 6, 0, 6]",
        "worker/[/rank0]": b"[bold]not markup[/]",
        "键\n2": "值".encode()[:2],
        "/slash": b"first",
        "pickled": pickle.dumps({"step": 3}),
        "empty": b"",
        "big": b"A" * 1_048_576,
        "counter": b"18446744073709551616",
        "esc": b"\x1b[2Jx",
    }


class RealStore:
    """A process that serves a TCPStore and does what it is told."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.port = int(self._answer())

    def tell(self, command: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def set(self, values: dict[str, bytes]) -> None:
        self.tell({"set": {key: value.hex() for key, value in values.items()}})

    def end(self) -> None:
        self._process.kill()
        self._process.wait()

    def client(self) -> StoreClient:
        return StoreClient("127.0.0.1", self.port, timeout_s=TIMEOUT_S)

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the store's process has ended"
        return json.loads(line)


@contextlib.contextmanager
def real_store(backend: str) -> Iterator[RealStore]:
    process = subprocess.Popen(
        [find_torch_python(), str(SERVER), backend],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            store = RealStore(process)
            store.set(contents())
            yield store
        finally:
            process.kill()


@pytest.fixture(scope="module", params=["libuv", "plain"])
def store(request: pytest.FixtureRequest) -> Iterator[RealStore]:
    with real_store(request.param) as running:
        yield running


async def test_keys_and_values_byte_by_byte(store: RealStore) -> None:
    expected = {key.encode(): value for key, value in contents().items()}
    async with store.client() as client:
        keys = await client.keys()
        assert keys == sorted(expected)
        assert dict(zip(keys, await client.get_many(keys), strict=True)) == expected


async def test_reading_changes_nothing(store: RealStore) -> None:
    before = store.tell({"state": True})
    async with store.client() as client:
        count = await client.count()
        await client.ping()
        keys = await client.keys()
        assert keys is not None
        assert await client.get_many([*keys, b"nope", "不".encode()]) == [
            *[contents()[key.decode()] for key in keys],
            None,
            None,
        ]
        assert not await client.check([b"nope"])
        assert await client.present([b"nope", b"bin"]) == [False, True]
        assert await client.count() == count
    assert store.tell({"state": True}) == before
    assert before["count"] == count


async def test_long_values_can_be_left_out(store: RealStore) -> None:
    async with store.client() as client:
        assert await client.get_short([b"bin", b"big", b"esc"], 100) == [
            contents()["bin"],
            Oversized(1_048_576),
            contents()["esc"],
        ]


class _HastyClient(StoreClient):
    """Believes once that every key is there, as if keys went away right after they were checked."""

    hasty = True

    async def _present(self, connection: StoreConnection, keys: Sequence[bytes]) -> list[bool]:
        there = await super()._present(connection, keys)
        if self.hasty:
            self.hasty = False
            return [True] * len(keys)
        return there


@pytest.mark.parametrize("asked", [["bin", "gone", "esc"], ["gone"], ["empty", "gone", "also gone", "bin"]])
async def test_a_key_that_goes_away_does_not_hold_up_the_rest(store: RealStore, asked: list[str]) -> None:
    async with _HastyClient("127.0.0.1", store.port, timeout_s=TIMEOUT_S) as client:
        assert await client.get_many([key.encode() for key in asked]) == [contents().get(key) for key in asked]
    assert not set(store.tell({"state": True})["keys"]) & {"gone", "also gone"}


async def test_a_deleted_key_is_none(store: RealStore) -> None:
    store.set({"short-lived": b"1"})
    async with store.client() as client:
        assert await client.get_many([b"short-lived"]) == [b"1"]
        store.tell({"delete": ["short-lived"]})
        assert await client.get_many([b"short-lived"]) == [None]


async def test_the_registry_of_a_job(store: RealStore) -> None:
    async with store.client() as client:
        registry = await read_registry(client, world_size=None, ranks=None, address_map=AddressMap())
    assert registry.world_size == 6
    assert [address.registered for address in registry.addresses] == [
        "http://gpu_node_07:41234",
        "http://[fd00::7]:41235",
        "",
        "http://gpu_node_08:41236",
        "",
        "",
    ]


@pytest.mark.parametrize("backend", ["libuv", "plain"])
async def test_a_large_job(backend: str) -> None:
    ranks = {f"debug_server/rank{rank}": b"http://node-%d:4%04d" % (rank // 8, rank) for rank in range(4_096)}
    with real_store(backend) as store:
        store.set(ranks)
        async with store.client() as client:
            registry = await read_registry(client, world_size=None, ranks=None, address_map=AddressMap())
    assert [address.registered.encode() for address in registry.addresses] == list(ranks.values())


async def test_a_store_that_has_ended_says_so() -> None:
    with real_store("libuv") as store:
        async with store.client() as client:
            await client.ping()
            store.end()
            with pytest.raises(StoreError) as closed:
                await client.count()
            with pytest.raises(StoreError) as refused:
                await client.count()
    assert closed.value.kind is StoreFault.CLOSED
    assert refused.value.kind is StoreFault.REFUSED
