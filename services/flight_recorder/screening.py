"""Which calls are worth a closer look for a mismatch: told for all calls at once, in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .operations import Kind, Rule
from .sizes import elements

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .job import Job
    from .match import Matched

__all__ = ["fingerprint", "partial_batches", "suspects"]

_FACTOR = np.int64(1_000_003)


def suspects(job: Job, matched: Matched) -> list[int]:
    """Collectives whose parts are not plainly alike, in the order of (group, sequence)."""
    columns = job.columns
    starts = matched.call_start[:-1]
    if not len(starts):
        return []
    rows = matched.part_row
    base = _bases(job)
    amounts: dict[int, int] = {}
    amount = np.array([amounts.setdefault(elements(shapes), len(amounts)) for shapes in job.shapes], dtype=np.int64)
    differs = np.zeros(len(starts), dtype=np.bool_)
    for feature in (
        base[columns.operation[rows]],
        amount[columns.input_shapes[rows]],
        amount[columns.output_shapes[rows]],
        columns.input_dtypes[rows],
        columns.output_dtypes[rows],
        _inside(job, matched, base),
    ):
        differs |= np.minimum.reduceat(feature, starts) != np.maximum.reduceat(feature, starts)
    differs |= _unbalanced(job, matched, starts)
    several = np.diff(matched.call_start) > 1
    return [int(call) for call in np.flatnonzero(differs & several & ~matched.call_p2p)]


def fingerprint(job: Job, matched: Matched, call: int) -> bytes:
    """The same for calls of one group whose parts say the same, so that one look does for all of them."""
    columns = job.columns
    parts = matched.call_start[call], matched.call_start[call + 1]
    rows = matched.order[matched.part_start[parts[0]] : matched.part_start[parts[1]]]
    said = (columns.operation, columns.input_shapes, columns.output_shapes, columns.input_dtypes, columns.output_dtypes)
    return b"".join(
        [
            int(matched.call_group[call]).to_bytes(8, "little"),
            columns.rank[rows].tobytes(),
            columns.splits[rows].tobytes(),
            *(column[rows].tobytes() for column in said),
        ]
    )


def partial_batches(job: Job, matched: Matched, call: int) -> bool:
    """Whether a coalesced call may lack entries on some rank, whose ring begins with it or leaves out ended calls."""
    columns = job.columns
    parts = matched.parts_of(call)
    if all(matched.part_start[part + 1] - matched.part_start[part] == 1 for part in parts) and not any(
        job.operations[columns.operation[matched.part_row[part]]].kind is Kind.BATCH_END for part in parts
    ):
        return False
    for part in parts:
        first = int(matched.part_first[part])
        entries = job.dumps[columns.dump[first]].entries
        if int(entries.record_id[0]) == 0:
            continue
        start = first - int(columns.row[first])
        before = columns.group[start:first] == columns.group[first]
        if not bool(before.any()):
            return True
    return False


def _bases(job: Job) -> NDArray[np.int64]:
    """A number for the name of each operation without its backend."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(op.base, len(numbers)) for op in job.operations], dtype=np.int64)


def _inside(job: Job, matched: Matched, base: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for what a coalesced part consists of, the same for the same entries; 0 for a part of one entry."""
    columns = job.columns
    counts = np.diff(matched.part_start)
    if counts.max(initial=1) <= 1:
        return np.zeros(len(counts), dtype=np.int64)
    rows = matched.order
    mixed = base[columns.operation[rows]] + 1
    for column in (columns.input_shapes, columns.output_shapes, columns.input_dtypes):
        mixed = mixed * _FACTOR + column[rows]
    return np.where(counts > 1, np.add.reduceat(mixed, matched.part_start[:-1]), 0)


def _unbalanced(job: Job, matched: Matched, starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Calls whose inputs and outputs do not add up by their rule, or that say more than totals."""
    columns = job.columns
    rows = matched.part_row
    total = np.array([float(min(elements(shapes), 10**300)) for shapes in job.shapes], dtype=np.float64)
    given = np.add.reduceat(total[columns.input_shapes[rows]], starts)
    taken = np.add.reduceat(total[columns.output_shapes[rows]], starts)
    size = np.array([group.size for group in job.groups], dtype=np.float64)[matched.call_group]
    rules = np.array([op.rule.value for op in job.operations])[columns.operation[rows[starts]]]
    all_to_all = rules == Rule.ALL_TO_ALL.value
    gathers, scatters = rules == Rule.ALL_GATHER.value, rules == Rule.REDUCE_SCATTER.value
    left, right = np.where(gathers, given * size, given), np.where(scatters, taken * size, taken)
    inexact = (given >= 2**52) | (taken >= 2**52)
    unequal = (all_to_all | ((gathers | scatters) & (given > 0) & (taken > 0))) & ((left != right) | inexact)
    listed = np.array([len(shapes) > 1 for shapes in job.shapes], dtype=np.bool_)
    says_more = (columns.splits[rows] >= 0) | listed[columns.input_shapes[rows]] | listed[columns.output_shapes[rows]]
    return np.asarray(unequal | (all_to_all & np.logical_or.reduceat(says_more, starts)), dtype=np.bool_)
