"""The verdict: joins what is known of the ranks into findings, first cause first. Sentences are made here, once.

Pure. All text is plain; whoever paints or exports it escapes it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .findings import Confidence, Evidence, Finding, Severity, Verdict, VerdictValue
from .ranksets import RankSet
from .snapshot import RankClass
from .stack_findings import STUCK_STACK, gil_holder, place_of, stack_evidence, stack_findings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .snapshot import RankState
    from .stack_look import StackLook

__all__ = ["CONFIRMING_LOOKS", "EVIDENCE_SHOWN", "judge", "name_ranks"]

EVIDENCE_SHOWN = 8
"""Ranks of one finding whose evidence is spelled out."""
CONFIRMING_LOOKS = 2
"""Looks in a row after which a state that may pass by itself is taken as lasting."""

_SEVERITIES = list(Severity)
_CONFIDENCES = list(Confidence)


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
    heard = all(state.was_alive for state in states)
    return Severity.CRITICAL, Confidence.CERTAIN if heard else Confidence.LIKELY


def _gil_held(states: Sequence[RankState]) -> tuple[Severity, Confidence]:
    lasting = all(state.confirmed >= CONFIRMING_LOOKS for state in states)
    return (Severity.CRITICAL if lasting else Severity.WARNING), Confidence.LIKELY


_READINGS: dict[RankClass, _Reading] = {
    RankClass.DEAD: _Reading(
        VerdictValue.DEAD,
        _dead,
        "{is_} dead: nothing listens where {they} registered",
        "Read the end of the log of {these} and the kernel log of the host (out of memory, Xid).",
        "{Their} process still runs on the host, or the registered address leads elsewhere from here.",
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
        "{has} a port that belongs to something else now: what answers is not a rank's debug server",
        "The rank that registered is gone or was restarted: read its log.",
        "A proxy or gateway between here and the rank answers in its place.",
    ),
    RankClass.SERVER_ERROR: _Reading(
        VerdictValue.UNKNOWN,
        _always(Severity.WARNING, Confidence.POSSIBLE),
        "{has} a debug server that fails to answer",
        "See the reason on the rank's row; read the log of {these}.",
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

_KINDS = [STUCK_STACK, *(rank_class.value for rank_class in _READINGS)]
"""Order of findings that are equal otherwise: what explains most comes first."""

_NOT_TOLD = (RankClass.UNKNOWN, RankClass.NAME_UNKNOWN, RankClass.UNREACHABLE)
"""Classes that say nothing about what the rank is doing."""


def judge(
    ranks: Mapping[int, RankState],
    *,
    waiting: RankSet | None = None,
    under_way: bool = False,
    notes: Sequence[str] = (),
    stacks: StackLook | None = None,
) -> Verdict:
    """The verdict on what is known so far.

    Args:
        ranks: the rank table.
        waiting: ranks of the look under way of which nothing has come yet.
        under_way: whether more may come.
        notes: what limits the look as a whole.
        stacks: what the stacks of the newest look say.
    """
    by_class: dict[RankClass, list[RankState]] = {}
    for state in ranks.values():
        by_class.setdefault(state.rank_class, []).append(state)
    known = stacks if stacks is not None and stacks.look_id else None
    findings = [_finding(kind, states, known) for kind, states in by_class.items() if kind in _READINGS]
    if known is not None:
        findings = _absorbed(findings, stack_findings(known, lambda named: name_ranks(named, ranks)))
    findings.sort(key=_order)
    silent = RankSet(state.rank for rank_class in _NOT_TOLD for state in by_class.get(rank_class, ()))
    missing = silent | (waiting or RankSet())
    accused = [finding for finding in findings if finding.severity.accuses]
    if accused:
        value = _value(accused[0].kind)
        summary = accused[0].text
        if len(accused) > 1:
            summary = summary.rstrip(".") + f"; {len(accused) - 1} more below."
        return Verdict(value, summary, tuple(findings), missing, under_way)
    return _calm(ranks, by_class, findings, missing, under_way=under_way, notes=notes)


def name_ranks(ranks: RankSet, states: Mapping[int, RankState]) -> str:
    """`rank 12 (node-b07)`, `ranks 3,77-79 (node-a01, node-a09)`; at most three hosts are named."""
    hosts = list(dict.fromkeys(states[rank].host for rank in ranks if rank in states and states[rank].host))
    word = "rank" if len(ranks) == 1 else "ranks"
    named = f"{word} {ranks}"
    if not hosts or len(hosts) > 3:
        return named + (f" (on {len(hosts)} hosts)" if hosts else "")
    return f"{named} ({', '.join(hosts)})"


def _calm(
    ranks: Mapping[int, RankState],
    by_class: Mapping[RankClass, list[RankState]],
    findings: Sequence[Finding],
    missing: RankSet,
    *,
    under_way: bool,
    notes: Sequence[str],
) -> Verdict:
    alive = len(by_class.get(RankClass.ALIVE, ()))
    told = f"{alive} of {len(ranks)} ranks answer"
    if under_way and missing:
        return Verdict(VerdictValue.UNKNOWN, f"Looking: {told} so far.", tuple(findings), missing, under_way)
    if missing:
        summary = f"No problem found, but nothing is known of {name_ranks(missing, ranks)}; {told}."
        value = VerdictValue.UNKNOWN if len(missing) == len(ranks) else VerdictValue.OK
        return Verdict(value, summary, tuple(findings), missing, under_way)
    limit = f" ({notes[0]})" if notes else ""
    return Verdict(
        VerdictValue.OK, f"No problem found: all {len(ranks)} ranks answer{limit}.", tuple(findings), missing, under_way
    )


def _absorbed(by_class: list[Finding], by_stack: list[Finding]) -> list[Finding]:
    """One cause, one finding: what stacks say of ranks that a class accuses already belongs to that finding."""
    accused = {rank: number for number, finding in enumerate(by_class) for rank in finding.culprits}
    made = list(by_class)
    for finding in by_stack:
        homes = {accused.get(rank) for rank in finding.culprits}
        if len(homes) == 1 and (home := homes.pop()) is not None:
            evidence = [item for item in finding.evidence if item not in made[home].evidence]
            made[home] = replace(
                made[home],
                waiting=made[home].waiting | finding.waiting,
                evidence=(*made[home].evidence, *evidence),
                op=finding.op,
            )
        else:
            made.append(finding)
    return made


def _value(kind: str) -> VerdictValue:
    """The verdict when a finding of this kind comes first."""
    return VerdictValue.HANG if kind == STUCK_STACK else _READINGS[RankClass(kind)].value


def _finding(rank_class: RankClass, states: Sequence[RankState], stacks: StackLook | None) -> Finding:
    reading = _READINGS[rank_class]
    severity, confidence = reading.rate(states)
    shown = states[:EVIDENCE_SHOWN]
    evidence = [Evidence(reading.source, state.rank, state.reason) for state in shown]
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
    named = name_ranks(culprits, {state.rank: state for state in states})
    return Finding(
        kind=rank_class.value,
        severity=severity,
        confidence=confidence,
        culprits=culprits,
        text=f"{named[0].upper()}{named[1:]} {reading.says.format(**words)}.{place}",
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
        "these": "this rank" if one else "these ranks",
    }


def _order(finding: Finding) -> tuple[int, int, int, int]:
    return (
        _SEVERITIES.index(finding.severity),
        _CONFIDENCES.index(finding.confidence),
        -len(finding.waiting),
        _KINDS.index(finding.kind),
    )
