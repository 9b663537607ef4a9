"""What the dispatch screen is made of and how it is brought up to date."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from textual.containers import Horizontal, Vertical
from textual.content import Content

from ..actions.registry import Scope, bindings, key_of, key_of_begin
from ..dispatch.case_filter import CASES
from ..dispatch.case_summary import case_lines
from ..dispatch.rows import CaseRows, RunRows, sorted_runs
from ..dispatch.view import Tab
from ..widgets.case_editor import CaseEditor
from ..widgets.filter_bar import FilterBar
from ..widgets.footer import KeyFooter
from ..widgets.grid_table import GridTable
from ..widgets.painted import Painted, styled
from ..widgets.run_progress import RunProgress
from ..widgets.run_result_pane import RunResultPane
from ..widgets.status_bar import StatusBar
from ..widgets.tab_line import TabLabel, TabLine
from .job import JobScreen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import AwaitMount, Widget

    from ...services.console.console import Console
    from ...services.console.runs import RunLine
    from ..dispatch.desk import DispatchDesk
    from ..dispatch.view import DispatchView

__all__ = ["PANE_OF", "TABS", "CaseList", "DispatchPanes", "Pane", "RunList"]

TABS = tuple(Tab)
WIDE = 160
"""Terminal cells from which the results of several servers stand side by side."""
LEAST_CASES = 4
"""Lines of the table of cases at least; at most what its style allows."""
BESIDE = 3
"""Results side by side at most."""


class Pane(StrEnum):
    """Who has the keys, in the order of `tab`."""

    CASES = "cases"
    FIELDS = "fields"
    RESULT = "result"
    RUNS = "runs"


PANE_OF = {Tab.CASES: Pane.CASES, Tab.RESULT: Pane.RESULT, Tab.RUNS: Pane.RUNS}
"""The pane of each tab."""


class CaseList(GridTable):
    """The cases; Enter leads to the fields of one."""

    BINDINGS = [*bindings(Scope.TABLE, at_once=True), *bindings(Scope.CASES, at_once=True)]  # noqa: RUF012


class RunList(GridTable):
    """The runs of the case; Enter leads to the result of one."""

    BINDINGS = [*bindings(Scope.TABLE, at_once=True), *bindings(Scope.RUNS, at_once=True)]  # noqa: RUF012


class DispatchPanes(JobScreen, inherit_bindings=False):
    """Cases and fields at the left, a run's result or the list of runs at the right; one of them where it is narrow."""

    MODE = "dispatch"
    SCOPES: tuple[Scope, ...] = (Scope.DISPATCH, Scope.CASES, Scope.TABLE)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-normal"), (WIDE, "-wide")]  # noqa: RUF012
    FILTERED = ("cases", CASES.hint)

    def __init__(self) -> None:
        super().__init__()
        self.pane = Pane.CASES

    def body(self) -> Iterator[Widget]:
        yield TabLine(id="dispatch-tabs")
        yield Painted(id="dispatch-line")
        yield RunProgress(id="dispatch-progress")
        with Horizontal(id="dispatch-body"):
            with Vertical(id="dispatch-left"):
                yield CaseList(id="cases", table="cases")
                yield CaseEditor()
            with Vertical(id="dispatch-right"):
                yield Painted(id="dispatch-none")
                with Horizontal(id="dispatch-results"):
                    yield RunResultPane()
                yield RunList(id="runs", table="runs")

    @property
    def console(self) -> Console:
        return self.app.attachment.console

    @property
    def desk(self) -> DispatchDesk:
        return self.app.desk

    @property
    def view(self) -> DispatchView:
        return self.app.desk.view

    @property
    def editor(self) -> CaseEditor:
        return self.query_one(CaseEditor)

    @property
    def result(self) -> RunResultPane:
        """The pane of the run that was chosen."""
        panes = list(self.query(RunResultPane))
        line, beside = self.view.run(), self._beside()
        place = beside.index(line) if line in beside else 0
        return panes[place] if place < len(panes) else panes[0]

    @property
    def is_narrow(self) -> bool:
        return self.has_class("-narrow")

    def main_widget(self) -> Widget:
        match self.pane:
            case Pane.FIELDS:
                return self.editor.entry if self.editor.typing else self.editor.table
            case Pane.RUNS:
                return self.query_one("#runs", RunList)
            case Pane.RESULT:
                return self.result.main_widget
        return self.query_one("#cases", CaseList)

    def turn_to(self, pane: Pane) -> None:
        """From now on a pane is the one that is worked in, and it is seen."""
        self.pane = pane
        if pane is not Pane.CASES:
            self.view.stay()
        if pane is Pane.RESULT or pane is Pane.RUNS or self.is_narrow or self.view.tab is Tab.CASES:
            self.view.tab = {Pane.RESULT: Tab.RESULT, Pane.RUNS: Tab.RUNS}.get(pane, Tab.CASES)

    def take_keys(self) -> None:
        """Give the keys to the pane; to none where what is shown takes none, so that those of the screen hold."""
        widget = self.main_widget()
        self.set_focus(widget if widget.focusable else None)

    def pane_of(self, widget: Widget | None) -> Pane | None:
        """The pane that a widget belongs to."""
        for node in widget.ancestors_with_self if widget is not None else ():
            if isinstance(node, CaseList):
                return Pane.CASES
            if isinstance(node, CaseEditor):
                return Pane.FIELDS
            if isinstance(node, RunList):
                return Pane.RUNS
            if isinstance(node, RunResultPane):
                return Pane.RESULT
        return None

    # showing --------------------------------------------------------------------------------------------------

    def show_ranks(self) -> None:
        self.desk.open(demo=self.app.attachment.demo)
        gone_to, self.view.gone_to = self.view.gone_to, None
        if gone_to is not None:
            self.turn_to(PANE_OF[gone_to])
        body = self.query_one("#dispatch-body")
        for tab in TABS:
            body.set_class(tab is self.view.tab, f"-{tab.value}")
        self._show_tabs()
        self._show_cases()
        self._show_fields()
        self._show_results()
        self._show_runs()
        self.show_ages()
        self._tell_messages()

    def show_selection(self) -> None:
        """The selected rank is nothing here."""

    def show_ages(self) -> None:
        now = self.app.clock()
        self.query_one(RunProgress).show(self.view.running(), now)
        self.query_one("#dispatch-line", Painted).paint_with(self._line)

    def tick(self) -> None:
        super().tick()
        if self.is_ready:
            self._show_cases()
            self._show_runs()

    def show_filter(self) -> None:
        shown = len(self.view.order())
        self.query_one(FilterBar).show(self.view.text, shown, len(self.console.cases), self.view.error)

    def _show_lines(self) -> None:
        app = self.app
        again = app.attachment.looks_by_itself
        self.query_one(StatusBar).show(
            self.session, app.clock(), app.attachment.refresh_s, follows=False, again=again, steps=self.steps()
        )
        self.show_hint()
        typing: tuple[Scope, ...] = ()
        if self.query_one(FilterBar).typing:
            typing = (Scope.FILTER, Scope.APP)
        elif self.editor.entry.has_focus:
            typing = (Scope.ENTRY, Scope.APP)
        self.SCOPES = (Scope.DISPATCH, *self._scopes())
        words = {"run_case": "run again"} if self.view.lines() else {}
        if self.view.running():
            words["leave_dispatch"] = "end it"
        self.query_one(KeyFooter).show(self.session, words, scopes=(*self.SCOPES, Scope.APP), typing=typing)

    def gone_into(self) -> tuple[str, ...]:
        return () if self.pane is Pane.CASES else (self.pane.value,)

    def _scopes(self) -> tuple[Scope, ...]:
        match self.pane:
            case Pane.FIELDS:
                return Scope.EDITOR, Scope.TABLE
            case Pane.RUNS:
                return Scope.RUNS, Scope.TABLE
            case Pane.RESULT:
                return self.result.scopes
        return Scope.CASES, Scope.TABLE

    def _show_tabs(self) -> None:
        cases, shown = len(self.console.cases), len(self.view.order())
        runs = len(self.view.lines())
        counted = {
            Tab.CASES: f"{shown:,}/{cases:,}" if shown != cases else f"{cases:,}",
            Tab.RUNS: f"{runs:,}" if runs else "",
        }
        labels = [TabLabel(tab.value, counted.get(tab, "")) for tab in TABS]
        self.query_one("#dispatch-tabs", TabLine).show(labels, TABS.index(self.view.tab))

    def _show_cases(self) -> None:
        ids = self.view.order()
        cursor = ids.index(self.view.case_id) if self.view.case_id in ids else None
        dropped = f"No case matches the filter. {key_of_begin('leave_dispatch')} takes it away."
        empty = dropped if self.console.cases else self._how_to_begin()
        rows = CaseRows(self.console, ids, self.app.clock())
        table = self.query_one("#cases", CaseList)
        table.styles.height = max(len(ids) + 1, LEAST_CASES)
        table.show(rows, np.arange(len(ids)), cursor=cursor, sorts=self.view.case_sort.sorts, empty=empty)

    def _how_to_begin(self) -> str:
        if self.app.attachment.demo is not None:
            return "The op server of the demo starts …"
        return f"{key_of('open_cases')} opens a file of cases: .toml, .json, TTK .csv or .xlsx"

    def _show_fields(self) -> None:
        case, console = self.view.case, self.console
        case_id = case.id if case is not None else ""
        refused = console.refused if console.refused is not None and console.refused.case_id == case_id else None
        waiting = console.waiting if console.waiting is not None and console.waiting.case_id == case_id else None
        self.editor.show(case, self.view.fields(), self.view.field(), refused, waiting)

    def _beside(self) -> list[RunLine | None]:
        """The runs whose results are shown."""
        line = self.view.run()
        beside = self.view.beside()
        if self.size.width < WIDE or len(beside) < 2 or line not in beside:
            return [line]
        at = min(max(beside.index(line) - 1, 0), max(len(beside) - BESIDE, 0))
        return list(beside[at : at + BESIDE])

    def _show_results(self) -> None:
        self._show_not_run()
        beside = self._beside()
        panes = list(self.query(RunResultPane))
        if len(panes) < len(beside):  # rarely needed, so they are made when they are
            more = [RunResultPane() for _ in beside[len(panes) :]]
            self.call_later(self._show_when, self.query_one("#dispatch-results").mount(*more))
        for place, pane in enumerate(panes):
            line = beside[place] if place < len(beside) else None
            pane.display = place < len(beside)
            if not pane.is_mounted:
                continue
            if line is not None:
                self.desk.want(line)
            pane.show(self.view.shown(line) if line is not None else None)

    def _show_not_run(self) -> None:
        """In place of a result: what the file of the case says of it."""
        case, running = self.view.case, bool(self.view.running())
        self.query_one("#dispatch-body").set_class(self.view.run() is None, "-no-run")
        self.query_one("#dispatch-none", Painted).paint_with(
            lambda width: Content("\n").join(case_lines(case, running=running, width=width) if case else [])
        )

    async def _show_when(self, mounted: AwaitMount) -> None:
        await mounted
        self.show_all()

    def _show_runs(self) -> None:
        lines, line = list(self.view.lines()), self.view.run()
        cursor = lines.index(line) if line is not None else None
        rows = RunRows(lines, self.app.clock())
        empty = f"The case has not run yet. {key_of('run_case')} runs it."
        sorts = self.view.run_sort.sorts
        order = np.array(sorted_runs(lines, sorts), np.intp)
        self.query_one("#runs", RunList).show(rows, order, cursor=cursor, sorts=sorts, empty=empty)

    def _line(self, width: int) -> Content:
        """Where runs go and what they are compared with; what is wrong with the history."""
        muted, console = "$foreground-muted", self.console
        servers = ", ".join(map(self.desk.servers.said, console.chosen))
        parts = [
            styled(f"on {servers}")
            if servers
            else styled(f"no op server is chosen; {key_of('choose_servers')} chooses one", "$text-warning")
        ]
        case = self.view.case
        if case is not None:
            parts.insert(0, styled(case.name, "bold"))
            with_ = (
                f"compared with {case.reference}"
                if case.reference is not None
                else f"compared with nothing: {key_of('compare_with')}"
            )
            parts.append(styled(with_, muted))
        if console.history_problem:
            parts.append(styled(console.history_problem, "$text-warning"))
        elif console.interrupted:
            runs = ", ".join(f"#{number}" for number in console.interrupted[:3])
            parts.append(styled(f"{runs} was under way when xpudbg ended", "$text-warning"))
        return Content("  ").join(parts).truncate(width, ellipsis=True)

    def _tell_messages(self) -> None:
        from ...services.console.events import ConsoleRefused

        for message in self.desk.new_messages():
            if isinstance(message, ConsoleRefused):
                said = f"{message.message}" + (f"\n{message.hint}" if message.hint else "")
                self.app.notify(said, severity="error", markup=False, timeout=8)
            else:
                self.app.say(message.message)
