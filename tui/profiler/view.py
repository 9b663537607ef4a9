"""What of the profiler is shown: tab, rank, what it is compared with; filter, order and cursor of each table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...services.filters.terms import as_far_as_good
from ..tables.column_settings import tables
from ..tables.sort_choice import SortChoice
from . import tables as profile_tables
from .filter import ProfileFilter, ProfileTab
from .rows import ProfileRows, TableShape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ...services.profiles.profiles import Profiles
    from ...services.session import Session

__all__ = ["ProfileTab", "ProfilerView", "TabState", "table_of"]


def table_of(tab: ProfileTab) -> str:
    """The name of a tab's table; other screens have ranks and collectives too."""
    return f"profile_{tab.value}"


@dataclass(slots=True)
class TabState:
    """How one table is shown."""

    filter: ProfileFilter
    sort: SortChoice
    text: str = ""
    """The filter as typed."""
    error: str = ""
    """What is wrong with the text; the rest of it holds."""
    cursor: int = 0
    """Row it stands on."""
    order: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))


class ProfilerView:
    """Outlives targets, as the captures do."""

    def __init__(self, profiles: Profiles) -> None:
        self.profiles = profiles
        self.tab = ProfileTab.RANKS
        self.states = {
            tab: TabState(ProfileFilter(tab), SortChoice(table_of(tab), falls=self._falls)) for tab in ProfileTab
        }
        self.against: int | None = None
        """The rank the difference is to; None: the median of the others."""
        self._rank: int | None = None
        self._followed: int | None = None
        self._rows: ProfileRows[Any] | None = None
        self._made_for: object = None
        self._ordered_for: object = None

    @property
    def state(self) -> TabState:
        return self.states[self.tab]

    # the rank -------------------------------------------------------------------------------------------------

    def rank(self, session: Session) -> int | None:
        """The rank whose trace is shown: the selected one where it has a row, else the one chosen here, else the first
        with a trace."""
        traces = self.profiles.shown
        if traces is None:
            return None
        if session.selected != self._followed:
            self._followed = session.selected
            if session.selected in traces.rows:
                self._rank = session.selected
        if self._rank not in traces.rows:
            selected = session.selected if session.selected in traces.rows else None
            self._rank = selected if selected is not None else traces.done.first
            if self._rank is None:
                self._rank = next(iter(traces.rows), None)
        return self._rank

    def choose_rank(self, rank: int) -> None:
        self._rank = rank

    def neighbour(self, session: Session, step: int) -> int | None:
        """The rank `step` rows away in the set, going round."""
        rows = list(self.profiles.shown.rows) if self.profiles.shown is not None else []
        rank = self.rank(session)
        if not rows or rank is None:
            return None
        return rows[(rows.index(rank) + step) % len(rows)]

    def next_against(self, session: Session) -> None:
        """The median, then each marked rank that has been read (all, when none is marked), then the median again."""
        rank = self.rank(session)
        read = [one for one in self.profiles.read_ranks() if one != rank]
        others = [one for one in read if one in session.marked] or read
        if self.against is None:
            self.against = others[0] if others else None
        else:
            later = [one for one in others if one > self.against]
            self.against = later[0] if later else None

    # rows -----------------------------------------------------------------------------------------------------

    def rows(self, session: Session, now: int) -> ProfileRows[Any]:
        """The table of the tab; the very same object while it says the same."""
        tab, profiles, rank = self.tab, self.profiles, self.rank(session)
        made_for: object
        if tab is ProfileTab.RANKS:
            traces = profiles.shown
            second = now // 1_000_000_000 if traces is not None and traces.under_way else 0
            made_for = (tab, profiles.revision, second)
        elif tab is ProfileTab.SAVED:
            made_for = (tab, id(profiles.saved))
        else:
            others = len(profiles.read_ranks()) if tab is ProfileTab.DIFFERENCE else 0
            made_for = (tab, id(profiles.summary(rank)), self.against, others, self._why_empty(rank))
        if self._rows is None or made_for != self._made_for:
            shape, items = self._table(rank, now)
            self._rows, self._made_for = ProfileRows(shape, items), made_for
        return self._rows

    def order(self, session: Session, now: int) -> NDArray[np.intp]:
        """The rows shown, in order; the very same array while nothing changed."""
        rows, state = self.rows(session, now), self.state
        chosen = state.filter
        asked = (session.revision, session.marked) if chosen.asks_ranks else None
        wanted = (id(rows), chosen, asked, state.sort.sorts)
        if wanted != self._ordered_for:
            marked, ranks = session.marked, session.ranks
            fitting = [row for row in rows.items if not chosen or chosen.fits(rows, row, marked, ranks)]
            order = rows.order(fitting, state.sort.sorts)
            if not np.array_equal(order, state.order):
                state.order = order
            self._ordered_for = wanted
        return state.order

    def cursor(self, session: Session, now: int) -> int | None:
        """The row the cursor stands on; of the ranks that is the rank."""
        order = self.order(session, now)
        if self.tab is ProfileTab.RANKS:
            rank = self.rank(session)
            return rank if rank is not None and rank in order else None
        if not len(order):
            return None
        if self.state.cursor not in order:
            self.state.cursor = int(order[0])
        return self.state.cursor

    def set_filter(self, text: str) -> None:
        """Take what was typed for this table. A term that is wrong is told and left out."""
        state, tab = self.state, self.tab
        state.text = text.strip()
        state.filter, state.error = as_far_as_good(text, lambda some: ProfileFilter.parse(some, tab))

    def _falls(self, key: str) -> bool:
        """Numbers are sorted the greatest first."""
        columns = self._rows.columns if self._rows is not None else ()
        return key != "rank" and any(column.key == key and column.align == "right" for column in columns)

    def keys(self) -> list[str]:
        """The columns that are shown."""
        return tables().keys(table_of(self.tab), self._rows.columns) if self._rows is not None else []

    def _why_empty(self, rank: int | None) -> str:
        profiles = self.profiles
        row = profiles.row(rank)
        if profiles.shown is None or row is None:
            return profile_tables.RANKS.empty
        if row.path is None:
            return f"There is no trace of rank {rank}: {row.error or profile_tables.state_words(self._trace(row, 0))}"
        if row.path in profiles.failures:
            return f"The trace of rank {rank} can't be read: {profiles.failures[row.path]}"
        if profiles.summary(rank) is None:
            return f"The trace of rank {rank} is being read."
        return "There is nothing in the trace: an operator shows when it has ended, so a rank that hangs shows none."

    def _trace(self, row: Any, now: int) -> profile_tables.RankTrace:
        profiles = self.profiles
        duration_s = profiles.shown.duration_s if profiles.shown is not None else None
        reading = profiles.reading[1] if profiles.reading is not None and profiles.reading[0] == row.path else None
        summary = profiles.summaries.get(row.path) if row.path is not None else None
        problem = profiles.failures.get(row.path, "") if row.path is not None else ""
        return profile_tables.RankTrace(row, duration_s, summary, reading, problem, now)

    def _table(self, rank: int | None, now: int) -> tuple[TableShape[Any], Mapping[int, Any]]:
        profiles, summary = self.profiles, self.profiles.summary(rank)
        empty = self._why_empty(rank)
        match self.tab:
            case ProfileTab.RANKS:
                rows = profiles.shown.rows if profiles.shown is not None else {}
                return profile_tables.RANKS, {one: self._trace(row, now) for one, row in rows.items()}
            case ProfileTab.SAVED:
                shape = profile_tables.SAVED
                saved = profiles.saved
                if not saved:
                    why = profiles.saved_problem or f"{shape.empty} They go to {profiles.saved_folder or 'the disk'}."
                    shape = replace(shape, empty=why if saved is not None else "Reading …")
                return shape, dict(enumerate(saved or ()))
        if summary is None:
            shapes: dict[ProfileTab, TableShape[Any]] = {
                ProfileTab.OPERATORS: profile_tables.operators(empty),
                ProfileTab.COLLECTIVES: profile_tables.COLLECTIVES,
                ProfileTab.GAPS: profile_tables.GAPS,
                ProfileTab.DIFFERENCE: profile_tables.DIFFERENCE,
            }
            there = shapes[self.tab]
            return replace(there, empty=empty), {}
        match self.tab:
            case ProfileTab.OPERATORS:
                whole = summary.busy
                items = [profile_tables.Weighed(row, whole) for row in summary.operators]
                return profile_tables.operators(empty), dict(enumerate(items))
            case ProfileTab.COLLECTIVES:
                return profile_tables.COLLECTIVES, dict(enumerate(summary.collectives))
            case ProfileTab.GAPS:
                return profile_tables.GAPS, dict(enumerate(summary.gaps))
        found = profiles.difference(rank, self.against) if rank is not None else ()
        difference = profile_tables.DIFFERENCE
        if not found and len(profiles.read_ranks()) > 1:
            why = "There is nothing in the traces that are compared: no operator ended in them."
            difference = replace(difference, empty=why)
        return difference, dict(enumerate(found))
