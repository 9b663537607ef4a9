"""The progress matrix as a table for a file: three columns for each group of the matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.table_export import ExportTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...services.progress.matrix import Progress

__all__ = ["progress_table"]


def progress_table(progress: Progress, rows: Sequence[int]) -> ExportTable:
    """Of each rank its greatest lag, and of each group its newest call, how many calls it is behind, and its state.

    Args:
        progress: the matrix.
        rows: its rows in the order in which they are written.
    """
    titles = ["rank", "lag"]
    for column in progress.columns:
        titles += [f"{column.title} call", f"{column.title} behind", f"{column.title} state"]

    def made() -> Iterator[list[str | int | None]]:
        for row in rows:
            lag = int(progress.row_lag[row])
            line: list[str | int | None] = [int(progress.ranks[row]), lag if lag >= 0 else None]
            for column in range(len(progress.columns)):
                cell = progress.cell(row, column)
                if cell is None:
                    line += [None, None, "not in the group"]
                else:
                    line += [cell.position, cell.lag, "in a call" if cell.inside else "idle"]
            yield line

    numeric = (0, 1, *(2 + 3 * at + part for at in range(len(progress.columns)) for part in (0, 1)))
    return ExportTable(tuple(titles), len(rows), made, numeric)
