"""What the names of a store's keys say about the job (spec: tcpstore.md; observed on torch 2.13 and its launcher).

- `debug_server/rank<r>`: the URL of rank r's worker server. Behind a prefix too: the plain key goes before those with
  a prefix, and of these the one with the highest numbers is taken (`attempt_2` before `attempt_1`).
- `<run>/torchelastic/assigned_ranks/<node>`: JSON `[first rank, world size, ...]`, and `.../role_info/<node>`: JSON
  with `local_world_size`. The launcher writes them anew, under a higher number, in each round.
- `torch.rendezvous.<run>.<round>/MASTER_ADDR` and `MASTER_PORT`: in a store of the launcher, where the job's own is.
- `default_pg/<n>//cpu//<m>/<r>`: rank r's address in the default Gloo group; only its name counts here.
- `default_pg/<n>//<name>//cpu//<m>/<i>`: the address of member i of the Gloo group of that name: how many it has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MAX_WORLD", "JobKeys", "read_key_names"]

MAX_WORLD = 131_072
"""Ranks of a job that are shown; a key for a higher one is left out, and said."""

_NAME_LIMIT = 256
"""Bytes of a group's name that are taken for one."""
_RANK = re.compile(rb"(?:(.*)/)?debug_server/rank(0|[1-9][0-9]*)", re.DOTALL)
_LAUNCHER = re.compile(rb"(?:(.*)/)?torchelastic/(assigned_ranks|role_info)/[0-9]+", re.DOTALL)
_MASTER = re.compile(rb"(torch\.rendezvous\..*)/MASTER_PORT", re.DOTALL)
_GLOO = re.compile(rb"(?:.*/)?default_pg/[0-9]+//cpu//[0-9]+/(0|[1-9][0-9]*)", re.DOTALL)
_GLOO_GROUP = re.compile(rb"(?:.*/)?default_pg/[0-9]+//([^/]+)//cpu//[0-9]+/(0|[1-9][0-9]*)", re.DOTALL)
_NUMBER = re.compile(rb"([0-9]+)")


@dataclass(slots=True)
class JobKeys:
    """The keys of one job."""

    ranks: dict[int, bytes] = field(default_factory=dict)
    """Key of each rank's address."""
    prefixes: set[bytes] = field(default_factory=set)
    """Prefixes under which ranks have registered."""
    beyond: list[str] = field(default_factory=list)
    """A few of the ranks that are too high to be true."""
    beyond_count: int = 0
    """How many of those there are."""
    assigned_ranks: list[bytes] = field(default_factory=list)
    """Keys of the launcher's newest round."""
    role_info: list[bytes] = field(default_factory=list)
    master: bytes | None = None
    """Prefix whose MASTER_ADDR and MASTER_PORT say where the job's store is, in a store of the launcher."""
    joined: int = 0
    """One more than the highest rank that has joined the default Gloo group."""
    group_sizes: dict[str, int] = field(default_factory=dict)
    """Number of members of each other Gloo group, by its name."""


def read_key_names(keys: Iterable[bytes]) -> JobKeys:
    """Sort out the keys of a store, given without the slash before them. Keys of other kinds are passed over."""
    job = JobKeys()
    ranks: dict[bytes, dict[int, bytes]] = {}
    rounds: dict[bytes, dict[bytes, list[bytes]]] = {}
    masters: list[bytes] = []
    for key in keys:
        if match := _RANK.fullmatch(key):
            if _believed(match[2]):
                ranks.setdefault(match[1] or b"", {})[int(match[2])] = key
            else:
                job.beyond_count += 1
                job.beyond = [*job.beyond, match[2][:24].decode()][:3]
        elif match := _LAUNCHER.fullmatch(key):
            kinds = rounds.setdefault(match[1] or b"", {b"assigned_ranks": [], b"role_info": []})
            kinds[match[2]].append(key)
        elif match := _MASTER.fullmatch(key):
            masters.append(match[1])
        elif (match := _GLOO.fullmatch(key)) and _believed(match[1]):
            job.joined = max(job.joined, int(match[1]) + 1)
        elif (match := _GLOO_GROUP.fullmatch(key)) and _believed(match[2]) and len(match[1]) <= _NAME_LIMIT:
            name = match[1].decode("utf-8", errors="replace")
            job.group_sizes[name] = max(job.group_sizes.get(name, 0), int(match[2]) + 1)
    for prefix in sorted(ranks, key=_age):
        job.ranks |= ranks[prefix]
    job.prefixes = set(ranks)
    if rounds:
        newest = rounds[max(rounds, key=_age)]
        job.assigned_ranks, job.role_info = newest[b"assigned_ranks"], newest[b"role_info"]
    job.master = max(masters, key=_age, default=None)
    return job


def _believed(rank: bytes) -> bool:
    return len(rank) < 10 and int(rank) < MAX_WORLD


def _age(prefix: bytes) -> tuple[bool, list[tuple[int, bytes]]]:
    """Sorts prefixes from the oldest to the newest: by their numbers as numbers; none at all is the newest."""
    pieces = _NUMBER.split(prefix[:1024])
    return not prefix, [
        (int(piece), b"") if index % 2 and len(piece) < 20 else (-1, piece) for index, piece in enumerate(pieces)
    ]
