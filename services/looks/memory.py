"""About how many bytes the analyses of a look take: what decides how many of them are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..counters.look import CounterLook
    from .record import LookRecord
    from .recorders import RecorderLook
    from .stacks import StackLook

__all__ = ["analyses_memory"]

# Measured with tracemalloc over jobs of 64 and 256 ranks.
_ENTRY_BYTES = 290
"""Of one entry of a flight recorder, with its part of the columns and of what was matched."""
_RECORDER_BYTES = 32 * 1024
"""Of the recorder of one rank, without its entries."""
_STACKS_BYTES = 2400
"""Of the threads of one rank whose frames others have too."""
_FRAME_BYTES = 200
"""Of one frame of a distinct stack."""


def analyses_memory(record: LookRecord) -> int:
    """Bytes that stacks, recorders and counters of a look take, as if it shared nothing with other looks."""
    total = _of_recorder(record.recorder) + _of_stacks(record.stacks) + _of_counters(record.counters)
    return total + (_of_stacks(record.recorded) if record.recorded is not None else 0)


def _of_recorder(look: RecorderLook) -> int:
    jobs = [one.analysis.job for one in look.diagnoses.values()]
    return sum(_ENTRY_BYTES * len(job.columns) + _RECORDER_BYTES * len(job.dumps) for job in jobs)


def _of_stacks(look: StackLook) -> int:
    return _STACKS_BYTES * len(look.dumps) + _FRAME_BYTES * sum(len(one.frames) for one in look.merged.classes)


def _of_counters(look: CounterLook) -> int:
    return look.table.nbytes
