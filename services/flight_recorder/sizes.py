"""Whether the sizes and dtypes that the ranks give to one call fit together, by the rule of its operation.

Elements are compared, not shapes: [2, 3] and [6] are the same message. Empty sides are no statement: gather, scatter
and broadcast have sizes on some ranks only. Nothing is assumed about how an all_to_all is split.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from .operations import Rule

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from .columns import Dtypes, Shapes, Splits
    from .operations import Operation

__all__ = ["PairDifference", "Said", "differing_dtypes", "differing_pairs", "differing_sizes", "elements"]


@dataclass(frozen=True, slots=True)
class Said:
    """What one rank recorded of its part in a call."""

    rank: int
    operation: Operation
    inputs: Shapes
    outputs: Shapes
    input_dtypes: Dtypes
    output_dtypes: Dtypes
    splits: Splits | None = None


@dataclass(frozen=True, slots=True)
class PairDifference:
    """One direction of an all_to_all: elements that `source` sends and that `target` expects."""

    source: int
    target: int
    sent: int
    expected: int


def elements(shapes: Shapes) -> int:
    """Elements of all tensors of one side."""
    return sum(map(prod, shapes))


def differing_sizes(said: Sequence[Said], ranks: Sequence[int]) -> Mapping[int, Hashable]:
    """For each rank, what it says about the size, where not all say the same or one contradicts itself; else empty.

    `said` are those members of the call that have an entry, `ranks` all members of the group in order.
    """
    rule = said[0].operation.rule
    if rule in (Rule.NONE, Rule.ALL_TO_ALL):
        return {}
    claims = {one.rank: claim for one in said if (claim := _claim(one, rule, len(ranks))) is not None}
    if rule is Rule.ALL_GATHER and _uneven(said, ranks, gathers=True):
        return {}
    if rule is Rule.REDUCE_SCATTER and _uneven(said, ranks, gathers=False):
        return {}
    return claims if len(set(claims.values())) > 1 else {}


def _claim(one: Said, rule: Rule, size: int) -> Hashable | None:
    """The number of elements of one rank's share in the call, as this rank sees it; None where it says nothing."""
    given, taken = elements(one.inputs), elements(one.outputs)
    if rule is Rule.SAME:
        return given or taken or None
    if rule is Rule.BROADCAST:
        return taken or given or None
    if rule is Rule.GATHER:
        return given or None
    if rule is Rule.SCATTER:
        return taken or None
    share, whole = (given, taken) if rule is Rule.ALL_GATHER else (taken, given)
    if not share and not whole:
        return None
    # A rank whose two sides do not fit each other stands out even when all others agree with one of them.
    return share if not whole or not share or share * size == whole else (share, whole)


def _uneven(said: Sequence[Said], ranks: Sequence[int], *, gathers: bool) -> bool:
    """An all_gather or reduce_scatter over lists of differing sizes in which each rank fits its place in every list."""
    place = {rank: index for index, rank in enumerate(ranks)}
    lists = [one.outputs if gathers else one.inputs for one in said]
    shares = {one.rank: elements(one.inputs if gathers else one.outputs) for one in said}
    if len(ranks) < 2 or any(len(each) != len(ranks) for each in lists):
        return False
    return all(prod(each[place[rank]]) == share for each in lists for rank, share in shares.items() if rank in place)


def differing_dtypes(said: Sequence[Said]) -> Mapping[int, Hashable]:
    """For each rank the dtypes of the side that is compared, where they differ; else empty."""
    rule = said[0].operation.rule
    sides = {
        Rule.SCATTER: ("out",),
        Rule.GATHER: ("in",),
        Rule.BROADCAST: ("out", "in"),
    }.get(rule, ("in", "out"))
    for side in sides:
        claims: dict[int, Hashable] = {}
        for one in said:
            shapes, dtypes = (one.inputs, one.input_dtypes) if side == "in" else (one.outputs, one.output_dtypes)
            if dtypes and elements(shapes):
                claims[one.rank] = frozenset(dtypes)
        if len(set(claims.values())) > 1:
            return {rank: tuple(sorted(claim)) for rank, claim in claims.items() if isinstance(claim, frozenset)}
    return {}


def differing_pairs(said: Sequence[Said], ranks: Sequence[int]) -> tuple[PairDifference, ...]:
    """Directions of an all_to_all in which the sender gives another number of elements than the receiver expects.

    Known where the call lists one tensor or one count for each peer.
    """
    place = {rank: index for index, rank in enumerate(ranks)}
    sent: dict[int, tuple[int, ...]] = {}
    expected: dict[int, tuple[int, ...]] = {}
    for one in said:
        gives = one.splits.sent if one.splits else ()
        takes = one.splits.received if one.splits else ()
        if not gives and len(one.inputs) == len(ranks) > 1:
            gives = tuple(map(prod, one.inputs))
        if not takes and len(one.outputs) == len(ranks) > 1:
            takes = tuple(map(prod, one.outputs))
        if len(gives) == len(ranks):
            sent[one.rank] = gives
        if len(takes) == len(ranks):
            expected[one.rank] = takes
    return tuple(
        PairDifference(source, target, gives[place[target]], takes[place[source]])
        for source, gives in sent.items()
        for target, takes in expected.items()
        if source in place and target in place and gives[place[target]] != takes[place[source]]
    )


def total_difference(said: Sequence[Said], ranks: Sequence[int]) -> tuple[int, int] | None:
    """Elements sent and expected in an all_to_all over all members, when all are there and the two differ."""
    if len(said) != len(ranks) or any(not one.inputs and not one.outputs for one in said):
        return None
    given, taken = sum(elements(one.inputs) for one in said), sum(elements(one.outputs) for one in said)
    return (given, taken) if given != taken else None
