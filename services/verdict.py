"""The verdict: joins what is known of the ranks into findings, first cause first. Pure.

Sentences are made in class_findings, recorder_findings and stack_findings, once, as plain text; whoever paints or
exports them escapes them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .cluster.health import HEALTH_VALUES, health_findings
from .counters.findings import COUNTER_VALUES, counter_findings, with_counters
from .findings import Confidence, Finding, Severity, Verdict, VerdictValue
from .flight_recorder.coordinates import written_short
from .judging.class_findings import CLASS_VALUES, class_findings
from .judging.fatal_findings import fatal_findings
from .judging.joining import one_cause_one_finding
from .judging.recorder_findings import RECORDER_VALUES, SLOW_RANK, recorder_findings
from .judging.stack_findings import STUCK_STACK, place_of, stack_findings
from .judging.witness import Witness
from .plain_text import plain
from .ranksets import MAX_RANK, RankSet, ranks_said
from .snapshot import RankClass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .counters.look import CounterLook
    from .looks.recorders import RecorderLook
    from .looks.stacks import StackLook
    from .snapshot import RankState

__all__ = ["judge", "name_ranks"]

_LONGEST = 40
"""Characters of a rank set in a sentence; findings hold the whole set."""
_WAITS = 3
"""Wait counters that a summary names."""
_SEVERITIES = list(Severity)
_CONFIDENCES = list(Confidence)
_VALUES = RECORDER_VALUES | {STUCK_STACK: VerdictValue.HANG} | CLASS_VALUES | HEALTH_VALUES | COUNTER_VALUES
"""The verdict when a finding of this kind comes first; findings that are equal otherwise stand in this order."""
_KINDS = list(_VALUES)

_NOT_TOLD = (RankClass.UNKNOWN, RankClass.NAME_UNKNOWN, RankClass.UNREACHABLE)
"""Classes that say nothing about what the rank is doing."""


def judge(
    ranks: Mapping[int, RankState],
    *,
    waiting: RankSet | None = None,
    under_way: bool = False,
    notes: Sequence[str] = (),
    stacks: StackLook | None = None,
    recorder: RecorderLook | None = None,
    counters: CounterLook | None = None,
    world_size: int = 0,
) -> Verdict:
    """The verdict on what is known so far.

    Args:
        ranks: the rank table.
        waiting: ranks of the look under way of which nothing has come yet.
        under_way: whether more may come.
        notes: what limits the look as a whole.
        stacks: what the stacks of the newest look say; None before the first.
        recorder: what the flight recorders of the newest look say; None before the first.
        counters: what the wait counters of the newest look say; None before the first.
        world_size: ranks of the job, 0 when that is not known.
    """

    def named(some: RankSet) -> str:
        return name_ranks(some, ranks, recorder.coordinates if recorder is not None else None)

    by_class: dict[RankClass, list[RankState]] = {}
    for state in ranks.values():
        by_class.setdefault(state.rank_class, []).append(state)
    findings = one_cause_one_finding(
        [*class_findings(by_class, stacks, named), *(fatal_findings(stacks, named) if stacks is not None else ())],
        recorder_findings(recorder, named, Witness(ranks, stacks, counters)) if recorder is not None else [],
        stack_findings(stacks, named) if stacks is not None else [],
        stacks=stacks,
        recorded=recorder.ranks if recorder is not None else RankSet(),
        inside=recorder.inside if recorder is not None else RankSet(),
        missed=recorder.missed if recorder is not None else None,
    )
    findings += health_findings(ranks, named)
    if recorder is not None:
        findings += _logged(recorder.logged, findings)
    if counters is not None:
        known = recorder.ranks if recorder is not None else RankSet()
        if stacks is not None:
            known = known | RankSet(stacks.dumps)
        findings = [with_counters(one, counters) for one in findings]
        findings += counter_findings(counters, known, findings, named)
    findings.sort(key=_order)
    silent = RankSet(state.rank for rank_class in _NOT_TOLD for state in by_class.get(rank_class, ()))
    if recorder is not None:
        silent = silent - recorder.ranks - (recorder.read & recorder.not_joined)
    from_files = all(state.address.file for state in ranks.values())
    if from_files:
        silent = silent - _told_by_files(stacks, counters, recorder)
    missing = silent | (waiting or RankSet())
    accused = [finding for finding in findings if finding.severity.accuses]
    if accused:
        summary = accused[0].text
        if len(accused) > 1:
            summary = summary.rstrip(".") + f"; {len(accused) - 1} more below."
        return Verdict(_VALUES[accused[0].kind], summary, tuple(findings), missing, under_way)
    moving = recorder.moved if recorder is not None else RankSet()
    slow = [finding for finding in findings if finding.kind == SLOW_RANK]
    if slow and not missing and not under_way:
        return Verdict(VerdictValue.SLOW, slow[0].text, tuple(findings), missing, under_way)
    beyond = RankSet.full(min(world_size, MAX_RANK + 1)) - RankSet(ranks)
    if beyond and not missing and not under_way and not moving:
        waiting_in = _held_up(stacks, recorder)
        if waiting_in:
            summary = (
                f"{waiting_in}; whom they wait for is not to be seen: {ranks_said(beyond, 'is', 'are')} not looked at."
            )
            return Verdict(VerdictValue.UNKNOWN, summary, tuple(findings), beyond, under_way)
    if from_files and not moving and (summary := _without_recorder(stacks, counters, recorder, findings)):
        return Verdict(VerdictValue.UNKNOWN, summary, tuple(findings), missing, under_way)
    inside = recorder.inside if recorder is not None and from_files else RankSet()
    empty = (recorder.read - recorder.ranks) & missing if recorder is not None else RankSet()
    return _calm(ranks, by_class, findings, missing, moving, inside, empty, under_way=under_way, notes=notes)


def _logged(logged: Sequence[Finding], known: Sequence[Finding]) -> list[Finding]:
    """What the watchdog wrote into logs, beside what is known: a flight recorder that accuses knows more than lines of
    a log, which are no more than its context then."""
    if not any(one.severity.accuses for one in known):
        return list(logged)
    return [replace(one, severity=Severity.INFO) for one in logged]


def _told_by_files(stacks: StackLook | None, counters: CounterLook | None, recorder: RecorderLook | None) -> RankSet:
    """Ranks of which files tell something beside their flight recorder."""
    told = RankSet() if stacks is None else RankSet(stacks.dumps)
    for one in recorder.logged if recorder is not None else ():
        told |= one.culprits | one.waiting
    return told if counters is None else told | RankSet(counters.table.ranks.tolist())


def _without_recorder(
    stacks: StackLook | None, counters: CounterLook | None, recorder: RecorderLook | None, findings: Sequence[Finding]
) -> str:
    """What files say that hold no flight recorder, which is no verdict and no all-clear; empty where they hold one."""
    if recorder is not None and recorder.ranks:
        return ""
    if stacks is not None and stacks.stuck.moving:
        return ""
    if said := _one_look(stacks, findings):
        return said
    has = ["stacks"] if stacks is not None and stacks.dumps else []
    has += ["wait counters"] if counters is not None and len(counters.table.ranks) else []
    if not has:
        return ""
    said = f"Nobody is accused, which clears nobody: there are {' and '.join(has)}, and no flight recorder dump."
    return f"{said}{_waits_counted(counters)}" if counters is not None else said


def _waits_counted(counters: CounterLook) -> str:
    """Which ranks count a wait now, the most usual waits first; empty where none does."""
    by_title: dict[str, list[int]] = {}
    for rank in counters.active_ranks:
        for title, _ in counters.waiting_in(rank):
            by_title.setdefault(title, []).append(rank)
    ordered = sorted(by_title.items(), key=lambda one: (-len(one[1]), one[0]))
    said = [
        f" R{ranks_said(RankSet(ranks), 'waits', 'wait')[1:]} in {plain(title, _LONGEST)}" for title, ranks in ordered
    ]
    more = f"; waits in {len(said) - _WAITS} more counters" if len(said) > _WAITS else ""
    return f"{';'.join(said[:_WAITS])}{more}." if said else ""


def _one_look(stacks: StackLook | None, findings: Sequence[Finding]) -> str:
    """What stacks of one moment say, which is no verdict: who is elsewhere while others wait, or that all wait."""
    outside = [one for one in findings if one.kind == STUCK_STACK and one.culprits]
    if outside:
        return f"{outside[0].text} One look cannot tell a hang from a job that moves."
    if stacks is None or stacks.stuck.moving or any(one.looks > 1 for one in stacks.standings.values()):
        return ""
    waiting_in = _held_up(stacks, None)
    return f"{waiting_in}; one look cannot tell a hang from a job that moves." if waiting_in else ""


def _held_up(stacks: StackLook | None, recorder: RecorderLook | None) -> str:
    """Where all ranks that no recorder knows stand in calls for others, nobody of them elsewhere: who and in what."""
    if stacks is None or stacks.stuck.moving or stacks.stuck.ambiguous:
        return ""
    known = recorder.ranks if recorder is not None else RankSet()
    waiting = stacks.stuck.waiting_ranks - known
    if not waiting or RankSet(stacks.dumps) - known != waiting:
        return ""
    call = max(stacks.stuck.waiting, key=lambda one: len(one.ranks - known))
    site = f" at {place_of([call.site])}" if call.site is not None else ""
    more = "" if waiting <= call.ranks else ", and in other calls"
    return f"R{ranks_said(waiting, 'stands', 'stand')[1:]} in {call.function}{site}{more}"


def name_ranks(
    ranks: RankSet, states: Mapping[int, RankState], coordinates: Mapping[int, Mapping[str, int]] | None = None
) -> str:
    """`rank 12 (node-b07, pp0 tp1)`, `ranks 3,77-79 (node-a01, node-a09)`; at most three hosts are named."""
    hosts = list(dict.fromkeys(states[rank].host for rank in ranks if rank in states and states[rank].host))
    word = "rank" if len(ranks) == 1 else "ranks"
    written_out = str(ranks)
    if len(written_out) > _LONGEST:
        head = written_out[:_LONGEST].rpartition(",")[0]
        written_out = f"{head},... ({len(ranks)} in all)"
    named = f"{word} {written_out}"
    if len(ranks) == 1 and coordinates and (place := coordinates.get(ranks.first or 0)):
        hosts.append(written_short(place))
    if not hosts or len(hosts) > 3:
        return named + (f" (on {len(hosts)} hosts)" if hosts else "")
    return f"{named} ({', '.join(hosts)})"


def _calm(
    ranks: Mapping[int, RankState],
    by_class: Mapping[RankClass, list[RankState]],
    findings: Sequence[Finding],
    missing: RankSet,
    moving: RankSet,
    inside: RankSet,
    empty: RankSet,
    *,
    under_way: bool,
    notes: Sequence[str],
) -> Verdict:
    alive = len(by_class.get(RankClass.ALIVE, ()))
    told = f"{alive} of {len(ranks)} ranks answer"
    everyone = f"all {len(ranks)} ranks answer" if len(ranks) != 1 else "the rank answers"
    if all(state.address.file for state in ranks.values()):
        told = f"{len(ranks) - len(missing - empty)} of {len(ranks)} ranks have left a dump"
        told += f", and {ranks_said(empty, 'has an empty one', 'have empty ones')}" if empty else ""
        everyone = (
            f"the dumps of all {len(ranks)} ranks agree" if len(ranks) != 1 else "the dump of the only rank has none"
        )
        if inside and not moving:
            waits = f"; {ranks_said(inside, 'is', 'are')} inside a call, and nothing tells for whom"
            told, everyone = told + waits, everyone + waits
    if under_way and missing:
        return Verdict(VerdictValue.UNKNOWN, f"Looking: {told} so far.", tuple(findings), missing, under_way)
    if len(missing) == len(ranks):
        summary = f"Nothing is known of {name_ranks(missing, ranks)}: {told}."
        return Verdict(VerdictValue.UNKNOWN, summary, tuple(findings), missing, under_way)
    if missing:
        summary = f"No problem found, but nothing is known of {name_ranks(missing, ranks)}; {told}."
        return Verdict(VerdictValue.OK, summary, tuple(findings), missing, under_way)
    limit = f" ({notes[0]})" if notes else ""
    if moving:
        summary = f"No problem found: {everyone}, and the job moves{limit}."
        return Verdict(VerdictValue.MOVING, summary, tuple(findings), missing, under_way)
    return Verdict(VerdictValue.OK, f"No problem found: {everyone}{limit}.", tuple(findings), missing, under_way)


def _order(finding: Finding) -> tuple[int, int, int, int]:
    return (
        _SEVERITIES.index(finding.severity),
        _CONFIDENCES.index(finding.confidence),
        -len(finding.waiting),
        _KINDS.index(finding.kind),
    )
