"""Four hints for who sees this for the first time: one at a time, each once in a person's life.

A hint goes when what it tells of is done, or by the key for going back. What was done before a hint came needs none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..actions.registry import key_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...services.session import Session
    from ...services.settings.state import Remembered

__all__ = ["HINTS", "PAUSE_NS", "Hint", "Hints"]

PAUSE_NS = 15_000_000_000
"""From the end of a hint to the next one at least."""
_SCREENS = ("ranks", "stacks", "recorder", "counters", "profiler", "store", "dispatch")


@dataclass(frozen=True, slots=True)
class Hint:
    """Something worth knowing, once."""

    name: str
    """What the state file calls it."""
    words: Callable[[], tuple[tuple[str, str], ...]]
    """Keys as they are set now, and what they do."""
    is_due: Callable[[Session, str], bool]
    """Whether it is of use now, on a screen by its mode."""
    done_by: tuple[str, ...]
    """Actions after which it is not needed."""


def _accuses(session: Session) -> bool:
    return bool(session.ranks) and any(finding.severity.accuses for finding in session.verdict.findings)


HINTS = (
    Hint(
        "finding",
        lambda: ((key_of("next_finding"), "shows a finding in full: who, where, how sure, what to do"),),
        lambda session, mode: mode == "overview" and _accuses(session),
        ("next_finding", "previous_finding"),
    ),
    Hint(
        "screens",
        lambda: (
            (f"{key_of('overview')} to {key_of('dispatch')}", "are the screens"),
            (key_of("help"), "the keys here"),
            (key_of("palette"), "all else, by name"),
        ),
        lambda session, mode: mode == "overview" and bool(session.looks),
        (*_SCREENS, "help", "palette"),
    ),
    Hint(
        "keep",
        lambda: (
            (key_of("copy_report"), "copies the report for a ticket"),
            (key_of("bundle"), "keeps all of it in one file"),
        ),
        lambda session, _mode: bool(session.looks) and _accuses(session),
        ("copy_report", "bundle"),
    ),
    Hint(
        "looks",
        lambda: ((f"{key_of('previous_look')} and {key_of('next_look')}", "go through the looks, back in time"),),
        lambda session, mode: len(session.looks) > 1 and mode not in ("profiler", "store", "dispatch"),
        ("previous_look", "next_look", "first_look", "to_look", "compare_looks"),
    ),
)
"""In the order in which they are told."""


class Hints:
    """Which hint is shown now, and which ones this person has had."""

    def __init__(self, remembered: Remembered, *, on: bool) -> None:
        """
        Args:
            on: whether there are any at all: pictures and tests have none.
        """
        self._remembered = remembered
        self._on = on
        self._had: set[str] = {hint.name for hint in HINTS if on and remembered.was_shown(hint.name)}
        self._shown: Hint | None = None
        self._is_seen = False
        self._ended_at: int | None = None

    @property
    def shown(self) -> Hint | None:
        """The hint that can be seen now."""
        return self._shown if self._is_seen else None

    def update(self, session: Session, mode: str, now: int) -> Hint | None:
        """The hint to show on a screen now; it counts as had from then on.

        Args:
            now: ns since the epoch.
        """
        if not self._on:
            return None
        if self._shown is None and (self._ended_at is None or now - self._ended_at >= PAUSE_NS):
            self._shown = next((h for h in HINTS if h.name not in self._had and h.is_due(session, mode)), None)
            if self._shown is not None:
                self._note(self._shown.name)
        self._is_seen = self._shown is not None and self._shown.is_due(session, mode)
        return self.shown

    def drop(self, now: int) -> None:
        """A person has read it."""
        self._shown, self._ended_at = None, now

    def done(self, action: str, now: int) -> None:
        """An action was carried out: the hint on it goes, or need not come."""
        if not self._on:
            return
        for hint in HINTS:
            if action in hint.done_by:
                self._note(hint.name)
                if hint is self._shown:
                    self.drop(now)

    def _note(self, name: str) -> None:
        if name not in self._had:
            self._had.add(name)
            self._remembered.note_shown(name)
