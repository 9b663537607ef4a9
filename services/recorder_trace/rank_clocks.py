"""One clock for all ranks of a trace, where the calls of a large group tell how far theirs are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..recorder_timeline.clocks import Clocks
from ..recorder_timeline.timelines import Timelines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..flight_recorder.diagnosis import Diagnosis

__all__ = ["RankClocks", "as_recorded", "common_clocks"]

_TRIED = 8
"""Groups that are asked, those of most ranks first."""


@dataclass(frozen=True, slots=True, eq=False)
class RankClocks:
    """What is taken from the times of each rank."""

    offsets: NDArray[np.int64]
    """ns, by rank; 0 beyond the end and for ranks of which nothing is known."""
    said: str
    """What was done, one plain line."""

    def of(self, rank: int) -> int:
        return int(self.offsets[rank]) if rank < len(self.offsets) else 0


def as_recorded() -> RankClocks:
    """Times stay as each rank recorded them."""
    return RankClocks(np.zeros(0, dtype=np.int64), "as each rank recorded them; clocks of hosts may differ")


def common_clocks(diagnosis: Diagnosis, hosts: Mapping[int, str] | None = None) -> RankClocks:
    """The offsets that the largest group tells whose calls allow an estimate.

    Args:
        hosts: host of each rank, where the dumps do not name it.
    """
    timelines = Timelines(diagnosis, hosts or {})
    groups = diagnosis.analysis.job.groups
    order = sorted(groups, key=lambda group: (-len(group.ranks), group.index))
    for group in order[:_TRIED]:
        if len(group.ranks) < 2:
            break
        made = timelines.of_group(group.index)
        clock = made.timeline.clock
        if clock.kind is Clocks.RECORDED or not len(made.ranks):
            continue
        if clock.kind is Clocks.ONE_HOST:
            return RankClocks(np.zeros(0, dtype=np.int64), f"one host: the ranks of {group.label} share a clock")
        offsets = np.zeros(max(made.ranks) + 1, dtype=np.int64)
        offsets[list(made.ranks)] = clock.offsets
        beyond = len(diagnosis.analysis.job.world) - len(made.ranks)
        more = f"; {beyond:,} ranks outside it stay as recorded" if beyond > 0 else ""
        said = f"brought together by the calls of {group.label}: clocks up to {clock.apart_s * 1e3:.3f} ms apart{more}"
        return RankClocks(offsets, said)
    return RankClocks(
        np.zeros(0, dtype=np.int64), "as each rank recorded them: no group's calls tell how far the clocks are apart"
    )
