"""Findings about classes of ranks (stopped, dead, ...): what they mean for the job, in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..cluster.liveness import ORPHANED
from ..findings import Confidence, Evidence, Finding, Severity, VerdictValue
from ..ranksets import RankSet
from ..snapshot import RankClass
from .stack_findings import gil_holder, place_of, stack_evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..looks.stacks import StackLook
    from ..snapshot import RankState

__all__ = ["CLASS_VALUES", "CONFIRMING_LOOKS", "EVIDENCE_SHOWN", "class_findings"]

EVIDENCE_SHOWN = 8
"""Ranks of one finding whose evidence is spelled out."""
CONFIRMING_LOOKS = 2
"""Looks in a row after which a state that may pass by itself is taken as lasting."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a class of ranks means for the job."""

    value: VerdictValue
    """The verdict when this is the first finding."""
    rate: Callable[[Sequence[RankState]], tuple[Severity, Confidence]]
    says: str
    """Predicate of the sentence, `{is_}` and `{has}` agreeing with the number of ranks."""
    advice: str
    refutation: str
    source: str = "ping"


def _always(severity: Severity, confidence: Confidence) -> Callable[[Sequence[RankState]], tuple[Severity, Confidence]]:
    return lambda _states: (severity, confidence)


def _dead(states: Sequence[RankState]) -> tuple[Severity, Confidence]:
    # A debug server that answered earlier and is gone now leaves one reading less than one never heard.
    heard = all(state.was_alive and state.reason != ORPHANED for state in states)
    return Severity.CRITICAL, Confidence.CERTAIN if heard else Confidence.LIKELY


def _gil_held(states: Sequence[RankState]) -> tuple[Severity, Confidence]:
    lasting = all(state.confirmed >= CONFIRMING_LOOKS for state in states)
    return (Severity.CRITICAL if lasting else Severity.WARNING), Confidence.LIKELY


_READINGS: dict[RankClass, _Reading] = {
    RankClass.DEAD: _Reading(
        VerdictValue.DEAD,
        _dead,
        "{is_} dead: nothing listens at {their} address",
        "Read the end of the log of {these} and the kernel log of the host (out of memory, Xid).",
        "{Their} process still runs on the host, or the address leads elsewhere from here.",
    ),
    RankClass.STOPPED: _Reading(
        VerdictValue.HANG,
        _always(Severity.CRITICAL, Confidence.LIKELY),
        "{is_} stopped: connections are accepted, but no request is answered",
        "Look at the process on the host: state T or D in ps, a frozen container, an unresponsive node.",
        "A request that is out is answered at a later look, or all server threads of the rank are taken by others.",
    ),
    RankClass.GIL_HELD: _Reading(
        VerdictValue.HANG,
        _gil_held,
        "{has} the GIL held by one thread: ping is answered, the Python traceback is not",
        "py-spy dump on the host shows the thread that holds it and its line.",
        "The traceback comes at the next look, or py-spy shows no thread with +gil.",
        source="dump_traceback",
    ),
    RankClass.UNREACHABLE: _Reading(
        VerdictValue.UNKNOWN,
        _always(Severity.WARNING, Confidence.POSSIBLE),
        "can't be reached: connecting times out or there is no route",
        "Check the host and the path to it; with a tunnel, --map HOST:PORT=ADDR:PORT says where it ends.",
        "The host answers from inside the cluster: then a firewall lies between here and there.",
    ),
    RankClass.FOREIGN_PORT: _Reading(
        VerdictValue.UNKNOWN,
        _always(Severity.WARNING, Confidence.LIKELY),
        "can't be asked: what answers at {their} address is no rank's debug server",
        "Either the rank that had this port has ended (read its log), or the address is not a worker's.",
        "A proxy or gateway between here and the rank answers in its place.",
    ),
    RankClass.SERVER_ERROR: _Reading(
        VerdictValue.UNKNOWN,
        _always(Severity.WARNING, Confidence.POSSIBLE),
        "{has} a debug server that fails to answer",
        "The reason stands below; the log of {these} may say more.",
        "It answers at the next look.",
    ),
    RankClass.NOT_REGISTERED: _Reading(
        VerdictValue.UNKNOWN,
        _always(Severity.WARNING, Confidence.LIKELY),
        "{has} not registered a debug server: not started, not that far yet, or ended before",
        "Read the log of {these}; start_debug_server() has to run on every rank, early.",
        "{They} will register at a later look, or this job does not start the debug server there at all.",
        source="store",
    ),
    RankClass.NAME_UNKNOWN: _Reading(
        VerdictValue.UNKNOWN,
        _always(Severity.INFO, Confidence.CERTAIN),
        "can't be asked from here: the host's name does not resolve or the registered address is unreadable",
        "Give its address with --map HOST=ADDR, or run xpudbg inside the cluster.",
        "The name resolves from here.",
    ),
}

CLASS_VALUES = {rank_class.value: reading.value for rank_class, reading in _READINGS.items()}
"""The verdict when a finding of this kind comes first; in the order of what explains most."""


def class_findings(
    by_class: Mapping[RankClass, Sequence[RankState]],
    stacks: StackLook | None,
    name_ranks: Callable[[RankSet], str],
) -> list[Finding]:
    """One finding for each class that is wrong.

    Args:
        by_class: rows of the rank table by class.
        stacks: the stacks of the newest look.
        name_ranks: writes a rank set with its hosts.
    """
    found = [_finding(kind, states, stacks, name_ranks) for kind, states in by_class.items() if kind in _READINGS]
    if len(by_class) == 1 and RankClass.DEAD in by_class and len(by_class[RankClass.DEAD]) > 1:
        found = [replace(one, text=one.text + " The whole job has ended, perhaps by itself.") for one in found]
    return found


def _finding(
    rank_class: RankClass,
    states: Sequence[RankState],
    stacks: StackLook | None,
    name_ranks: Callable[[RankSet], str],
) -> Finding:
    reading = _READINGS[rank_class]
    severity, confidence = reading.rate(states)
    shown = states[:EVIDENCE_SHOWN]
    evidence = [
        Evidence("periodic dump" if state.address.file else reading.source, state.rank, state.reason) for state in shown
    ]
    place = ""
    if stacks is not None and rank_class is RankClass.GIL_HELD:
        evidence += [item for state in shown if (item := stack_evidence(stacks, state.rank)) is not None]
        holders = [gil_holder(stacks, state.rank) for state in states]
        if all(holder is not None for holder in holders):
            confidence = Confidence.CERTAIN
        seen = holders[0] or stacks.main(states[0].rank)
        if seen is not None and seen.frames:
            place = f" Rank {states[0].rank} is in {place_of(seen.frames)}."
    culprits = RankSet(state.rank for state in states)
    words = _words(len(states))
    says = reading.says
    if all(state.reason == ORPHANED for state in states):
        says = "{is_} dead: {their} process has ended, though a process forked from it keeps the port open"
    named = name_ranks(culprits)
    return Finding(
        kind=rank_class.value,
        severity=severity,
        confidence=confidence,
        culprits=culprits,
        text=f"{named[0].upper()}{named[1:]} {says.format(**words)}.{place}",
        advice=reading.advice.format(**words),
        refutation=reading.refutation.format(**words),
        evidence=tuple(evidence),
    )


def _words(count: int) -> dict[str, str]:
    one = count == 1
    return {
        "is_": "is" if one else "are",
        "has": "has" if one else "have",
        "they": "it" if one else "they",
        "They": "It" if one else "They",
        "Their": "Its" if one else "Their",
        "their": "its" if one else "their",
        "these": "this rank" if one else "these ranks",
    }
