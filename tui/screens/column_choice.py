"""The columns of a table in a dialog: which are shown, in which order, how wide. What is chosen shows behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ...services.settings.state import WIDEST, KeptTable
from ..actions.registry import Scope, bindings
from ..tables.column_settings import tables
from ..widgets.footer import KeyFooter
from ..widgets.grid_table import GridTable
from ..widgets.table_layout import Cell, Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from ..app import XpudbgApp

__all__ = ["ColumnChoice", "ColumnList"]


class ColumnRows:
    """The columns as rows: those shown in their order, then the hidden ones."""

    columns: Sequence[Column] = (
        Column("shown", "shown", max_width=5),
        Column("title", "column", min_width=12, max_width=32),
        Column("key", "in settings", max_width=24),
        Column("width", "cells", "right", max_width=8),
    )

    def __init__(self, listed: Sequence[Column], shown: Sequence[str], widths: dict[str, int]) -> None:
        self._listed = listed
        self._shown = set(shown)
        self._widths = widths

    def cell(self, row: int, column: int) -> Cell:
        one = self._listed[row]
        here = one.key in self._shown
        component = "" if here else "table--muted"
        match column:
            case 0:
                return ("[x]" if here else "[ ]"), component
            case 1:
                return one.title or one.key, component
            case 2:
                return one.key, "table--muted"
        return (str(self._widths[one.key]) if one.key in self._widths else ""), component


class ColumnList(GridTable):
    """The list; its own columns stay as they are."""

    BINDINGS = [*bindings(Scope.TABLE), *bindings(Scope.COLUMNS)]  # noqa: RUF012


class ColumnChoice(ModalScreen[None]):
    """Changes how a table is arranged; left, it is as before."""

    app: XpudbgApp
    SCOPES = (Scope.COLUMNS,)

    def __init__(self, table: GridTable) -> None:
        super().__init__()
        self._table = table
        self._table_name = table.table_name
        self._columns: list[Column] = list(table.source.columns) if table.source is not None else []
        self._before = tables().kept(self._table_name)
        self._shown: list[str] = tables().keys(self._table_name, self._columns)
        self._listed = self._in_order(self._shown)
        self._at = 0

    def _in_order(self, shown: Sequence[str]) -> list[str]:
        """All columns: those shown in their order, each hidden one after the column it follows in the table."""
        listed = list(shown)
        before: str | None = None
        for column in self._columns:
            if column.key not in listed:
                listed.insert(listed.index(before) + 1 if before is not None else 0, column.key)
            before = column.key
        return listed

    def compose(self) -> ComposeResult:
        with Vertical(id="request") as box:
            box.border_title = "Columns of this table"
            yield Static(id="request-text")
            yield ColumnList(id="column-list")
            yield Static(id="request-error")
            yield KeyFooter(self.SCOPES)

    def on_mount(self) -> None:
        table = self.query_one(ColumnList)
        table.styles.height = min(len(self._listed) + 1, 14)
        self.set_focus(table)
        self._show()

    def _show(self) -> None:
        total, shown = len(self._columns), len(self._shown)
        self.query_one("#request-text", Static).update(Content(f"{shown} of {total} columns are shown"))
        by_key = {column.key: column for column in self._columns}
        layout = self._table.layout_of_rows
        widths = dict(zip((column.key for column in layout.columns), layout.widths, strict=True))
        rows = ColumnRows([by_key[key] for key in self._listed], self._shown, widths)
        table = self.query_one(ColumnList)
        table.show(rows, np.arange(len(self._listed), dtype=np.intp), cursor=self._at)
        self.query_one(KeyFooter).show(self.app.session, scopes=self.SCOPES)

    def _say(self, text: str) -> None:
        self.query_one("#request-error", Static).update(Content(text))

    def on_grid_table_selected(self, message: GridTable.Selected) -> None:
        message.stop()
        self._at = message.row
        self._say("")

    def on_grid_table_activated(self, message: GridTable.Activated) -> None:
        message.stop()
        self.do_turn_column()

    def on_grid_table_columns_asked(self, message: GridTable.ColumnsAsked) -> None:
        """The key that opened the dialog closes it."""
        message.stop()
        self.do_keep_columns()

    @property
    def _key(self) -> str:
        """The column that the cursor is on."""
        self._at = min(max(self.query_one(ColumnList).cursor or 0, 0), len(self._listed) - 1)
        return self._listed[self._at]

    def _arrange(self, kept: KeptTable) -> None:
        tables().arrange(self._table_name, kept)
        self._table.arrange_anew()
        self._show()

    def _rearranged(self) -> None:
        """Order and hidden columns as they are listed; those that this job does not have stay as they were."""
        kept = tables().kept(self._table_name)
        gone = set(self._listed)
        order = (*self._listed, *(key for key in kept.order or () if key not in gone))
        hidden = (
            *(key for key in self._listed if key not in self._shown),
            *(key for key in kept.hidden or () if key not in gone),
        )
        self._arrange(msgspec.structs.replace(kept, order=order, hidden=hidden))

    def do_turn_column(self) -> None:
        key = self._key
        if key not in self._shown:
            self._shown = [one for one in self._listed if one in self._shown or one == key]
        elif len(self._shown) > 1:
            self._shown.remove(key)
        else:
            self._say("a table has a column at least")
            return
        self._rearranged()

    def do_column_up(self) -> None:
        self._move(-1)

    def do_column_down(self) -> None:
        self._move(1)

    def _move(self, step: int) -> None:
        key = self._key
        to = self._at + step
        if 0 <= to < len(self._listed):
            self._listed.remove(key)
            self._listed.insert(to, key)
            self._shown = [one for one in self._listed if one in self._shown]
            self._at = to
            self._rearranged()

    def do_wider(self) -> None:
        self._resize(1)

    def do_narrower(self) -> None:
        self._resize(-1)

    def _resize(self, step: int) -> None:
        key = self._key
        if key not in self._shown:
            self._say("the column is hidden")
            return
        width = min(max(self._table.layout_of_rows.width_of(key) + step, 1), WIDEST)
        tables().with_width(self._table_name, key, width)
        self._arrange(tables().kept(self._table_name))

    def do_fit_column(self) -> None:
        kept = tables().kept(self._table_name)
        key = self._key
        self._arrange(msgspec.structs.replace(kept, widths={one: w for one, w in kept.widths.items() if one != key}))

    def do_default_columns(self) -> None:
        self._arrange(KeptTable(sorts=tables().kept(self._table_name).sorts))
        self._shown = tables().keys(self._table_name, self._columns)
        self._listed = self._in_order(self._shown)
        self._show()

    def do_keep_columns(self) -> None:
        self.dismiss(None)

    def do_leave_columns(self) -> None:
        tables().arrange(self._table_name, self._before)
        self._table.arrange_anew()
        self.dismiss(None)
