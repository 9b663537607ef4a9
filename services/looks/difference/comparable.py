"""What limits the comparison of two looks, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...judging.history import APART_S
from ...ranksets import ranks_said
from .stack_moves import kind_of_stacks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..record import LookRecord
    from .values import RankDifference

__all__ = ["limits"]

_MOST_APART_S = 7 * 86_400
"""Looks farther apart than this are hardly of one run."""


def limits(before: LookRecord, after: LookRecord, ranks: RankDifference) -> tuple[str, ...]:
    """One plain line for each thing that a reader of the difference has to know."""
    return (*_of_time(before, after), *_of_target(before, after, ranks), *_of_data(before, after))


def _of_time(before: LookRecord, after: LookRecord) -> Iterator[str]:
    apart = (after.snapshot.taken_at - before.snapshot.taken_at) / 1e9
    if apart == 0:
        yield "both looks are of the same instant"
    elif apart < 0:
        yield f"the second look is {-apart:,.1f} s older than the first: read the changes backwards, or swap the two"
    elif apart < APART_S:
        yield f"the looks are {apart:.2f} s apart: even a job that moves seems to stand still"
    elif apart > _MOST_APART_S:
        yield f"the looks are {apart / 86_400:,.0f} days apart: hardly one run"
    live = [not any(state.address.file for state in record.snapshot.ranks.values()) for record in (before, after)]
    if live[0] != live[1]:
        yield "one look is of files and one of a live job: their times are of different clocks"


def _of_target(before: LookRecord, after: LookRecord, ranks: RankDifference) -> Iterator[str]:
    one, other = before.snapshot, after.snapshot
    if one.target != other.target:
        yield f"the looks are of different targets: {one.target} and {other.target}"
    if one.world_size != other.world_size and one.world_size and other.world_size:
        yield f"the world size is {one.world_size:,} at the first look and {other.world_size:,} at the second"
    both = len(one.ranks.keys() & other.ranks.keys())
    if ranks.readdressed and len(ranks.readdressed) == both:
        yield "no rank has kept its address: the job was restarted, these are two jobs, or one look is redacted"
    elif ranks.readdressed:
        yield (
            f"{ranks_said(ranks.readdressed, 'has', 'have')} another address: "
            f"{'its process is another one' if len(ranks.readdressed) == 1 else 'their processes are other ones'}"
        )


def _of_data(before: LookRecord, after: LookRecord) -> Iterator[str]:
    for which, record in (("first", before), ("second", after)):
        look = record.snapshot
        if record.dropped:
            yield f"stacks, recorders and counters of the {which} look were let go of to save memory"
        if look.cancelled:
            yield f"the {which} look was cancelled before its end"
        elif look.partial:
            yield f"the {which} look is partial: something that should have been read could not be"
        if record.verdict.missing:
            yield f"the {which} look says nothing of {ranks_said(record.verdict.missing)}"
    kinds = kind_of_stacks(before), kind_of_stacks(after)
    if kinds[0] and kinds[1] and kinds[0] != kinds[1]:
        yield "the stacks are not compared: those of one look are of that instant, the others of when calls began"
    else:
        yield from _one_only("stacks", bool(kinds[0]), bool(kinds[1]))
    yield from _one_only("a flight recorder", bool(before.recorder.diagnoses), bool(after.recorder.diagnoses))
    read = before.recorder.diagnoses.keys(), after.recorder.diagnoses.keys()
    if all(read) and not read[0] & read[1]:
        yield "the flight recorders are not compared: the looks have read different ones"
    yield from _one_only("wait counters", bool(len(before.counters.table.ranks)), bool(len(after.counters.table.ranks)))


def _one_only(what: str, first: bool, second: bool) -> Iterator[str]:
    if first != second:
        yield f"only the {'first' if first else 'second'} look has {what}: not compared"
