"""The rank that the others always wait for in a job that moves: last into the collectives of its groups.

Two statistics, over the last 200 whole collectives of a group, at least 20 of them:

- waits, where the dumps have completion times: how long a rank was in a call after its stream was free, or the recorded
  duration where timing is on. The last to come waits least. Both ends are on the rank's own clock, so that clocks of
  different hosts need not agree.
- arrivals, where they have none (Gloo): when a rank made the call. Clocks are brought together first: right after a
  collective all ranks set out at the same moment, so a rank's distance from the middle of the group in the tenth of
  calls that follow their predecessor fastest is taken as its clock's offset. Ranks of one host share one clock and one
  estimate. Where every call follows at the same distance the estimate takes in the slowness itself: then nothing is
  said.

A rank is slow when it is last in at least nine calls of ten, by at least 10 ms, and by three times what the others are
apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ..ranksets import RankSet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .analysis import Analysis

__all__ = ["MARGIN_S", "SHARE", "SPREADS", "SlowRank", "Statistic", "clock_offsets", "find_slow"]

FEWEST, MOST = 20, 200
"""Collectives of a group that are needed, and that are looked at."""
SHARE = 0.9
"""Part of the calls in which a slow rank is last."""
MARGIN_S = 0.010
SPREADS = 3.0
"""The margin in units of what the others are apart."""


class Statistic(StrEnum):
    """What tells that a group waits for a rank: how long the others wait, or when each arrives."""

    WAITS = "waits"
    ARRIVALS = "arrivals"


@dataclass(frozen=True, slots=True)
class SlowRank:
    """A rank that its group waits for, again and again."""

    rank: int
    group: int
    """Index of the group in which it shows most plainly."""
    statistic: Statistic
    calls: int
    """Collectives that were compared."""
    share: float
    """Part of them in which it was last."""
    margin_s: float
    """How much later than the last but one it is, median."""
    spread_s: float
    """How far apart the others are, median."""
    waiting: RankSet
    """The other members."""
    offsets_s: Mapping[int, float]
    """Clock offsets that were taken out, by rank; empty for waits."""


def find_slow(analysis: Analysis, hosts: Mapping[int, str] | None = None) -> tuple[SlowRank, ...]:
    """Slow ranks, each once; `hosts` names the host of a rank where the dumps do not."""
    known = {dump.rank: dump.host for dump in analysis.job.dumps if dump.host} | dict(hosts or {})
    best: dict[int, SlowRank] = {}
    for group, calls in _whole_calls(analysis).items():
        found = _in_group(analysis, group, calls, known)
        if found is not None and (found.rank not in best or found.margin_s > best[found.rank].margin_s):
            best[found.rank] = found
    return tuple(best[rank] for rank in sorted(best))


def _whole_calls(analysis: Analysis) -> dict[int, NDArray[np.int64]]:
    """By group of two or more: its last collectives that every member has made once and ended in time."""
    matched, groups = analysis.matched, analysis.job.groups
    if not len(matched.call_seq):
        return {}
    sizes = np.array([group.size for group in groups], dtype=np.int64)[matched.call_group]
    fine = matched.ended & ~matched.late & (np.diff(matched.part_start) == 1)
    whole = (np.diff(matched.call_start) == sizes) & (sizes > 1) & ~matched.call_p2p
    whole &= np.logical_and.reduceat(fine, matched.call_start[:-1])
    calls = np.flatnonzero(whole)
    starts = np.flatnonzero(np.diff(matched.call_group[calls], prepend=-1))
    return {
        int(matched.call_group[some[0]]): some[-MOST:] for some in np.split(calls, starts[1:]) if len(some) >= FEWEST
    }


def _in_group(analysis: Analysis, group: int, calls: NDArray[np.int64], hosts: Mapping[int, str]) -> SlowRank | None:
    matched, columns = analysis.matched, analysis.job.columns
    ranks = analysis.job.groups[group].ranks
    rows = matched.part_row[matched.call_start[calls][:, None] + np.arange(len(ranks))]
    created, completed = columns.created[rows], columns.completed[rows]
    if not (created > 0).all():
        return None
    offsets: NDArray[np.float64] = np.zeros(len(ranks))
    if (completed > 0).all():
        statistic = Statistic.WAITS
        free = np.maximum(created[1:], completed[:-1])
        lateness = -(completed[1:] - free) / 1e9
        durations = _durations(analysis, rows)[1:]
        if not np.isnan(durations).any():
            lateness = -durations / 1e3
    else:
        statistic = Statistic.ARRIVALS
        if len(ranks) < 3:
            return None
        offsets = clock_offsets(created, [hosts.get(rank, f"rank {rank}") for rank in ranks])
        lateness = (created - created.min()) / 1e9 - offsets
    order = np.sort(lateness, axis=1)
    last = np.argmax(lateness, axis=1)
    place = int(np.bincount(last).argmax())
    margin = float(np.median((order[:, -1] - order[:, -2])[last == place]))
    spread = float(np.median(order[:, -2] - order[:, 0])) if len(ranks) > 2 else 0.0
    share = float(np.mean(last == place))
    if share < SHARE or margin < max(MARGIN_S, SPREADS * spread):
        return None
    return SlowRank(
        rank=ranks[place],
        group=group,
        statistic=statistic,
        calls=len(lateness),
        share=share,
        margin_s=margin,
        spread_s=spread,
        waiting=RankSet(ranks) - RankSet((ranks[place],)),
        offsets_s={rank: float(offset) for rank, offset in zip(ranks, offsets, strict=True) if offset},
    )


def _durations(analysis: Analysis, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Recorded durations in ms, NaN where there are none."""
    columns, dumps = analysis.job.columns, analysis.job.dumps
    found = np.full(rows.shape, np.nan)
    for place in range(rows.shape[1]):
        mine = rows[:, place]
        found[:, place] = dumps[columns.dump[mine[0]]].entries.duration_ms[columns.row[mine]]
    return found


def clock_offsets(created: NDArray[np.int64], hosts: list[str]) -> NDArray[np.float64]:
    """Seconds by which each rank's clock is ahead of the middle of the group, shape `(ranks,)`; 0 on one host.

    Args:
        created: when each rank made each call, ns on its own clock, shape `(calls, ranks)`.
        hosts: host of each rank.
    """
    if len(set(hosts)) == 1:
        return np.zeros(len(hosts))
    seconds = (created - created.min()) / 1e9
    gaps = np.median(np.diff(seconds, axis=0), axis=1)
    quick = np.argsort(gaps, kind="stable")[: max(len(gaps) // 10, 5)] + 1
    apart = seconds[quick] - np.median(seconds[quick], axis=1, keepdims=True)
    named = np.array(hosts)
    offsets = np.zeros(len(hosts))
    for host in set(hosts):
        here = named == host
        offsets[here] = float(np.median(apart[:, here]))
    return offsets
