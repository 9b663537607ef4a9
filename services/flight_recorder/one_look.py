"""Dumps of one moment: whether the wait that they show has lasted, or a rank was only about to make its call.

A dump that is written between the last ended call and the next one of an innocent rank looks like that of a rank which
hangs. The instants in the dumps tell how long the job is known to have stood; the time of a file or reply tells more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..findings import Confidence, Severity
from .cadence import LONGER
from .causes import Kind

if TYPE_CHECKING:
    from .analysis import Analysis
    from .diagnosis import FlightFinding
    from .dump import Dump
    from .waits import OpenCall

__all__ = ["LASTS_S", "weighed_in_time"]

LASTS_S = 6.0
"""A wait that is known to be so old, in seconds, is more than the moment between two calls."""
_MOMENTARY = frozenset((Kind.NOT_JOINED, Kind.P2P_UNMATCHED, Kind.DEVICE_STUCK, Kind.NO_DUMP))
_ABOUT_TO = (
    "These dumps do not tell how long the wait has lasted: a rank that is just about to make its call looks the same, "
    "and a second dump some seconds later tells it."
)


def weighed_in_time(finding: FlightFinding, now: Analysis, call: OpenCall | None) -> FlightFinding:
    """A finding of the only look at a job, no more than possible where the wait is known to be short.

    Where nothing tells how long it has lasted, that is added to what would refute the finding.
    """
    if call is None or finding.kind not in _MOMENTARY or not finding.culprits or call.late:
        return finding
    columns = now.job.columns
    created = {rank: int(columns.created[row]) for rank, row in call.rows.items() if int(columns.created[row]) > 0}
    told = [at for rank, since in created.items() if (at := _told(now.job.dump_of(rank), since)) is not None]
    newest = max(int(column.max()) for column in (columns.created, columns.started, columns.completed))
    shown_s = (newest - min(created.values(), default=newest)) / 1e9
    lasts_s = max(LASTS_S, LONGER * (finding.usual_s or 0.0))
    # Clocks of hosts may differ: what a rank's own clock tells goes before what the newest call of another one shows.
    if max(told, default=shown_s) >= min(lasts_s, finding.timeout_s or lasts_s):
        return finding
    if not told:
        return (
            finding
            if finding.kind is Kind.NO_DUMP
            else replace(finding, refutation=f"{finding.refutation} {_ABOUT_TO}")
        )
    doubt = f"The wait was {max(told):.1f} s old in these dumps: a rank that is just about to make its call looks so."
    return replace(
        finding,
        severity=Severity.WARNING,
        confidence=Confidence.POSSIBLE,
        refutation=f"{finding.refutation} {doubt}",
    )


def _newest(dump: Dump) -> int:
    """The newest instant in a dump, ns since the epoch; 0 when it has none."""
    entries = dump.entries
    if not len(entries):
        return 0
    return max(int(entries.created.max()), int(entries.started.max()), int(entries.completed.max()))


def _told(dump: Dump | None, since: int) -> float | None:
    """How long after an instant a dump was taken, in seconds; None when its time is but the newest one in it."""
    if dump is None or dump.taken_at is None or dump.taken_at <= _newest(dump):
        return None
    return (dump.taken_at - since) / 1e9
