"""Screen 1: the verdict, all ranks at one glance, the selected rank, what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical

from ...services.report import render_text
from ..actions import Scope, bindings
from ..widgets.changes_pane import ChangesPane
from ..widgets.legend import Legend
from ..widgets.rank_detail import RankDetail
from ..widgets.rank_grid import RankGrid
from ..widgets.text import plain_lines
from ..widgets.verdict_card import VerdictCard
from .job import JobScreen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

__all__ = ["OverviewScreen"]


class OverviewScreen(JobScreen):
    """The first screen: read without pressing a key."""

    BINDINGS = bindings(Scope.OVERVIEW)
    SCOPES = (Scope.OVERVIEW, Scope.JOB, Scope.GRID)
    MODE = "overview"

    def body(self) -> Iterator[Widget]:
        yield VerdictCard()
        with Horizontal(id="overview-body"):
            with Vertical(id="overview-grid"):
                yield Legend()
                yield RankGrid()
            with Vertical(id="overview-side"):
                yield RankDetail()
                yield ChangesPane()

    def main_widget(self) -> RankGrid:
        return self.query_one(RankGrid)

    def show_ranks(self) -> None:
        session, view = self.session, self.app.view
        self.query_one(VerdictCard).show(session, view.findings.at)
        self.query_one(Legend).show(session.counts(), post_mortem=session.post_mortem)
        shown = view.shown() if view.filter else None
        self.main_widget().show(session.ranks, session.selected, session.marked, shown)
        self.query_one(ChangesPane).show(session)
        self.show_ages()

    def show_selection(self) -> None:
        self.main_widget().show_cursor(self.session.selected)
        self.show_ages()

    def show_ages(self) -> None:
        session = self.session
        state = session.ranks.get(session.selected) if session.selected is not None else None
        marked = state is not None and state.rank in session.marked
        frames = self.app.view.stacks.top(session.selected)
        self.query_one(RankDetail).show(state, marked=marked, now=self.app.clock(), frames=frames)

    def text_to_copy(self) -> tuple[str, str]:
        return plain_lines(render_text(self.session)), "the verdict"

    def on_rank_grid_selected(self, message: RankGrid.Selected) -> None:
        self.select(message.rank)

    def on_rank_grid_activated(self) -> None:
        self.do_enter()

    def do_next_finding(self) -> None:
        self._show_finding(1)

    def do_previous_finding(self) -> None:
        self._show_finding(-1)

    def _show_finding(self, step: int) -> None:
        """Show another finding in full, its first culprit selected."""
        finding = self.app.view.findings.step(step)
        self.query_one(VerdictCard).show(self.session, self.app.view.findings.at)
        if finding is not None and finding.culprits.first in self.session.ranks:
            self.select(finding.culprits.first)

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
