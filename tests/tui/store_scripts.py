"""A store behind the scripted engine: it answers what a real one would, at once."""

from __future__ import annotations

import pickle
import struct
from dataclasses import replace
from typing import TYPE_CHECKING

from xpudbg.services import events
from xpudbg.services.store_browse import events as store_events
from xpudbg.services.store_browse import orders
from xpudbg.services.store_browse.values import StoreValue

from .scripted import NOW, SECOND, look, opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["WHERE", "ScriptedStore", "job_keys", "store_job"]

WHERE = "head-0:29500"
READ_AT = NOW + SECOND


def job_keys(size: int = 4) -> dict[bytes, bytes]:
    """What a job leaves in its store, and things that are not nice."""
    held: dict[bytes, bytes] = {}
    for rank in range(size):
        held[b"debug_server/rank%d" % rank] = b"http://node-%03d:%d" % (rank // 8, 25000 + rank % 8)
        held[b"default_pg/0//cpu//0/%d" % rank] = struct.pack("<Q", 8) + b"node-000" + bytes(range(120))
    held[b"none/torchelastic/assigned_ranks/0"] = b"[0, %d, 0, %d]" % (size, size)
    held[b"none/torchelastic/role_info/0"] = b'{"role": "default", "rank": 0, "local_world_size": %d}' % size
    held[b"odd/pickled"] = pickle.dumps({"step": 3}, protocol=4)
    held[b"odd/big"] = b"A" * 600_000
    held["odd/[/x]\x1b[2J\n键".encode()] = "[bold]no markup[/] \u202e".encode()
    return held


class ScriptedStore:
    """Answers orders from `held`."""

    def __init__(self, held: Mapping[bytes, bytes]) -> None:
        self.held = dict(held)
        self.gone: set[bytes] = set()
        """Keys that are listed and no longer there."""
        self.failure = ""
        self.read_at = READ_AT
        self.deaf = False
        """Whether values do not come for now."""

    def __call__(self, order: orders.StoreOrder) -> Iterator[events.Event]:
        match order:
            case orders.ListKeys():
                yield store_events.StoreReading()
                if self.failure:
                    yield store_events.StoreRefused(self.failure, "is it up?")
                else:
                    keys = tuple(sorted(self.held))
                    yield store_events.StoreListed(store_events.StoreListing(keys, len(keys) + 1, self.read_at))
            case orders.ReadValues() if not self.deaf:
                yield store_events.StoreValuesRead(tuple(self._value(key, order.limit) for key in order.keys))
            case orders.SearchValues():
                hits = tuple(key for key in order.keys if order.search.fits(self.held[key]))
                total = len(order.keys)
                yield store_events.StoreSearched(order.search, hits, total, total, done=True)
            case orders.ExportValue():
                yield store_events.StoreSaid("the value is in a file")

    def _value(self, key: bytes, limit: int) -> StoreValue:
        if key in self.gone:
            return StoreValue(key, read_at=self.read_at, gone=True)
        value = self.held[key]
        return StoreValue(key, value[:limit], len(value), self.read_at)


def store_job(size: int = 4, *, store: str = WHERE) -> list[events.Event]:
    """A job of a store, opened and looked at once."""
    return [events.TargetOpening(f"store {WHERE}"), replace(opened(size), store=store), *look(1, size)]
