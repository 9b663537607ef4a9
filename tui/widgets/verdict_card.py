"""The verdict card: what is wrong, with whom, how sure, what to do, what would refute it. Calm when all is well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ...services.findings import Confidence, Severity, VerdictValue
from ...services.session import Phase
from ..wording import count
from .painted import Painted, hanging, styled
from .text import fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...services.findings import Finding, Verdict
    from ...services.session import Session

__all__ = ["VerdictCard", "card_lines"]

INDENT = 12
"""Terminal cells of the labels at the left."""
READABLE = 120
"""Widest line of prose."""
RANKS_WIDTH = 60
"""Terminal cells of a rank set."""
WIDEST = 180
"""Widest line of a finding that has one line only."""

_COLOURS = {
    VerdictValue.OK: "success",
    VerdictValue.MOVING: "success",
    VerdictValue.SLOW: "warning",
    VerdictValue.UNKNOWN: "secondary",
}
_SURE = {Confidence.CERTAIN: "bold", Confidence.LIKELY: "", Confidence.POSSIBLE: "italic"}
_SEVERITY = {Severity.CRITICAL: "$text-error", Severity.WARNING: "$text-warning", Severity.INFO: "$foreground-muted"}


class VerdictCard(Painted):
    """The first thing on the first screen."""

    def show(self, session: Session) -> None:
        """Show the verdict of the session, or why there is none."""
        self.paint_with(
            lambda width: Content("\n").join(card_lines(session, width, max(self.app.size.height * 2 // 5, 8)))
        )


def card_lines(session: Session, width: int, height: int) -> list[Content]:
    """The lines of the card.

    Args:
        width: terminal cells of a line.
        height: lines there may be; what does not fit is counted in the last one.
    """
    wide, width = min(width, WIDEST), min(width, READABLE)
    if session.phase is Phase.FAILED:
        return _failed(session, width)
    if session.phase is Phase.IDLE:
        return hanging(_badge("no target", "secondary"), Content("Nothing is attached."), width, INDENT)
    if not session.ranks:
        said = f"Opening {session.label} …"
        return hanging(_badge("opening", "secondary"), styled(said), width, INDENT)
    lines = _judged(session.verdict, width, wide, height - len(session.notes))
    lines += [_one_line("note", styled(note), wide) for note in session.notes]
    return [line.truncate(wide, ellipsis=True) for line in lines]


def _badge(word: str, colour: str) -> Content:
    return Content.assemble((f" {word.upper()} ", f"bold reverse $text-{colour}"), " ")


def _failed(session: Session, width: int) -> list[Content]:
    lines = hanging(_badge("failed", "error"), styled(session.failure, "bold"), width, INDENT)
    if session.hint:
        lines += hanging(_label("try"), styled(session.hint), width, INDENT)
    keys = Content.assemble(
        ("r", "bold $accent"), " tries again   ", ("t", "bold $accent"), " attaches to another target"
    )
    lines += hanging(_label("keys"), keys, width, INDENT)
    if session.ranks:
        said = "What is shown below is what was known before."
        lines += hanging(_label(""), Content.styled(said, "$text-warning"), width, INDENT)
    return lines


def _label(word: str) -> Content:
    return Content.styled(f" {word}", "$foreground-muted")


def _one_line(word: str, said: Content, width: int) -> Content:
    return _label(word).pad_right(INDENT - 1 - len(word)) + said.truncate(width - INDENT, ellipsis=True)


def _judged(verdict: Verdict, width: int, wide: int, height: int) -> list[Content]:
    colour = _COLOURS.get(verdict.value, "error")
    accused = [finding for finding in verdict.findings if finding.severity.accuses]
    # The summary repeats the first finding, which is shown with its own words and what belongs to it.
    headline = accused[0].text if accused else verdict.summary
    word = "looking" if verdict.value is VerdictValue.UNKNOWN and verdict.under_way else verdict.value.value
    lines = hanging(_badge(word, colour), styled(headline, "bold" if accused else ""), width, INDENT)
    rest: Sequence[Finding] = verdict.findings
    if accused:
        first = accused[0]
        rest = [finding for finding in verdict.findings if finding is not first]
        lines += _sureness(first, verdict, width)
        lines += hanging(_label("do"), styled(first.advice), width, INDENT)
        lines += hanging(_label("refuted if"), styled(first.refutation, "$foreground-muted"), width, INDENT)
    elif verdict.under_way and verdict.value is not VerdictValue.UNKNOWN:
        lines.append(Content.styled(" " * INDENT + "The look is still under way.", "$foreground-muted"))
    for index, finding in enumerate(rest):
        left = len(rest) - index
        if len(lines) >= height - 1 and left > 1:
            said = f"and {left} more findings; y copies them all"
            lines.append(Content.styled(" " * INDENT + said, "$foreground-muted"))
            break
        lines.append(_one_line("also", _short(finding), wide))
    return lines


def _sureness(finding: Finding, verdict: Verdict, width: int) -> list[Content]:
    parts = [Content.styled(finding.confidence.value, _SURE[finding.confidence])]
    if finding.waiting:
        named = str(finding.waiting)
        named = fit(named, min(len(named), RANKS_WIDTH))
        parts.append(styled(f"{count(len(finding.waiting), 'rank')} held up by it: {named}"))
    if verdict.under_way:
        parts.append(Content.styled("the look is still under way", "$foreground-muted"))
    elif verdict.missing:
        parts.append(styled(f"nothing is known of {count(len(verdict.missing), 'rank')}", "$foreground-muted"))
    evidence = next((e for e in finding.evidence if e.text), None)
    if evidence is not None:
        of = f"rank {evidence.rank}: " if evidence.rank is not None and len(finding.culprits) > 1 else ""
        parts.append(styled(f"{of}{evidence.text}", "$foreground-muted"))
    return hanging(_label("sure"), Content(" · ").join(parts), width, INDENT)


def _short(finding: Finding) -> Content:
    return Content.assemble(
        (finding.severity.value, _SEVERITY[finding.severity]),
        ", ",
        finding.confidence.value,
        ": ",
        styled(finding.text),
    )
