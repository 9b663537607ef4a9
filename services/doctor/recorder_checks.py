"""Checks of the flight recorders: on, how much they hold, frames and timing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..cluster.probes import RECORDERS, Probe
from ..flight_recorder.decode import decode
from ..flight_recorder.dump import DumpError
from ..looks.recorders import DUMP_FILE
from ..ranksets import RankSet
from ..snapshot import Outcome, RankClass
from .agreement_checks import clocks_check, versions_check
from .check import Check, CheckState, ranks_told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..flight_recorder.dump import Dump
    from ..session import Session
    from ..snapshot import RankReply

__all__ = ["FRAMES", "FramesSeen", "read_frames", "recorder_checks"]

FRAMES = Probe(
    "dump_nccl_trace_pickle",
    "POST",
    "/handler/dump_nccl_trace_pickle?includecollectives=true&includestacktraces=true&onlyactive=false",
    stage=5,
    budgets=4,
    max_bytes=256 * 1024 * 1024,
)
"""NCCL's recorder in the form that has frames; asked of one rank."""
_CPU = "fr_trace_json"
"""The recorder of the CPU side has neither frames nor times of its own."""
_FEW = 1_000
"""Calls of a ring that has wrapped, below which it is said to be small..."""
_SHORT_S = 60.0
"""...and the time that they span."""
_SILENT_LIMIT = 1024 * 1024
"""Bytes of a dump that is read only to see that nothing is in it."""
_ON = "TORCH_FR_BUFFER_SIZE=20000 in the environment of every rank (older torch: TORCH_NCCL_TRACE_BUFFER_SIZE)"


@dataclass(frozen=True, slots=True)
class FramesSeen:
    """What the dump with frames of one rank holds."""

    rank: int
    calls: int = 0
    with_frames: int = 0
    error: str = ""


def read_frames(reply: RankReply) -> FramesSeen:
    """What came of asking one rank for `FRAMES`. May take a second: a dump with frames is large."""
    if reply.outcome is not Outcome.OK:
        return FramesSeen(reply.rank, error=reply.error or reply.outcome.value)
    try:
        entries = decode(reply.body.read(), reply.rank).entries
    except (DumpError, OSError) as error:
        return FramesSeen(reply.rank, error=str(error))
    return FramesSeen(reply.rank, len(entries), int((entries.stack >= 0).sum()))


def recorder_checks(session: Session, frames: FramesSeen | None) -> list[Check]:
    """The checks of the newest look, for each recorder that has anything.

    Args:
        frames: what a rank's dump with frames holds; None when none was asked for.
    """
    dumps = _dumps(session)
    recording = {source: found for source, found in dumps.items() if any(len(dump.entries) for dump in found)}
    checks = [_on(session, dumps, recording)]
    for source, found in recording.items():
        checks.append(_ring(source, found, _only_active(session, source)))
        checks.append(_frames(source, found, frames))
        checks.append(_timing(source, found))
    if dumps:
        checks.append(versions_check(dumps))
    checks.append(clocks_check(session))
    return checks


def _dumps(session: Session) -> dict[str, list[Dump]]:
    """The dumps of the newest look by source, those with nothing in them too."""
    made = {source: list(one.analysis.job.dumps) for source, one in session.recorder.diagnoses.items()}
    look = session.latest
    for probe in RECORDERS:
        if probe.source in made or look is None:
            continue
        for (rank, source), reply in look.replies.items():
            if source != probe.source or reply.outcome is not Outcome.OK or reply.body.size > _SILENT_LIMIT:
                continue
            try:
                dump = decode(reply.body.read(), rank)
            except (DumpError, OSError):
                continue  # counted with those that are unreadable
            made.setdefault(source, []).append(dump)
    return made


def _only_active(session: Session, source: str) -> RankSet:
    """Ranks whose dump has only the calls that were not over, so that it does not tell what their ring held."""
    diagnosis = session.recorder.diagnoses.get(source)
    return RankSet(diagnosis.analysis.positions.filtered) if diagnosis is not None else RankSet()


