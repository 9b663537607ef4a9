"""Screen 8: operators on op servers: a case is run, a field is edited, it is run again, the runs are compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...services.console.case_files import CASE_FORMS
from ...services.dispatch.inputs import GENERATED_FORM
from ...services.plain_text import plain_lines
from ..actions.registry import Scope, bindings, key_of
from ..dispatch.desk import ASKED_FOR, REFERENCE_FORMS
from ..dispatch.rows import CaseRows, RunRows
from ..dispatch.run_summary import summary_lines
from ..dispatch.view import Tab
from ..suggesters.names import NameSuggester
from ..suggesters.paths import PathSuggester
from ..tables.column_settings import tables
from ..widgets.case_editor import FieldRows
from ..widgets.grid_table import GridTable
from .dispatch_panes import PANE_OF, TABS, DispatchPanes, Pane
from .line_request import LineChoice, LineRequest
from .sorting import SortsTables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tables.sort_choice import SortChoice
    from ..widgets.case_editor import CaseEditor
    from ..widgets.tab_line import TabLine

__all__ = ["DispatchScreen"]

CASE_ENDINGS = (".toml", ".json", ".csv", ".xlsx")
COPIED_WIDTH = 2_000
"""Characters of a line that is copied."""
_PANES = tuple(Pane)


class DispatchScreen(SortsTables, DispatchPanes):
    """What a person does there."""

    BINDINGS = bindings(Scope.DISPATCH)

    def on_screen_resume(self) -> None:
        if self.is_ready:
            self.show_all()
            self.take_keys()

    # going about ----------------------------------------------------------------------------------------------

    def to_pane(self, pane: Pane) -> None:
        """Show a pane and give it the keys."""
        self._catch_up()
        self.turn_to(pane)
        self.show_all()
        self.take_keys()

    def do_next_dispatch_pane(self) -> None:
        self.to_pane(_PANES[(_PANES.index(self.pane) + 1) % len(_PANES)])

    def do_previous_dispatch_pane(self) -> None:
        self.to_pane(_PANES[_PANES.index(self.pane) - 1])

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        self.to_pane(PANE_OF[TABS[message.place]])

    def on_descendant_focus(self) -> None:
        pane = self.pane_of(self.focused)
        if pane is not None:
            self.pane = pane
        super().on_descendant_focus()

    def do_open_case(self) -> None:
        self.to_pane(Pane.FIELDS)

    def do_open_run(self) -> None:
        self.to_pane(Pane.RESULT)

    def on_grid_table_selected(self, message: GridTable.Selected) -> None:
        self._follow(message.table)
        self.show_all()

    def _follow(self, table: GridTable) -> None:
        """What is stood on is where the cursor of a table is; the message that says so may still be on its way."""
        row, source = table.cursor, table.source
        if row is None:
            return
        match source:
            case CaseRows():
                self.view.stand_on(source.ids[row])
            case RunRows():
                self.view.choose_run(source.lines[row].key if row else None)
            case FieldRows():
                self.view.stand_on_field(source.lines[row].field)

    def _catch_up(self) -> None:
        if isinstance(self.focused, GridTable) and self.pane_of(self.focused) is not Pane.RESULT:
            self._follow(self.focused)

    def on_grid_table_activated(self, message: GridTable.Activated) -> None:
        match message.table.id:
            case "cases":
                self.do_open_case()
            case "runs":
                self.do_open_run()
            case "fields":
                self.do_edit_field()

    def on_grid_table_header_clicked(self, message: GridTable.HeaderClicked) -> None:
        pane = self.pane_of(message.table)
        if pane in (Pane.CASES, Pane.RUNS):
            self.pane = pane
            self.sort_clicked(message)

    def sorted_by(self) -> tuple[SortChoice, Sequence[str]] | None:
        if self.pane is Pane.RUNS:
            return self.view.run_sort, tables().keys("runs", RunRows.columns)
        return self.view.case_sort, tables().keys("cases", CaseRows.columns)

    def _to_case(self, case_id: str) -> None:
        self.view.stand_on(case_id)
        self.show_all()

    def do_next_bad_case(self) -> None:
        self._to_bad(1)

    def do_previous_bad_case(self) -> None:
        self._to_bad(-1)

    def _to_bad(self, step: int) -> None:
        case_id = self.view.next_bad(step)
        if case_id is None:
            self.app.say("no case failed or is wrong")
        else:
            self._to_case(case_id)

    def do_older_run(self) -> None:
        self._step_run(1)

    def do_newer_run(self) -> None:
        self._step_run(-1)

    def _step_run(self, step: int) -> None:
        if not self.view.step_run(step):
            self.app.say("there is no older run" if step > 0 else "there is no newer run")
        self.show_all()

    def do_leave_dispatch(self) -> None:
        """Esc: the filter goes, then the run that is under way; from a pane to the cases, then one place back."""
        if self.view.text:
            self.on_filter_bar_dropped()
        elif self.view.running():
            self.do_cancel_run()
        elif self.pane is not Pane.CASES:
            self.to_pane(Pane.CASES)
        elif self.app.has_job:
            self.app.go_back()
        else:
            self.app.choose_target()

    # filter ---------------------------------------------------------------------------------------------------

    def filter_typed(self, text: str) -> None:
        self.view.set_filter(text)

    def filter_kept(self) -> None:
        ids = self.view.order()
        if ids and self.view.case_id not in ids:
            self.view.stand_on(ids[0])

    def do_filter_cases(self) -> None:
        if self.view.tab is not Tab.CASES and self.is_narrow:
            self.to_pane(Pane.CASES)
        self.pane = Pane.CASES
        self.do_filter()

    # editing --------------------------------------------------------------------------------------------------

    def do_edit_field(self) -> None:
        self._catch_up()
        line = self.view.field()
        if line is None:
            self.app.say("not now: there is no field here")
        elif line.gone:
            self._tell(self.desk.undo_field(line.field))
            self.show_all()
        elif line.field == "spec":
            self.app.say("the spec's file and class are set by the case file")
        else:
            self.editor.open(line)
            self.show_all()

    def on_case_editor_submitted(self, message: CaseEditor.Submitted) -> None:
        self._tell(self.desk.edit(message.field, message.text))
        self.show_all()

    def on_case_editor_closed(self) -> None:
        self.show_all()

    def do_add_field(self) -> None:
        text = f"attr.NAME=VALUE as JSON or text, or input.NAME={GENERATED_FORM.partition(',')[0]}, FILE.npy, none"
        self.app.push_screen(LineRequest("Add to the case", text, self.desk.add, value="attr."), self._requested)

    def do_remove_field(self) -> None:
        self._catch_up()
        line = self.view.field()
        if line is None or line.gone:
            self.app.say("not now: there is no field here")
            return
        self._tell(self.desk.remove(line.field))
        self.show_all()

    def do_undo_edit(self) -> None:
        self._tell(self.desk.undo())
        self.show_all()

    def do_undo_all(self) -> None:
        self._tell(self.desk.undo(all=True))
        self.show_all()

    # runs -----------------------------------------------------------------------------------------------------

    def do_run_case(self) -> None:
        self._catch_up()
        if self.editor.typing:
            self.app.say(f"not now: {key_of('set_field')} sets the field first, {key_of('drop_field')} leaves it")
            return
        self._tell(self.desk.run())
        if not self.view.running():
            self.show_all()
        elif self.is_narrow or self.pane is Pane.RUNS:
            self.to_pane(Pane.RESULT)
        else:  # the keys stay where they are
            self.view.tab = Tab.RESULT
            self.show_all()

    def do_cancel_run(self) -> None:
        self._tell(self.desk.cancel())
        self.show_all()

    def do_compare_with(self) -> None:
        if self.view.case is None:
            self._tell(f"no case is open; {key_of('open_cases')} opens a file of cases")
            return
        runs = [line for line in self.view.lines() if line.number is not None and line.state == "ok"]
        choices = [LineChoice(f"#{line.number}", line.said) for line in runs[:8]]
        choices += [
            LineChoice(self.desk.servers.called(one) or str(one), "the same case on this server")
            for one in self.console.known
        ]
        choices += [
            LineChoice("numpy", "the same case with NumPy on this machine"),
            LineChoice("none", "nothing; the run before is always beside it"),
        ]
        request = LineRequest(
            "Compare with",
            f"What the outputs of this case should be: {REFERENCE_FORMS}. By another standard than usual: "
            f"`by STANDARD` after it, or alone; {', '.join(ASKED_FOR)}.",
            self.desk.compare_with,
            choices=choices,
            suggester=PathSuggester((".npy", ".npz")),
        )
        self.app.push_screen(request, self._requested)

    def do_choose_servers(self) -> None:
        console = self.console
        run = key_of("run_case")
        text = (
            f"Where {run} runs the case: host:port, http://host:port, https://host:port or a name of the settings; "
            "several with blanks between."
        )
        request = LineRequest(
            "Op servers",
            text,
            self.desk.choose_servers,
            value=" ".join(self.desk.servers.called(one) or one.url for one in console.chosen),
            choices=[
                *(LineChoice(name, self.desk.servers.about(name)) for name in self.desk.servers.names),
                *(LineChoice(one.url, one.hardware) for one in console.known if not self.desk.servers.called(one)),
            ],
            suggester=NameSuggester(self.desk.servers.names, several=True),
        )
        self.app.push_screen(request, self._requested)

    def do_open_cases(self) -> None:
        request = LineRequest("Open cases", CASE_FORMS + ".", self._open, suggester=PathSuggester(CASE_ENDINGS))
        self.app.push_screen(request, self._requested)

    def _open(self, text: str) -> str:
        if not text.strip():
            return "nothing is typed"
        self.desk.open_files([Path(text.strip()).expanduser()])
        return ""

    def do_export_case(self) -> None:
        case = self.view.case
        if case is None or case.case is None:
            self._tell(self.desk.export(Path()))
            return
        name = "".join(each if each.isalnum() or each in "._-" else "_" for each in case.name[:80]) or "case"
        request = LineRequest(
            "Export the case",
            "The TOML file to write; arrays go beside it. A file that is there is left alone.",
            lambda text: self.desk.export(Path(text.strip())) if text.strip() else "nothing is typed",
            value=f"{name}.toml",
            suggester=PathSuggester((".toml",)),
        )
        self.app.push_screen(request, self._requested)

    def do_copy_run(self) -> None:
        self.do_copy()

    def text_to_copy(self) -> tuple[str, str]:
        """What is known of the run under the cursor."""
        line = self.view.run()
        shown = self.view.shown(line) if line is not None else None
        if shown is None or line is None:
            return "", ""
        said = [content.plain for content in summary_lines(shown, COPIED_WIDTH)]
        for output in shown.outputs:
            found = output.reference.comparison if output.reference is not None else None
            said.append(f"output {output.name} {output.dtype} {list(output.shape)}")
            if found is not None:
                said.append(f"  {found.sentence}")
        if line.changes:
            said.append("edited: " + " ".join(f"{name}={value}" for name, value in line.changes))
        return plain_lines("\n".join(said)), "the run"

    def _requested(self, _text: str | None) -> None:
        self.show_all()

    def _tell(self, reason: str) -> None:
        if reason:
            self.app.say(f"not now: {reason}")
