"""What the flight recorder's screen is made of and how it is brought up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from textual.containers import Horizontal
from textual.content import Content

from ...services.recorder_tables.browser import source_name
from ...services.recorder_tables.row_filter import ROWS
from ..actions.registry import Scope, key_of_begin
from ..recorder.facts import facts_of
from ..recorder.lookup import count_of
from ..recorder.spots import Tab, find_group
from ..recorder.status import recorder_line, why_nothing
from ..recorder.view import TABLES
from ..widgets.filter_bar import FilterBar
from ..widgets.grid_table import GridTable
from ..widgets.painted import Painted, styled
from ..widgets.raw_text import RawText
from ..widgets.row_detail import RowDetail, RowFacts
from ..widgets.tab_line import TabLabel, TabLine
from ..widgets.timeline import CallKey, TimelinePane
from .recorder_requests import RecorderRequests

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.events import Resize
    from textual.widget import Widget

    from ..recorder.order import Shown
    from ..widgets.table_layout import Cell

__all__ = ["TABS", "RecorderPanes"]

TABS = tuple(Tab)
PANES = {Tab.TIMELINE: Scope.TIMELINE, Tab.JSON: Scope.TEXT}
"""What moves about in a tab that has no table."""
FULL_TITLES = 240
"""Terminal cells from which columns have torch's names, which are long."""
NO_ROW = np.empty(0, dtype=np.intp)


class NoRows:
    """The source of a table that is not there."""

    columns = ()

    def cell(self, row: int, column: int) -> Cell:
        raise IndexError(f"no row {row}, no column {column}")


NOTHING = NoRows()


