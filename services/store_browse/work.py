"""Reads a store for its screen, on the engine's event loop. Reads only: it never creates a key, never waits for one."""

from __future__ import annotations

import asyncio
import re
import time
from functools import partial
from typing import TYPE_CHECKING

from ..cluster.store import Oversized, StoreClient, StoreError, StoreFault
from ..cluster.store_wire import MAX_KEY
from ..sizes import size_text
from . import events, orders
from .values import EXPORT_LIMIT, PREVIEW_LIMIT, StoreValue, key_text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from ..targets import StoreTarget

__all__ = ["LIST_LIMIT", "StoreWork"]

LIST_LIMIT = 200_000
"""Keys of a store that are listed; of one with more, well-known names are looked for."""
_TOGETHER = 32
"""Values in one exchange; between two of them others get their turn."""
_SEARCH_LIMIT = 64 * 1024
"""Bytes of each value that a search looks at."""
_LIST_S = 10.0
"""Seconds that listing many keys may take at least."""
_TOLD_S = 0.2
"""Seconds between two reports of a search."""
_TRIES = 1_000


class StoreWork:
    """One store, as long as its target is open."""

    def __init__(
        self,
        store: StoreTarget,
        world_size: Callable[[], int],
        timeout_s: float,
        emit: Callable[[events.StoreEvent], None],
        failed: Callable[[str, BaseException], None],
    ) -> None:
        """
        Args:
            store: where it is.
            world_size: number of ranks of the job, as far as is known.
            timeout_s: seconds that one exchange may take.
            emit: takes every event.
            failed: told of defects of xpudbg.
        """
        self._world_size = world_size
        self._emit = emit
        self._failed = failed
        self._values = StoreClient(store.host, store.port, timeout_s=timeout_s)
        self._keys = StoreClient(store.host, store.port, timeout_s=max(timeout_s, _LIST_S))
        self._tasks: set[asyncio.Task[None]] = set()
        self._listing: asyncio.Task[None] | None = None
        self._search: asyncio.Task[None] | None = None

    def carry_out(self, order: orders.StoreOrder) -> None:
        """Begin what is wanted; events follow."""
        match order:
            case orders.ListKeys():
                if self._listing is None or self._listing.done():
                    self._listing = self._begin("listing the store's keys", self._list)
            case orders.ReadValues():
                self._begin("reading values of the store", partial(self._read, order.keys, order.limit))
            case orders.SearchValues():
                self._end_search()
                self._search = self._begin("searching the store", partial(self._look_for, order))
            case orders.EndSearch():
                self._end_search()
            case orders.ExportValue():
                self._begin("exporting a value of the store", partial(self._export, order.key, order.folder))

    async def close(self) -> None:
        """End everything and close the connections."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(set(self._tasks))
        await self._keys.close()
        await self._values.close()

    def _begin(self, doing: str, work: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        async def run() -> None:
            try:
                await work()
            except Exception as error:
                self._failed(doing, error)

        task = asyncio.get_running_loop().create_task(run(), name=doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _end_search(self) -> None:
        if self._search is not None:
            self._search.cancel()

    # keys -----------------------------------------------------------------------------------------------------

    async def _list(self) -> None:
        self._emit(events.StoreReading())
        try:
            listing = await self._listed()
        except StoreError as error:
            self._emit(events.StoreRefused(str(error), error.hint))
        else:
            self._emit(events.StoreListed(listing))
        finally:
            await self._keys.close()

    async def _listed(self) -> events.StoreListing:
        count = await self._keys.count()
        note, keys = "", None
        if count > LIST_LIMIT:
            note = f"the store holds {count:,} keys, more than are listed"
        else:
            keys = await self._keys.keys()
            note = "the store can't list its keys (an older torch)" if keys is None else ""
        if keys is None:
            names = _well_known(self._world_size())
            there = await self._keys.present(names)
            keys = sorted(name for name, is_there in zip(names, there, strict=True) if is_there)
            note += f": {len(names):,} well-known names were looked for"
        return events.StoreListing(tuple(keys), count, time.time_ns(), note)

    # values ---------------------------------------------------------------------------------------------------

    async def _read(self, keys: Sequence[bytes], limit: int) -> None:
        for start in range(0, len(keys), _TOGETHER):
            self._emit(events.StoreValuesRead(await self._together(keys[start : start + _TOGETHER], limit)))

    async def _together(self, keys: Sequence[bytes], limit: int) -> tuple[StoreValue, ...]:
        """The values of these keys; one that can't be read says why, and the others come all the same."""
        short = [key for key in keys if len(key) <= MAX_KEY]
        values = {
            key: StoreValue(key, error=f"its name has {len(key):,} bytes; a store takes {MAX_KEY:,} in a question")
            for key in keys
            if len(key) > MAX_KEY
        }
        try:
            got = await self._values.get_short(short, limit) if short else []
        except StoreError as error:
            if error.kind in (StoreFault.TOO_LARGE, StoreFault.CLOSED) and len(short) > 1:  # perhaps one of them is why
                one_by_one = [await self._together([key], limit) for key in short]
                return (*values.values(), *(value for part in one_by_one for value in part))
            return (*values.values(), *(StoreValue(key, error=str(error), read_at=time.time_ns()) for key in short))
        values |= {key: _value(key, one, time.time_ns()) for key, one in zip(short, got, strict=True)}
        return tuple(values.values())

    async def _look_for(self, order: orders.SearchValues) -> None:
        search, keys = order.search, order.keys
        hits: list[bytes] = []
        cut, told = 0, time.monotonic()
        for start in range(0, len(keys), _TOGETHER):
            values = await self._together(keys[start : start + _TOGETHER], _SEARCH_LIMIT)
            error = next((value.error for value in values if value.error and value.read_at), "")
            cut += sum(1 for value in values if not value.whole)
            hits += [value.key for value in values if value.readable and search.fits(value.head)]
            if error and all(value.error for value in values):
                self._emit(events.StoreSearched(search, tuple(hits), start, len(keys), True, cut, error))
                return
            if time.monotonic() - told >= _TOLD_S:
                told = time.monotonic()
                read = min(start + _TOGETHER, len(keys))
                self._emit(events.StoreSearched(search, tuple(hits), read, len(keys), cut=cut))
        self._emit(events.StoreSearched(search, tuple(hits), len(keys), len(keys), done=True, cut=cut))

    async def _export(self, key: bytes, folder: Path) -> None:
        (value,) = await self._together([key], PREVIEW_LIMIT)
        if value.readable and PREVIEW_LIMIT < value.length <= EXPORT_LIMIT:
            (value,) = await self._together([key], EXPORT_LIMIT)
        if value.length > EXPORT_LIMIT:
            said = f"{size_text(value.length)}, of a value {size_text(EXPORT_LIMIT)} are read at most"
            self._emit(events.StoreSaid(f"not exported: it has {said}"))
            return
        if not value.readable:
            self._emit(events.StoreSaid(f"not exported: {value.error or 'the key is gone'}"))
            return
        try:
            path = await asyncio.to_thread(_write_new, folder, _file_name(key), value.head)
        except OSError as error:
            self._emit(events.StoreSaid(f"not exported: {error.strerror or error}"))
        else:
            self._emit(events.StoreSaid(f"the {size_text(value.length)} of {key_text(key, 60)} are in {path}"))


