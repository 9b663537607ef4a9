"""Screen 6: profiles of ranks, captured together; where their time goes, and how they differ."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from textual.containers import Horizontal

from ...services.profiles import orders
from ..actions.registry import Scope, bindings, key_of, key_of_begin
from ..profiler.filter import PLACES
from ..profiler.view import ProfileTab, table_of
from ..profiler.words import facts_of, profile_line
from ..recorder.export import export_name, grid_table
from ..suggesters.paths import PathSuggester
from ..tables.column_settings import tables
from ..widgets.filter_bar import FilterBar
from ..widgets.grid_table import GridTable
from ..widgets.painted import Painted
from ..widgets.row_detail import RowDetail
from ..widgets.tab_line import TabLabel, TabLine
from ..widgets.text import plain_lines
from ..wording import count
from .capture_request import ask_for_capture
from .export_request import ask_for_export, table_choice
from .job import JobScreen
from .line_request import LineRequest
from .sorting import SortsTables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.widget import Widget

    from ...services.profiles.profiles import Profiles
    from ..profiler.view import ProfilerView
    from ..tables.sort_choice import SortChoice

__all__ = ["ProfilerScreen"]

TABS = tuple(ProfileTab)
TRACE_ENDINGS = (".json", ".gz")


class ProfilerScreen(SortsTables, JobScreen):
    """A line of tabs, a line on what is shown, the table with a pane beside it or below."""

    BINDINGS = bindings(Scope.PROFILER)
    SCOPES = (Scope.PROFILER, Scope.JOB, Scope.TABLE)
    MODE = "profiler"
    FOLLOWS_LOOKS = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-normal"), (160, "-wide")]  # noqa: RUF012
    FILTERED = ("rows", PLACES[ProfileTab.RANKS].hint)

    def __init__(self) -> None:
        super().__init__()
        self._painted_tab: ProfileTab | None = None
        self._said = 0
        self._handed: object = None

    def body(self) -> Iterator[Widget]:
        yield TabLine()
        yield Painted(id="profile-line")
        with Horizontal(id="profile-body"):
            yield GridTable(id="profile-rows")
            yield RowDetail()

    def main_widget(self) -> GridTable:
        return self.query_one("#profile-rows", GridTable)

    @property
    def profiles(self) -> Profiles:
        return self.app.attachment.profiles

    @property
    def profiler(self) -> ProfilerView:
        return self.app.attachment.profiler

    # showing --------------------------------------------------------------------------------------------------

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.profiles.saved is None:
            self.app.attachment.profile(orders.ListSaved())

    def show_ranks(self) -> None:
        self._tell()
        self._show_tabs()
        self._show_table()
        self._show_line()

    def show_selection(self) -> None:
        self.show_all()

    def show_ages(self) -> None:
        if self.profiles.shown is not None and self.profiles.shown.under_way:
            self._show_table()
        self._show_line()

    def _nothing(self, why: str) -> str:
        """What stands where there is no row."""
        if self.profiler.state.filter:
            return f"No row matches the filter. {key_of_begin('back')} takes it away."
        if self.profiler.tab is not ProfileTab.RANKS:
            return why
        run, opened = key_of("capture"), key_of("open_traces")
        return f"{why}: {run} runs the profiler on ranks, {opened} opens trace files, the last tab has saved captures."

    def _show_line(self) -> None:
        """The line above the table."""
        view, session = self.profiler, self.session
        self.query_one("#profile-line", Painted).paint_with(lambda width: profile_line(view, session, width))

    def show_filter(self) -> None:
        view, session, now = self.profiler, self.session, self.app.clock()
        order, rows = view.order(session, now), view.rows(session, now)
        self.query_one(FilterBar).show(view.state.text, len(order), len(rows.items), view.state.error)

    def _show_tabs(self) -> None:
        profiles, view = self.profiles, self.profiler
        summary = profiles.summary(view.rank(self.session))
        counted = {
            ProfileTab.RANKS: len(profiles.shown.rows) if profiles.shown is not None else None,
            ProfileTab.OPERATORS: len(summary.operators) if summary is not None else None,
            ProfileTab.COLLECTIVES: len(summary.collectives) if summary is not None else None,
            ProfileTab.GAPS: len(summary.gaps) if summary is not None else None,
            ProfileTab.SAVED: len(profiles.saved) if profiles.saved is not None else None,
        }
        labels = [TabLabel(tab.value, f"{known:,}" if (known := counted.get(tab)) is not None else "") for tab in TABS]
        self.query_one(TabLine).show(labels, TABS.index(view.tab))

    def _show_table(self) -> None:
        view, session, now, table = self.profiler, self.session, self.app.clock(), self.main_widget()
        if view.tab is not self._painted_tab:
            table.scroll_to(x=0, animate=False, immediate=True)
            self._painted_tab = view.tab
        rows, order, cursor = view.rows(session, now), view.order(session, now), view.cursor(session, now)
        table.show(
            rows,
            order,
            cursor=cursor,
            marked=session.marked if view.tab is ProfileTab.RANKS else (),
            sorts=view.state.sort.sorts,
            empty=self._nothing(rows.shape.empty),
            table=table_of(view.tab),
        )
        self.set_class(cursor is None, "-no-row")
        self.query_one(RowDetail).show(facts_of(view, session, rows, cursor))

    def _tell(self) -> None:
        """Say what has been told since."""
        for text in self.profiles.said[self._said :]:
            self.app.say(text)
        self._said = len(self.profiles.said)
        handed = self.profiles.handed
        if handed is not None and handed is not self._handed:
            self._handed = handed
            if handed.opened:
                self.app.say(f"the browser opens {urlsplit(handed.url).netloc}; the trace is handed over once")
            else:
                self.app.say(f"no browser is here: open {handed.path} at ui.perfetto.dev")

    def text_to_copy(self) -> tuple[str, str]:
        view, session, now = self.profiler, self.session, self.app.clock()
        rows, row = view.rows(session, now), view.cursor(session, now)
        if row is None:
            return "", ""
        facts = facts_of(view, session, rows, row)
        lines = [rows.row_text(row), *(f"{detail.label}: {detail.text}" for detail in facts.details)]
        return plain_lines("\n".join(lines)), "the row"

    # going about ----------------------------------------------------------------------------------------------

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        self._to_tab(TABS[message.place])

    def do_next_table(self) -> None:
        self._to_tab(TABS[(TABS.index(self.profiler.tab) + 1) % len(TABS)])

    def do_previous_table(self) -> None:
        self._to_tab(TABS[(TABS.index(self.profiler.tab) - 1) % len(TABS)])

    def _to_tab(self, tab: ProfileTab) -> None:
        self.profiler.tab = tab
        if tab is ProfileTab.SAVED:
            self.app.attachment.profile(orders.ListSaved())
        self.show_all()
        self.set_focus(self.main_widget())

    def on_grid_table_selected(self, message: GridTable.Selected) -> None:
        view = self.profiler
        if view.tab is ProfileTab.RANKS:
            self._show_rank(message.row)
        else:
            view.state.cursor = message.row
            self._show_table()

    def on_grid_table_activated(self) -> None:
        self.do_open_row()

    def on_grid_table_header_clicked(self, message: GridTable.HeaderClicked) -> None:
        self.sort_clicked(message)

    def sorted_by(self) -> tuple[SortChoice, Sequence[str]]:
        return self.profiler.state.sort, self.profiler.keys()

    def do_open_row(self) -> None:
        view, session, now = self.profiler, self.session, self.app.clock()
        rows, row = view.rows(session, now), view.cursor(session, now)
        if row is None:
            self.app.say("not now: there is no row here")
        elif view.tab is ProfileTab.SAVED:
            self.app.attachment.profile(orders.OpenTraces((rows.items[row].folder,)))
            self._to_tab(ProfileTab.RANKS)
        elif view.tab is ProfileTab.RANKS:
            self._to_tab(ProfileTab.OPERATORS)
        elif view.tab is ProfileTab.OPERATORS:
            self._to_tab(ProfileTab.DIFFERENCE)

    def do_next_rank(self) -> None:
        self._step(1)

    def do_previous_rank(self) -> None:
        self._step(-1)

    def _step(self, step: int) -> None:
        rank = self.profiler.neighbour(self.session, step)
        if rank is None:
            self.select(self.session.neighbour(step))
        else:
            self._show_rank(rank)

    def _show_rank(self, rank: int) -> None:
        """Show another rank of the set; it is the selected one on all screens where the job has it."""
        self.profiler.choose_rank(rank)
        row = self.profiles.row(rank)
        if row is not None and row.path is not None and row.path not in self.profiles.summaries:
            self.app.attachment.profile(orders.ReadTraces((row.path,)))
        if rank in self.session.ranks and rank != self.session.selected:
            self.select(rank)
        else:
            self.show_all()

    # filter ---------------------------------------------------------------------------------------------------

    def filter_typed(self, text: str) -> None:
        self.profiler.set_filter(text)

    def filter_kept(self) -> None:
        """The cursor goes to a row that is shown by itself."""

    def gone_into(self) -> tuple[str, ...]:
        return () if self.profiler.tab is ProfileTab.RANKS else (self.profiler.tab.value,)

    def do_back(self) -> None:
        view = self.profiler
        if view.state.text:
            self.on_filter_bar_dropped()
        elif view.tab is not ProfileTab.RANKS:
            self._to_tab(ProfileTab.RANKS)
        else:
            self.app.go_back()

    # asking for things ----------------------------------------------------------------------------------------

    def do_capture(self) -> None:
        self.profiler.tab = ProfileTab.RANKS
        ask_for_capture(self)

    def do_cancel_capture(self) -> None:
        if self.profiles.capturing is None:
            self.app.say("no capture is under way")
            return
        self.app.attachment.profile(orders.CancelCapture())

    def do_against(self) -> None:
        self.profiler.next_against(self.session)
        self._to_tab(ProfileTab.DIFFERENCE)

    def do_perfetto(self) -> None:
        shown = self.profiles.shown
        rank = self.profiler.rank(self.session)
        there = shown.done if shown is not None else None
        if shown is None or not there:
            self.app.say("not now: there is no trace to hand over")
            return
        chosen = there & self.session.marked or (there if rank is None or rank not in there else None)
        ranks = list(chosen) if chosen is not None else [rank]
        traces = tuple((one, path) for one in ranks if one is not None and (path := shown.rows[one].path) is not None)
        self.app.say(f"merging the traces of {count(len(traces), 'rank')} for Perfetto")
        self.app.attachment.profile(orders.HandToPerfetto(traces, shown.folder))

    def do_export_profile(self) -> None:
        """Ask what of the table goes into which file."""
        view, session, now = self.profiler, self.session, self.app.clock()
        rows = view.rows(session, now)
        if not rows.items:
            self.app.say("not now: there is no table here to export")
            return
        what, rank, shown = view.tab.value, view.rank(session), self.profiles.shown
        of_rank = view.tab not in (ProfileTab.RANKS, ProfileTab.SAVED) and rank is not None
        about = f"{what} of rank {rank}" if of_rank else f"profiles {what}"
        at = (shown.began_at if shown is not None else None) or now
        choices = [
            table_choice(
                f"{about} as shown",
                export_name(session.label, about, "", at),
                grid_table(tables().as_shown(table_of(view.tab), rows), view.order(session, now).tolist()),
            ),
            table_choice(
                f"{about}, all of them",
                export_name(session.label, f"all {about}", "", at),
                grid_table(rows, list(rows.items)),
            ),
        ]
        ask_for_export(self, choices)

    def do_open_traces(self) -> None:
        def take(text: str) -> str:
            path = Path(os.path.expanduser(text.strip()))
            if not text.strip() or not path.exists():
                return f"{text.strip() or 'nothing'}: there is no such file or folder"
            self.app.attachment.profile(orders.OpenTraces((path,)))
            self._to_tab(ProfileTab.RANKS)
            return ""

        text = "A trace of torch.profiler (.json or .json.gz), or a folder of them."
        self.app.push_screen(LineRequest("Open traces", text, take, suggester=PathSuggester(TRACE_ENDINGS)))
