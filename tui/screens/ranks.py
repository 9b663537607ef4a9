"""Screen 2: one row a rank, sorted, filtered and marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.ranksets import RankSet
from ..actions.registry import Scope, bindings, key_of_begin
from ..ranks.rows import RankRows, row_text
from ..ranks.view import TABLE
from ..recorder.export import export_name, grid_table
from ..tables.column_settings import tables
from ..widgets.grid_table import GridTable
from ..widgets.rank_detail import RankDetail
from ..widgets.text import plain_lines
from .export_request import ask_for_export, table_choice
from .job import JobScreen
from .sorting import SortsTables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.widget import Widget

    from ..tables.sort_choice import SortChoice

__all__ = ["RanksScreen"]


class RanksScreen(SortsTables, JobScreen):
    """The rank table, the selected rank in full below it."""

    BINDINGS = bindings(Scope.RANKS)
    SCOPES = (Scope.RANKS, Scope.JOB, Scope.TABLE)
    MODE = "ranks"

    def body(self) -> Iterator[Widget]:
        yield GridTable(table=TABLE)
        yield RankDetail()

    def main_widget(self) -> GridTable:
        return self.query_one(GridTable)

    def show_ranks(self) -> None:
        self._show_table()
        self._show_detail()

    def show_selection(self) -> None:
        self.show_ranks()

    def show_ages(self) -> None:
        self.show_ranks()

    def _show_table(self) -> None:
        session, view = self.session, self.app.view
        if session.ranks:
            empty = f"No rank matches the filter. {key_of_begin('back')} takes it away."
        else:
            empty = session.failure or ("Opening the target …" if session.label else "Nothing is attached.")
        self.main_widget().show(
            view.rows(self.app.instant),
            view.order(),
            cursor=session.selected,
            marked=session.marked,
            sorts=view.sort.sorts,
            empty=empty,
        )

    def _show_detail(self) -> None:
        session = self.session
        state = session.ranks.get(session.selected) if session.selected is not None else None
        marked = state is not None and state.rank in session.marked
        frames = self.app.view.stacks.top(session.selected)
        recorded = self.app.view.record().facts(state.rank) if state is not None else ()
        self.query_one(RankDetail).show(state, marked=marked, now=self.app.instant, frames=frames, recorded=recorded)

    def text_to_copy(self) -> tuple[str, str]:
        session = self.session
        if session.selected is None or session.selected not in session.ranks:
            return "", ""
        rows = tables().as_shown(TABLE, self.app.view.rows(self.app.instant))
        text = row_text(rows, session.selected)
        return plain_lines(text), f"the row of rank {session.selected}"

    def on_grid_table_selected(self, message: GridTable.Selected) -> None:
        self.select(message.row)

    def on_grid_table_header_clicked(self, message: GridTable.HeaderClicked) -> None:
        self.sort_clicked(message)

    def sorted_by(self) -> tuple[SortChoice, Sequence[str]]:
        return self.app.view.sort, self.app.view.keys()

    def do_mark_shown(self) -> None:
        self._set_marks(self.session.marked | RankSet(self.app.view.order().tolist()))

    def do_export_ranks(self) -> None:
        """Ask what of the table goes into which file."""
        session, view, look = self.session, self.app.view, self.session.look
        at = look.taken_at if look is not None else self.app.clock()
        rows = RankRows(dict(session.ranks), self.app.instant, view.stacks.where, view.record())
        shown = grid_table(tables().as_shown(TABLE, rows), view.order().tolist())
        every = grid_table(rows, list(session.ranks))
        choices = [
            table_choice("ranks as shown", export_name(session.label, "ranks", "", at), shown),
            table_choice("ranks, all of them", export_name(session.label, "all ranks", "", at), every),
        ]
        ask_for_export(self, choices)
