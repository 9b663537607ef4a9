"""Findings about ranks that Python's faulthandler saw die: the head of what it writes on a fatal signal."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..findings import Confidence, Evidence, Finding, Severity
from ..plain_text import plain
from ..ranksets import RankSet
from ..snapshot import RankClass
from .stack_findings import place_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..looks.stacks import StackLook

__all__ = ["FATAL", "fatal_findings"]

FATAL = "fatal error"
"""Source of the evidence."""
_HEAD = "Fatal Python error: "
_ABORTED = "Aborted"
"""SIGABRT: what NCCL's watchdog ends a process with after a timeout, and what an uncaught C++ exception does."""
_EVIDENCE = 8


def fatal_findings(look: StackLook, name_ranks: Callable[[RankSet], str]) -> list[Finding]:
    """A finding for each way in which ranks died, the rarest first.

    Ranks that were all aborted are accused of nothing: that is how a job ends after a timeout, whoever caused it.

    Args:
        look: the stacks of the look.
        name_ranks: writes a rank set with its hosts.
    """
    by_cause: dict[str, list[int]] = defaultdict(list)
    for rank, dump in sorted(look.dumps.items()):
        head = next((line for line in dump.warnings if _HEAD in line), None)
        if head is not None:
            by_cause[plain(head.partition(_HEAD)[2].strip(), 120)].append(rank)
    ordered = sorted(by_cause.items(), key=lambda one: (one[0] == _ABORTED, len(one[1]), one[1][0]))
    return [_finding(cause, ranks, look, name_ranks, alone=len(ordered) == 1) for cause, ranks in ordered]


def _finding(
    cause: str, ranks: list[int], look: StackLook, name_ranks: Callable[[RankSet], str], *, alone: bool
) -> Finding:
    dead = RankSet(ranks)
    named = name_ranks(dead)
    subject = f"{named[0].upper()}{named[1:]}"
    evidence = []
    for rank in ranks[:_EVIDENCE]:
        thread = look.dumps[rank].main_thread
        where = f", in {place_of(thread.frames)}" if thread is not None and thread.frames else ""
        evidence.append(Evidence(FATAL, rank, f"{_HEAD}{cause}{where}"))
    first = look.main(ranks[0])
    place = f" Rank {ranks[0]} was in {place_of(first.frames)}." if first is not None and first.frames else ""
    aborted = cause == _ABORTED
    everybody = aborted and (2 * len(ranks) > len(look.dumps) or not alone)
    if aborted:
        was = "was aborted" if len(ranks) == 1 else "were aborted"
        text = f"{subject} {was} (SIGABRT): by NCCL's watchdog after a timeout, or an exception in C++.{place}"
    else:
        text = f"{subject} died: {cause}.{place}"
    return Finding(
        kind=RankClass.DEAD.value,
        severity=Severity.WARNING if everybody else Severity.CRITICAL,
        confidence=Confidence.POSSIBLE if everybody else Confidence.LIKELY if aborted else Confidence.CERTAIN,
        culprits=RankSet() if everybody else dead,
        text=text,
        advice="Read the log right before it: what was printed then is the cause, or leads to it.",
        refutation="The text is of another process of the rank (a loader's worker), or of an earlier run.",
        evidence=tuple(evidence),
    )
