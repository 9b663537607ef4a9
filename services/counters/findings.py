"""What wait counters add to the verdict: evidence to findings of others, and a finding where nothing else is known.

They never accuse: a counter says that a thread of a rank waits, not which one, nor for whom.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..findings import Confidence, Evidence, Finding, Severity, VerdictValue
from ..judging.stack_findings import STUCK_STACK
from ..plain_text import plain
from ..ranksets import RankSet
from .look import SOURCE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .look import CounterLook

__all__ = ["COUNTER_VALUES", "WAIT_COUNTER", "counter_findings", "with_counters"]

WAIT_COUNTER = "wait_counter"
"""Kind of the finding. It never accuses."""
COUNTER_VALUES = {WAIT_COUNTER: VerdictValue.UNKNOWN}
"""The verdict when a finding of this kind comes first."""
_NAMED = 4
"""Ranks of one finding whose counters are added to its evidence."""
_NAME = 80
"""Characters of a counter's name in a sentence."""


def with_counters(finding: Finding, look: CounterLook) -> Finding:
    """The finding with what the wait counters say of the ranks it is about.

    One by stacks alone about ranks that all wait themselves is only possible; what recorders say is weighed already.
    """
    added = []
    held = [rank for rank in look.waits if rank in finding.waiting]
    for rank in (*finding.culprits, *held):
        for title, threads in look.waiting_in(rank):
            same = "; so it did at the look before, in the same wait" if look.waits.get(rank) == title else ""
            several = f" with {threads:,} threads" if threads > 1 else ""
            added.append(Evidence(SOURCE, rank, f"waits in {plain(title, _NAME)} now{several}{same}"))
        if len(added) >= _NAMED:
            break
    if not added:
        return finding
    finding = replace(finding, evidence=(*finding.evidence, *added[:_NAMED]))
    if (
        finding.kind == STUCK_STACK
        and finding.severity.accuses
        and all(rank in look.waits for rank in finding.culprits)
    ):
        return _waits_itself(finding)
    return finding


def _waits_itself(finding: Finding) -> Finding:
    """A stack shows Python alone: a wait in C++ below looks like any other line."""
    single = len(finding.culprits) == 1
    said = "By its wait counter it waits" if single else "By their wait counters they wait"
    return replace(
        finding,
        severity=Severity.WARNING,
        confidence=Confidence.POSSIBLE,
        text=f"{finding.text} {said} in communication {'itself' if single else 'themselves'}.",
    )


def counter_findings(
    look: CounterLook, known: RankSet, findings: Sequence[Finding], name_ranks: Callable[[RankSet], str]
) -> list[Finding]:
    """A finding for each wait for other ranks that goes on in ranks of which nothing else tells where they are.

    Args:
        look: the analysed look.
        known: ranks whose stack or flight recorder was read.
        findings: what is found already.
        name_ranks: writes a rank set with its hosts.
    """
    named = RankSet(rank for finding in findings for rank in finding.culprits)
    by_wait: dict[str, list[int]] = {}
    for rank, title in look.waits.items():
        if rank not in known and rank not in named:
            by_wait.setdefault(title, []).append(rank)
    made = []
    for title, ranks in by_wait.items():
        culprits = RankSet(ranks)
        said = name_ranks(culprits)
        verb, they_are = ("waits", "it is") if len(ranks) == 1 else ("wait", "they are")
        made.append(
            Finding(
                kind=WAIT_COUNTER,
                severity=Severity.INFO,
                confidence=Confidence.POSSIBLE,
                culprits=culprits,
                text=f"{said[0].upper()}{said[1:]} {verb} in {plain(title, _NAME)}, in the same wait as a look ago.",
                advice=f"See where {they_are} in Python, and what the others do.",
                refutation="The wait is that of a thread beside the main one, which waits there in every job.",
                evidence=tuple(
                    Evidence(SOURCE, rank, f"waits in {plain(title, _NAME)} now and at the look before")
                    for rank in ranks[:_NAMED]
                ),
            )
        )
    return made