def _value(key: bytes, got: bytes | Oversized | None, read_at: int) -> StoreValue:
    if got is None:
        return StoreValue(key, read_at=read_at, gone=True)
    if isinstance(got, Oversized):
        return StoreValue(key, got.head, got.length, read_at)
    return StoreValue(key, got, len(got), read_at)


def _well_known(world_size: int) -> list[bytes]:
    """Names that keys of a job have, for stores that don't list them."""
    names = [b"none/torchelastic/assigned_ranks/0", b"none/torchelastic/role_info/0", b"default_pg/0//cuda//0"]
    names += [b"MASTER_ADDR", b"MASTER_PORT", b"store_based_barrier_key:1", b"store_based_barrier_key:1:last_worker"]
    for rank in range(world_size):
        names += [b"debug_server/rank%d" % rank, b"default_pg/0//cpu//0/%d" % rank]
    return names


def _file_name(key: bytes) -> str:
    named = re.sub(r"[^A-Za-z0-9_.]+", "-", key.decode("ascii", "ignore")).strip("-.")[-80:] or "key"
    return f"xpudbg-store-{named}.bin"


def _write_new(folder: Path, name: str, data: bytes) -> Path:
    """Write a file that was not there; when there is one of that name, `-2`, `-3` ... goes before the suffix."""
    stem, _, suffix = name.rpartition(".")
    for number in range(1, _TRIES):
        path = folder / (name if number == 1 else f"{stem}-{number}.{suffix}")
        try:
            with path.open("xb") as file:
                file.write(data)
        except FileExistsError:
            continue
        return path
    raise FileExistsError(f"{name} and {_TRIES - 1} more are there already")
