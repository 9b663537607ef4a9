"""What is said of the files of a target: how far their reading is, which could not be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .actions.registry import key_of
from .wording import count

if TYPE_CHECKING:
    from ..services.artifacts.artifact import Refused
    from ..services.session import Session

__all__ = ["reading_said", "unused_said", "unused_text"]


def reading_said(session: Session) -> str:
    """`reading 312 of 1,024 files`; empty when no files are being read."""
    reading = session.reading
    if reading is None:
        return ""
    if not reading.count:
        return reading.said or "looking for files"
    return f"reading {reading.done:,} of {count(reading.count, 'file')}"


def unused_said(session: Session) -> tuple[str, str]:
    """Whether the answer is partial, and which files could not be used, in one line each; empty where all could."""
    failed = [one for one in session.unused if one.partial]
    aside = len(session.unused) - len(failed)
    look = session.look
    notes = look.notes if look is not None and look.partial and session.post_mortem else ()
    listed = f"{key_of('unused_files')} lists"
    parts = []
    if failed:
        parts.append(f"{count(len(failed), 'file')} could not be used ({listed})")
    if aside:
        parts.append(f"{aside:,} left aside" + ("" if failed else f" ({listed})"))
    if not parts and not notes:
        return "", ""
    reason = _line(failed[0]) if failed else notes[0] if notes else _line(session.unused[0])
    said = f"{', '.join(parts)}: {reason}" if not notes or failed else "; ".join((reason, *parts))
    return "partial" if failed or notes else "", said


def unused_text(session: Session) -> tuple[str, str]:
    """Title and text of the list of those files."""
    failed = [one for one in session.unused if one.partial]
    aside = [one for one in session.unused if not one.partial]
    lines: list[str] = []
    for some, title in ((failed, "could not be used; the answer is partial"), (aside, "left aside; nothing of a job")):
        if some:
            lines += [f"{title} ({len(some):,})", "", *(f"  {_line(one)}" for one in some), ""]
    return f"{count(len(session.unused), 'file')} of {session.label} not used", "\n".join(lines).rstrip()


def _line(one: Refused) -> str:
    return f"{one.name}: {one.reason}"
