"""How long calls usually lie apart: a wait that is no longer than what has happened before is no hang yet.

A job of many steps shows by itself how long its gaps are. A young one does not: the compute of its first steps lies
between calls that follow each other at once, and nothing has recurred yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .analysis import Analysis
    from .waits import OpenCall

__all__ = ["LONGER", "RECURS", "YOUNG_S", "Cadence", "cadence_of"]

RECURS = 3
"""A gap of a length that has occurred so often is usual."""
LONGER = 1.5
"""A wait counts when it is so many times the usual gap."""
YOUNG_S = 10.0
"""A record that reaches back no further, in seconds, says nothing about the length of steps."""
_STEPS = 8
"""So many long gaps, or the time of so many, show what a step is."""
_STEP_LIKE = 10
"""A gap so many times the median lies between steps."""


@dataclass(frozen=True, slots=True)
class Cadence:
    """What the calls before a pending one say about how long a rank may be away."""

    usual_s: float
    """The longest gap that recurs; where none does, the longest before the one that led to the pending call."""
    young: bool
    """No gap is known to recur."""
    leading_s: float = 0.0
    """The gap that led to the pending call."""


def cadence_of(now: Analysis, call: OpenCall) -> Cadence:
    """The cadence of the ranks inside a call; of several the one that makes the longest pauses."""
    found: list[Cadence] = []
    for rank in list(call.rows)[:8]:
        dump = now.job.dump_of(rank)
        if dump is not None:
            created = dump.entries.created
            found.append(_cadence(np.diff(np.sort(created[created > 0])).astype(np.float64) / 1e9))
    if not found:
        return Cadence(0.0, young=True)
    return Cadence(
        max(one.usual_s for one in found), all(one.young for one in found), max(one.leading_s for one in found)
    )


def _cadence(gaps: NDArray[np.float64]) -> Cadence:
    """Of one rank; `gaps` in seconds, in the order of time, the last one leads to the pending call."""
    if not len(gaps):
        return Cadence(0.0, young=True)
    leading = float(gaps[-1])
    recurring = float(np.partition(gaps, -RECURS)[-RECURS]) if len(gaps) >= RECURS else 0.0
    if recurring and _settled(gaps, recurring):
        return Cadence(recurring, young=False, leading_s=leading)
    return Cadence(float(gaps[:-1].max(initial=0.0)), young=True, leading_s=leading)


def _settled(gaps: NDArray[np.float64], recurring: float) -> bool:
    """Whether the steps of the job are among its gaps."""
    longest, span = float(gaps.max()), float(gaps.sum())
    if span < YOUNG_S:
        return False
    if 2 * recurring >= longest or span >= _STEPS * longest:
        return True
    return recurring >= _STEP_LIKE * float(np.median(gaps)) and int((gaps >= recurring / 2).sum()) >= _STEPS
