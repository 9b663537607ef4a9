"""Screen 4: the flight recorder as tables, from a finding to its collective, its calls, a rank's stack; raw JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...services.ranksets import RankSet
from ...services.recorder_tables.browser import source_name
from ...services.recorder_tables.row_filter import RowFilter
from ..actions.registry import Scope, bindings, key_of
from ..recorder.facts import facts_of, row_text
from ..recorder.lookup import row_of
from ..recorder.spots import Tab, find_group
from ..recorder.view import TABLES
from ..widgets.row_detail import RowDetail
from ..widgets.text import plain_lines
from ..widgets.timeline import TimelinePane
from .recorder_panes import TABS, RecorderPanes
from .sorting import SortsTables
from .try_operator import ask_for_operator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tables.sort_choice import SortChoice
    from ..widgets.grid_table import GridTable
    from ..widgets.tab_line import TabLine

__all__ = ["RecorderScreen"]


class RecorderScreen(SortsTables, RecorderPanes):
    """What a person does there: going deeper and back, ordering, filtering, marking, copying."""

    BINDINGS = [*bindings(Scope.RECORDER), *bindings(Scope.RECORDER_ROWS)]  # noqa: RUF012
    MODE = "recorder"

    # going about ----------------------------------------------------------------------------------------------

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        self._to_tab(TABS[message.place])

    def do_next_tab(self) -> None:
        self._to_tab(TABS[(TABS.index(self.recorder.tab) + 1) % len(TABS)])

    def do_previous_tab(self) -> None:
        self._to_tab(TABS[(TABS.index(self.recorder.tab) - 1) % len(TABS)])

    def _to_tab(self, tab: Tab) -> None:
        self.recorder.choose(tab)
        self._arrive()

    def _arrive(self) -> None:
        """Show the tab that was gone to, its main widget with the keys."""
        self.show_all()
        self.set_focus(self.main_widget())

    def on_grid_table_selected(self, message: GridTable.Selected) -> None:
        self._stand_on(message.row)

    def _stand_on(self, row: int) -> None:
        """The cursor goes to a row; a row about one rank selects it."""
        view = self.recorder
        shown = view.shown
        if shown is None:
            return
        view.stand_on(row)
        ranks = shown.rows.table.ranks(row)
        rank = ranks.first if len(ranks) == 1 else None
        if rank is not None and rank in self.session.ranks and rank != self.session.selected:
            self.select(rank)
        else:
            self._show_table()

    def on_grid_table_activated(self, _message: GridTable.Activated) -> None:
        self.do_deeper()

    def on_timeline_pane_rank_chosen(self, message: TimelinePane.RankChosen) -> None:
        self.select(message.rank)

    def on_timeline_pane_call_chosen(self, message: TimelinePane.CallChosen) -> None:
        self.recorder.jump_to_call(message.rank, message.group_index, message.seq, p2p=message.p2p, outside=False)
        self._arrive()

    def do_timeline_here(self) -> None:
        """The timeline of the group of the row, its call under the cursor."""
        view, spot, diagnosis = self.recorder, self.recorder.spot(), self.recorder.diagnosis
        if view.tab is Tab.TIMELINE:
            self.app.say(
                f"this is the timeline; {key_of('turn')} turns from the ranks of a group to the groups of a rank"
            )
            return
        if spot is not None and spot.finding and diagnosis is not None:
            spot = view.finding_spot(spot)
        if spot is None or spot.group is None or diagnosis is None:
            self.app.say("not now: the row is about no group")
            return
        group = find_group(diagnosis.analysis.job.groups, spot.group)
        view.jump_to_timeline(group=group, outside=False)
        if spot.seq is not None:
            rank = spot.rank if spot.rank is not None else self.session.selected
            view.state.at = replace(spot, rank=rank)
        self._arrive()

    def do_try_operator(self) -> None:
        ask_for_operator(self)

    def do_deeper(self) -> None:
        """Into what the cursor is on."""
        view = self.recorder
        if view.tab is Tab.TIMELINE:
            why = self.query_one(TimelinePane).choose_call()
            if why:
                self.app.say(why)
            return
        spot, row = view.spot(), view.cursor()
        tables = view.tables()
        if spot is None or row is None or tables is None:
            self.app.say("not now: there is no row here")
            return
        group = find_group(tables.diagnosis.analysis.job.groups, spot.group) if spot.group is not None else None
        match view.tab:
            case Tab.FINDINGS:
                self._open_finding(row)
                return
            case Tab.CALLS:
                self.select(spot.rank)
                self.app.go_to("stacks")
                return
            case Tab.COLLECTIVES if group is not None and spot.seq is not None:
                view.jump_to_calls_of(group, spot.seq, p2p=bool(spot.p2p), outside=False)
            case Tab.GROUPS if group is not None:
                view.jump_to_group(group, outside=False)
            case Tab.MEMBERSHIPS if group is not None and spot.rank is not None:
                view.jump_to_rank(spot.rank, group, outside=False)
        self._arrive()

    def _open_finding(self, row: int) -> None:
        """To the collective of a finding; where it is about none, to the calls of the first rank it names."""
        view, tables = self.recorder, self.recorder.tables()
        if tables is None:
            return
        target = tables.findings.target_of(row)
        culprit = tables.findings.findings[row].culprits.first
        if culprit is not None and culprit in self.session.ranks:
            self.select(culprit)  # it has no row among the calls: what leads on from there leads to it
        if target is not None:
            call, matched = int(tables.lines.order[target]), tables.lines.matched
            view.jump_to_collective(
                int(matched.call_group[call]),
                int(matched.call_seq[call]),
                p2p=bool(matched.call_p2p[call]),
                outside=False,
            )
        else:
            rank = tables.findings.ranks(row).first
            if rank is None:
                self.app.say("this finding is about no call and no rank")
                return
            view.jump_to_rank(rank, outside=False)
        self._arrive()

    def gone_into(self) -> tuple[str, ...]:
        return self.recorder.way()

    def do_back(self) -> None:
        """Esc: first the filter goes, then the way back of the jumps, then the screen before."""
        view = self.recorder
        if view.state.text:
            self.on_filter_bar_dropped()
            return
        visit = view.back()
        if visit is None:
            self.app.go_back()
            return
        self._arrive()
        if visit.outside:
            self.app.go_back()

    def do_next_recorder_finding(self) -> None:
        self._step_finding(1)

    def do_previous_recorder_finding(self) -> None:
        self._step_finding(-1)

    def _step_finding(self, step: int) -> None:
        view = self.recorder
        tables = view.tables()
        if tables is None or not len(tables.findings):
            self.app.say("the flight recorder shows nothing wrong")
            return
        size = len(tables.findings)
        at = view.states[Tab.FINDINGS].at
        here = row_of(tables, Tab.FINDINGS, at) if at is not None else None
        row = (here + step) % size if here is not None else 0 if step > 0 else size - 1
        if view.tab is not Tab.FINDINGS or view.state.filter:
            view.jump_to_finding(row, outside=False)
            self._arrive()
        first = tables.findings.ranks(row).first
        self._stand_on(row)
        if first is not None:
            self.select(first)

    def do_calls_of_rank(self) -> None:
        rank = self.session.selected
        if rank is not None:
            self.recorder.jump_to_rank(rank, outside=False)
            self._arrive()

    def do_next_source(self) -> None:
        before = self.recorder.source
        source = self.recorder.next_source()
        if source == before:
            self.app.say(f"there is no other recorder than {source_name(source)}")
        self.show_all()

    def _match(self, step: int) -> None:
        """The next row that matches the filter; without one the next with a rank missing, a mismatch or a call open."""
        shown, row = self.recorder.shown, self.recorder.cursor()
        if shown is None or row is None:
            self.app.say("not now: there is no row here")
            return
        wanted = np.ones(len(shown.order), dtype=np.bool_)
        if not shown.made_by.filter:
            is_open = shown.rows.table.mask(RowFilter.parse("is:open"))
            wanted = (shown.rows.missing | shown.rows.mismatch | is_open)[shown.order]
        places = np.flatnonzero(wanted)
        if not len(places):
            self.app.say("no row has a rank missing, a mismatch or an open call")
            return
        here = int(np.flatnonzero(shown.order == row)[0])
        after = places[places > here] if step > 0 else places[places < here]
        place = after[0 if step > 0 else -1] if len(after) else places[0 if step > 0 else -1]
        self._stand_on(int(shown.order[place]))

    # order, filter, detail ------------------------------------------------------------------------------------

    def filter_typed(self, text: str) -> None:
        self.recorder.set_filter(text)

    def filter_kept(self) -> None:
        """The cursor is on one of the rows that are left anyway."""

    def do_filter(self) -> None:
        if self.recorder.tab in TABLES:
            super().do_filter()
        else:
            self.app.say(f"{self.recorder.tab} has no rows to filter; {key_of('next_tab')} leads to the tables")

    def on_grid_table_header_clicked(self, message: GridTable.HeaderClicked) -> None:
        self.sort_clicked(message)

    def sorted_by(self) -> tuple[SortChoice, Sequence[str]] | None:
        tab = self.recorder.tab
        if tab in TABLES:
            return self.recorder.state.sort, self.recorder.keys()
        latest, tables = key_of("lane_order"), key_of("next_tab")
        other = f"{latest} puts the latest ranks first" if tab is Tab.TIMELINE else f"{tables} leads to the tables"
        self.app.say(f"{tab} has no columns to sort by; {other}")
        return None

    def do_detail(self) -> None:
        self.toggle_class("-no-detail")

    def do_detail_down(self) -> None:
        self.query_one(RowDetail).scroll_relative(y=4, animate=False)

    def do_detail_up(self) -> None:
        self.query_one(RowDetail).scroll_relative(y=-4, animate=False)

    def do_mark(self) -> None:
        """Exactly the ranks that the row is about; once more takes the marks away."""
        shown, row = self.recorder.shown, self.recorder.cursor()
        if shown is None or row is None:
            super().do_mark()
            return
        ranks = shown.rows.table.ranks(row)
        if ranks:
            self._set_marks(RankSet() if ranks == self.session.marked else ranks)

    def text_to_copy(self) -> tuple[str, str]:
        """The row and all that is said of it, or the JSON; nothing of it is cut."""
        shown, row = self.recorder.shown, self.recorder.cursor()
        if shown is None or row is None:
            return self.json_to_copy()
        facts = facts_of(shown, row, self.session, self.app.view.stacks)
        return plain_lines(row_text(facts, shown, row)), facts.title
