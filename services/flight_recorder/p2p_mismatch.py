"""Sends and receives that are the two halves of one message and do not fit: other sizes or other dtypes.

Only halves that are both open, and of which counters or whole rings say for certain that they belong together, are
compared. One against one names nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ranksets import RankSet
from .mismatch import Mismatch, What, variant_of
from .sizes import elements

if TYPE_CHECKING:
    from .job import Job
    from .p2p import Half
    from .waits import OpenCall, WaitGraph

__all__ = ["find_p2p_mismatches"]


def find_p2p_mismatches(job: Job, graph: WaitGraph) -> tuple[Mismatch, ...]:
    """The first message of each open send that does not fit its receive, in the order of time."""
    found = [made for call in graph.calls if (made := _first(job, call)) is not None]
    return tuple(sorted(found, key=lambda one: (one.created, one.group, one.seq)))


def _first(job: Job, call: OpenCall) -> Mismatch | None:
    for mine, theirs in call.met:
        if not mine.sends or mine.ended or theirs.ended or min(mine.call, theirs.call) < 0:
            continue
        if (what := _differs(job, mine.row, theirs.row)) is not None:
            return _told(job, mine, theirs, what)
    return None


def _differs(job: Job, sent: int, expected: int) -> What | None:
    columns, shapes, dtypes = job.columns, job.shapes, job.dtypes
    given = elements(shapes[columns.input_shapes[sent]]) or elements(shapes[columns.output_shapes[sent]])
    taken = elements(shapes[columns.output_shapes[expected]]) or elements(shapes[columns.input_shapes[expected]])
    if given and taken and given != taken:
        return What.SIZE
    ours = dtypes[columns.input_dtypes[sent]] or dtypes[columns.output_dtypes[sent]]
    theirs = dtypes[columns.output_dtypes[expected]] or dtypes[columns.input_dtypes[expected]]
    return What.DTYPE if ours and theirs and set(ours) != set(theirs) else None


def _told(job: Job, mine: Half, theirs: Half, what: What) -> Mismatch:
    created = job.columns.created
    variants = (variant_of(job, mine.rank, mine.row), variant_of(job, theirs.rank, theirs.row))
    return Mismatch(
        group=mine.group,
        seq=mine.seq,
        call=mine.call,
        what=what,
        variants=variants,
        odd=RankSet(),
        ended=False,
        created=int(min(created[mine.row], created[theirs.row])),
        p2p=True,
    )
