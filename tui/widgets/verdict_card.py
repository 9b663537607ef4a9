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

    def show(self, session: Session, chosen: int | None = None) -> None:
        """Show the verdict of the session, or why there is none.

        Args:
            chosen: place of the finding that a person wants to read in full.
        """

        self.set_class(chosen is not None, "-reading")

        def made(width: int) -> Content:
            lines = self.app.size.height
            most = max(lines * 3 // 4 if chosen is not None else lines // 2 - 1, 7)
            return Content("\n").join(card_lines(session, width, max(lines * 2 // 5, 8), chosen, most))

        self.paint_with(made)


def card_lines(
    session: Session, width: int, height: int, chosen: int | None = None, most: int | None = None
) -> list[Content]:
    """The lines of the card.

    Args:
        width: terminal cells of a line.
        height: lines there may be; what does not fit is counted in the last one.
        chosen: place of the finding to show in full; the first that accuses when None.
        most: lines there is room for; where more are needed the last one says how to see them.
    """
    wide, width = min(width, WIDEST), min(width, READABLE)
    if session.phase is Phase.FAILED:
        return _failed(session, width)
    if session.phase is Phase.IDLE:
        return hanging(_badge("no target", "secondary"), Content("Nothing is attached."), width, INDENT)
    if not session.ranks:
        said = f"Opening {session.label} …"
        return hanging(_badge("opening", "secondary"), styled(said), width, INDENT)
    if chosen is not None and chosen < len(session.verdict.findings):
        lines = _in_full(session.verdict, chosen, width, most or height)
        return [line.truncate(wide, ellipsis=True) for line in lines]
    lines = _judged(session.verdict, width, wide, height - len(session.notes))
    lines += [_one_line("note", styled(note), wide) for note in session.notes]
    if most is not None and len(lines) > most:
        more = len(session.verdict.findings) - 1
        said = "f shows it in full" + (f", and {count(more, 'more finding')}" if more > 0 else "")
        lines[most - 1 :] = [Content.styled(" " * INDENT + said, "$text-accent")]
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
            said = f"and {left} more findings; f shows one after the other, y copies all"
            lines.append(Content.styled(" " * INDENT + said, "$foreground-muted"))
            break
        lines.append(_one_line("also", _short(finding), wide))
    return lines


def _in_full(verdict: Verdict, chosen: int, width: int, height: int) -> list[Content]:
    """One finding with all that belongs to it; only pieces of evidence for which there is no room are counted."""
    finding = verdict.findings[chosen]
    place = Content.styled(
        f"finding {chosen + 1} of {len(verdict.findings)}, {finding.severity.value}: ", "$text-accent"
    )
    lines = hanging(
        _badge(verdict.value.value, _COLOURS.get(verdict.value, "error")),
        place + styled(finding.text, "bold"),
        width,
        INDENT,
    )
    lines += _sureness(finding, verdict, width, evidence=False)
    for label, said, style in (("do", finding.advice, ""), ("refuted if", finding.refutation, "$foreground-muted")):
        if said:
            lines += hanging(_label(label), styled(said, style), width, INDENT)
    pieces = [piece for piece in finding.evidence if piece.text]
    for number, piece in enumerate(pieces):
        of = f"rank {piece.rank}: " if piece.rank is not None else ""
        told = hanging(_label("evidence" if number == 0 else ""), styled(f"{of}{piece.text}"), width, INDENT)
        left = len(pieces) - number
        if len(lines) + len(told) > height - (left > 1):
            lines.append(
                _one_line("", Content.styled(f"evidence: {left} more, y copies all", "$foreground-muted"), width)
            )
            break
        lines += told
    return lines


def _sureness(finding: Finding, verdict: Verdict, width: int, *, evidence: bool = True) -> list[Content]:
    parts = [Content.styled(finding.confidence.value, _SURE[finding.confidence])]
    if finding.waiting:
        named = str(finding.waiting)
        named = fit(named, min(len(named), RANKS_WIDTH))
        parts.append(styled(f"{count(len(finding.waiting), 'rank')} held up by it: {named}"))
    if verdict.under_way:
        parts.append(Content.styled("the look is still under way", "$foreground-muted"))
    elif verdict.missing:
        parts.append(styled(f"nothing is known of {count(len(verdict.missing), 'rank')}", "$foreground-muted"))
    piece = next((e for e in finding.evidence if e.text), None) if evidence else None
    if piece is not None:
        of = f"rank {piece.rank}: " if piece.rank is not None and len(finding.culprits) > 1 else ""
        parts.append(styled(f"{of}{piece.text}", "$foreground-muted"))
    return hanging(_label("sure"), Content(" · ").join(parts), width, INDENT)


def _short(finding: Finding) -> Content:
    return Content.assemble(
        (finding.severity.value, _SEVERITY[finding.severity]),
        ", ",
        finding.confidence.value,
        ": ",
        styled(finding.text),
    )
