"""The right edges of titles of columns: dragged they give a column its width, double-clicked they fit it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.scroll_view import ScrollView

from ..tables.column_settings import tables

if TYPE_CHECKING:
    from textual import events

    from .table_layout import Column, TableLayout

__all__ = ["ColumnEdges"]


class ColumnEdges(ScrollView):
    """The part of a table that the mouse takes hold of."""

    layout_of_rows: TableLayout
    table_name: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._held: tuple[str, int] | None = None
        """The column whose edge the mouse holds, and where the mouse would be if the column had no width."""
        self._dragged = False
        """Whether the next click is the end of a drag."""

    def arrange_anew(self) -> None:
        """Show the columns as they are arranged now."""
        raise NotImplementedError

    def fitting_width(self, key: str) -> int:
        """Terminal cells that title and texts of a column need."""
        raise NotImplementedError

    def edge_under(self, event: events.MouseEvent) -> Column | None:
        """The column whose right edge the mouse is on, where columns can be given a width."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y != 0 or not self.table_name:
            return None
        return self.layout_of_rows.edge_at(offset.x, self.scroll_offset.x)

    def _resize_column(self, key: str, width: int) -> None:
        if width != self.layout_of_rows.width_of(key):
            tables().with_width(self.table_name, key, width)
            self.arrange_anew()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        column = self.edge_under(event)
        self._dragged = False
        if column is not None:
            self._held = (column.key, event.screen_x - self.layout_of_rows.width_of(column.key))
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._held is not None:
            key, begin = self._held
            self._dragged |= event.screen_x - begin != self.layout_of_rows.width_of(key)
            self._resize_column(key, max(event.screen_x - begin, 1))

    def on_mouse_up(self) -> None:
        if self._held is not None:
            self._held = None
            self.release_mouse()

    def edge_clicked(self, event: events.Click) -> bool:
        """Whether a click was about an edge, so that nothing else is meant by it."""
        column = self.edge_under(event)
        if column is not None and event.chain == 2:
            self._resize_column(column.key, self.fitting_width(column.key))
        was_drag, self._dragged = self._dragged, False
        return column is not None or was_drag
