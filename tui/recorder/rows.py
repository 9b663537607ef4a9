"""A table of the flight recorder as rows for the table widget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.recorder_tables.row_filter import RowFilter
from ...services.recorder_tables.table import Sign
from ..widgets.table_layout import Cell, Column

if TYPE_CHECKING:
    from ...services.recorder_tables.table import BrowseTable

__all__ = ["COLOURS", "COMPONENTS", "SIGNS", "RecorderRows"]

COMPONENTS: dict[Sign, str] = {
    Sign.NONE: "",
    Sign.MISSING: "table--missing",
    Sign.WAITING: "table--open",
    Sign.MISMATCH: "table--mismatch",
    Sign.OPEN: "table--open",
    Sign.FAINT: "table--muted",
}
"""How the table paints a cell."""
COLOURS: dict[Sign, str] = {
    Sign.NONE: "",
    Sign.MISSING: "bold $text-error",
    Sign.WAITING: "$text-accent",
    Sign.MISMATCH: "bold $text-warning",
    Sign.OPEN: "$text-accent",
    Sign.FAINT: "$foreground-muted",
}
"""The same for the pane beside it."""
SIGNS: dict[Sign, str] = {Sign.MISSING: "! ", Sign.WAITING: "w ", Sign.MISMATCH: "≠ "}
"""What stands before the text, so that a screen without colours says it too."""


SHORT = {"collective": "coll", "p2p_seq": "p2p", "created_utc": "created (UTC)", "completed_utc": "completed (UTC)"}
"""Titles where the key of a column is longer than need be, or says too little."""
ONLY_P2P = ("p2p_seq", "peer")
"""Columns that are empty where nobody sends or receives."""
LAST = ("collective", "place")
"""Columns that stand at the end where room is scarce."""
BEHIND = {"missing": ("p2p_seq",), "lag": ("host", "size")}
"""Columns that are needed most, and behind which others they stand where room is scarce."""
WIDEST = {"missing": 24}
"""Terminal cells of columns that would else push others out of view; the pane beside the table has them whole."""


class RecorderRows:
    """A `TableSource`; row numbers are those of the table. The first cell has the sign of the whole row, since what is
    wrong with it may stand far to the right."""

    def __init__(self, table: BrowseTable, *, short: bool = False) -> None:
        """
        Args:
            short: titles that leave room for more columns, and none that is empty; else those of the table, which are
                torch's.
        """
        self.table = table
        self.short = short
        waits = table.lacking_sign is Sign.WAITING
        self.missing = table.mask(RowFilter.parse("is:missing is:open" if waits else "is:missing"))
        """Rows of calls that some rank has not come to; of the calls of ranks those that wait."""
        self.mismatch = table.mask(RowFilter.parse("is:mismatch"))
        self.places = self._chosen() if short else tuple(range(len(table.fields)))
        """The field of each column."""
        fields = [table.fields[place] for place in self.places]
        self.columns = tuple(
            Column(
                field.key,
                SHORT.get(field.key, field.key.replace("_", " ")) if short else field.title,
                "right" if field.numeric else "left",
                field.min_width,
                min(field.max_width, WIDEST.get(field.key, field.max_width)) if short else field.max_width,
            )
            for field in fields
        )
        for place in self.places if len(table) else ():
            table.cell(0, place)  # what all its cells share is made now, perhaps beside the screen

    def _chosen(self) -> tuple[int, ...]:
        """Fields without those that say nothing here, the most telling ones forward and the least telling ones last."""
        keys = [field.key for field in self.table.fields]
        empty = () if self.table.mask(RowFilter.parse("is:p2p")).any() else ONLY_P2P
        kept = [place for place, key in enumerate(keys) if key not in empty]
        places = {
            key: next((keys.index(one) for one in BEHIND.get(key, ()) if one in keys), keys.index(key)) for key in keys
        }
        return tuple(sorted(kept, key=lambda place: (keys[place] in LAST, places[keys[place]], place)))

    def cell(self, row: int, column: int) -> Cell:
        text, sign = self.table.cell(row, self.places[column])
        if column == 0:
            sign = Sign.MISMATCH if self.mismatch[row] else self.table.lacking_sign if self.missing[row] else sign
        blank = "  " if column == 0 and self.columns[0].align == "left" else ""
        return SIGNS.get(sign, blank) + text if text else "", COMPONENTS[sign]
