"""From a job's store to the addresses of its ranks (spec: tcpstore.md)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import msgspec

from ..addressing.addresses import parse_worker
from ..plain_text import plain
from ..ranksets import RankSet, ranks_said
from ..snapshot import RankAddress
from ..targets import TargetError
from .store import MAX_KEYS, Oversized, StoreError, StoreFault
from .store_keys import MAX_WORLD, JobKeys, read_key_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..addressing.addresses import AddressMap
    from .store import StoreClient

__all__ = ["Registry", "read_registry"]

ADDRESS_LIMIT = 2_048
"""Bytes of a registered address; a longer value is none."""
GAP = 512
"""Where keys can't be listed: ranks without a key after which no further rank is looked for."""

_SLICE = 1_024
"""Ranks whose addresses are read in one operation."""
_NODES = 16_384
"""Keys of the launcher that are read."""
_LAUNCHER_LIMIT = 4_096
_PLAIN_KEY = b"debug_server/rank%d"
_ELASTIC_KEY = b"none/torchelastic/assigned_ranks/0"
"""What the launcher writes when it is given no run id."""


class _RoleInfo(msgspec.Struct):
    local_world_size: int


@dataclass(frozen=True, slots=True)
class Registry:
    """The ranks of a job and where each one's worker server is."""

    world_size: int
    addresses: tuple[RankAddress, ...]
    """One for each rank that is looked at, ascending; those that have not registered included."""
    notes: tuple[str, ...] = ()
    """What a person should know about them, one plain line each."""
    launcher: bool = False
    """A launcher has written to the store, and holds it then; without one rank 0 does."""
    group_sizes: Mapping[str, int] = field(default_factory=dict)
    """Number of members of Gloo groups other than the default one, by name."""

    @classmethod
    def of(
        cls,
        workers: Mapping[int, RankAddress],
        world_size: int,
        wanted: RankSet | None,
        address_map: AddressMap,
        notes: Iterable[str] = (),
    ) -> Registry:
        """The registry for known addresses: ranks without one filled in, --ranks and --map applied.

        Raises:
            TargetError: none of the wanted ranks is one of the job's.
        """
        said = list(notes)
        chosen = RankSet.full(world_size)
        if wanted is not None:
            beyond = wanted - chosen
            chosen = chosen & wanted
            if not chosen:
                raise TargetError(
                    f"--ranks {wanted}: the job has ranks 0-{world_size - 1} only",
                    hint="give other ranks with --ranks, or the true number with --world-size",
                )
            if beyond:
                said.append(f"--ranks {beyond}: the job has ranks 0-{world_size - 1} only")
            if len(chosen) < world_size:
                said.append(f"only ranks {chosen} of the job's {world_size:,} are asked (--ranks)")
        addresses = [_mapped(workers.get(rank) or RankAddress(rank, "", "", ""), address_map) for rank in chosen]
        return cls(world_size, _asked_once(addresses), (*said, *_shared(addresses)))


async def read_registry(
    store: StoreClient, *, world_size: int | None, ranks: RankSet | None, address_map: AddressMap
) -> Registry:
    """Find out which ranks the job has and where their worker servers are.

    World size: the largest of the ranks that have registered, `world_size`, and what the launcher wrote.

    Args:
        store: a connected client.
        world_size: what the person says (--world-size).
        ranks: the ranks to look at (--ranks), all when None.
        address_map: --map.

    Raises:
        StoreError: the store can't be read.
        TargetError: it can, but holds nothing of a job with debug servers, or none of `ranks`.
    """
    notes: list[str] = []
    job = await _find_keys(store, world_size or 0, notes)
    launched = await _launched_size(store, job, notes)
    if not job.ranks and job.master is not None:
        await _refuse_launcher_store(store, job.master)
    believed = max(world_size or 0, launched, job.joined)
    for rank in _implausible(job.ranks, believed):
        del job.ranks[rank]
        notes.append(f"the key of rank {rank:,} is left out: nothing else speaks of a job that large")
    size = max([rank + 1 for rank in job.ranks] + [believed])
    size = min(size, MAX_WORLD)
    where = f"the store at {store.host} port {store.port}"
    if size == 0:
        raise TargetError(f"{where} answers, but no rank has registered a debug server in it", hint=_START_HINT)
    if not job.ranks:
        notes.append(f"no rank has registered a debug server: {_START_HINT}")
    notes += _about_keys(job, size, world_size, launched)
    keys = {rank: key for rank, key in job.ranks.items() if ranks is None or rank in ranks}
    made = Registry.of(await _addresses(store, keys, notes), size, ranks, address_map, notes)
    return replace(made, launcher=bool(job.assigned_ranks or job.role_info), group_sizes=job.group_sizes)


