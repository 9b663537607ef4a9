"""What is said of a target of which no rank is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..session import Session

__all__ = ["no_rank_said"]


def no_rank_said(session: Session) -> str:
    """That no rank is known, and whether one may still be."""
    if session.asks:
        return "no rank is known yet"
    if session.replayed:
        return "no rank is known: the bundle holds none"
    if session.store.listing is not None:
        return "no rank is known: these files hold the store's keys only (screen 7)"
    return "no rank is known: these files name none"
