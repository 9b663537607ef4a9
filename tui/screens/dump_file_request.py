"""Asks ranks to write their flight recorder's dump to a file of theirs: makes them write, so a person agrees first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.cluster.probes import WRITE_DUMP_FILE
from ...services.ranksets import RankSet
from ..widgets.text import fit
from ..wording import count
from .question import QuestionScreen

if TYPE_CHECKING:
    from ...services.snapshot import RankReply
    from .job import JobScreen

__all__ = ["ask_for_dump_files", "tell_dump_files"]

_SHOWN = 160
"""Characters of an answer that are shown."""


def ask_for_dump_files(screen: JobScreen) -> None:
    """Ask the marked ranks, or the selected one, after a question."""
    session, attachment = screen.session, screen.app.attachment
    selected = RankSet([session.selected] if session.selected is not None else [])
    source = WRITE_DUMP_FILE.source
    ranks = RankSet(
        rank
        for rank in (session.marked or selected) & RankSet(session.live.ranks)
        if session.live.ranks[rank].health is not None and (rank, source) not in attachment.asking
    )
    if not ranks:
        screen.app.say("not now: none of these ranks has torchcomms' handlers, or they have not answered yet")
        return
    named = f"{count(len(ranks), 'rank')} ({fit(str(ranks), min(len(str(ranks)), 60))})"

    def go(agreed: bool | None) -> None:
        if agreed:
            attachment.ask(ranks, WRITE_DUMP_FILE)
            screen.app.say(f"asked {named} to write the recorder's dump file")

    question = (
        f"Let {named} write the flight recorder's dump file?\n\nEach process writes a file on its own host, where its "
        "job says; an older one may be overwritten."
    )
    screen.app.push_screen(QuestionScreen("the recorder's dump file", question), go)


def tell_dump_files(screen: JobScreen) -> None:
    """Say what has come of what was asked for."""
    answers = screen.app.attachment.answered(WRITE_DUMP_FILE.source)
    if answers:
        screen.app.say(_said(answers))


def _said(answers: list[RankReply]) -> str:
    failed = [reply for reply in answers if reply.error]
    first = (failed or answers)[0]
    text = first.error or " ".join(first.body.text(_SHOWN).split()) or "an empty answer"
    more = f" (and {len(answers) - 1:,} more)" if len(answers) > 1 else ""
    return f"dump file of rank {first.rank}{more}: {fit(text, min(len(text), _SHOWN))}"
