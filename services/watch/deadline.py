"""When the watchdog of a rank will end the job: the pending call whose timeout strikes first.

The watchdog of torch aborts a call that is not over so many milliseconds after it was made; the flight recorder keeps
that number with each call (`timeout_ms`). A call's time is of the clock of its rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..findings import Group

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..flight_recorder.analysis import Analysis
    from ..looks.record import LookRecord

__all__ = ["Deadline", "capture_before"]


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a call is aborted."""

    at: int
    """ns since the epoch."""
    rank: int
    group: Group
    op: str
    """As recorded."""
    seq: int
    timeout_s: float


def capture_before(record: LookRecord, now: int) -> Deadline | None:
    """The first deadline ahead of a pending call; None without one.

    Deadlines that have passed tell nothing: the watchdog has struck, is off, or the rank's clock is another one.

    Args:
        record: the newest look.
        now: ns since the epoch.
    """
    deadlines = [
        one
        for diagnosis in record.recorder.diagnoses.values()
        for one in _deadlines(diagnosis.analysis)
        if one.at > now
    ]
    return min(deadlines, key=lambda one: (one.at, one.rank), default=None)


def _deadlines(analysis: Analysis) -> Iterator[Deadline]:
    columns, groups = analysis.job.columns, analysis.job.groups
    for call in analysis.waits.calls:
        group = groups[call.group]
        for rank, row in call.rows.items():
            timeout_ms = int(columns.timeout_ms[row])
            begun = int(columns.created[row]) or int(columns.started[row])
            if timeout_ms > 0 and begun > 0:
                yield Deadline(
                    begun + timeout_ms * 1_000_000,
                    rank,
                    Group(group.name, group.desc, group.members),
                    call.operation.recorded,
                    call.seq,
                    timeout_ms / 1000,
                )
