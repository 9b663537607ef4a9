"""Dump files read into looks: what could be read, what not and why, and which dumps belong to which look.

Reading and decoding one file is a function of its own, so that an executor (threads, processes, a cluster) can run it
where it likes.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ..ranksets import RankSet
from .decode import MAX_BYTES, decode
from .dump import DumpError
from .files import DumpFile, Skipped
from .runs import of_one_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from concurrent.futures import Executor

    from .dump import Dump
    from .files import Found

__all__ = ["Loaded", "load", "looks_of", "read_file"]


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """What came of a set of files."""

    dumps: tuple[Dump, ...]
    """All that could be read, by rank, then time: several of one rank are looks, or come from several hosts."""
    unreadable: Mapping[int, str]
    """Ranks of which no file could be read, with the reason of the first."""
    failed: tuple[Skipped, ...]
    """Files named like dumps that are none, and why."""
    skipped: tuple[Skipped, ...]
    """Other files that lie beside them."""
    notes: tuple[str, ...]
    """One plain line for each rank that comes from several hosts or several runs."""
    mixed: RankSet = field(default_factory=RankSet)
    """These ranks: which of their dumps belong to the others is not sure."""

    @property
    def partial(self) -> bool:
        return bool(self.failed)


def read_file(file: DumpFile) -> Dump:
    """The dump in a file.

    Raises:
        DumpError: it cannot be read, or is no dump.
    """
    try:
        status = file.path.stat()
        if status.st_size > MAX_BYTES:
            raise DumpError(f"{status.st_size:,} bytes; a dump of more than {MAX_BYTES:,} is not read")
        data = file.path.read_bytes()
    except OSError as error:
        raise DumpError(f"cannot be read: {error.strerror or error}") from None
    dump = decode(data, file.rank)
    return replace(
        dump,
        source=file.path.name,
        host=file.named.host,
        taken_at=file.named.taken_at or newest_instant(dump) or status.st_mtime_ns,
    )


def newest_instant(dump: Dump) -> int | None:
    """The newest time in a dump, ns since the epoch; None when it has none."""
    entries = dump.entries
    if not len(entries):
        return None
    return max(int(entries.created.max()), int(entries.started.max()), int(entries.completed.max())) or None


def load(found: Found, executor: Executor | None = None) -> Loaded:
    """Read all files that were found; those that fail are told, the others count all the same."""
    dumps: list[Dump] = []
    failed: list[tuple[DumpFile, str]] = []
    skipped = list(found.skipped)
    results = map(_read_or_reason, found.files) if executor is None else executor.map(_read_or_reason, found.files)
    for file, result in zip(found.files, results, strict=True):
        if not isinstance(result, str):
            dumps.append(result)
        elif file.named.plain:
            failed.append((file, result))
        else:
            skipped.append(Skipped(file.path, result))
    dumps.sort(key=lambda dump: (dump.rank, dump.taken_at or 0, dump.host))
    readable = {dump.rank for dump in dumps}
    unreadable: dict[int, str] = {}
    for file, reason in failed:
        if file.rank not in readable:
            unreadable.setdefault(file.rank, reason)
    return Loaded(
        dumps=tuple(dumps),
        unreadable=unreadable,
        failed=tuple(Skipped(file.path, reason) for file, reason in failed),
        skipped=tuple(skipped),
        notes=(*_hosts_of_one_rank(dumps), *_runs_of_one_rank(dumps)),
        mixed=RankSet(rank for rank, known in _newest_first(dumps).items() if not _is_one_run(known)),
    )


def _read_or_reason(file: DumpFile) -> Dump | str:
    try:
        return read_file(file)
    except DumpError as error:
        return str(error)


def _hosts_of_one_rank(dumps: Iterable[Dump]) -> tuple[str, ...]:
    hosts: dict[int, set[str]] = defaultdict(set)
    for dump in dumps:
        hosts[dump.rank].add(dump.host)
    return tuple(
        f"rank {rank} has dumps from {len(named)} hosts: {', '.join(sorted(map(repr, named)))}; the newest is judged"
        for rank, named in sorted(hosts.items())
        if len(named) > 1
    )


def _newest_first(dumps: Iterable[Dump]) -> dict[int, list[Dump]]:
    by_rank: dict[int, list[Dump]] = defaultdict(list)
    for dump in sorted(dumps, key=lambda dump: (dump.taken_at or 0, dump.host), reverse=True):
        by_rank[dump.rank].append(dump)
    return by_rank


def _is_one_run(newest_first: Sequence[Dump]) -> bool:
    return all(of_one_run(older, newer) for newer, older in pairwise(newest_first))


def _runs_of_one_rank(dumps: Iterable[Dump]) -> tuple[str, ...]:
    mixed = RankSet(
        rank
        for rank, known in _newest_first(dumps).items()
        if len({dump.host for dump in known}) == 1 and not _is_one_run(known)
    )
    if not mixed:
        return ()
    word = "rank" if len(mixed) == 1 else "ranks"
    return (f"{word} {mixed}: dumps of several runs lie together; the newest is judged",)


def looks_of(dumps: Sequence[Dump]) -> tuple[tuple[Dump, ...], ...]:
    """Dumps of the same ranks sorted into looks, the earliest first; in each at most one dump of a rank.

    The last look has the newest dump of every rank, the one before the next newest, and so on. A look of fewer ranks
    than half of the last is left out: a stray older file says nothing about motion. Dumps of one rank from several
    hosts or several runs are no looks of one process: only those count that the newest goes on from.
    """
    by_rank: dict[int, list[Dump]] = {}
    for rank, known in _newest_first(dumps).items():
        kept = by_rank[rank] = known[:1]
        kept += [dump for dump in known[1:] if of_one_run(dump, known[0])]
    depth = max(map(len, by_rank.values()), default=0)
    ranked = [known for _, known in sorted(by_rank.items())]
    looks = [tuple(known[place] for known in ranked if len(known) > place) for place in range(depth)]
    return tuple(look for look in reversed(looks) if 2 * len(look) >= len(looks[0]))
