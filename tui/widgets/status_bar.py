"""The top line: which job, how many ranks, which look and how old, what is under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ...services.session import Phase
from ..actions.registry import key_of
from ..file_words import reading_said
from ..look_words import clock_text
from ..wording import age, count
from .breadcrumbs import breadcrumbs
from .painted import Painted, styled
from .text import cell_len, fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...services.session import LookUnderWay, Session

__all__ = ["STALE_S", "StatusBar", "status_line"]

STALE_S = 60
"""Seconds after which a look is old whatever the interval."""
FRESH_S = 10
"""Seconds for which a look is new when it is not taken again by itself."""
_NAME = 20
"""Terminal cells that the target gets before the interval does, where more than looks is under way."""
NAMED = 64
"""Ranks still out that are named."""


class StatusBar(Painted):
    """One line, always there."""

    def show(
        self,
        session: Session,
        now: int,
        refresh_s: float | None,
        beside: Sequence[Content] = (),
        *,
        follows: bool = True,
        again: bool = False,
        steps: Sequence[str] = (),
    ) -> None:
        """
        Args:
            now: ns since the epoch.
            refresh_s: seconds between looks, None when they are not taken by themselves.
            beside: what else is under way.
            follows: whether the page shows an older look when that is shown elsewhere.
            again: whether one more look comes by itself although there is no interval.
            steps: the screen, then what was gone into on it, outermost first.
        """
        self.paint_with(
            lambda width: status_line(session, now, refresh_s, width, beside, follows=follows, again=again, steps=steps)
        )


def status_line(
    session: Session,
    now: int,
    refresh_s: float | None,
    width: int,
    beside: Sequence[Content] = (),
    *,
    follows: bool = True,
    again: bool = False,
    steps: Sequence[str] = (),
) -> Content:
    """The line, exactly as wide as there is room: the target is cut first, then what is under way; the name of the
    screen (the first of `steps`) stays."""
    right = _right(session, now, refresh_s, beside, follows=follows, again=again)
    if beside and right.cell_length > width - _NAME:
        right = _right(session, now, refresh_s, beside, follows=follows, interval=False)
    most = max(width - 1 - (min(cell_len(steps[0]) + 1, width // 3) if steps else 0), 0)
    if right.cell_length > most:
        right = right.truncate(most, ellipsis=True)
    badge = Content.styled(f" {session.secure.upper()} ", "bold reverse $text-error") if session.secure else None
    said = _size(session)
    left = breadcrumbs(
        session.label or "no target",
        said if session.world_size and said not in session.label else "",
        steps,
        max(width - right.cell_length - 2, 0),
        badge=badge,
        rank=session.selected if steps else None,
    )
    return left.pad_right(max(width - left.cell_length - right.cell_length, 0)) + right


def _size(session: Session) -> str:
    if len(session.ranks) == session.world_size:
        return count(session.world_size, "rank")
    return f"{len(session.ranks):,} of {count(session.world_size, 'rank')}"


def _right(
    session: Session,
    now: int,
    refresh_s: float | None,
    beside: Sequence[Content],
    *,
    follows: bool,
    again: bool = False,
    interval: bool = True,
) -> Content:
    parts: list[Content] = []
    if session.faults:
        parts.append(Content.styled(f"{count(len(session.faults), 'defect')} of xpudbg", "$text-error"))
    parts += beside
    reading = reading_said(session)
    if reading:
        parts.append(styled(reading, "$text-warning"))
    elif session.phase is Phase.OPENING:
        parts.append(Content.styled("opening", "$text-warning"))
    elif session.under_way is not None:
        parts.append(_under_way(session.under_way))
    if session.shown is not None and follows:
        parts += _older(session, now)
    elif session.latest is not None:
        parts.append(_age(session, now, refresh_s))
    if interval and session.asks and (session.shown is None or not follows):
        said = f"every {refresh_s:g} s" if refresh_s else "looks again" if again else "refresh off"
        parts.append(Content.styled(said, "$foreground-muted"))
    return Content.styled(" · ", "$foreground-muted").join(parts)


def _older(session: Session, now: int) -> list[Content]:
    """That an older look is shown, in place of what is known now."""
    assert session.shown is not None
    assert session.latest is not None
    look = session.shown.snapshot
    when = f"{clock_text(look.taken_at, now)}, {age(now, look.taken_at)} ago"
    return [
        Content.styled(f" LOOK {look.id} OF {session.latest.id} ", "bold reverse $text-warning")
        + Content.styled(f" {when}", "bold"),
        Content.assemble((key_of("next_look"), "bold $accent"), (" to newer ones", "$foreground-muted")),
    ]


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
        return Content.styled(f"look {look.id} at files of {age(now, look.taken_at)} ago", "$foreground-muted")
    cut = " (cancelled)" if look.cancelled else ""
    return Content.styled(f"look {look.id}{cut}, {age(now, look.taken_at)} ago", style)
