"""How long calls usually lie apart: a wait that is no longer than what has happened several times is no hang yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .analysis import Analysis
    from .waits import OpenCall

__all__ = ["LONGER", "RECURS", "usual_gap_s"]

RECURS = 3
"""A gap of a length that has occurred so often is usual."""
LONGER = 1.5
"""A wait counts when it is so many times the usual gap."""


def usual_gap_s(now: Analysis, call: OpenCall) -> float | None:
    """The longest gap, in seconds, that recurs between successive calls of a rank that is inside `call`.

    Of the ranks inside it the one with the longest is taken. None when no rank has made enough calls to tell.
    """
    found: list[float] = []
    for rank in list(call.rows)[:8]:
        dump = now.job.dump_of(rank)
        if dump is None:
            continue
        created = dump.entries.created
        gaps = np.diff(np.sort(created[created > 0]))
        if len(gaps) >= RECURS:
            found.append(float(np.partition(gaps, -RECURS)[-RECURS]) / 1e9)
    return max(found, default=None)
