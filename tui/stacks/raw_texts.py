"""The texts with stacks that a rank has sent: its traceback, what py-spy said at a look or when a person asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...services.snapshot import Outcome
from ..actions.registry import key_of
from ..wording import age

if TYPE_CHECKING:
    from ...services.session import Session
    from ...services.snapshot import RankReply

__all__ = ["SOURCES", "TEXT_LIMIT", "about", "newest", "text_of"]

SOURCES = ("dump_traceback", "pyspy_dump")
TEXT_LIMIT = 2 * 1024 * 1024
"""Bytes of a text that are shown on the screen."""


@dataclass(frozen=True, slots=True)
class _Known:
    reply: RankReply
    by_hand: bool


def newest(session: Session, rank: int, source: str) -> RankReply | None:
    """The newest answer of a rank to one source, from the closed look that is shown or because a person asked."""
    found = _known(session, rank, source)
    return found.reply if found is not None else None


def _known(session: Session, rank: int, source: str) -> _Known | None:
    asked = session.asked.get((rank, source))
    look = session.look
    if asked is not None and session.shown is not None and asked.started_at > session.shown.snapshot.closed_at:
        asked = None  # not known yet at the look that is shown
    seen = look.replies.get((rank, source)) if look is not None else None
    if asked is not None and (seen is None or asked.started_at >= seen.started_at):
        return _Known(asked, by_hand=True)
    return _Known(seen, by_hand=False) if seen is not None else None


def about(session: Session, rank: int, source: str, now: int, asked_at: int | None) -> str:
    """What a text is and how old, in one line.

    Args:
        now: ns since the epoch.
        asked_at: when it was asked for, if the answer is still out.
    """
    words = [f"{source} of rank {rank}"]
    if asked_at is not None:
        words.append(f"asked {age(now, asked_at)} ago, still out")
    found = _known(session, rank, source)
    if found is not None:
        reply = found.reply
        words.append(reply.outcome.value if reply.outcome is not Outcome.OK else f"{reply.body.size:,} bytes")
        words.append(f"{age(now, reply.ended_at)} ago{', asked by hand' if found.by_hand else ''}")
        if reply.query:
            words.append(reply.query)
    return "  ".join(words)


def text_of(session: Session, rank: int, source: str, limit: int | None = None) -> str:
    """The text, as far as `limit` bytes; without one, a sentence that says why.

    Raises:
        OSError: a large text is no longer on the disk.
    """
    reply = newest(session, rank, source)
    if reply is None:
        state = session.ranks.get(rank)
        why = f" Rank {rank}: {state.reason}." if state is not None and source == SOURCES[0] else ""
        return f"There is no {source} of rank {rank}.{why}" + (
            f" {key_of('py_spy')} asks for it." if source == SOURCES[1] else ""
        )
    text = reply.body.text(limit)
    if limit is not None and reply.body.size > limit:
        text += f"\n… cut here: {reply.body.size - limit:,} bytes more; {key_of('pager')} opens all"
    return f"{reply.error}\n\n{text}" if reply.error else text