class RecorderPanes(RecorderRequests):
    """Base of the flight recorder's screen: a line of tabs, a line on what is shown, a table with a pane beside it or
    below; the timeline and the raw JSON in their place."""

    SCOPES: tuple[Scope, ...] = (Scope.RECORDER, Scope.RECORDER_ROWS, Scope.JOB, Scope.TABLE)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-normal"), (160, "-wide")]  # noqa: RUF012
    FILTERED = ("rows", ROWS.hint)

    def __init__(self) -> None:
        super().__init__()
        self._painted_tab: Tab | None = None

    def body(self) -> Iterator[Widget]:
        yield TabLine()
        yield Painted(id="recorder-line")
        yield Painted(id="recorder-why")
        with Horizontal(id="recorder-body"):
            yield GridTable(id="rows")
            yield RowDetail()
            yield TimelinePane()
            yield RawText(id="recorder-json")

    def main_widget(self) -> Widget:
        match self.recorder.tab:
            case Tab.JSON:
                return self.query_one("#recorder-json", RawText).log_widget
            case Tab.TIMELINE:
                return self.query_one(TimelinePane)
        return self.table

    @property
    def table(self) -> GridTable:
        return self.query_one("#rows", GridTable)

    # showing --------------------------------------------------------------------------------------------------

    def show_ranks(self) -> None:
        view = self.recorder
        self.set_class(view.tab is Tab.JSON, "-json")
        self.set_class(view.tab is Tab.TIMELINE, "-timeline")
        pane = PANES.get(view.tab, Scope.TABLE)
        match pane:
            case Scope.TIMELINE:  # what it has of its own is what one looks for there first
                self.SCOPES = (pane, Scope.RECORDER, Scope.JOB)
            case Scope.TABLE:
                self.SCOPES = (Scope.RECORDER, Scope.RECORDER_ROWS, Scope.JOB, pane)
            case _:
                self.SCOPES = (Scope.RECORDER, Scope.JOB, pane)
        self._show_tabs()
        self.show_ages()
        match view.tab:
            case Tab.JSON:
                self.show_json()
            case Tab.TIMELINE:
                self._show_timeline()
            case _:
                self._show_table()
        self._painted_tab = view.tab

    def show_selection(self) -> None:
        rank = self.session.selected
        if rank is not None:
            self.recorder.follow(rank)
        self.show_all()

    def show_ages(self) -> None:
        session, view = self.session, self.recorder
        now, busy = self.app.clock(), self.is_ordering
        line = self.query_one("#recorder-line", Painted)
        line.paint_with(lambda width: recorder_line(session, view, now, width, busy=busy))

    def _show_tabs(self) -> None:
        tables, shown, labels = self.recorder.tables(), self.recorder.shown, []
        for tab in TABS:
            counted = ""
            if tables is not None and tab in TABLES:
                total = count_of(tables, tab)
                here = shown is not None and tab is self.recorder.tab
                cut = here and shown is not None and len(shown.order) != total
                counted = f"{len(shown.order):,}/{total:,}" if cut and shown is not None else f"{total:,}"
            labels.append(TabLabel(tab.value, counted))
        self.query_one(TabLine).show(labels, TABS.index(self.recorder.tab))

    def on_resize(self, event: Resize) -> None:
        """Titles of columns may be short or whole now."""
        if self.recorder.short != (event.size.width < FULL_TITLES):
            self.call_after_refresh(self.show_all)

    def show_filter(self) -> None:
        self.recorder.short = self.size.width < FULL_TITLES
        self.order_rows()
        view, shown = self.recorder, self.recorder.shown
        state = view.state
        there, total = (len(shown.order), shown.total) if shown is not None else (0, 0)
        self.query_one(FilterBar).show(state.text, there, total, state.error)

    def _show_table(self) -> None:
        view, table = self.recorder, self.table
        why = why_nothing(self.session, self.recorder)
        self.query_one("#recorder-why", Painted).paint_with(lambda width: Content("\n").join(styled(why).wrap(width)))
        if view.tab is not self._painted_tab:
            table.scroll_to(x=0, animate=False, immediate=True)
        shown = view.shown
        if shown is None:
            table.show(NOTHING, NO_ROW, cursor=None, empty="" if why else "Reading the calls of the job …")
        else:
            table.show(
                shown.rows,
                shown.order,
                cursor=view.cursor(),
                sorts=view.state.sort.sorts,
                empty=self._no_row(shown),
                table=view.tab.value,
            )
        self.set_class(bool(why), "-nothing")
        self.set_class(view.cursor() is None and not self.is_ordering, "-no-row")
        self._show_detail()

    def _no_row(self, shown: Shown) -> str:
        if shown.made_by.filter:
            return f"No row matches the filter. {key_of_begin('back')} takes it away."
        narrowed = shown.made_by.narrowed
        if narrowed is not None:
            unreadable = shown.made_by.tables.diagnosis.analysis.job.unreadable
            if narrowed.rank is not None and narrowed.rank in unreadable:
                return f"Rank {narrowed.rank} has no dump: {unreadable[narrowed.rank]}"
            return f"There are no {self.recorder.state.words}. {key_of_begin('back')} goes back."
        if shown.made_by.tab is Tab.FINDINGS:
            return "The flight recorder shows nothing wrong."
        return "Nothing is recorded."

    def _show_detail(self) -> None:
        shown, row = self.recorder.shown, self.recorder.cursor()
        facts = RowFacts()
        if shown is not None and row is not None:
            facts = facts_of(shown, row, self.session, self.app.view.stacks)
        self.query_one(RowDetail).show(facts)

    def _show_timeline(self) -> None:
        """The group or rank that a jump led to, else what the timeline itself takes for the most telling."""
        view, diagnosis = self.recorder, self.recorder.diagnosis
        wanted, at = view.state.narrowed, view.state.at
        groups = diagnosis.analysis.job.groups if diagnosis is not None else ()
        group = find_group(groups, wanted.group) if wanted is not None and wanted.group is not None else None
        call = None
        if at is not None and group is not None and at.rank is not None and at.seq is not None:
            call = CallKey(at.rank, group, at.seq, bool(at.p2p))
            view.state.at = None  # gone to once; from there on the timeline's own cursor counts
        rank = self.session.selected if group is not None else wanted.rank if wanted is not None else None
        hosts = {rank: state.host for rank, state in self.session.ranks.items() if state.host}
        chosen = self.app.view
        self.query_one(TimelinePane).show(
            diagnosis,
            group=group,
            rank=rank,
            shown=chosen.shown() if chosen.filter else None,
            cursor=call,
            selected=self.session.selected,
            hosts=hosts,
        )

    def show_json(self) -> None:
        if self.recorder.tab is not Tab.JSON:
            return
        rank = self.session.selected
        about = self.json_of(rank)
        pane = self.query_one("#recorder-json", RawText)
        if about is None:
            why = why_nothing(self.session, self.recorder) or f"There is no dump of rank {rank}."
            pane.show(styled(f"JSON of rank {rank}" if rank is not None else "JSON"), lambda: why, rank, why)
            return
        text = self.json_text(about)
        name = f"{source_name(about.source)} dump of rank {rank}"
        if text is None:
            pane.show(styled(f"{name}  reading …"), lambda: "", about.said, None)
        elif isinstance(text, str):
            said = text
            pane.show(styled(name), lambda: said, about.said, text)
        else:
            lines = text.lines
            pane.show(styled(text.said), lambda: "\n".join(lines), about.said, text)
