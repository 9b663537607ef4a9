"""The top line: which job, how many ranks, which look and how old, what is under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ...services.session import Phase
from ..wording import age, count
from .painted import Painted, styled
from .text import fit

if TYPE_CHECKING:
    from ...services.session import LookUnderWay, Session

__all__ = ["STALE_S", "StatusBar", "status_line"]

STALE_S = 60
"""Seconds after which a look is old whatever the interval."""
FRESH_S = 10
"""Seconds for which a look is new when it is not taken again by itself."""
NAMED = 64
"""Ranks still out that are named."""


class StatusBar(Painted):
    """One line, always there."""

    def show(self, session: Session, now: int, refresh_s: float | None) -> None:
        """
        Args:
            now: ns since the epoch.
            refresh_s: seconds between looks, None when they are not taken by themselves.
        """
        self.paint_with(lambda width: status_line(session, now, refresh_s, width))


def status_line(session: Session, now: int, refresh_s: float | None, width: int) -> Content:
    """The line, exactly as wide as there is room: the target is cut first, what is under way last."""
    right = _right(session, now, refresh_s)
    if right.cell_length > width - 1:
        right = right.truncate(width - 1, ellipsis=True)
    badge = [Content.styled(f" {session.secure.upper()} ", "bold reverse $text-error")] if session.secure else []
    name = [Content.styled("xpudbg", "bold $primary"), styled(session.label or "no target"), *badge]
    said = _size(session)
    size = [Content.styled(said, "$foreground-muted")] if session.world_size and said not in session.label else []
    room = max(width - right.cell_length - 1, 0)
    left = Content("  ").join([*name, *size])
    if left.cell_length > room:
        left = Content("  ").join(name).truncate(room, ellipsis=True)
    return left.pad_right(max(width - left.cell_length - right.cell_length, 0)) + right


def _size(session: Session) -> str:
    if len(session.ranks) == session.world_size:
        return count(session.world_size, "rank")
    return f"{len(session.ranks):,} of {count(session.world_size, 'rank')}"


def _right(session: Session, now: int, refresh_s: float | None) -> Content:
    parts: list[Content] = []
    if session.faults:
        parts.append(Content.styled(f"{count(len(session.faults), 'defect')} of xpudbg", "$text-error"))
    if session.phase is Phase.OPENING:
        parts.append(Content.styled("opening", "$text-warning"))
    elif session.under_way is not None:
        parts.append(_under_way(session.under_way))
    if session.latest is not None:
        parts.append(_age(session, now, refresh_s))
    parts.append(Content.styled(f"every {refresh_s:g} s" if refresh_s else "refresh off", "$foreground-muted"))
    return Content.styled(" · ", "$foreground-muted").join(parts)


def _under_way(look: LookUnderWay) -> Content:
    waiting = look.waiting_for
    asked = len(look.asked)
    said = f"look {look.id}: {asked - len(waiting):,} of {asked:,}"
    if waiting and len(waiting) <= NAMED:
        said += f", still out: {fit(str(waiting), min(len(str(waiting)), 24))}"
    return Content.styled(said, "$text-accent")


def _age(session: Session, now: int, refresh_s: float | None) -> Content:
    look = session.latest
    assert look is not None
    old_s = (now - look.taken_at) / 1e9
    if old_s > STALE_S:
        style = "bold $text-warning"
    elif old_s > max(refresh_s or 0.0, FRESH_S):
        style = ""
    else:
        style = "$foreground-muted"
    if session.post_mortem:
        return Content.styled(f"look {look.id} at dumps of {age(now, look.taken_at)} ago", "$foreground-muted")
    cut = " (cancelled)" if look.cancelled else ""
    return Content.styled(f"look {look.id}{cut}, {age(now, look.taken_at)} ago", style)
