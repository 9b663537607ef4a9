"""What changed at a look, as one sign and in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from .widgets.text import plain
from .wording import count

if TYPE_CHECKING:
    from ..services.findings import Finding
    from ..services.looks.changes import LookChange
    from ..services.ranksets import RankSet

__all__ = ["COLOURS", "SAME", "clock_text", "moment", "sign_of", "words_of"]

CAME, GONE, CLASS, MOVED, SAME = "+", "-", "*", ">", "·"
COLOURS = {
    CAME: "$text-error",
    GONE: "$text-success",
    CLASS: "$text-warning",
    MOVED: "$text-accent",
    SAME: "$foreground-muted",
}
"""By sign."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = 2**63
"""Instants are of 64 bits; this one lies in the year 2262."""
_NAMED = 4
"""Ranks that are named; more are counted."""


def moment(instant: int) -> datetime | None:
    """An instant, ns since the epoch, in UTC; None where it is none (files and bundles may say anything)."""
    return _EPOCH + timedelta(microseconds=instant // 1000) if 0 <= instant < _LAST else None


def clock_text(instant: int, now: int) -> str:
    """`12:03:10Z`, with the date before it where that is not the day of `now`; both ns since the epoch."""
    at, today = moment(instant), moment(now)
    if at is None:
        return "at no known time"
    same_day = today is not None and at.date() == today.date()
    return f"{at:%H:%M:%SZ}" if same_day else f"{at:%Y-%m-%d %H:%M:%SZ}"


def sign_of(change: LookChange) -> str:
    """The sign of what matters most of it."""
    if change.came:
        return CAME
    if change.gone:
        return GONE
    if change.classes:
        return CLASS
    return MOVED if change.moved else SAME


def words_of(change: LookChange, *, first: bool) -> list[tuple[str, str]]:
    """What changed, each with its sign, what matters most first; plain text.

    Args:
        first: it is the first look, which nothing is compared with.
    """
    said = [(sign, _findings(found)) for sign, found in ((CAME, change.came), (GONE, change.gone)) if found]
    if change.classes:
        said.append((CLASS, f"{_ranks(change.reclassed)} changed class"))
    if change.moved:
        said.append((MOVED, f"{_ranks(change.moved)} moved"))
    return said or [(SAME, "nothing to compare it with" if first else "nothing changed")]


def _findings(found: tuple[Finding, ...]) -> str:
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return plain(found[0].text).rstrip(".") + more


def _ranks(ranks: RankSet) -> str:
    return count(len(ranks), "rank") if len(ranks) > _NAMED else f"{'rank' if len(ranks) == 1 else 'ranks'} {ranks}"
