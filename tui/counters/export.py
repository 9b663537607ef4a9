"""The wait counters as what is written to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.table_export import ExportTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from ...services.counters.sheet import CounterSheet

__all__ = ["counter_table"]


def counter_table(sheet: CounterSheet, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> ExportTable:
    """A row a rank, a column a counter, in the order given.

    Whole numbers are written whole; what is not known is empty. Names are the full ones.
    """
    places = columns.tolist()

    def made() -> Iterator[list[int | float | None]]:
        for row in rows.tolist():
            yield [int(sheet.ranks[row]), *(sheet.value(row, place) for place in places)]

    titles = ("rank", *(sheet.names[place] for place in places))
    return ExportTable(titles, len(rows), made, tuple(range(len(titles))))
