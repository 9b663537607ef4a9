"""What a watch tells whoever reads along: one line for each, or one JSON object."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ..instants import utc_seconds, utc_text
from ..plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SCHEMA", "Told", "WatchEvent", "as_json", "as_line"]

SCHEMA = "xpudbg.watch/1"


class Told(StrEnum):
    """What happened."""

    OPENED = "opened"
    LOST = "lost"
    """The job is gone, or can't be reached."""
    PACE = "pace"
    """It moves, stands, is slow, is idle."""
    ALERT = "alert"
    OVER = "over"
    """The incident is over."""
    CAPTURED = "captured"
    REMOVED = "removed"
    """An older incident file, to keep within the bounds."""
    HOOK = "hook"
    FAILED = "failed"
    """Something that the watch should have done could not be done."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """One line of the log."""

    at: int
    """ns since the epoch."""
    told: Told
    text: str
    """One sentence; not made plain."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """More for programs: plain values."""


def as_line(event: WatchEvent) -> str:
    """`2026-01-02T03:04:05Z  alert     Rank 3 is dead ...`, plain."""
    return f"{utc_seconds(event.at)}  {event.told.value:<8}  {plain(event.text)}"


def as_json(event: WatchEvent) -> str:
    """The same in one line of JSON."""
    made = {
        "schema": SCHEMA,
        "at": utc_text(event.at),
        "event": event.told.value,
        "text": event.text,
        **event.facts,
    }
    return json.dumps(made, ensure_ascii=True)
