"""Screen 1: the verdict, all ranks at one glance, how far each is in each group, the selected rank, what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical

from ...services.ranksets import RankSet
from ...services.report import render_text
from ...services.snapshot import RankClass
from ..actions.registry import Scope, bindings
from ..moving.finding_choice import place_in_recorder
from ..ranks.rows import row_text
from ..recorder.export import export_name
from ..recorder.progress_export import progress_table
from ..recorder.progress_view import Pane
from ..widgets.changes_pane import ChangesPane
from ..widgets.legend import Legend
from ..widgets.progress_matrix import ProgressMatrix
from ..widgets.progress_pane import ProgressPane
from ..widgets.rank_detail import RankDetail
from ..widgets.rank_grid import RankGrid
from ..widgets.text import plain_lines
from ..widgets.verdict_card import VerdictCard
from .export_request import ask_for_export, table_choice
from .job import JobScreen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

    from ...services.findings import Finding

__all__ = ["OverviewScreen"]


class OverviewScreen(JobScreen):
    """The first screen: read without pressing a key."""

    BINDINGS = bindings(Scope.OVERVIEW)
    SCOPES = (Scope.OVERVIEW, Scope.JOB, Scope.GRID)
    MODE = "overview"

    def body(self) -> Iterator[Widget]:
        yield VerdictCard()
        with Horizontal(id="overview-body"):
            with Horizontal(id="overview-ranks"):
                with Vertical(id="overview-grid"):
                    yield Legend()
                    yield RankGrid()
                yield ProgressPane()
            with Vertical(id="overview-side"):
                yield RankDetail()
                yield ChangesPane()

    def main_widget(self) -> RankGrid | ProgressMatrix:
        on_matrix = self.app.view.progress.pane is Pane.MATRIX and self.has_class("-progress")
        return self.query_one(ProgressMatrix) if on_matrix else self.query_one(RankGrid)

    def show_ranks(self) -> None:
        session, view = self.session, self.app.view
        self._show_card()
        accused = self._accused()
        self.query_one(Legend).show(session.counts(), accused=len(accused), post_mortem=session.post_mortem)
        shown = view.shown() if view.filter else None
        self.query_one(RankGrid).show(session.ranks, session.selected, session.marked, shown, accused)
        self._show_panes()
        if view.progress.progress:
            self.query_one(ProgressPane).show(view.progress, session.selected, session.marked, shown)
        self.query_one(ChangesPane).show(session)
        self.show_ages()

    def _show_card(self) -> None:
        view = self.app.view
        at, on_matrix = view.findings.at, view.progress.pane is Pane.MATRIX and bool(view.progress.progress)
        self.set_class(at is not None, "-reading")
        self.query_one(VerdictCard).show(self.session, at, beside_matrix=on_matrix)

    def _accused(self) -> RankSet:
        """Ranks that findings accuse although they look well: the others have the sign of what is wrong with them."""
        ranks, well = self.session.ranks, (RankClass.ALIVE, RankClass.UNKNOWN)
        culprits = self.app.view.progress.culprits
        return RankSet(rank for rank in culprits if rank in ranks and ranks[rank].rank_class in well)

    def show_selection(self) -> None:
        selected = self.session.selected
        self.query_one(RankGrid).show_cursor(selected)
        self.query_one(ProgressPane).show_cursor(self.app.view.progress, selected)
        self.show_ages()

    def _show_panes(self) -> None:
        """The matrix takes room only when there is one; the keys go where they can be seen to go."""
        progress = self.app.view.progress
        self.set_class(bool(progress.progress), "-progress")
        self.set_class(progress.pane is Pane.MATRIX and bool(progress.progress), "-matrix")
        if isinstance(self.focused, RankGrid | ProgressMatrix) and self.focused is not self.main_widget():
            self.set_focus(self.main_widget())

    def show_ages(self) -> None:
        session = self.session
        state = session.ranks.get(session.selected) if session.selected is not None else None
        marked = state is not None and state.rank in session.marked
        frames = self.app.view.stacks.top(session.selected)
        recorded = self.app.view.record().facts(state.rank) if state is not None else ()
        self.query_one(RankDetail).show(state, marked=marked, now=self.app.instant, frames=frames, recorded=recorded)

    def text_to_copy(self) -> tuple[str, str]:
        return plain_lines(render_text(self.session)), "the verdict"

    def cell_to_copy(self) -> tuple[str, str]:
        """Of the matrix what the cell shows, of the grid the row of the rank."""
        view, rank = self.app.view, self.session.selected
        if rank is None or rank not in self.session.ranks:
            return "", ""
        if isinstance(self.focused, ProgressMatrix):
            return self.focused.cell_text(), f"the cell of rank {rank}"
        return plain_lines(row_text(view.rows(self.app.instant), rank)), f"the row of rank {rank}"

    def on_rank_grid_selected(self, message: RankGrid.Selected) -> None:
        self.select(message.rank)

    def on_rank_grid_activated(self) -> None:
        self.do_enter()

    def on_descendant_focus(self) -> None:
        """A click gives a pane the keys, as the key for it does."""
        if isinstance(self.focused, RankGrid | ProgressMatrix):
            on_matrix = self.focused is self.query_one(ProgressMatrix)
            self.app.view.progress.pane = Pane.MATRIX if on_matrix else Pane.GRID

    # the progress matrix --------------------------------------------------------------------------------------

    def on_progress_matrix_moved(self, message: ProgressMatrix.Moved) -> None:
        self.app.view.progress.go_to_column(message.column)
        self.select(message.rank)
        self.show_selection()

    def on_progress_matrix_activated(self, message: ProgressMatrix.Activated) -> None:
        """To what the rank has called in the group."""
        self.app.view.recorder.jump_to_rank(message.rank, message.group, message.source)
        self.app.go_to("recorder")

    def on_progress_matrix_refused(self, message: ProgressMatrix.Refused) -> None:
        self.app.say(f"rank {message.rank} is in no group of {message.title}")

    def on_progress_matrix_header_clicked(self, message: ProgressMatrix.HeaderClicked) -> None:
        progress = self.app.view.progress
        progress.sort_by(message.key if message.key < 0 else progress.progress.columns[message.key].key)
        self.show_all()

    def do_progress(self) -> None:
        """Between the rank grid and the progress matrix; in a small terminal one takes the place of the other."""
        progress = self.app.view.progress
        progress.pane = Pane.GRID if self.main_widget() is not self.query_one(RankGrid) else Pane.MATRIX
        self._show_panes()
        self._show_card()
        self.set_focus(self.main_widget())

    def do_sort_progress(self) -> None:
        self.app.view.progress.sort_next()
        self.show_all()

    def do_reverse_progress(self) -> None:
        progress = self.app.view.progress
        progress.sort_by(progress.sort_key)
        self.show_all()

    def do_export_progress(self) -> None:
        """Ask what of the progress matrix goes into which file."""
        session, view, look = self.session, self.app.view, self.session.look
        at = look.taken_at if look is not None else self.app.clock()
        shown = view.progress.order(view.shown() if view.filter else None).tolist()
        progress = view.progress.progress
        every = range(len(progress.ranks))
        name = export_name(session.label, "progress", "", at)
        ask_for_export(
            self,
            [
                table_choice("progress as shown", name, progress_table(progress, shown)),
                table_choice("progress, all ranks", name, progress_table(progress, every)),
            ],
        )

    # findings -------------------------------------------------------------------------------------------------

    def do_next_finding(self) -> None:
        self._show_finding(self.app.view.findings.step(1))

    def do_previous_finding(self) -> None:
        self._show_finding(self.app.view.findings.step(-1))

    def on_verdict_card_finding_clicked(self, message: VerdictCard.FindingClicked) -> None:
        self._show_finding(self.app.view.findings.choose(message.number))

    def _show_finding(self, finding: Finding | None) -> None:
        """Show a finding in full, its first culprit selected."""
        self._show_card()
        self.show_place()
        if finding is not None and finding.culprits.first in self.session.ranks:
            self.select(finding.culprits.first)

    def do_recorder(self) -> None:
        """To the flight recorder; from a finding shown in full, to that finding there."""
        finding = self.app.view.findings.chosen
        place = place_in_recorder(self.session.recorder, finding) if finding is not None else None
        if place is not None:
            source, number = place
            self.app.view.recorder.jump_to_finding(number, source)
        super().do_recorder()

    def gone_into(self) -> tuple[str, ...]:
        at = self.app.view.findings.at
        return (f"finding {at + 1} of {len(self.session.verdict.findings)}",) if at is not None else ()

    def do_back(self) -> None:
        """Esc: first the list of findings comes back."""
        findings = self.app.view.findings
        if findings.at is None:
            super().do_back()
            return
        findings.clear()
        self.show_all()

    def do_enter(self) -> None:
        self.app.go_to("ranks")