def _on(session: Session, dumps: Mapping[str, Sequence[Dump]], recording: Mapping[str, Sequence[Dump]]) -> Check:
    why = "Without it nobody can tell which rank has not joined which collective."
    unreadable = session.recorder.unreadable
    heard = RankSet(dump.rank for found in dumps.values() for dump in found)
    filled = RankSet(dump.rank for found in recording.values() for dump in found if len(dump.entries))
    facts = {"recording": list(filled), "empty": list(heard - filled), "unreadable": sorted(unreadable)}
    absent = _absent(session, heard | RankSet(unreadable))
    wrong = [
        f"the dump of {ranks_told(RankSet(which))} {what} (rank {(first := next(iter(which)))}: {which[first]})"
        for which, what in ((unreadable, "can't be read"), (absent, "has not come"))
        if which
    ]
    if wrong:
        return Check(
            "recorder",
            CheckState.PROBLEM,
            f"{'; '.join(wrong)}.",
            why,
            "read the log of the rank; --timeout SECONDS gives ranks more time; report a dump that is whole",
            RankSet((*unreadable, *absent)),
            facts | {"absent": list(absent)},
        )
    if not heard:
        return Check("recorder", CheckState.UNKNOWN, "No rank has sent a flight recorder dump.", why, _ON, facts=facts)
    active = RankSet()
    for source in dumps:
        active |= _only_active(session, source)
    empty = heard - filled - active
    if not empty:
        return Check(
            "recorder",
            CheckState.OK,
            f"The flight recorder of every rank heard ({len(heard):,}) holds calls.",
            facts=facts,
        )
    known = {dump.rank for found in dumps.values() for dump in found if dump.configs or dump.statuses}
    bare = RankSet(rank for rank in empty if rank not in known)
    if bare:
        return Check(
            "recorder",
            CheckState.PROBLEM,
            f"The flight recorder of {ranks_told(bare)} holds nothing at all, not even a group: it is off, or the job "
            "has made no group yet.",
            why,
            _ON,
            bare,
            facts,
        )
    return Check(
        "recorder",
        CheckState.WARNING,
        f"The flight recorder of {ranks_told(empty)} knows its groups, but holds no call.",
        why,
        f"ask again once collectives have run; else {_ON}",
        empty,
        facts,
    )


def _absent(session: Session, heard: RankSet) -> dict[int, str]:
    """Ranks that answer, were asked for a dump and sent none at all; why, one plain line."""
    look = session.latest
    if look is None:
        return {}
    sources = {probe.source for probe in RECORDERS}
    there = {rank for rank, state in session.ranks.items() if state.rank_class in (RankClass.ALIVE, RankClass.GIL_HELD)}
    return {
        rank: f"{source}: {reply.error or reply.outcome.value}"
        for (rank, source), reply in sorted(look.replies.items())
        if source in sources and rank in there and rank not in heard and reply.outcome is not Outcome.OK
    }


def _ring(source: str, dumps: Sequence[Dump], active: RankSet) -> Check:
    """How many calls the rings hold, whether they have wrapped, and how far back they reach."""
    name = f"ring {_named(source)}"
    dumps = [dump for dump in dumps if dump.rank not in active and len(dump.entries)]
    if not dumps:
        said = f"The dumps of {ranks_told(active)} hold active calls only: how many the rings hold is not known."
        return Check(name, CheckState.UNKNOWN, said, mend="dump with onlyactive=false", ranks=active)
    held = {dump.rank: len(dump.entries) for dump in dumps if len(dump.entries)}
    wrapped = RankSet(dump.rank for dump in dumps if len(dump.entries) and int(dump.entries.record_id.min()) > 0)
    spans = {dump.rank: _span_s(dump) for dump in dumps if dump.rank in wrapped}
    fewest, most = min(held.values()), max(held.values())
    calls = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    facts: dict[str, Any] = {"source": source, "fewest": fewest, "most": most, "wrapped": list(wrapped)}
    if not wrapped:
        said = f"{calls} calls on each rank, from the first on: no ring has wrapped."
        return Check(name, CheckState.OK, said, facts=facts)
    shortest = min(spans.values())
    facts["shortest_s"] = round(shortest, 3)
    said = (
        f"{calls} calls on each rank; the ring of {ranks_told(wrapped)} has wrapped, older calls are lost: "
        f"the shortest reaches {_lasting(shortest)} back."
    )
    if fewest >= _FEW or shortest >= _SHORT_S:
        return Check(name, CheckState.OK, said, facts=facts)
    return Check(
        name,
        CheckState.WARNING,
        said,
        "A rank that runs ahead loses the call at which another one stands.",
        _ON,
        wrapped,
        facts,
    )


