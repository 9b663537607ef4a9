"""Which look is to be shown: typed as a number or a time of day, or chosen."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from ..look_words import clock_text, moment, words_of
from .line_request import LineChoice, LineRequest

if TYPE_CHECKING:
    from ...services.session import Session
    from ...services.snapshot import Snapshot
    from .job import JobScreen

__all__ = ["ask_for_look", "look_of"]

CHOICES = 100
"""Looks that can be chosen from a list, the newest first; others are typed."""
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*[zZ]?")


def ask_for_look(screen: JobScreen) -> None:
    """Let a person choose a look, and show it."""
    app, session = screen.app, screen.session
    looks = session.looks

    def refused(text: str) -> str:
        found = look_of(screen.session, text)
        return found if isinstance(found, str) else ""

    def typed(text: str | None) -> None:
        found = look_of(screen.session, text) if text is not None else ""
        if not isinstance(found, str):
            screen.show_look(found.id)

    now = app.clock()
    first = looks[0]
    choices = [LineChoice(str(look.id), _about(session, look, now)) for look in looks[: -CHOICES - 1 : -1]]
    about = (
        f"Looks {first.id} to {looks[-1].id}, since {clock_text(first.taken_at, now)}.\n\n"
        "a number, or a time in UTC: 12:03, 12:03:10"
    )
    app.push_screen(LineRequest("to look", about, refused, choices=choices), typed)


def _about(session: Session, look: Snapshot, now: int) -> str:
    change = session.book.change(look.id)
    said = words_of(change, first=look is session.looks[0]) if change is not None else []
    return "  ".join([clock_text(look.taken_at, now), *(f"{sign} {words}" for sign, words in said)])


def look_of(session: Session, text: str) -> Snapshot | str:
    """The look that is meant; by a time, the last one taken until then. Or what is wrong, one plain line."""
    text = text.strip().removeprefix("look").strip()
    looks = session.looks
    if not looks:
        return "no look has ended yet"
    if text.isascii() and text.isdigit() and len(text) < 10:
        found = next((look for look in looks if look.id == int(text)), None)
        return found if found is not None else f"there is no look {int(text)}: {looks[0].id} to {looks[-1].id} are kept"
    time = _TIME.fullmatch(text)
    if time is None or not text.isascii():
        return "that is neither the number of a look nor a time as 12:03 or 12:03:10"
    hour, minute, second = (int(part or 59) if at == 2 else int(part) for at, part in enumerate(time.groups()))
    if hour > 23 or minute > 59 or second > 59:
        return f"there is no such time of day: {text}"
    newest = moment(looks[-1].taken_at)
    if newest is None:
        return "it is not known when the newest look was taken: give a number"
    until = newest.replace(hour=hour, minute=minute, second=second, microsecond=999_999)
    if until.date() == newest.date() and until - newest > timedelta(hours=12):
        until -= timedelta(days=1)  # after midnight, an evening is yesterday's
    limit = int(until.timestamp()) * 1_000_000_000 + 999_999_999
    before = [look for look in looks if look.taken_at <= limit]
    return before[-1] if before else f"no look was taken until {until:%H:%M:%SZ}; the first is look {looks[0].id}"