def _implausible(ranks: Iterable[int], believed: int) -> list[int]:
    """Ranks so far above all others that they would make a job of which hardly anybody has registered."""
    ordered = sorted(ranks)
    odd: list[int] = []
    while ordered and ordered[-1] >= max(believed, _GAP_FACTOR * (len(ordered) - 1) + _GAP_ROOM):
        odd.append(ordered.pop())
    return odd


_GAP_FACTOR, _GAP_ROOM = 64, 4096
"""A rank is believed below 4,096, and below 64 times the number of ranks that have registered."""

_START_HINT = (
    "each rank must call torch.distributed.debug.start_debug_server() after MASTER_ADDR and MASTER_PORT are set; "
    "--world-size N shows all ranks as not registered"
)


async def _find_keys(store: StoreClient, known: int, notes: list[str]) -> JobKeys:
    count = await store.count()
    if count > MAX_KEYS:
        notes.append(f"the store holds {count:,} keys, too many to list: ranks were looked for one by one")
        return await _probe(store, known, notes)
    try:
        keys = await store.keys()
    except StoreError as error:
        if error.kind is not StoreFault.TOO_LARGE:
            raise
        notes.append(f"the store's keys can't be listed ({error}): ranks were looked for one by one")
        return await _probe(store, known, notes)
    if keys is None:
        notes.append("the store can't list its keys (an older torch): ranks were looked for one by one")
        return await _probe(store, known, notes)
    return read_key_names(keys)


async def _probe(store: StoreClient, known: int, notes: list[str]) -> JobKeys:
    """Ask for rank after rank, up to the known world size and past it until a gap."""
    found = [_ELASTIC_KEY] if await store.check([_ELASTIC_KEY]) else []
    job = read_key_names(found)
    known = max(known, await _launched_size(store, job, []))
    for start in range(0, MAX_WORLD, GAP):
        keys = [_PLAIN_KEY % rank for rank in range(start, start + GAP)]
        there = [key for key, is_there in zip(keys, await store.present(keys), strict=True) if is_there]
        found += there
        if not there and start + GAP >= known:
            break
    if not known:
        notes.append(f"ranks behind a gap of {GAP} are not seen; --world-size says how many there are")
    return read_key_names(found)


async def _launched_size(store: StoreClient, job: JobKeys, notes: list[str]) -> int:
    """The world size as the launcher of the job wrote it, 0 when it didn't."""
    if not job.assigned_ranks and not job.role_info:
        return 0
    try:
        values = await store.get_short(job.assigned_ranks[:1] or job.role_info[:_NODES], _LAUNCHER_LIMIT)
        texts = [value for value in values if isinstance(value, bytes)]
        if job.assigned_ranks:
            assigned = [msgspec.json.decode(text, type=list[int]) for text in texts]
            sizes = [numbers[1] for numbers in assigned if len(numbers) > 1]
            size = max(sizes, default=0)
        else:
            size = sum(msgspec.json.decode(text, type=_RoleInfo).local_world_size for text in texts)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        notes.append(f"what the launcher wrote about the number of ranks can't be read: {error}")
        return 0
    if not 0 <= size <= MAX_WORLD:
        notes.append(f"the launcher's number of ranks, {size:,}, is not believed; {MAX_WORLD:,} are shown at most")
        return 0
    return size


async def _refuse_launcher_store(store: StoreClient, prefix: bytes) -> None:
    """A launcher's rendezvous store is not the job's, but says where that is."""
    values = await store.get_short([prefix + b"/MASTER_ADDR", prefix + b"/MASTER_PORT"], 256)
    host, port = (value.decode("latin-1") if isinstance(value, bytes) else "" for value in values)
    host = host.rpartition("@")[2]  # whatever stands before an @ is not shown
    if host and port.isdigit() and int(port) != store.port:
        raise TargetError(
            f"this is the launcher's rendezvous store; the job's own is at {plain(host)}:{port} from rank 0's node",
            hint=f"xpudbg {plain(host)}:{port}",
        )


