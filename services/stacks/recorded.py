"""Stacks out of flight recorder dumps: where each rank was in Python when it made the call it is inside.

Files of dumps have no other stacks. These are older than the dump: they show who made the call, not what the rank did
since. Only calls that are not over count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..flight_recorder.json_dump import stack_of
from ..looks.stacks import StackLook
from .model import Interner, StackDump, StackSource, ThreadStack
from .tree import merge

if TYPE_CHECKING:
    from ..flight_recorder.columns import Stack
    from ..looks.recorders import RecorderLook
    from ..ranksets import RankSet

__all__ = ["recorded_stacks"]


def recorded_stacks(look: RecorderLook, ranks: RankSet) -> StackLook:
    """The stacks of the pending calls, as the stacks of a look; who has none stands in `missing` with the reason.

    Args:
        look: the analysed look.
        ranks: all ranks of the job.
    """
    interner = Interner()
    kept: dict[bytes | Stack, ThreadStack | None] = {}
    dumps: dict[int, StackDump] = {}
    missing: dict[int, str] = {}
    for diagnosis in look.diagnoses.values():
        job, waits = diagnosis.analysis.job, diagnosis.analysis.waits
        for rank, index in waits.current.items():
            row = waits.calls[index].rows[rank]
            entries = job.dumps[int(job.columns.dump[row])].entries
            number = int(entries.stack[int(job.columns.row[row])])
            thread = None if number < 0 else _thread(entries.tables.stacks[number], kept, interner)
            if thread is None:
                missing[rank] = "its dump has no frames of the call it is in"
            else:
                dumps[rank] = StackDump(StackSource.RECORDER, (thread,), main=0)
        for rank in ranks - job.ranks:
            missing.setdefault(rank, f"no dump: {why}" if (why := job.unreadable.get(rank)) else "no dump")
    for rank in ranks:
        if rank not in dumps:
            missing.setdefault(rank, "its dump shows it inside no call")
    shown = {rank: why for rank, why in missing.items() if rank not in dumps}
    return StackLook(look.look_id, dumps, merge(dumps), missing=shown)


def _thread(
    stack: bytes | Stack, kept: dict[bytes | Stack, ThreadStack | None], interner: Interner
) -> ThreadStack | None:
    if stack not in kept:
        frames = tuple(interner.frame(one.name, one.filename, one.line) for one in stack_of(stack))
        kept[stack] = ThreadStack("", interner.stack(frames)) if frames else None
    return kept[stack]
