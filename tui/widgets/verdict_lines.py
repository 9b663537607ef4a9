"""The lines of the verdict card: labels at the left, what they say beside them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content

from ...services.cluster.health import UNHEALTHY
from ...services.findings import Confidence, Severity, VerdictValue
from ...services.flight_recorder.coordinates import written
from ...services.judging.stack_findings import gil_holder, place_of
from ...services.session import Phase
from ..actions.registry import key_of
from ..file_words import reading_said, unused_said
from ..wording import count
from .painted import hanging, styled
from .text import fit, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...services.findings import Finding, Verdict
    from ...services.session import Session

__all__ = ["CardLine", "card"]

INDENT = 12
"""Terminal cells of the labels at the left."""
READABLE = 120
"""Widest line of prose."""
RANKS_WIDTH = 60
"""Terminal cells of a rank set."""
PIECE_WIDTH = 160
"""Terminal cells of the piece of evidence beside the confidence; shown in full it has all."""
WIDEST = 180
"""Widest line of a finding that has one line only."""
CONTRADICTIONS = 3
"""Lines about dumps that contradict the others."""
PLACES = 2
"""Accused ranks whose place is told beside the finding."""
PLACES_IN_FULL = 6
"""The same where a finding is shown in full."""

_COLOURS = {
    VerdictValue.OK: "success",
    VerdictValue.MOVING: "success",
    VerdictValue.SLOW: "warning",
    VerdictValue.UNKNOWN: "secondary",
}
_SURE = {Confidence.CERTAIN: "bold", Confidence.LIKELY: "", Confidence.POSSIBLE: "italic"}
_SEVERITY = {Severity.CRITICAL: "$text-error", Severity.WARNING: "$text-warning", Severity.INFO: "$foreground-muted"}


class CardLine(NamedTuple):
    """One line of the card."""

    content: Content
    finding: int | None = None
    """Place of the finding that it belongs to."""


def card(
    session: Session, width: int, height: int, chosen: int | None = None, most: int | None = None
) -> list[CardLine]:
    """The lines of the card.

    Args:
        width: terminal cells of a line.
        height: lines there may be; what does not fit is counted in the last one.
        chosen: place of the finding to show in full; the first that accuses when None.
        most: lines there is room for; where more are needed the last one says how to see them.
    """
    wide, width = min(width, WIDEST), min(width, READABLE)
    if session.phase is Phase.FAILED:
        return _of(None, _failed(session, width))
    if session.phase is Phase.IDLE:
        said = Content("Nothing is attached.")
        return _of(None, hanging(_badge("no target", "secondary"), said, width, INDENT))
    if not session.ranks:
        reading = reading_said(session)
        opening = styled(f"Opening {session.label}{f': {reading}' if reading else ''} …")
        return _of(None, hanging(_badge("opening", "secondary"), opening, width, INDENT))
    if chosen is not None and chosen < len(session.verdict.findings):
        lines = _of(chosen, _in_full(session, chosen, width, most or height))
    else:
        notes = [_one_line("note", styled(note), wide) for note in _notes(session)]
        notes += _files(session, wide)
        room = None if most is None else most - len(notes)
        lines = _judged(session, width, wide, height - len(notes), room)
        lines += _of(None, notes)
        if most is not None and len(lines) > most:
            more = len(session.verdict.findings) - 1
            said_more = f"{key_of('next_finding')} shows it in full" + (
                f", and {count(more, 'more finding')}" if more > 0 else ""
            )
            lines[most - 1 :] = [CardLine(_unlabelled(said_more, "$text-accent"), lines[0].finding)]
    return [CardLine(line.content.truncate(wide, ellipsis=True), line.finding) for line in lines]


def _notes(session: Session) -> list[str]:
    """What limits all looks, and which dumps contradict the others; of many of these the first ones."""
    said = [note for one in session.recorder.diagnoses.values() for note in one.contradictions]
    if len(said) > CONTRADICTIONS:
        more = len(said) - CONTRADICTIONS + 1
        said[CONTRADICTIONS - 1 :] = [
            f"{more} more notes on dumps that contradict the others: xpudbg report shows them"
        ]
    return [*session.notes, *session.asides, *said]


def _files(session: Session, width: int) -> list[Content]:
    """That files could not be used, and whether the answer is partial for it."""
    partial, said = unused_said(session)
    if not said:
        return []
    if not partial:
        return [_one_line("files", styled(said, "$foreground-muted"), width)]
    return [_one_line("files", Content.assemble((f"{partial}: ", "bold $text-warning"), styled(said)), width)]


def _of(finding: int | None, lines: Iterable[Content]) -> list[CardLine]:
    return [CardLine(line, finding) for line in lines]


def _badge(word: str, colour: str) -> Content:
    return Content.assemble((f" {word.upper()} ", f"bold reverse $text-{colour}"), " ")


def _label(word: str) -> Content:
    return Content.styled(f" {word}", "$foreground-muted")


def _labelled(word: str, said: Content, width: int) -> list[Content]:
    return hanging(_label(word), said, width, INDENT)


def _unlabelled(said: str, style: str = "$foreground-muted") -> Content:
    return Content.styled(" " * INDENT + said, style)


def _one_line(word: str, said: Content, width: int) -> Content:
    return _label(word).pad_right(INDENT - 1 - len(word)) + said.truncate(width - INDENT, ellipsis=True)


def _keys(*keys: tuple[str, str]) -> Content:
    return Content("   ").join(Content.assemble((key, "bold $accent"), f" {said}") for key, said in keys)


def _failed(session: Session, width: int) -> list[Content]:
    lines = hanging(_badge("failed", "error"), styled(session.failure, "bold"), width, INDENT)
    if session.hint:
        lines += _labelled("try", styled(session.hint), width)
    lines += _labelled(
        "keys", _keys((key_of("look"), "tries again"), (key_of("target"), "attaches to another target")), width
    )
    if session.ranks:
        said = "What is shown below is what was known before."
        lines += _labelled("", Content.styled(said, "$text-warning"), width)
    return lines


def _judged(session: Session, width: int, wide: int, height: int, most: int | None) -> list[CardLine]:
    verdict = session.verdict
    colour = _COLOURS.get(verdict.value, "error")
    first = next((number for number, finding in enumerate(verdict.findings) if finding.severity.accuses), None)
    # The summary repeats the first finding, which is shown with its own words and what belongs to it.
    headline = verdict.summary if first is None else verdict.findings[first].text
    word = "looking" if verdict.value is VerdictValue.UNKNOWN and verdict.under_way else verdict.value.value
    told = hanging(_badge(word, colour), styled(headline, "" if first is None else "bold"), width, INDENT)
    if first is not None:
        rest_of_it = _about(verdict.findings[first], session, width, headline, short=False)
        if most is not None and len(told) + len(rest_of_it) > most:
            rest_of_it = _about(verdict.findings[first], session, width, headline, short=True)
        told += rest_of_it
    elif verdict.under_way and verdict.value is not VerdictValue.UNKNOWN:
        told.append(_unlabelled("The look is still under way."))
    lines = _of(first, told)
    rest = [number for number in range(len(verdict.findings)) if number != first]
    if most is not None and first is not None and len(lines) >= most:
        rest = []  # the keys tell how many there are
    for place, number in enumerate(rest):
        left = len(rest) - place
        if len(lines) >= height - 1 and left > 1:
            if place == 0 and first is not None:
                break  # the keys tell how many there are
            next_one, copy = key_of("next_finding"), key_of("copy")
            more = f"and {left} more findings; {next_one} shows one after the other, {copy} copies all"
            lines.append(CardLine(_unlabelled(more), number))
            break
        lines.append(CardLine(_one_line("also", _short(verdict.findings[number]), wide), number))
    return lines


def _about(finding: Finding, session: Session, width: int, shown: str, *, short: bool) -> list[Content]:
    """What belongs to a finding: how sure it is, who is held up, where, what to do, what would refute it, which keys.

    Args:
        shown: the words above.
        short: a line each, as far as it goes, and no evidence.
    """
    advice, refutation = styled(finding.advice), styled(finding.refutation, "$foreground-muted")
    if short:
        sure = _sureness(finding, session.verdict, width, evidence=False, ranks_width=RANKS_WIDTH // 2)
        advised = [_one_line("do", advice, width), _one_line("refuted if", refutation, width)]
        return [*sure, *advised, *_labelled("see", _evidence_keys(finding, session, None), width)]
    return [
        *_sureness(finding, session.verdict, width),
        *_where(finding, session, width, PLACES, shown=shown),
        *_labelled("do", advice, width),
        *_labelled("refuted if", refutation, width),
        *_labelled("see", _evidence_keys(finding, session, None), width),
    ]


def _in_full(session: Session, chosen: int, width: int, height: int) -> list[Content]:
    """One finding with all that belongs to it; only pieces of evidence for which there is no room are counted."""
    verdict = session.verdict
    finding = verdict.findings[chosen]
    place = Content.styled(
        f"finding {chosen + 1} of {len(verdict.findings)}, {finding.severity.value}: ", "$text-accent"
    )
    badge = _badge(verdict.value.value, _COLOURS.get(verdict.value, "error"))
    lines = hanging(badge, place + styled(finding.text, "bold"), width, INDENT)
    lines += _sureness(finding, verdict, width, evidence=False)
    advised: list[Content] = []
    for label, said, style in (("do", finding.advice, ""), ("refuted if", finding.refutation, "$foreground-muted")):
        if said:
            advised += _labelled(label, styled(said, style), width)
    keys = _labelled("see", _evidence_keys(finding, session, chosen), width)
    height -= len(keys)
    lines += _where(finding, session, width, min(PLACES_IN_FULL, (height - len(lines) - len(advised)) // 2))
    lines += advised
    pieces = [piece for piece in finding.evidence if piece.text]
    for number, piece in enumerate(pieces):
        of = f"rank {piece.rank}: " if piece.rank is not None else ""
        told = _labelled("evidence" if number == 0 else "", styled(f"{of}{piece.text}"), width)
        left = len(pieces) - number
        if len(lines) + len(told) > height - (left > 1):
            more = Content.styled(f"evidence: {left} more, {key_of('copy')} copies all", "$foreground-muted")
            lines.append(_one_line("", more, width))
            break
        lines += told
    return lines + keys


def _sureness(
    finding: Finding, verdict: Verdict, width: int, *, evidence: bool = True, ranks_width: int = RANKS_WIDTH
) -> list[Content]:
    parts = [Content.styled(finding.confidence.value, _SURE[finding.confidence])]
    if finding.waiting:
        named = str(finding.waiting)
        named = fit(named, min(len(named), ranks_width))
        parts.append(styled(f"{count(len(finding.waiting), 'rank')} held up by it: {named}"))
    if verdict.under_way:
        parts.append(Content.styled("the look is still under way", "$foreground-muted"))
    elif verdict.missing:
        parts.append(styled(f"nothing is known of {count(len(verdict.missing), 'rank')}", "$foreground-muted"))
    piece = next((e for e in finding.evidence if e.text), None) if evidence else None
    if piece is not None:
        of = f"rank {piece.rank}: " if piece.rank is not None and len(finding.culprits) > 1 else ""
        said = plain(f"{of}{piece.text}")
        parts.append(styled(fit(said, min(len(said), PIECE_WIDTH)), "$foreground-muted"))
    return _labelled("sure", Content(" · ").join(parts), width)


def _where(finding: Finding, session: Session, width: int, most: int, shown: str = "") -> list[Content]:
    """Host, coordinates and place in Python of the ranks that a finding is about, a line each.

    Args:
        most: ranks to name.
        shown: text that stands above; a rank of which it says all is left out.
    """
    lines: list[Content] = []
    ranks = list(finding.culprits)
    for rank in ranks[: max(most, 0)]:
        host, parts = _places(rank, session)
        if parts and not all(part in shown for part in parts):
            said = styled(f"rank {rank}: {', '.join((*host, *parts))}")
            lines.append(_one_line("" if lines else "where", said, width))
    left = len(ranks) - most
    if lines and left > 0:
        more = Content.styled(f" · {count(left, 'more rank')}", "$foreground-muted")
        lines[-1] = lines[-1].truncate(width - more.cell_length, ellipsis=True) + more
    return lines


def _places(rank: int, session: Session) -> tuple[list[str], list[str]]:
    """Its host, and its coordinates and place in Python, as far as they are known."""
    state = session.ranks.get(rank)
    parts = []
    if place := written(session.recorder.coordinates.get(rank, {})):
        parts.append(place)
    thread = gil_holder(session.stacks, rank) or session.stacks.main(rank)
    if thread is not None and thread.frames:
        parts.append(place_of(thread.frames))
    return [state.host] if state is not None and state.host else [], parts


def _evidence_keys(finding: Finding, session: Session, chosen: int | None) -> Content:
    """Which key leads to what the finding rests on."""
    keys: list[tuple[str, str]] = []
    if any(session.stacks.main(rank) is not None for rank in (*finding.culprits, *finding.waiting)):
        keys.append((key_of("stacks"), "stacks"))
    else:
        keys.append((key_of("ranks"), "ranks"))
    if finding.group is not None and session.recorder.diagnoses:
        keys.append((key_of("recorder"), "flight recorder"))
    if finding.kind == UNHEALTHY:
        keys.append((key_of("dump_file"), "write the recorder's dump file"))
    number = len(session.verdict.findings)
    if chosen is None:
        more = "all evidence" if number == 1 else f"all evidence, {count(number - 1, 'more finding')}"
        keys.append((key_of("next_finding"), more))
    else:
        keys.append((key_of("back"), "all findings" if number > 1 else "back"))
        if number > 1:
            keys.append((key_of("next_finding"), "next finding"))
    return _keys(*keys)


def _short(finding: Finding) -> Content:
    return Content.assemble(
        (finding.severity.value, _SEVERITY[finding.severity]),
        ", ",
        finding.confidence.value,
        ": ",
        styled(finding.text),
    )
