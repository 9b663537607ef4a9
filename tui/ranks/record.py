"""What the flight recorders of a look say of each rank, for the rank table: its call, its lag, its coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.flight_recorder.coordinates import written_short
from ...services.judging.pending_calls import PendingCalls
from ...services.looks.recorders import RecorderLook

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...services.stacks.model import Frame

__all__ = ["RankRecord", "nowhere"]


def nowhere(_rank: int) -> Frame | None:
    """No frame of any rank is known."""
    return None


class RankRecord:
    """The facts of all ranks; each is empty where nothing is known."""

    def __init__(
        self,
        look: RecorderLook | None = None,
        calls: PendingCalls | None = None,
        called_at: Callable[[int], Frame | None] | None = None,
    ) -> None:
        """
        Args:
            look: the analysed look.
            calls: the same of its calls, where they are known already.
            called_at: the frame from which a rank made the call it is inside, where the recorders kept it.
        """
        self._look = look or RecorderLook(look_id=0)
        self._calls = PendingCalls(self._look) if calls is None else calls
        self.called_at = called_at or nowhere
        self.has_frames = called_at is not None
        self.has_calls = bool(self._calls)
        self.has_lag = bool(self._look.progress)
        self.has_coordinates = any(self._look.coordinates.values())

    def call(self, rank: int) -> str:
        """`all_reduce #311 of dp`, `not in a call`, `no dump`."""
        return self._calls.place(rank) if self.has_calls else ""

    def inside(self, rank: int) -> bool:
        """Whether it is inside a call."""
        return self._calls.spot(rank) is not None

    def lag(self, rank: int) -> int | None:
        """Calls behind the newest of the group in which it is furthest behind; None where that is not known."""
        progress = self._look.progress
        row = progress.row_of(rank)
        lag = int(progress.row_lag[row]) if row is not None else -1
        return lag if lag >= 0 else None

    def coordinates(self, rank: int) -> str:
        """`pp1 tp0`."""
        return written_short(self._look.coordinates.get(rank, {}))

    def facts(self, rank: int) -> tuple[tuple[str, str], ...]:
        """The same as labels and texts, for a pane; those that are not known are empty."""
        lag = self.lag(rank)
        behind = "" if not lag else f"{lag:,} {'call' if lag == 1 else 'calls'} behind its group"
        return (("recorder", self.call(rank)), ("lag", behind), ("place", self.coordinates(rank)))
