"""Screen 5: the wait counters, ranks x counters; who waits in what now, who is unlike the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from textual.containers import Horizontal, Vertical

from ...services.counters.sheet import RANK
from ...services.ranksets import RankSet
from ..actions.registry import Scope, bindings
from ..counters.export import counter_table
from ..counters.facts import cell_text, counters_line, facts_of, missing_of, spark_lines, why_nothing
from ..counters.filter import COUNTERS
from ..counters.words import exact
from ..recorder.export import export_name
from ..widgets.counter_matrix import CounterMatrix
from ..widgets.filter_bar import FilterBar
from ..widgets.painted import Painted
from ..widgets.row_detail import RowDetail
from ..widgets.sparkline import SparkPane
from ..widgets.text import plain_lines
from .export_request import ask_for_export, table_choice
from .job import JobScreen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual.widget import Widget

    from ...services.findings import Finding
    from ..counters.view import CountersView

__all__ = ["CountersScreen"]


class CountersScreen(JobScreen):
    """The matrix, the cell of the cursor beside it or below, its bars over ranks and looks."""

    BINDINGS = bindings(Scope.COUNTERS)
    SCOPES = (Scope.COUNTERS, Scope.JOB, Scope.GRID)
    MODE = "counters"
    FILTERED = ("ranks", COUNTERS.hint)

    def body(self) -> Iterator[Widget]:
        yield Painted(id="counters-line")
        with Horizontal(id="counters-body"):
            with Vertical(id="counters-left"):
                yield CounterMatrix()
                yield SparkPane(id="counters-bars")
            yield RowDetail()

    def main_widget(self) -> CounterMatrix:
        return self.query_one(CounterMatrix)

    @property
    def counters(self) -> CountersView:
        return self.app.view.counters

    # showing --------------------------------------------------------------------------------------------------

    def show_ranks(self) -> None:
        session, view = self.session, self.counters
        accused = (finding for finding in session.verdict.findings if finding.severity.accuses)
        self.main_widget().show(
            view.sheet,
            view.rows if len(session.counters.table.names) else view.rows[:0],
            view.columns,
            (session.selected, view.place),
            marked=session.marked,
            culprits=_culprits(accused),
            missing=missing_of(session),
            sort=(view.sorted_by, view.descending),
            empty=why_nothing(session, view),
        )
        self._show_cell()
        self.show_ages()

    def show_selection(self) -> None:
        self.main_widget().show_cursor(self.session.selected, self.counters.place)
        self._show_cell()

    def show_ages(self) -> None:
        session, view, now = self.session, self.counters, self.app.clock()
        line = self.query_one("#counters-line", Painted)
        line.paint_with(lambda width: counters_line(session, view, now, width))

    def _show_cell(self) -> None:
        session, view = self.session, self.counters
        self.query_one(RowDetail).show(facts_of(session, view))
        lines = spark_lines(session, view)
        self.query_one(SparkPane).show(lambda: lines)

    # moving ---------------------------------------------------------------------------------------------------

    def on_counter_matrix_moved(self, message: CounterMatrix.Moved) -> None:
        self.counters.go_to(message.place)
        if message.rank == self.session.selected:
            self.show_selection()
        else:
            self.select(message.rank)

    def on_counter_matrix_activated(self) -> None:
        self.do_stack_of_rank()

    def do_stack_of_rank(self) -> None:
        self.app.go_to("stacks")

    def _match(self, step: int) -> None:
        """The next cell in which a rank waits now or is an outlier."""
        found = self.counters.next_cell(step)
        if found is None:
            self.app.say("nobody is in a wait now, and no rank is an outlier")
            return
        rank, place = found
        self.counters.go_to(place)
        if rank == self.session.selected:
            self.show_selection()
        else:
            self.select(rank)

    # choosing -------------------------------------------------------------------------------------------------

    def do_next_metric(self) -> None:
        self.counters.next_metric(1)
        self.show_all()

    def do_previous_metric(self) -> None:
        self.counters.next_metric(-1)
        self.show_all()

    def on_counter_matrix_header_clicked(self, message: CounterMatrix.HeaderClicked) -> None:
        view = self.counters
        view.sort_by(RANK if message.key == RANK else view.sheet.names[int(view.columns[message.key])])
        self.show_all()

    def do_sort(self) -> None:
        self.counters.sort_next()
        self.show_all()

    def do_reverse(self) -> None:
        self.counters.sort_by(self.counters.sort_key)
        self.show_all()

    def show_filter(self) -> None:
        view = self.counters
        shown = len(view.rows) if len(view.columns) else 0  # without a counter no rank is there either
        self.query_one(FilterBar).show(view.text, shown, len(view.sheet.ranks), view.error)

    def filter_typed(self, text: str) -> None:
        self.counters.set_filter(text)

    def filter_kept(self) -> None:
        """The selected rank is one of those that are left."""
        view = self.counters
        row = view.sheet.row_of(self.session.selected)
        if len(view.rows) and row not in view.rows:
            self.select(int(view.sheet.ranks[view.rows[0]]))

    def do_back(self) -> None:
        """Esc: first the filter goes, then one place back."""
        if self.counters.text:
            self.on_filter_bar_dropped()
        else:
            self.app.go_back()

    def do_detail(self) -> None:
        self.toggle_class("-no-detail")

    def do_detail_down(self) -> None:
        self.query_one(RowDetail).scroll_relative(y=4, animate=False)

    def do_detail_up(self) -> None:
        self.query_one(RowDetail).scroll_relative(y=-4, animate=False)

    # copying, files -------------------------------------------------------------------------------------------

    def text_to_copy(self) -> tuple[str, str]:
        facts = facts_of(self.session, self.counters)
        return (plain_lines(cell_text(facts)), facts.title) if facts.title else ("", "")

    def cell_to_copy(self) -> tuple[str, str]:
        """With all digits and the unit."""
        sheet, column, rank = self.counters.sheet, self.counters.column, self.session.selected
        row = sheet.row_of(rank) if rank is not None else None
        value = sheet.value(row, column) if row is not None and column is not None else None
        return (exact(value, sheet.metric.unit), "the value of the cell") if value is not None else ("", "")

    def do_export_counters(self) -> None:
        """Ask what of the matrix goes into which file."""
        view, look = self.counters, self.session.counters
        sheet, metric = view.sheet, view.metric.label
        every = counter_table(sheet, np.arange(len(sheet.ranks)), np.arange(len(sheet.names)))
        shown = counter_table(sheet, view.rows, view.columns)
        name, whole = (export_name(self.session.label, what, metric, look.taken_at) for what in _EXPORTED)
        choices = [
            table_choice(f"{metric} as shown", name, shown),
            table_choice(f"{metric}, all ranks and counters", whole, every),
        ]
        ask_for_export(self, choices)


_EXPORTED = ("counters", "all counters")


def _culprits(findings: Iterable[Finding]) -> RankSet:
    bits = 0
    for finding in findings:
        bits |= finding.culprits.bits
    return RankSet.from_bits(bits)
