"""What the simulated job has written into its store: the keys that a real job under torchrun leaves there."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence

from .scenarios import RANKS_PER_HOST

__all__ = ["StoreKeys"]

_GLOO = "/default_pg/0//cpu//0/"


class StoreKeys(Mapping[bytes, bytes]):
    """The store of a job; values that grow with the number of ranks are made when they are asked for."""

    def __init__(self, addresses: Sequence[str | None]) -> None:
        """
        Args:
            addresses: for each rank the URL it has registered, or None.
        """
        world_size = len(addresses)
        self._world_size = world_size
        self._fixed: dict[bytes, bytes] = {b"init/": str(world_size).encode()}
        for rank, url in enumerate(addresses):
            if url is not None:
                self._fixed[f"/debug_server/rank{rank}".encode()] = url.encode()
        for node, first in enumerate(range(0, world_size, RANKS_PER_HOST)):
            local = min(RANKS_PER_HOST, world_size - first)
            role = {"role": "default", "rank": node, "local_world_size": local}
            self._fixed[f"/none/torchelastic/role_info/{node}".encode()] = json.dumps(role).encode()
            ranks = [first, world_size, first, world_size]
            self._fixed[f"/none/torchelastic/assigned_ranks/{node}".encode()] = json.dumps(ranks).encode()
        self._gloo = {f"{_GLOO}{rank}".encode(): rank for rank in range(world_size)}

    def __getitem__(self, key: bytes) -> bytes:
        if key in self._gloo:
            return _rendezvous(self._gloo[key], self._world_size)
        return self._fixed[key]

    def __contains__(self, key: object) -> bool:
        return key in self._fixed or key in self._gloo

    def __iter__(self) -> Iterator[bytes]:
        yield from self._fixed
        yield from self._gloo

    def __len__(self) -> int:
        return len(self._fixed) + len(self._gloo)


def _rendezvous(rank: int, world_size: int) -> bytes:
    """A binary value like Gloo's: a host name, an address, one sequence number for each peer."""
    host = f"node-{rank // RANKS_PER_HOST:03d}".encode()
    address = b"\x02\x00" + struct.pack(">H", 32768 + rank % 28000) + bytes([127, 0, 0, 1]) + b"\xff" * 120
    peers = struct.pack(f"<{world_size}q", *range(-1, world_size - 1))
    return struct.pack("<Q", len(host)) + host + struct.pack("<Q", len(address) + 8) + address + peers