def _about_keys(job: JobKeys, size: int, world_size: int | None, launched: int) -> list[str]:
    notes: list[str] = []
    if job.beyond_count:
        notes.append(
            f"{job.beyond_count:,} keys for ranks above {MAX_WORLD - 1:,} are left out, no job has so many: "
            f"{', '.join(job.beyond)}"
        )
    if len(job.prefixes) > 1:
        notes.append(
            f"ranks have registered under {len(job.prefixes):,} prefixes; "
            "of a rank's addresses the one of the latest attempt is used"
        )
    told = launched or world_size or 0
    stale = RankSet(rank for rank in job.ranks if rank >= told)
    if told and stale:
        who = "the launcher says" if launched else "--world-size says"
        notes.append(f"{who} {told:,} ranks, but {stale} have registered too: perhaps in an earlier attempt")
    if world_size is not None and world_size > size:
        notes.append(f"{size:,} ranks are shown at most, not the {world_size:,} of --world-size")
    return notes


async def _addresses(store: StoreClient, keys: Mapping[int, bytes], notes: list[str]) -> dict[int, RankAddress]:
    """The address of each rank, given its key. A rank whose key has gone away is left out."""
    ordered = sorted(keys)
    addresses: dict[int, RankAddress] = {}
    for start in range(0, len(ordered), _SLICE):
        part = ordered[start : start + _SLICE]
        try:
            values = await store.get_short([keys[rank] for rank in part], ADDRESS_LIMIT)
        except StoreError as error:
            if error.kind is not StoreFault.TOO_LARGE:
                raise
            left = ordered[start:]
            notes.append(f"the addresses of {len(left):,} ranks were not read: {error}")
            reason = f"its address was not read: {error}"
            return addresses | {rank: RankAddress(rank, "", "", "", reason) for rank in left}
        for rank, value in zip(part, values, strict=True):
            if value is not None:
                addresses[rank] = _registered(rank, value)
    odd = RankSet(rank for rank, address in addresses.items() if address.error)
    if odd:
        notes.append(f"what {ranks_said(odd, 'has', 'have')} registered is no address of a worker")
    return addresses


def _registered(rank: int, value: bytes | Oversized) -> RankAddress:
    if isinstance(value, Oversized):
        return RankAddress(rank, "", "", "", f"it registered {value.length:,} bytes, which is no address")
    try:
        worker = parse_worker(value.decode("utf-8"), scheme_needed=True)
    except UnicodeDecodeError:
        return RankAddress(rank, "", "", "", f"it registered {len(value):,} bytes that are no text")
    except TargetError as error:
        return RankAddress(rank, "", "", "", f"it registered no address: {error}")
    return RankAddress(rank, worker.shown, worker.asked, worker.endpoint.host)


def _mapped(address: RankAddress, address_map: AddressMap) -> RankAddress:
    if not address.url:
        return address
    try:
        url = address_map.apply(address.url)
    except TargetError as error:
        return replace(address, url="", error=str(error))
    return address if url == address.url else replace(address, url=url)


def _asked_once(addresses: Iterable[RankAddress]) -> tuple[RankAddress, ...]:
    """Of ranks at one URL only the lowest keeps it: the budget of requests is that of a server, not of a number."""
    first: dict[str, int] = {}
    made: list[RankAddress] = []
    for address in addresses:
        rank = first.setdefault(address.url, address.rank) if address.url else address.rank
        made.append(address if rank == address.rank else replace(address, url="", shares=rank))
    return tuple(made)


def _shared(addresses: Iterable[RankAddress]) -> list[str]:
    """Notes about ranks that are asked at the same address."""
    by_url: dict[str, list[RankAddress]] = {}
    for address in addresses:
        if address.url:
            by_url.setdefault(address.url, []).append(address)
    several = [sharing for sharing in by_url.values() if len(sharing) > 1]
    notes: list[str] = []
    for sharing in several[:5]:
        ranks = RankSet(address.rank for address in sharing)
        registered = {address.registered for address in sharing}
        if len(registered) == 1:
            why = f"have registered the same address {sharing[0].registered}: at most one of them is there"
        else:
            why = "are sent to one address by --map: at most one of them is there"
        notes.append(f"ranks {ranks} {why}")
    if len(several) > 5:
        notes.append(f"{len(several) - 5:,} more addresses are shared by several ranks")
    return notes
