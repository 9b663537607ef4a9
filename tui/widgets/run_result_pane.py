"""The result of a run: its outcome in words, its outputs, and one output looked at in several ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from textual.containers import Horizontal, Vertical
from textual.content import Content

from ...services.comparison.coarser import worst_in_cell
from ..actions.registry import Scope, bindings
from ..dispatch.arrays_shown import ArraysShown
from ..dispatch.output_rows import OutputRows, before_sentence, reference_text
from ..dispatch.result_view import ResultView, counted, is_wrong, why_not, why_not_before
from ..dispatch.run_summary import summary_lines
from .array_view import ArrayView
from .error_histogram import ErrorHistogram
from .grid_table import GridTable
from .heat_map import HeatMap
from .painted import Painted, styled
from .tab_line import TabLabel, TabLine
from .worst_table import WorstTable

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from ...services.comparison.heatmap import Heatmap
    from ...services.runs.shown import OutputShown, RunShown

__all__ = ["RunResultPane"]

TABLE_ROWS = 5
"""Outputs that are seen at a time at most."""
VERDICT_LINES = {0: 1, 20: 2, 30: 4}
"""Lines of the pane to those that the verdict has at most."""
BESIDE = 88
"""Terminal cells from which this run and the one before stand side by side; below, `m` changes between them."""


VIEWS = tuple(ResultView)


class RunResultPane(Vertical):
    """Shows one `RunShown`. What a person chose to look at stays when another run of the operator is shown; else the
    first output that is wrong is shown with its worst elements."""

    BINDINGS = bindings(Scope.RESULT)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.shown: RunShown | None = None
        self.view = ResultView.VALUES
        self._chosen = False
        """Whether a person chose the view or the output."""
        self._title = ""
        """Of the run shown last."""
        self._output = 0
        self._arrays: dict[str, ArraysShown] = {}
        """What the value views show, the same objects until another output or run is shown."""

    def compose(self) -> ComposeResult:
        yield Painted(id="result-summary")
        yield GridTable(id="result-outputs", table="outputs")
        yield TabLine(id="result-views")
        yield Painted(id="result-verdict")
        yield ArrayView(id="result-values")
        yield WorstTable(id="result-worst")
        yield ErrorHistogram(id="result-histogram")
        yield HeatMap(id="result-heat")
        with Horizontal(id="result-before"):
            yield ArrayView(id="result-now")
            yield ArrayView(id="result-then")

    # what it shows --------------------------------------------------------------------------------------------

    def show(self, run: RunShown | None) -> None:
        """Show a run; None shows nothing. Nothing is painted when it is the very same object as before."""
        if run is self.shown:
            return
        name = output.name if (output := self.output) is not None else None
        self.shown, self._arrays = run, {}
        if run is not None and run.run.title != self._title:
            self._title, self._chosen = run.run.title, False
        self.query_one("#result-summary", Painted).paint_with(
            lambda width: Content("\n").join(summary_lines(run, width)) if run is not None else Content("")
        )
        outputs = run.outputs if run is not None else ()
        names = [each.name for each in outputs]
        wrong = next((at for at, each in enumerate(outputs) if is_wrong(each.reference)), 0)
        self._output = names.index(name) if name in names and self._chosen else wrong
        inside = self.screen.focused is self.main_widget
        if not self._chosen and outputs:
            self.view = ResultView.WORST if is_wrong(outputs[wrong].reference) else ResultView.VALUES
        self.set_class(not outputs, "-no-outputs")
        self._fit_table()
        if run is not None:
            table = self.query_one("#result-outputs", GridTable)
            table.show(OutputRows(run), np.arange(len(outputs), dtype=np.intp), cursor=self._output)
        self._show_output()
        if inside and outputs:
            self.main_widget.focus()

    def _fit_table(self) -> None:
        """The values below have two thirds of what the lines of text leave."""
        count = len(self.shown.outputs) if self.shown is not None else 0
        rows = min(count, TABLE_ROWS, max((self.size.height - 8) // 3, 1))
        self.query_one("#result-outputs", GridTable).styles.height = rows + 1

    @property
    def output(self) -> OutputShown | None:
        """The output that is looked at."""
        outputs = self.shown.outputs if self.shown is not None else ()
        return outputs[self._output] if self._output < len(outputs) else None

    @property
    def main_widget(self) -> Widget:
        """The one that takes the keys of the view."""
        return {
            ResultView.VALUES: self.values,
            ResultView.WORST: self.query_one(WorstTable),
            ResultView.HISTOGRAM: self.query_one(ErrorHistogram),
            ResultView.HEAT: self.query_one(HeatMap),
            ResultView.BEFORE: self.query_one("#result-now", ArrayView),
        }[self.view]

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Where the keys come from that hold in the pane now; nowhere when there is nothing to look at."""
        if self.output is None:
            return ()
        match self.view:
            case ResultView.VALUES | ResultView.BEFORE:
                return Scope.RESULT, Scope.ARRAY
            case ResultView.WORST:
                return Scope.RESULT, Scope.TABLE
            case ResultView.HISTOGRAM:
                return Scope.RESULT, Scope.TEXT
            case ResultView.HEAT:
                return Scope.RESULT, Scope.HEAT

    @property
    def values(self) -> ArrayView:
        return self.query_one("#result-values", ArrayView)

    def _show_output(self) -> None:
        """The view of the output, and only that one: the others cost nothing until they are looked at."""
        output = self.output
        for view in VIEWS:
            self.set_class(view is self.view, f"-{view.value.replace(' ', '-')}")
        labels = [TabLabel(view.value, counted(view, output)) for view in VIEWS]
        self.query_one("#result-views", TabLine).show(labels, VIEWS.index(self.view))
        self.query_one("#result-verdict", Painted).paint_with(self._verdict)
        if output is None:
            return
        compared = output.reference
        found = compared.comparison if compared is not None else None
        why = why_not(output, compared)
        match self.view:
            case ResultView.VALUES:
                self.values.show(self._values_shown(output), output.note or "the output is None")
            case ResultView.WORST:
                self.query_one(WorstTable).show_worst(found, why or "No element has an error.")
            case ResultView.HISTOGRAM:
                self.query_one(ErrorHistogram).show(found, why)
            case ResultView.HEAT:
                heat = compared.heatmap if compared is not None else None
                self.query_one(HeatMap).show(heat, why, output.shape)
            case ResultView.BEFORE:
                self._show_before(output)

    def _values_shown(self, output: OutputShown) -> ArraysShown | None:
        if output.array is None:
            return None
        if "values" not in self._arrays:
            against = output.reference
            expected, logical = (None, None) if against is None else (against.expected, against.expected_logical)
            self._arrays["values"] = ArraysShown(output.array, output.logical, expected, logical)
        return self._arrays["values"]

    def _show_before(self, output: OutputShown) -> None:
        now, then = self.query_one("#result-now", ArrayView), self.query_one("#result-then", ArrayView)
        earlier, logical = None, None
        if output.before is not None:
            earlier, logical = output.before.expected, output.before.expected_logical
        if output.array is not None and "now" not in self._arrays:
            self._arrays["now"] = ArraysShown(
                output.array, output.logical, earlier, logical, "this run", "before", mark_differing=True
            )
            if earlier is not None:
                self._arrays["then"] = ArraysShown(
                    earlier, logical, output.array, output.logical, "before", "this run", mark_differing=True
                )
        now.show(self._arrays.get("now"), output.note or "the output is None")
        then.show(self._arrays.get("then"), why_not_before(self.shown, output))

    def _verdict(self, width: int) -> Content:
        """What is known of the chosen output against the reference, or against the run before in that view."""
        output = self.output
        if output is None:
            return Content("")
        said, colour = "", "$foreground-muted"
        if self.view is ResultView.BEFORE:
            before = output.before
            said = before_sentence(before) if before is not None else why_not_before(self.shown, output)
        elif output.reference is not None:
            found = output.reference.comparison
            said = found.sentence if found is not None else output.reference.problem
            if reference_text(output.reference)[1] == "table--missing":
                colour = "$text-error"
        elif self.view is not ResultView.VALUES:
            said = why_not(output, None)
        room = max(lines for height, lines in VERDICT_LINES.items() if self.size.height >= height)
        lines = styled(f"output {output.name} {said}" if said else "", colour).wrap(max(width, 8))
        if len(lines) > room:
            lines = [*lines[: room - 1], lines[room - 1] + Content(" …")]
        return Content("\n").join([line.truncate(width, ellipsis=True) for line in lines])

    # acting ---------------------------------------------------------------------------------------------------

    def do_next_result_view(self) -> None:
        self._to_view(VIEWS[(VIEWS.index(self.view) + 1) % len(VIEWS)])

    def do_previous_result_view(self) -> None:
        self._to_view(VIEWS[VIEWS.index(self.view) - 1])

    def do_next_output(self) -> None:
        self._to_output(self._output + 1)

    def do_previous_output(self) -> None:
        self._to_output(self._output - 1)

    def do_open_element(self) -> None:
        """From the outputs to the view; from an element with an error to its place among the values; there, and beside
        the run before, to the element that is furthest off."""
        focused = self.screen.focused
        if isinstance(focused, WorstTable):
            self.go_to_element(focused.index)
        elif isinstance(focused, HeatMap):
            if focused.cell is not None:
                self._go_to_region(*focused.cell)
        elif isinstance(focused, ArrayView):
            self._go_to_worst()
        else:
            self.main_widget.focus()

    def go_to_element(self, index: tuple[int, ...] | None) -> None:
        """Show an element of the output among the values."""
        if index is None:
            return
        self._to_view(ResultView.VALUES, focus=True)
        self.values.go_to(index)

    def _go_to_worst(self) -> None:
        output = self.output
        if output is None:
            return
        against = output.before if self.view is ResultView.BEFORE else output.reference
        found = against.comparison if against is not None else None
        if found is None or not found.worst:
            self.notify("no element is known to be off", markup=False)
            return
        for view in self.query(ArrayView):
            if view.display:
                view.go_to(found.worst[0].index)

    def _go_to_region(self, heat: Heatmap, row: int, column: int) -> None:
        output = self.output
        against = output.reference if output is not None else None
        if output is None or output.array is None or against is None or against.expected is None:
            return
        self.go_to_element(
            worst_in_cell(
                heat,
                row,
                column,
                output.array,
                against.expected,
                logical=output.logical,
                expected_logical=against.expected_logical,
            )
        )

    def _to_view(self, view: ResultView, *, focus: bool = False) -> None:
        """The keys go along to the new view."""
        inside = focus or self.screen.focused is self.main_widget
        self.view, self._chosen = view, True
        self._show_output()
        if inside:
            self.main_widget.focus()

    def _to_output(self, place: int) -> None:
        count = len(self.shown.outputs) if self.shown is not None else 0
        if not 0 <= place < count or place == self._output:
            return
        self._output, self._chosen = place, True
        self._arrays = {}
        table = self.query_one("#result-outputs", GridTable)
        if self.shown is not None and table.cursor != place:
            table.show(OutputRows(self.shown), np.arange(count, dtype=np.intp), cursor=place)
        self._show_output()

    def on_grid_table_selected(self, message: GridTable.Selected) -> None:
        message.stop()
        if message.table.id == "result-outputs":
            self._to_output(message.row)

    def on_grid_table_activated(self, message: GridTable.Activated) -> None:
        message.stop()
        if isinstance(message.table, WorstTable):
            self.go_to_element(message.table.index)
        else:
            self.main_widget.focus()

    def on_grid_table_header_clicked(self, message: GridTable.HeaderClicked) -> None:
        message.stop()

    def on_heat_map_chosen(self, message: HeatMap.Chosen) -> None:
        message.stop()
        self._go_to_region(message.heat, message.row, message.column)

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        message.stop()
        self._to_view(VIEWS[message.place])

    def on_array_view_moved(self, message: ArrayView.Moved) -> None:
        """Side by side, both stand on one element."""
        message.stop()
        for name, other in (("result-now", "result-then"), ("result-then", "result-now")):
            if message.view.id == name:
                self.query_one(f"#{other}", ArrayView).go_to(message.index)

    def on_resize(self) -> None:
        self.set_class(self.size.width < BESIDE, "-single")
        self._fit_table()