def _frames(source: str, dumps: Sequence[Dump], frames: FramesSeen | None) -> Check:
    name = f"frames {_named(source)}"
    seen = sum(int((dump.entries.stack >= 0).sum()) for dump in dumps)
    if seen:
        return Check(name, CheckState.OK, f"{seen:,} calls were recorded with their Python frames.")
    if source == _CPU:
        return Check(
            name, CheckState.UNKNOWN, "The recorder of the CPU side gives no frames; stacks come from the ranks."
        )
    if source == DUMP_FILE:
        return Check(
            name,
            CheckState.WARNING,
            "No call in these files has frames.",
            "Where a call was made is not known; the stacks of the moment are gone.",
            "dump as a pickle, with includestacktraces",
        )
    if frames is None or frames.error:
        said = f": rank {frames.rank}: {frames.error}" if frames is not None else ""
        return Check(name, CheckState.UNKNOWN, f"The JSON form has no frames, and no dump with frames came{said}.")
    if frames.with_frames:
        said = f"{frames.with_frames:,} of {frames.calls:,} calls of rank {frames.rank} have Python frames."
        return Check(name, CheckState.OK, said, ranks=RankSet([frames.rank]))
    if not frames.calls:
        return Check(
            name, CheckState.UNKNOWN, f"Rank {frames.rank} had recorded no call when its frames were asked for."
        )
    return Check(
        name,
        CheckState.WARNING,
        f"None of {frames.calls:,} calls of rank {frames.rank} has frames.",
        "Where a call was made is not known once the rank has moved on.",
        "a newer torch; TORCH_FR_CPP_STACK=1 (older: TORCH_NCCL_TRACE_CPP_STACK=1) records C++ frames too",
        RankSet([frames.rank]),
    )


def _timing(source: str, dumps: Sequence[Dump]) -> Check:
    name = f"timing {_named(source)}"
    timed = sum(int((~np.isnan(dump.entries.duration_ms)).sum()) for dump in dumps)
    ended = sum(int((dump.entries.completed > 0).sum()) for dump in dumps)
    if timed:
        return Check(name, CheckState.OK, f"{timed:,} calls have a duration.", facts={"timed": timed})
    if source == _CPU:
        return Check(name, CheckState.UNKNOWN, "The recorder of the CPU side keeps no durations.")
    if not ended:
        return Check(name, CheckState.UNKNOWN, "No call has ended by the recorder, so no duration could be there.")
    return Check(
        name,
        CheckState.WARNING,
        f"None of {ended:,} ended calls has a duration: timing is off.",
        "How long collectives take on the device, and which rank is slow in them, is not recorded.",
        "TORCH_NCCL_ENABLE_TIMING=1 in the environment of every rank (costs some speed)",
    )


def _span_s(dump: Dump) -> float:
    created = dump.entries.created[dump.entries.created > 0]
    return float(created.max() - created.min()) / 1e9 if len(created) else 0.0


def _lasting(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _named(source: str) -> str:
    return {"fr_trace_json": "(CPU)", "dump_nccl_trace_json": "(NCCL)", DUMP_FILE: "(files)"}.get(
        source, "(torchcomms)"
    )
