"""What of the rank table is shown and in which order: one filter and one sort for all screens."""

from __future__ import annotations

from operator import is_not
from typing import TYPE_CHECKING

from ...services.filters.terms import as_far_as_good
from ...services.ranksets import RankSet
from ...services.snapshot import RankClass
from ..counters.view import CountersView
from ..moving.finding_choice import FindingChoice
from ..recorder.progress_view import ProgressView
from ..recorder.view import RecorderView
from ..stacks.view import StackView
from ..tables.column_settings import tables
from ..tables.sort_choice import SortChoice
from .filter import RankFilter
from .record import RankRecord
from .rows import RankRows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...services.session import Session

__all__ = ["TABLE", "RankView"]

TABLE = "ranks"
"""The name of the table."""


class RankView:
    """Filter and sort over the rank table of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.stacks = StackView(session)
        """Which of the stacks are shown; the filter's texts are looked for in these."""
        self.findings = FindingChoice(session)
        """Which finding is shown in full."""
        self.progress = ProgressView(session)
        """How the rank x group progress matrix is shown."""
        self.recorder = RecorderView(session)
        """What of the flight recorder is shown."""
        self.counters = CountersView(session)
        """What of the wait counters is shown."""
        self.text = ""
        """The filter as typed."""
        self.filter: RankFilter | None = None
        self.error = ""
        """What is wrong with the text typed last; the rest of it holds."""
        self.sort = SortChoice(TABLE, (("rank", False),))
        self._record: RankRecord | None = None
        self._record_of: tuple[object, ...] | None = None
        self._order: NDArray[np.intp] | None = None
        self._made_for: object = None

    def set_filter(self, text: str) -> None:
        """Take what was typed; an empty text shows all ranks. A term that is wrong is told and left out."""
        self.text = text.strip()
        made, self.error = as_far_as_good(text, RankFilter.parse)
        self.filter = made or None

    def keys(self) -> list[str]:
        """The columns that are shown."""
        return tables().keys(TABLE, self.rows(0).columns)

    def rows(self, now: int) -> RankRows:
        """The rank table as rows.

        Args:
            now: ns since the epoch, for ages.
        """
        return RankRows(self._session.ranks, now, self.stacks.where, self.record())

    def record(self) -> RankRecord:
        """What the flight recorders of the newest look say of the ranks."""
        session = self._session
        made_for = (session.recorder, session.recorded_stacks)
        if self._record is None or self._record_of is None or any(map(is_not, self._record_of, made_for)):
            recorded = session.recorded_stacks
            called_at = self.stacks.called_at if recorded is not None and recorded.dumps else None
            self._record = RankRecord(session.recorder, self.stacks.calls, called_at)
            self._record_of = made_for
        return self._record

    def order(self) -> NDArray[np.intp]:
        """The ranks shown, in order. The same array as long as nothing changed."""
        session = self._session
        made_for = (session.revision, self.stacks.revision, self.filter, self.sort.sorts)
        if self._order is None or self._made_for != made_for:
            rows = self.rows(0)
            having, inside = self.stacks.index.ranks, self.stacks.calls.inside
            self._order = rows.order(self.filter, session.marked, self.sort.sorts, self._order, having, inside)
            self._made_for = made_for
        return self._order

    def shown(self) -> RankSet:
        """The ranks that match the filter."""
        return RankSet(self.order().tolist())

    def next_match(self, step: int) -> int | None:
        """The next rank that matches the filter, in the order shown and going round; without a filter the next that
        is not well."""
        order: list[int] = [int(rank) for rank in self.order()]
        ranks = self._session.ranks
        wanted = order if self.filter else [r for r in order if ranks[r].rank_class not in _WELL]
        if not wanted:
            return None
        places = {rank: place for place, rank in enumerate(order)}
        here = places.get(self._session.selected if self._session.selected is not None else -1)
        if here is None:
            return wanted[0 if step > 0 else -1]
        if step > 0:
            return next((rank for rank in wanted if places[rank] > here), wanted[0])
        return next((rank for rank in reversed(wanted) if places[rank] < here), wanted[-1])


_WELL = (RankClass.ALIVE, RankClass.UNKNOWN)
