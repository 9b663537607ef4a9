"""What of the flight recorder's tables is shown: source, tab, filter, order, where the cursor is, and jumps.

Other screens lead here: they call a `jump_...` and then `app.go_to("recorder")`. Ordering millions of rows takes long,
so it is done beside the screen (`update`, `take`); until then the rows before are shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...services.filters.terms import as_far_as_good
from ...services.judging.recorder_findings import group_named
from ...services.judging.witness import Witness
from ...services.ranksets import RankSet
from ...services.recorder_tables.browser import RecorderTables
from ...services.recorder_tables.order import Sort
from ...services.recorder_tables.row_filter import PLACES, ROWS, RowFilter
from ...services.snapshot import Outcome
from ...services.verdict import name_ranks
from ..tables.column_settings import tables
from ..tables.sort_choice import SortChoice
from .lookup import row_of, spot_of
from .order import RowOrder, Shown
from .spots import GroupId, Spot, Tab, group_id
from .way import Visit, way_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...services.flight_recorder.diagnosis import Diagnosis
    from ...services.looks.recorders import RecorderLook
    from ...services.session import Session
    from ...services.snapshot import Snapshot

__all__ = ["RecorderView", "Tab"]

VISITS_KEPT = 100
TABLES = (Tab.FINDINGS, Tab.COLLECTIVES, Tab.CALLS, Tab.GROUPS, Tab.MEMBERSHIPS)
"""Tabs with a table."""


@dataclass(slots=True)
class TabState:
    """What was chosen on one tab."""

    text: str = ""
    """The filter as typed."""
    filter: RowFilter = field(default_factory=RowFilter)
    error: str = ""
    """What is wrong with the text; the rest of it holds."""
    sort: SortChoice = field(default_factory=lambda: SortChoice(""))
    narrowed: Spot | None = None
    """What a jump led to: only rows that agree with it are shown."""
    words: str = ""
    """The same for people."""
    at: Spot | None = None
    """The row of the cursor."""

    @property
    def sorts(self) -> tuple[Sort, ...]:
        return tuple(Sort(key, descending) for key, descending in self.sort.sorts)


class RecorderView:
    """The choice over the flight recorders of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.tab = Tab.FINDINGS
        self.chosen_source = ""
        """What a person chose; `source` is what there is of it."""
        self.states: dict[Tab, TabState] = {
            tab: TabState(sort=SortChoice(tab.value if tab in TABLES else "")) for tab in Tab
        }
        self.short = False
        """Whether titles of columns are short, for want of room."""
        self._visits: list[Visit] = []
        self._shown: Shown | None = None
        self._tables: dict[str, RecorderTables] = {}
        self._tables_of: RecorderLook | None = None
        self._answers: tuple[Snapshot, Mapping[str, bool]] | None = None
        self._cursor: tuple[Shown, Spot | None, int | None] | None = None
        """The rows shown, where the cursor is wanted, and the row that this came to."""

    # what there is --------------------------------------------------------------------------------------------

    @property
    def look(self) -> RecorderLook:
        return self._session.recorder

    @property
    def sources(self) -> tuple[str, ...]:
        """Recorders that have brought something, the one that counts most first."""
        return tuple(self.look.diagnoses)

    @property
    def source(self) -> str:
        """The recorder that is shown; empty when there is none."""
        sources = self.sources
        return self.chosen_source if self.chosen_source in sources else sources[0] if sources else ""

    @property
    def diagnosis(self) -> Diagnosis | None:
        return self.look.diagnoses.get(self.source)

    @property
    def state(self) -> TabState:
        return self.states[self.tab]

    def tables(self) -> RecorderTables | None:
        """The tables of the source that is shown; each is made when it is first read."""
        if self.diagnosis is None:
            return None
        if self._tables_of is not self.look:
            self._tables, self._tables_of = {}, self.look
        if self.source not in self._tables:
            look, ranks = self.look, self._session.ranks
            hosts = {rank: state.host for rank, state in ranks.items() if state.host}
            self._tables[self.source] = RecorderTables(
                look,
                self.source,
                hosts=hosts,
                name_ranks=lambda some: name_ranks(some, ranks, look.coordinates),
                beside=Witness(ranks, self._session.stacks, self._session.counters),
            )
        return self._tables[self.source]

    def answers(self, look: Snapshot) -> Mapping[str, bool]:
        """The sources that a look asked, and whether any rank gave a good answer."""
        if self._answers is None or self._answers[0] is not look:
            came: dict[str, bool] = {}
            for (_, source), reply in look.replies.items():
                came[source] = came.get(source, False) or reply.outcome is Outcome.OK
            self._answers = (look, came)
        return self._answers[1]

    # what is shown --------------------------------------------------------------------------------------------

    @property
    def shown(self) -> Shown | None:
        """The rows of the tab, perhaps of a choice before; None when the tab has no rows yet."""
        shown = self._shown
        return shown if shown is not None and shown.made_by.tab is self.tab else None

    def update(self) -> RowOrder | None:
        """Bring the rows up to date. When that takes long nothing changes yet, and what is to be done is given
        back."""
        wanted = self.wanted()
        if wanted is None:
            self._shown = None
        elif self._shown is None or self._shown.made_by != wanted:
            if wanted.is_long:
                return wanted
            self._shown = wanted.carry_out(self._shown)
        return None

    def wanted(self) -> RowOrder | None:
        """What has to be shown; None where there is no table."""
        tables, state = self.tables(), self.state
        if tables is None or self.tab not in TABLES:
            return None
        chosen = state.filter.among(tables.hosts, self._session.marked)
        return RowOrder(tables, self.tab, chosen, state.sorts, state.narrowed, self.short)

    def take(self, made: Shown) -> bool:
        """Rows that were ordered beside the screen. False when something else is wanted meanwhile."""
        if made.made_by != self.wanted():
            return False
        self._shown = made
        return True

    def cursor(self) -> int | None:
        """The row of the cursor, `Shown.first_row` when its own is gone; None when there is no row."""
        shown, at = self.shown, self.state.at
        if shown is None or not len(shown.order):
            return None
        known = self._cursor
        if known is None or known[0] is not shown or known[1] != at:
            row = shown.row_of(at) if at is not None else None
            known = self._cursor = (shown, at, row if row is not None else shown.first_row())
        return known[2]

    def finding_spot(self, finding: Spot) -> Spot | None:
        """The call that a finding is about, with the first culprit of its group, or without one a rank that made it;
        None when it is about none."""
        tables = self.tables()
        row = row_of(tables, Tab.FINDINGS, finding) if tables is not None else None
        target = tables.findings.target_of(row) if tables is not None and row is not None else None
        if tables is None or row is None or target is None:
            return None
        spot, one = spot_of(tables, Tab.COLLECTIVES, target), tables.findings.findings[row]
        members = spot.group.members if spot.group is not None else RankSet()
        culprit = (one.culprits & members).first
        return replace(spot, rank=int(tables.lines.rank[tables.lines.starts[target]]) if culprit is None else culprit)

    def stand_on(self, row: int) -> None:
        """The cursor has moved."""
        shown = self.shown
        if shown is not None:
            self.state.at = shown.spot_of(row)
            self._cursor = (shown, self.state.at, row)

    def spot(self) -> Spot | None:
        """What the row of the cursor is about."""
        shown, row = self.shown, self.cursor()
        return shown.spot_of(row) if shown is not None and row is not None else None

    # choices --------------------------------------------------------------------------------------------------

    def set_filter(self, text: str) -> None:
        """Take what was typed for this tab. A term that is wrong is told and left out."""
        state = self.state
        state.text = text.strip()
        place = PLACES[self.tab] if self.tab in TABLES else ROWS
        state.filter, state.error = as_far_as_good(text, lambda some: RowFilter.parse(some, place))

    def sort_by(self, key: str, *, also: bool = False) -> None:
        """Sort the tab by a column, also by it, or the other way round."""
        self.state.sort.by(key, also=also)

    def keys(self) -> list[str]:
        """The columns that are shown; none before there are rows."""
        return tables().keys(self.tab.value, self.shown.rows.columns) if self.shown is not None else []

    def choose(self, tab: Tab) -> None:
        """Show a tab as it was left."""
        self.tab = tab

    def follow(self, rank: int) -> None:
        """Another rank is selected: calls of one rank become those of this one; among the calls of one collective, or
        the members of a group, the cursor goes to it."""
        state = self.state
        narrowed = state.narrowed
        if narrowed is None or self.tab not in (Tab.CALLS, Tab.MEMBERSHIPS, Tab.TIMELINE):
            return
        if narrowed.rank is None:
            state.at = replace(narrowed, rank=rank)
        elif narrowed.rank != rank:
            state.words = state.words.replace(f"rank {narrowed.rank}", f"rank {rank}", 1)
            state.narrowed, state.at = replace(narrowed, rank=rank), None

    def next_source(self) -> str:
        """Show the next recorder that has brought something, and tell which."""
        sources = self.sources
        if sources:
            self.chosen_source = sources[(sources.index(self.source) + 1) % len(sources)]
        return self.source

    # jumps ----------------------------------------------------------------------------------------------------

    def jump_to_rank(
        self, rank: int, group: int | None = None, source: str | None = None, *, outside: bool = True
    ) -> None:
        """To the calls of a rank, of one group when given.

        Args:
            group: index into `Job.groups` of the source's diagnosis in the newest look.
            source: the recorder; the one that is shown when None.
            outside: another screen leads here, so that going back leads there.
        """
        self._leave(Tab.CALLS, source, outside)
        words = f"calls of rank {rank}" + (f" in {self._named(group)}" if group is not None else "")
        self._arrive(narrowed=Spot(group=self._group(group), rank=rank), words=words)

    def jump_to_call(
        self,
        rank: int,
        group: int,
        seq: int,
        *,
        p2p: bool = False,
        source: str | None = None,
        outside: bool = True,
    ) -> None:
        """To what a rank did in one call, among what the others did in it."""
        self._leave(Tab.CALLS, source, outside)
        self._arrive_at_call(Spot(self._group(group), rank, p2p, seq), self._named(group))

    def _arrive_at_call(self, at: Spot, named: str) -> None:
        words = f"calls of {'P2P ' if at.p2p else ''}#{at.seq} of {named}"
        self._arrive(narrowed=replace(at, rank=None), words=words, at=at)

    def jump_to_collective(
        self, group: int, seq: int, *, p2p: bool = False, source: str | None = None, outside: bool = True
    ) -> None:
        """To one call of a group, in the table of collectives."""
        self._leave(Tab.COLLECTIVES, source, outside)
        self._arrive(at=Spot(self._group(group), None, p2p, seq))

    def jump_to_calls_of(
        self, group: int, seq: int, *, p2p: bool = False, source: str | None = None, outside: bool = True
    ) -> None:
        """To what every rank did in one call."""
        self._leave(Tab.CALLS, source, outside)
        self._arrive_at_call(Spot(self._group(group), None, p2p, seq), self._named(group))

    def jump_to_group(self, group: int, source: str | None = None, *, outside: bool = True) -> None:
        """To the members of a group."""
        self._leave(Tab.MEMBERSHIPS, source, outside)
        words = f"members of {self._named(group)}"
        self._arrive(narrowed=Spot(group=self._group(group)), words=words)

    def jump_to_finding(self, number: int, source: str | None = None, *, outside: bool = True) -> None:
        """To a finding of the diagnosis, by its row in the table of findings."""
        self._leave(Tab.FINDINGS, source, outside)
        tables = self.tables()
        at = spot_of(tables, Tab.FINDINGS, number) if tables is not None and number < len(tables.findings) else None
        self._arrive(at=at)

    def jump_to_timeline(
        self, *, group: int | None = None, rank: int | None = None, source: str | None = None, outside: bool = True
    ) -> None:
        """To the timeline of a group, or of a rank."""
        self._leave(Tab.TIMELINE, source, outside)
        self._arrive(narrowed=Spot(group=self._group(group), rank=rank))

    def back(self) -> Visit | None:
        """Undo the last jump and tell which it was; None when there was none."""
        if not self._visits:
            return None
        visit = self._visits.pop()
        self.states[visit.to] = visit.before
        self.tab, self.chosen_source = visit.tab, visit.source
        return visit

    def way(self) -> tuple[str, ...]:
        """The tabs that jumps on this screen led through, and what is shown now; nothing without a jump."""
        return way_of(self._visits, self.state.words or self.tab)

    def _leave(self, to: Tab, source: str | None, outside: bool) -> None:
        """Remember where this was, and go to a tab of a source."""
        self._visits.append(Visit(self.tab, self.chosen_source, to, self.states[to], outside))
        del self._visits[:-VISITS_KEPT]
        self.tab = to
        if source is not None:
            self.chosen_source = source

    def _arrive(self, *, narrowed: Spot | None = None, words: str = "", at: Spot | None = None) -> None:
        self.states[self.tab] = TabState(sort=self.state.sort, narrowed=narrowed, words=words, at=at)

    def _group(self, number: int | None) -> GroupId | None:
        diagnosis = self.diagnosis
        if number is None or diagnosis is None:
            return None
        return group_id(diagnosis.analysis.job.groups[number])

    def _named(self, number: int) -> str:
        diagnosis = self.diagnosis
        return group_named(diagnosis.analysis.job.groups[number] if diagnosis is not None else None)
