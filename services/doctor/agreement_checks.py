"""Checks of what has to agree between ranks: versions of the dumps, clocks of the hosts."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..ranksets import RankSet
from ..recorder_timeline.clocks import FEWEST, Clocks
from ..recorder_timeline.lanes import LaneContent
from ..recorder_timeline.timelines import Timelines
from .check import Check, CheckState, ranks_told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..flight_recorder.dump import Dump
    from ..session import Session

__all__ = ["clocks_check", "versions_check"]

_APART_S = 0.05
"""Clocks that are further apart are said."""


def versions_check(dumps: Mapping[str, Sequence[Dump]]) -> Check:
    """Whether the dumps of each recorder, given by source, are of one version."""
    for source, found in dumps.items():
        by_version: dict[tuple[str, str], list[int]] = defaultdict(list)
        for dump in found:
            by_version[".".join(map(str, dump.version)) or "none", dump.library].append(dump.rank)
        if len(by_version) > 1:
            kinds = sorted(by_version.items(), key=lambda item: -len(item[1]))
            parts = [f"{_version(*which)} on {ranks_told(RankSet(ranks))}" for which, ranks in kinds[:6]]
            return Check(
                "versions",
                CheckState.PROBLEM,
                f"The dumps are of different versions: {'; '.join(parts)}.",
                "Ranks with different versions of torch or NCCL may hang or compute different results.",
                "the same torch and the same communication library on every rank",
                RankSet(rank for _which, ranks in kinds[1:] for rank in ranks),
                {"source": source},
            )
    source, found = next(iter(dumps.items()))
    first = found[0]
    said = _version(".".join(map(str, first.version)) or "none", first.library)
    return Check("versions", CheckState.OK, f"All dumps are of {said}.", facts={"source": source})


def clocks_check(session: Session) -> Check:
    """How far the clocks of the largest group's hosts are apart, where that can be told."""
    why = "Times of different hosts can only be compared as far as their clocks agree."
    hosts = {rank: state.host for rank, state in session.ranks.items()}
    best: tuple[int, str, float, RankSet] | None = None
    for diagnosis in session.recorder.diagnoses.values():
        timelines = Timelines(diagnosis, hosts)
        group = timelines.usual_group()
        if group is None:
            continue
        made = timelines.of_group(group)
        clock = made.timeline.clock
        ranks = RankSet(lane.rank for lane in made.timeline.lanes if lane.content is LaneContent.CALLS)
        if clock is not None and (best is None or len(ranks) > best[0]):
            best = (len(ranks), clock.kind, clock.apart_s, ranks)
    if best is None:
        return Check(
            "clocks", CheckState.UNKNOWN, "No collective was recorded from which clocks could be compared.", why
        )
    count, kind, apart_s, ranks = best
    if kind is Clocks.ONE_HOST:
        return Check(
            "clocks", CheckState.OK, f"The {count:,} ranks heard of the largest group share the clock of one host."
        )
    if kind is Clocks.RECORDED:
        return Check(
            "clocks",
            CheckState.UNKNOWN,
            f"The clocks of {count:,} ranks can't be told apart from slowness: that takes {FEWEST} collectives, "
            "some right after one another.",
            why,
            "ask again when the job has run for some steps; chronyc tracking on the hosts tells too",
        )
    facts = {"apart_s": round(apart_s, 6), "ranks": count}
    said = f"The clocks of {count:,} ranks are {apart_s * 1e3:.1f} ms apart at most, estimated from common collectives."
    if apart_s <= _APART_S:
        return Check("clocks", CheckState.OK, said, facts=facts)
    return Check("clocks", CheckState.WARNING, said, why, "keep the hosts' clocks with chrony or PTP", ranks, facts)


def _version(version: str, library: str) -> str:
    return f"version {version}" + (f" with {library}" if library else "")
