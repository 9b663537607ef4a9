"""What torchcomms says of a rank's health: the handler `torchcomms_health_check`, JSON with at least `healthy`.

Only `healthy` has a fixed meaning; the rest is passed on as text. A rank without the handler is no torchcomms rank and
has no health; that is no error.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..findings import Confidence, Evidence, Finding, Severity, VerdictValue
from ..plain_text import plain
from ..ranksets import RankSet
from ..snapshot import Outcome
from .answers import AnswerError, read_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..snapshot import RankReply, RankState

__all__ = ["HEALTH_VALUES", "UNHEALTHY", "Health", "health_findings", "read_health"]

UNHEALTHY = "unhealthy"
"""Kind of the finding."""
HEALTH_VALUES = {UNHEALTHY: VerdictValue.UNKNOWN}
"""The verdict when a finding of this kind comes first."""
SOURCE = "torchcomms_health_check"
_NOT_THERE = 404
_SAID = 400
"""Characters of the rest that are kept."""
_NAMED = 8
"""Ranks of one finding whose evidence is spelled out."""


@dataclass(frozen=True, slots=True)
class Health:
    """One answer of the health check."""

    healthy: bool | None
    """None: the answer does not say."""
    said: str
    """The rest of the answer as JSON text, or why it can't be read; one plain line, cut."""
    at: int
    """When it was complete, ns since the epoch."""

    def __str__(self) -> str:
        word = {True: "healthy", False: "unhealthy", None: "not known"}[self.healthy]
        return f"{word}: {self.said}" if self.said else word


def read_health(reply: RankReply) -> Health | None:
    """What a reply of the health check says; None where the rank has no such handler."""
    if reply.outcome is Outcome.HTTP_ERROR and reply.status == _NOT_THERE:
        return None
    try:
        answer = read_json(reply, dict[str, object])
        healthy = answer.pop("healthy", None)
        rest = plain(json.dumps(answer, ensure_ascii=False), _SAID) if answer else ""
    except AnswerError as error:
        return Health(None, plain(str(error), _SAID), reply.ended_at)
    except (RecursionError, ValueError):
        return Health(None, "its answer is nested too deep, or has a number too long to read", reply.ended_at)
    if not isinstance(healthy, bool):
        return Health(None, rest or "the answer has no healthy", reply.ended_at)
    return Health(healthy, rest, reply.ended_at)


def health_findings(ranks: Mapping[int, RankState], name_ranks: Callable[[RankSet], str]) -> list[Finding]:
    """One finding about the ranks that call themselves unhealthy.

    Args:
        ranks: the rank table.
        name_ranks: writes a rank set with its hosts.
    """
    sick = {
        rank: state.health
        for rank, state in ranks.items()
        if state.health is not None and state.health.healthy is False
    }
    if not sick:
        return []
    culprits = RankSet(sick)
    named = name_ranks(culprits)
    verb, them = ("is", "it") if len(sick) == 1 else ("are", "them")
    evidence = [
        Evidence(SOURCE, rank, health.said or "healthy is false") for rank, health in list(sick.items())[:_NAMED]
    ]
    if len(sick) > _NAMED:
        evidence.append(Evidence(SOURCE, None, f"{len(sick) - _NAMED} more ranks say the same"))
    return [
        Finding(
            kind=UNHEALTHY,
            severity=Severity.WARNING,
            confidence=Confidence.LIKELY,
            culprits=culprits,
            text=f"{named[0].upper()}{named[1:]} {verb} unhealthy by torchcomms' own health check.",
            advice=f"Read what the check says; D makes {them} write the recorder's dump file before the job ends.",
            refutation="The check says healthy at the next look.",
            evidence=tuple(evidence),
        )
    ]
