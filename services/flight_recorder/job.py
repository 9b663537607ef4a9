"""All dumps of one look at a job as columns over the entries of all ranks."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..ranksets import RankSet
from .groups import Groups, JobGroup, find_groups
from .interning import Interned
from .operations import Kind, Operation, operation
from .status_groups import Counters, counters_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from .columns import Dtypes, Shapes, Splits
    from .dump import Dump

__all__ = ["Job", "JobColumns", "build_job"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class JobColumns:
    """One row for each entry of each dump, in the order of the ranks, then of recording. Unnamed: as in `Entries`."""

    dump: NDArray[np.int32]
    """Index into `Job.dumps`."""
    row: NDArray[np.int32]
    """Row in that dump's entries."""
    rank: NDArray[np.int32]
    group: NDArray[np.int32]
    """Index into `Job.groups`."""
    operation: NDArray[np.int32]
    """Index into `Job.operations`."""
    input_shapes: NDArray[np.int32]
    output_shapes: NDArray[np.int32]
    input_dtypes: NDArray[np.int32]
    output_dtypes: NDArray[np.int32]
    splits: NDArray[np.int32]
    collective_seq: NDArray[np.uint64]
    p2p_seq: NDArray[np.uint64]
    op_id: NDArray[np.uint64]
    created: NDArray[np.int64]
    started: NDArray[np.int64]
    completed: NDArray[np.int64]
    timeout_ms: NDArray[np.int64]
    state: NDArray[np.int8]
    retired: NDArray[np.bool_]
    is_p2p: NDArray[np.bool_]
    current: NDArray[np.bool_]
    """False for entries of an earlier group of the same name on that rank (a restart inside the process)."""

    def __len__(self) -> int:
        return len(self.rank)


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One look at a job as its flight recorders know it."""

    dumps: tuple[Dump, ...]
    """One for each rank that has one, by rank."""
    columns: JobColumns
    group_map: Groups
    counters: Mapping[int, Mapping[int, Counters]]
    """By rank and group index."""
    operations: tuple[Operation, ...]
    shapes: tuple[Shapes, ...]
    dtypes: tuple[Dtypes, ...]
    splits: tuple[Splits, ...]
    world: RankSet
    """Every rank that is known to belong to the job."""
    unreadable: Mapping[int, str] = field(default_factory=dict)
    """Ranks whose dump could not be read or fetched, and why."""

    @property
    def groups(self) -> tuple[JobGroup, ...]:
        return self.group_map.table

    @property
    def ranks(self) -> RankSet:
        """Ranks that have a dump."""
        return RankSet(dump.rank for dump in self.dumps)

    @property
    def absent(self) -> RankSet:
        """Ranks of the job without a dump."""
        return self.world - self.ranks

    def dump_of(self, rank: int) -> Dump | None:
        """The dump of a rank, None when it has none."""
        at = bisect_left(self.dumps, rank, key=lambda dump: dump.rank)
        return self.dumps[at] if at < len(self.dumps) and self.dumps[at].rank == rank else None


def build_job(
    dumps: Iterable[Dump],
    *,
    world_size: int | None = None,
    sizes: Mapping[str, int] | None = None,
    unreadable: Mapping[int, str] | None = None,
) -> Job:
    """Join the dumps of a look.

    `sizes` gives members of groups by name as the store knows them, `unreadable` the ranks that have no dump and why.

    Raises:
        ValueError: two dumps of one rank; which of them counts is for the caller to say (`loading.pick`).
    """
    ordered = tuple(sorted(dumps, key=lambda dump: dump.rank))
    ranks = [dump.rank for dump in ordered]
    if len(set(ranks)) != len(ranks):
        raise ValueError("two dumps of one rank")
    groups = find_groups(ordered, world_size, sizes)
    world = RankSet(ranks) | RankSet.full(world_size or 0) | RankSet(unreadable or ())
    for group in groups.table:
        world |= group.members
    operations: Interned[Operation] = Interned(operation)
    shapes: Interned[Shapes] = Interned(tuple)
    dtypes: Interned[Dtypes] = Interned(tuple)
    splits: Interned[Splits] = Interned(lambda pair: pair)
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in JobColumns.__slots__}
    for index, dump in enumerate(ordered):
        entries = dump.entries
        count = len(entries)
        tables = entries.tables
        labels = np.array(groups.of_label[dump.rank], dtype=np.int32)
        parts["dump"].append(np.full(count, index, dtype=np.int32))
        parts["row"].append(np.arange(count, dtype=np.int32))
        parts["rank"].append(np.full(count, dump.rank, dtype=np.int32))
        parts["group"].append(labels[entries.group] if count else entries.group)
        parts["operation"].append(_renumbered(entries.name, tables.names, operations))
        parts["input_shapes"].append(_renumbered(entries.input_shapes, tables.shapes, shapes))
        parts["output_shapes"].append(_renumbered(entries.output_shapes, tables.shapes, shapes))
        parts["input_dtypes"].append(_renumbered(entries.input_dtypes, tables.dtypes, dtypes))
        parts["output_dtypes"].append(_renumbered(entries.output_dtypes, tables.dtypes, dtypes))
        parts["splits"].append(_renumbered(entries.splits, tables.splits, splits))
        parts["current"].append(_current(entries.group, entries.pg_id, len(labels)))
        for name in _COPIED:
            parts[name].append(getattr(entries, name))
    columns = JobColumns(**{name: _joined(arrays, name) for name, arrays in parts.items()})
    return Job(
        dumps=ordered,
        columns=columns,
        group_map=groups,
        counters=MappingProxyType(counters_of(ordered, groups)),
        operations=tuple(operations.values),
        shapes=tuple(shapes.values),
        dtypes=tuple(dtypes.values),
        splits=tuple(splits.values),
        world=world,
        unreadable=MappingProxyType(dict(unreadable or {})),
    )


_COPIED = (
    *("collective_seq", "p2p_seq", "op_id", "created", "started", "completed"),
    *("timeout_ms", "state", "retired", "is_p2p"),
)
_EMPTY = {"current": np.bool_, "retired": np.bool_, "is_p2p": np.bool_, "state": np.int8} | dict.fromkeys(
    ("collective_seq", "p2p_seq", "op_id"), np.uint64
)


def _joined(arrays: Sequence[NDArray[Any]], name: str) -> NDArray[Any]:
    if arrays:
        return np.concatenate(arrays)
    return np.empty(0, dtype=_EMPTY.get(name, np.int64 if name in _COPIED else np.int32))


def _renumbered(column: NDArray[np.int32], values: Sequence[Hashable], interned: Interned[Any]) -> NDArray[np.int32]:
    """An index column of one dump in the numbers of the job; -1 stays -1."""
    numbers = np.array([interned.number(value) for value in values] + [-1], dtype=np.int32)
    return numbers[column]


def _current(group: NDArray[np.int32], pg_id: NDArray[np.uint64], labels: int) -> NDArray[np.bool_]:
    last = np.zeros(labels, dtype=np.uint64)
    last[group] = pg_id
    return np.asarray(pg_id == last[group], dtype=np.bool_)


def of_kind(operations: Sequence[Operation], *kinds: Kind) -> NDArray[np.bool_]:
    """For each operation of the job: whether it is of one of these kinds."""
    return _told(operations, lambda op: op.kind in kinds)


def _told(operations: Sequence[Operation], fits: Callable[[Operation], bool]) -> NDArray[np.bool_]:
    return np.array([fits(op) for op in operations], dtype=np.bool_)
