"""One cause, one finding: what liveness, flight recorder and stacks say of the same ranks is said once.

The class of a rank (dead, stopped, GIL held) explains why it has not joined a call, so that finding takes in what the
recorder and the stacks say of it. What the recorder says goes before what stacks alone suggest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..findings import Confidence, Severity
from ..flight_recorder.causes import Kind
from ..ranksets import RankSet
from ..snapshot import RankClass
from .fatal_findings import FATAL
from .stack_findings import STUCK_STACK, place_of, stack_evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..findings import Evidence, Finding
    from ..looks.stacks import StackLook

__all__ = ["one_cause_one_finding"]

_EXPLAINED_BY_CLASS = frozenset((Kind.NOT_JOINED.value, Kind.NO_DUMP.value, Kind.P2P_UNMATCHED.value, STUCK_STACK))
"""Kinds of which the state of the process is the cause."""
_MISSED = frozenset((Kind.NOT_JOINED.value, Kind.P2P_UNMATCHED.value))
"""Kinds by which a recorder tells what a rank has not done."""
_EVIDENCE_STACKS = 4
"""Ranks of one finding whose stacks are added to it."""


def one_cause_one_finding(
    by_class: Sequence[Finding],
    by_recorder: Sequence[Finding],
    by_stack: Sequence[Finding],
    *,
    stacks: StackLook | None,
    recorded: RankSet,
    inside: RankSet,
    missed: RankSet | None = None,
) -> list[Finding]:
    """All findings, each cause once.

    Args:
        by_class: what the classes of the ranks say.
        by_recorder: what the flight recorders say.
        by_stack: what the stacks say.
        stacks: the stacks of the newest look.
        recorded: ranks whose flight recorder was read.
        inside: those of them that are inside a call by their recorder.
        missed: ranks that a call waits for; None when that is not known.
    """
    made = list(by_class)
    for finding in by_recorder:
        before = len(made)
        made = _with(made, len(by_class), finding)
        if len(made) > before:
            made[-1] = _placed(made[-1], stacks)
    causes = [finding for finding in by_recorder if finding.severity.accuses]
    named = RankSet(rank for one in by_recorder if one.kind in _EXPLAINED_BY_CLASS for rank in one.culprits)
    # A rank that has recorded nothing is known all the same where a call misses it.
    recorded = recorded | RankSet(rank for one in by_recorder if one.kind in _MISSED for rank in one.culprits)
    for finding in by_stack:
        if finding.culprits <= recorded and (causes or finding.culprits & named):
            # The recorder knows whom these ranks hold up, if anybody: where it names a cause it has named them or not;
            # and where it names them without accusing, it has a reason.
            continue
        if finding.culprits and finding.culprits <= recorded and finding.waiting <= inside:
            finding = _without_accusation(finding)
        made = _with(made, len(by_class), finding)
    held_up = bool(stacks is not None and stacks.stuck.waiting)
    return [_unmissed(one) if missed is not None and not held_up and _is_gone(one, missed) else one for one in made]


def _is_gone(finding: Finding, missed: RankSet) -> bool:
    """Whether it is about ranks that have ended and that nobody waits for."""
    seen_to_die = any(item.source == FATAL for item in finding.evidence)
    return (
        finding.kind == RankClass.DEAD.value
        and not seen_to_die
        and not finding.waiting
        and not finding.culprits & missed
    )


def _unmissed(finding: Finding) -> Finding:
    single = len(finding.culprits) == 1
    return replace(
        finding,
        severity=Severity.WARNING,
        text=f"{finding.text} Nobody waits for {'it: it' if single else 'them: they'} may have finished early.",
    )


def _without_accusation(finding: Finding) -> Finding:
    """The recorder knows the calls in which the others wait, and misses nobody in them: the group is another one, or
    some of its members are not known."""
    return replace(
        finding,
        severity=Severity.INFO,
        confidence=Confidence.POSSIBLE,
        refutation=f"{finding.refutation} The flight recorder misses none of these ranks in the calls that wait.",
    )


def _with(made: list[Finding], classes: int, finding: Finding) -> list[Finding]:
    """The findings with one more, taken into those of the first `classes` that explain it."""
    if finding.kind not in _EXPLAINED_BY_CLASS:
        return [*made, finding]
    left = finding.culprits
    for number, known in enumerate(made[:classes]):
        if known.severity.accuses and (left & known.culprits):
            made[number] = _taken_in(known, finding)
            left = left - known.culprits
    if finding.culprits and not left:
        return made
    if left == finding.culprits:
        return [*made, finding]
    return [*made, replace(finding, culprits=left)]


def _taken_in(known: Finding, finding: Finding) -> Finding:
    says = "" if finding.kind == STUCK_STACK else f" {_of_the_same(finding.text, known)}"
    return replace(
        known,
        text=known.text + says,
        waiting=known.waiting | finding.waiting,
        group=known.group or finding.group,
        op=known.op or finding.op,
        seq=finding.seq if known.seq is None else known.seq,
        evidence=_merged(known.evidence, finding.evidence),
    )


def _of_the_same(text: str, known: Finding) -> str:
    """A sentence about the ranks that the finding before it has named already."""
    _, no_dump, rest = text.partition(" left no flight recorder dump, and others wait in ")
    if no_dump:
        return f"Others wait in {rest}"  # that such a rank gives no dump is no news
    for verb, pronoun in ((" has ", "It"), (" have ", "They")):
        subject, found, rest = text.partition(verb)
        if found and known.text.startswith(subject + " "):
            return f"{pronoun}{verb}{rest}"
    return text


def _placed(finding: Finding, stacks: StackLook | None) -> Finding:
    """The finding with where its culprits are in Python."""
    if stacks is None or not finding.culprits:
        return finding
    ranks = list(finding.culprits)[:_EVIDENCE_STACKS]
    mains = [stacks.main(rank) for rank in ranks]
    first = mains[0]
    place = ""
    if first is not None and first.frames:
        subject = "It is" if len(finding.culprits) == 1 else f"Rank {ranks[0]} is"
        place = f" {subject} in {place_of(first.frames)}."
    evidence = [item for rank in ranks if (item := stack_evidence(stacks, rank)) is not None]
    return replace(finding, text=finding.text + place, evidence=_merged(finding.evidence, evidence))


def _merged(known: Sequence[Evidence], more: Sequence[Evidence]) -> tuple[Evidence, ...]:
    return (*known, *(item for item in more if item not in known))
