"""Ranks that call different things under one sequence number: operation, size, dtype, or the order of calls.

All calls are screened in columns; only those that could differ are looked at one by one, the earliest of each group
first, up to the first real difference: what comes after it is matched wrongly anyhow. A difference in state is none.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import prod
from typing import TYPE_CHECKING

from ..ranksets import RankSet
from .operations import Kind, Rule
from .screening import fingerprint, partial_batches, suspects
from .sizes import (
    PairDifference,
    Said,
    differing_dtypes,
    differing_pairs,
    differing_sizes,
    elements,
    total_difference,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from .job import Job
    from .match import Matched

__all__ = ["Mismatch", "Variant", "What", "find_mismatches", "variant_of"]


class What(StrEnum):
    """In what the ranks differ."""

    OPERATION = "operation"
    SIZE = "size"
    DTYPE = "dtype"
    ORDER = "order"


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the versions of a call and the ranks that have it."""

    ranks: RankSet
    said: Said
    """What the first of them recorded."""
    row: int
    """Its entry, as row of the job's columns."""
    stacks: RankSet = field(default_factory=RankSet)
    """Those of them whose entry has a stack."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first call of a group that its members do not agree on."""

    group: int
    seq: int
    call: int
    what: What
    variants: tuple[Variant, ...]
    """Largest first."""
    odd: RankSet
    """The minority; empty when there is none: one against one names nobody."""
    ended: bool
    """The call is over on all that have it: nobody waits in it."""
    created: int
    pairs: tuple[PairDifference, ...] = ()
    totals: tuple[int, int] | None = None
    """Elements sent and expected by all, for an all_to_all whose totals differ."""
    p2p: bool = False
    """A send and its receive differ: `call` is the sender's, the receiver's may be another one."""

    @property
    def ranks(self) -> RankSet:
        """All ranks in the call."""
        made = RankSet()
        for variant in self.variants:
            made |= variant.ranks
        return made


_WINDOW = 4
"""Calls after a difference that are looked at to tell a swapped or skipped call from a wrong one."""


def find_mismatches(job: Job, matched: Matched) -> tuple[Mismatch, ...]:
    """The first mismatch of each group that has one, in the order of time."""
    found: dict[int, Mismatch] = {}
    alike: set[bytes] = set()
    for call in suspects(job, matched):
        group = int(matched.call_group[call])
        if group in found or (seen := fingerprint(job, matched, call)) in alike:
            continue
        if (mismatch := _look(job, matched, call)) is not None:
            found[group] = mismatch
        else:
            alike.add(seen)
    return tuple(sorted(found.values(), key=lambda mismatch: (mismatch.created, mismatch.group)))


def _look(job: Job, matched: Matched, call: int) -> Mismatch | None:
    """What differs in one call, None when its parts fit each other after all."""
    ranks = job.groups[int(matched.call_group[call])].ranks
    said = {part: _said(job, matched, part) for part in matched.parts_of(call)}
    if _may_be_one_batch(job, matched, said) or partial_batches(job, matched, call):
        return None  # a batch that is being called, or has lost its beginning, looks like another operation
    spoken = list(said.values())
    bases = {one.rank: one.operation.base for one in spoken}
    if len(set(bases.values())) > 1:
        return _told(job, matched, call, said, What.OPERATION, bases)
    if spoken[0].operation.kind is Kind.BATCH_END:
        inner = {one.rank: _contents(job, matched, part) for part, one in said.items()}
        if len(set(inner.values())) == 1:
            return None
        sized = {tuple(entry[:2] for entry in one) for one in inner.values()}
        return _told(job, matched, call, said, What.SIZE if len(sized) > 1 else What.DTYPE, inner)
    if spoken[0].operation.rule is Rule.ALL_TO_ALL:
        pairs = differing_pairs(spoken, ranks)
        totals = total_difference(spoken, ranks)
        if pairs or totals:
            return _told(job, matched, call, said, What.SIZE, {}, pairs, totals)
    sizes = differing_sizes(spoken, ranks)
    if sizes:
        return _told(job, matched, call, said, What.SIZE, sizes)
    dtypes = differing_dtypes(spoken)
    return _told(job, matched, call, said, What.DTYPE, dtypes) if dtypes else None


def _told(
    job: Job,
    matched: Matched,
    call: int,
    said: Mapping[int, Said],
    what: What,
    claims: Mapping[int, Hashable],
    pairs: tuple[PairDifference, ...] = (),
    totals: tuple[int, int] | None = None,
) -> Mismatch:
    columns = job.columns
    parts = {one.rank: part for part, one in said.items()}
    by_claim: dict[Hashable, list[int]] = defaultdict(list)
    if claims:
        for rank, claim in claims.items():
            by_claim[claim].append(rank)
    else:
        for one in said.values():
            by_claim[one.inputs, one.outputs, one.splits].append(one.rank)
    variants = []
    for ranks in sorted(by_claim.values(), key=lambda ranks: (-len(ranks), ranks[0])):
        rows = {rank: int(matched.part_row[parts[rank]]) for rank in ranks}
        stacks = RankSet(rank for rank, row in rows.items() if _has_stack(job, row))
        variants.append(Variant(RankSet(ranks), said[parts[ranks[0]]], rows[ranks[0]], stacks))
    odd = _odd_in_pairs(pairs, len(said)) if what is What.SIZE and not claims else _minority(variants)
    other = odd or (variants[1].ranks if claims and len(variants) == 2 else RankSet())
    if other and _in_other_order(job, matched, call, other):
        what = What.ORDER
    mine = list(matched.parts_of(call))
    return Mismatch(
        group=int(matched.call_group[call]),
        seq=int(matched.call_seq[call]),
        call=call,
        what=what,
        variants=tuple(variants),
        odd=odd,
        ended=bool(matched.ended[mine].all() and not matched.late[mine].any()),
        created=int(columns.created[matched.part_first[mine]].min()),
        pairs=pairs,
        totals=totals,
    )


