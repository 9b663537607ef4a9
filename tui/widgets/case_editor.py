"""The fields of a case, one a line, edited in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from ..actions.registry import Scope, bindings, key_of
from .grid_table import GridTable
from .painted import Painted, styled
from .table_layout import GAP, Cell, Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from ...services.console.case import ConsoleCase
    from ...services.console.editing import FieldLine
    from ...services.console.events import EditRefused, EditWaiting

__all__ = ["CaseEditor", "FieldEntry", "FieldList", "FieldRows"]

LEAST_ENTRY = 16
"""Terminal cells that the entry has at least; in narrow editors it lies over the name of its field."""


class FieldRows:
    """The lines as rows of a table."""

    columns: Sequence[Column] = (
        Column("field", "field", min_width=14, max_width=28),
        Column("value", "value", min_width=12, max_width=60),
        Column("before", "as loaded", max_width=48),
    )

    def __init__(self, lines: Sequence[FieldLine]) -> None:
        self.lines = lines

    def cell(self, row: int, column: int) -> Cell:
        line = self.lines[row]
        match column:
            case 0:
                return (f"{line.field} *" if line.edited else line.field, "table--match" if line.edited else "")
            case 1:
                return ("taken out", "table--muted") if line.gone else (line.value, "")
        if not line.edited:
            return ("", "")
        return (line.before or "not there", "table--muted")


NOTHING = FieldRows(())


class FieldEntry(Input):
    """Where a value is typed. Enter sets it, Esc leaves the field as it was."""

    BINDINGS = bindings(Scope.ENTRY)


class FieldList(GridTable):
    """The lines."""

    BINDINGS = [*bindings(Scope.TABLE, at_once=True), *bindings(Scope.EDITOR, at_once=True)]  # noqa: RUF012


class CaseEditor(Vertical):
    """Shows the lines and takes what is typed; what becomes of it is the console's."""

    class Submitted(Message):
        """A value was typed for a field."""

        def __init__(self, field: str, text: str) -> None:
            super().__init__()
            self.field = field
            self.text = text

    class Closed(Message):
        """The entry has gone; the keys are the lines' again."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: Sequence[FieldLine] = ()
        self._field: str | None = None
        """The field whose entry is open."""
        self._sent = False
        """What was typed is on its way."""

    def compose(self) -> ComposeResult:
        yield Painted(id="editor-title")
        with Container(id="editor-fields"):
            yield FieldList(id="fields")
            yield FieldEntry(compact=True, id="field-entry")
        yield Painted(id="editor-said")

    @property
    def table(self) -> FieldList:
        return self.query_one("#fields", FieldList)

    @property
    def entry(self) -> FieldEntry:
        return self.query_one(FieldEntry)

    @property
    def typing(self) -> bool:
        return self._field is not None

    # showing --------------------------------------------------------------------------------------------------

    def show(
        self,
        case: ConsoleCase | None,
        lines: Sequence[FieldLine],
        stood_on: FieldLine | None,
        refused: EditRefused | None,
        waiting: EditWaiting | None,
    ) -> None:
        """
        Args:
            stood_on: the line with the cursor.
            refused: the edit of this case that was refused last.
            waiting: the edit that is being read from a file.
        """
        self._lines = lines
        names = [line.field for line in lines]
        if self._field is not None and self._field not in names:
            self.close()
        elif self._sent and waiting is None:
            self._sent = False
            if refused is None or refused.field != self._field:
                self.close()
        self._show_title(case)
        cursor = names.index(stood_on.field) if stood_on is not None else None
        empty = "" if case is None else "There is nothing to edit."
        self.table.show(FieldRows(lines) if lines else NOTHING, np.arange(len(lines)), cursor=cursor, empty=empty)
        self._show_said(case, stood_on, refused, waiting)

    def _show_title(self, case: ConsoleCase | None) -> None:
        edits = len(case.edits) if case is not None else 0

        def title(width: int) -> Content:
            if case is None:
                return styled(
                    f"No case is open; {key_of('open_cases')} opens a file of cases.", "$foreground-muted"
                ).truncate(width)
            count = f"  {edits} edited" if edits else ""
            name = styled(case.name, "bold")
            about = styled(f"  {case.origin}", "$foreground-muted")
            return Content.assemble(name, styled(count, "$text-accent"), about).truncate(width, ellipsis=True)

        self.query_one("#editor-title", Painted).paint_with(title)

    def _show_said(
        self,
        case: ConsoleCase | None,
        stood_on: FieldLine | None,
        refused: EditRefused | None,
        waiting: EditWaiting | None,
    ) -> None:
        lines: list[tuple[str, str]] = []
        if refused is not None and (self._field is None or refused.field == self._field):
            there = refused.field in refused.message or self.typing
            lines.append((refused.message if there else f"{refused.field}: {refused.message}", "$text-error"))
            if refused.hint:
                lines.append((refused.hint, "$foreground-muted"))
        elif waiting is not None:
            lines.append((f"{waiting.field}: reading the file …", "$text-accent"))
        elif self.typing and stood_on is not None:
            lines.append((stood_on.hint, "$foreground-muted"))
        elif case is not None and case.problem:
            lines.append((case.problem, "$text-warning"))
        elif case is not None and case.notes:
            lines.extend((note, "$foreground-muted") for note in case.notes)
        made = [styled(text, style) for text, style in lines if text]
        self.query_one("#editor-said", Painted).paint_with(
            lambda width: Content("\n").join([part for line in made for part in line.wrap(width)][:4])
        )

    # typing ---------------------------------------------------------------------------------------------------

    def open(self, line: FieldLine) -> None:
        """Lay an entry over the value of a field."""
        row = next((at for at, one in enumerate(self._lines) if one.field == line.field), None)
        if row is None:
            return
        self._field, self._sent = line.field, False
        entry, table = self.entry, self.table
        widths = table.layout_of_rows.widths
        x = GAP + widths[0] + GAP if widths else GAP
        width = table.size.width
        x = max(min(x, width - LEAST_ENTRY), 0)
        entry.styles.offset = (x, 1 + row - table.scroll_offset.y)
        entry.styles.width = max(width - x, 1)
        entry.value = line.typed
        entry.placeholder = line.hint
        entry.cursor_position = len(line.typed)
        self.add_class("-typing")
        self.screen.set_focus(entry)  # at once: what is typed next belongs to it already

    def close(self) -> None:
        """Take the entry away."""
        if self._field is None:
            return
        self._field, self._sent = None, False
        focused = self.entry.has_focus
        self.remove_class("-typing")
        if focused:
            self.screen.set_focus(self.table)
        self.post_message(self.Closed())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.do_set_field()

    def do_set_field(self) -> None:
        if self._field is not None and not self._sent:
            self._sent = True
            self.post_message(self.Submitted(self._field, self.entry.value))

    def do_drop_field(self) -> None:
        self.close()
