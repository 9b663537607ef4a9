"""Several jobs in a line each: what is wrong with each of them, and how sure that is."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..findings import VerdictValue
from ..markdown_text import unmarked
from ..plain_text import plain
from ..version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..session import Session

__all__ = [
    "SCHEMA",
    "JobLine",
    "job_line",
    "refused",
    "summary_json",
    "summary_markdown",
    "summary_notes",
    "summary_row",
    "summary_title",
    "target_width",
    "worst",
]

SCHEMA = "xpudbg.summary/1"
UNREADABLE = "unreadable"
"""Stands for the verdict of a target that could not be read."""
_WIDEST = 60
"""Characters of the column of targets; longer ones push their line to the right."""
_TEXT = 400
_WORST = (1, 3, 4, 0)
"""Exit codes, the worst first: a problem that was found wins over what could not be read."""


@dataclass(frozen=True, slots=True)
class JobLine:
    """One target."""

    target: str
    """As it was given."""
    verdict: str
    """Or `unreadable`."""
    partial: bool
    finding: str
    """The first finding, else the verdict's sentence, else why it could not be read."""
    kind: str | None
    """Of the first finding that accuses."""
    confidence: str | None
    """How sure that finding is; where none accuses and the verdict is unknown, the first one."""
    culprits: tuple[int, ...]
    world_size: int
    """Ranks of the job, 0 when that is not known."""
    findings: int
    """How many findings accuse."""
    exit_code: int
    """Of a report on this target alone."""


def job_line(target: str, session: Session, exit_code: int) -> JobLine:
    """The line of a target that was looked at."""
    verdict, look = session.verdict, session.latest
    size = session.world_size or len(session.ranks)
    if look is None:
        why = f"{session.failure}; {session.hint}" if session.hint else session.failure
        return JobLine(target, UNREADABLE, True, why or verdict.summary, None, None, (), size, 0, exit_code)
    accused = [finding for finding in verdict.findings if finding.severity.accuses]
    first = accused[0] if accused else None
    sure = first
    if sure is None and verdict.value is VerdictValue.UNKNOWN:
        sure = next(iter(verdict.findings), None)
    return JobLine(
        target=target,
        verdict=verdict.value.value,
        partial=verdict.partial or look.cancelled or look.partial,
        finding=first.text if first is not None else verdict.summary,
        kind=first.kind if first is not None else None,
        confidence=sure.confidence.value if sure is not None else None,
        culprits=tuple(first.culprits) if first is not None else (),
        world_size=size,
        findings=len(accused),
        exit_code=exit_code,
    )


def refused(target: str, error: str, exit_code: int) -> JobLine:
    """The line of a word that is no target."""
    return JobLine(target, UNREADABLE, True, error, None, None, (), 0, 0, exit_code)


def worst(codes: Iterable[int]) -> int:
    """The exit code for all of them."""
    found = set(codes)
    return next((code for code in _WORST if code in found), max(found, default=0))


def target_width(targets: Iterable[str]) -> int:
    """Width of the column of targets."""
    return min(max((len(plain(target)) for target in targets), default=0), _WIDEST)


def summary_title(width: int) -> str:
    """The titles above the lines."""
    return f"{'target':<{width}}  {'verdict':<10}  {'sure':<8}  {'ranks':>6}  first finding"


def summary_row(line: JobLine, width: int) -> str:
    """A line of text."""
    ranks = f"{line.world_size:,}" if line.world_size else ""
    verdict = line.verdict + ("*" if _is_partial(line) else "")
    more = f" (+{line.findings - 1})" if line.findings > 1 else ""
    said = f"{plain(line.finding, _TEXT)}{more}"
    return f"{plain(line.target):<{width}}  {verdict:<10}  {line.confidence or '':<8}  {ranks:>6}  {said}"


def summary_notes(lines: Iterable[JobLine]) -> str:
    """What stands below the lines of text: what their signs mean; empty when there are none."""
    return "* partial: not all of the job could be looked at" if any(_is_partial(line) for line in lines) else ""


def _is_partial(line: JobLine) -> bool:
    return line.partial and line.verdict != UNREADABLE


def summary_markdown(lines: Sequence[JobLine]) -> str:
    """A table for a ticket."""
    rows = ["| target | verdict | sure | ranks | first finding |", "|---|---|---|---:|---|"]
    for line in lines:
        partial = " (partial)" if _is_partial(line) else ""
        cells = (
            unmarked(line.target),
            f"{line.verdict}{partial}",
            line.confidence or "",
            f"{line.world_size:,}" if line.world_size else "",
            unmarked(line.finding, _TEXT) + (f" (+{line.findings - 1})" if line.findings > 1 else ""),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def summary_json(lines: Sequence[JobLine]) -> str:
    """A list, one object a target."""
    made: list[dict[str, Any]] = [
        {"schema": SCHEMA, "version": __version__, **asdict(line), "culprits": list(line.culprits)} for line in lines
    ]
    return json.dumps(made, indent=2, ensure_ascii=True) + "\n"
