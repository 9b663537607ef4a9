"""The progress matrix with what its signs mean above it and the cell of the cursor in words below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.content import Content

from ..wording import count
from .matrix_layout import WITH_BAR, MatrixLayout, cell_said, legend_said
from .painted import Painted, styled
from .progress_matrix import ProgressMatrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from ...services.progress.matrix import Progress
    from ...services.ranksets import RankSet
    from ..recorder.progress_view import ProgressView

__all__ = ["ProgressPane", "legend_line"]


LEAST = 84
"""Terminal cells that a matrix with few groups has too: legend and the cell in words need them."""


class ProgressPane(Vertical):
    """Shows what a `ProgressView` chooses. No wider than that needs: the rest belongs to the ranks."""

    def __init__(self) -> None:
        super().__init__()
        self._measured: Progress | None = None
        """What the width goes by."""

    def compose(self) -> ComposeResult:
        yield Painted(id="matrix-legend")
        yield ProgressMatrix()
        yield Painted(id="matrix-cell")

    def show(self, view: ProgressView, selected: int | None, marked: RankSet, shown: RankSet | None) -> None:
        """
        Args:
            selected: the selected rank.
            marked: ranks with a mark.
            shown: ranks that match the filter, None for all.
        """
        progress, culprits, waiting = view.progress, view.culprits, view.waiting
        roles = [*([("!", "accused")] if culprits else []), *([("w", "held up")] if waiting else [])]
        self.query_one("#matrix-legend", Painted).paint_with(lambda width: legend_line(progress, width, roles))
        self.query_one(ProgressMatrix).show(
            progress,
            view.order(shown),
            (selected, view.column),
            marked=marked,
            culprits=culprits,
            waiting=waiting,
            sort=(view.sorted_by, view.descending),
        )
        if progress is not self._measured:
            self._measured = progress
            self.styles.max_width = max(MatrixLayout(progress, WITH_BAR).total + 1, LEAST)
        self._say_cell(view, selected)

    def show_cursor(self, view: ProgressView, selected: int | None) -> None:
        """Another rank or column is selected; nothing else changed."""
        self.query_one(ProgressMatrix).show_cursor(selected, view.column)
        self._say_cell(view, selected)

    def _say_cell(self, view: ProgressView, selected: int | None) -> None:
        progress, column = view.progress, view.column
        row = progress.row_of(selected)
        said = ""
        if row is not None and selected is not None and progress.columns:
            said = cell_said(
                progress.cell(row, column),
                selected,
                progress.columns[column].title,
                culprit=selected in view.culprits,
                waiting=selected in view.waiting,
            )
        pane = self.query_one("#matrix-cell", Painted)

        def made(width: int) -> Content:
            lines = styled(said).wrap(width)
            room = max(pane.size.height, 1)
            kept = lines[:room]
            if len(lines) > room:
                kept[-1] = styled(said).truncate(width, ellipsis=True) if room == 1 else kept[-1] + "…"
            return Content("\n").join(line.truncate(width, ellipsis=True) for line in kept)

        pane.paint_with(made)


def legend_line(progress: Progress, width: int, roles: Sequence[tuple[str, str]] = ()) -> Content:
    """What the signs mean that are there, as far as there is room; groups nobody has used are counted.

    Args:
        roles: signs beside the ranks, with a word for each.
    """
    signs = (*roles, *legend_said(progress))
    parts = [Content.assemble((sign, "bold"), (f" {word}", "$foreground-muted")) for sign, word in signs]
    if progress.unused:
        parts.append(Content.styled(f"{count(progress.unused, 'group')} without a call", "$foreground-muted"))
    line = Content("")
    for part in parts:
        longer = line + Content("   ") + part if line else part
        if longer.cell_length > width:
            return line
        line = longer
    return line