def _minority(variants: list[Variant]) -> RankSet:
    """The ranks outside the majority, when more than half of all agree."""
    total = sum(len(variant.ranks) for variant in variants)
    if 2 * len(variants[0].ranks) <= total:
        return RankSet()
    odd = RankSet()
    for variant in variants[1:]:
        odd |= variant.ranks
    return odd


def _odd_in_pairs(pairs: tuple[PairDifference, ...], ranks: int) -> RankSet:
    """The one rank that has part in every wrong pair, when there are several and more than two ranks."""
    if ranks < 3 or len(pairs) < 2:
        return RankSet()
    common = set.intersection(*({pair.source, pair.target} for pair in pairs))
    return RankSet(common) if len(common) == 1 else RankSet()


def _in_other_order(job: Job, matched: Matched, call: int, odd: RankSet) -> bool:
    """Whether the odd ranks call what the others call here a few calls earlier or later, and the other way round."""
    group = matched.call_group[call]
    later = [
        one
        for one in range(call, min(call + _WINDOW, len(matched.call_group)))
        if matched.call_group[one] == group and not matched.call_p2p[one]
    ]
    ours: dict[int, Hashable] = {}
    theirs: dict[int, Hashable] = {}
    for one in later:
        for part in matched.parts_of(one):
            side = theirs if int(matched.part_rank[part]) in odd else ours
            side.setdefault(one, _signature(_said(job, matched, part)))
    if call not in ours or call not in theirs or ours[call] == theirs[call]:
        return False
    ahead = [ours[one] for one in later[1:] if one in ours]
    behind = [theirs[one] for one in later[1:] if one in theirs]
    swapped = theirs[call] in ahead and ours[call] in behind
    aligned = list(zip(ahead, [theirs[call], *behind], strict=False))
    skipped = len(aligned) >= 2 and all(one == other for one, other in aligned) and len({*ahead, ours[call]}) > 1
    return swapped or skipped


def _may_be_one_batch(job: Job, matched: Matched, said: Mapping[int, Said]) -> bool:
    """Whether some ranks have closed a batch and others have called what may be the beginning of it."""
    closed = {part for part, one in said.items() if one.operation.kind is Kind.BATCH_END}
    if not closed or len(closed) == len(said):
        return False
    of_row = job.columns.operation
    inner = {job.operations[of_row[row]].base for part in closed for row in matched.rows_of(part)}
    begun = {job.operations[of_row[row]].base for part in said.keys() - closed for row in matched.rows_of(part)}
    return bool(begun & (inner | {said[part].operation.base for part in closed}))


def _signature(one: Said) -> Hashable:
    return one.operation.base, elements(one.inputs), elements(one.outputs), one.input_dtypes


def _contents(job: Job, matched: Matched, part: int) -> tuple[tuple[Hashable, ...], ...]:
    columns = job.columns
    return tuple(
        (
            job.operations[columns.operation[row]].base,
            tuple(map(prod, job.shapes[columns.input_shapes[row]])),
            job.dtypes[columns.input_dtypes[row]],
        )
        for row in matched.rows_of(part)
    )


def variant_of(job: Job, rank: int, row: int) -> Variant:
    """What one rank recorded in one entry, as the version of that rank alone."""
    ranks = RankSet((rank,))
    return Variant(ranks, _recorded(job, rank, row), row, ranks if _has_stack(job, row) else RankSet())


def _said(job: Job, matched: Matched, part: int) -> Said:
    """What a rank recorded of its part; of a coalesced call the tensors of all that it is made of."""
    said = _recorded(job, int(matched.part_rank[part]), int(matched.part_row[part]))
    if said.operation.kind is not Kind.BATCH_END:
        return said
    parts = [_recorded(job, said.rank, int(row)) for row in matched.rows_of(part)]
    return replace(
        said,
        inputs=tuple(shape for one in parts for shape in one.inputs),
        outputs=tuple(shape for one in parts for shape in one.outputs),
        input_dtypes=tuple(dtype for one in parts for dtype in one.input_dtypes),
        output_dtypes=tuple(dtype for one in parts for dtype in one.output_dtypes),
    )


def _recorded(job: Job, rank: int, row: int) -> Said:
    columns = job.columns
    split = int(columns.splits[row])
    return Said(
        rank=rank,
        operation=job.operations[columns.operation[row]],
        inputs=job.shapes[columns.input_shapes[row]],
        outputs=job.shapes[columns.output_shapes[row]],
        input_dtypes=job.dtypes[columns.input_dtypes[row]],
        output_dtypes=job.dtypes[columns.output_dtypes[row]],
        splits=job.splits[split] if split >= 0 else None,
    )


def _has_stack(job: Job, row: int) -> bool:
    columns = job.columns
    return int(job.dumps[columns.dump[row]].entries.stack[columns.row[row]]) >= 0
