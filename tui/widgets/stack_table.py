"""The stack of the selected rank, a line a frame, its other threads folded below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..stacks.thread_rows import FrameRow, StackRows, ThreadGroup, thread_groups
from .grid_table import GridTable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ...services.stacks.model import Frame, StackDump
    from ..stacks.view import StackView

__all__ = ["StackTable"]


class StackTable(GridTable):
    """A table whose cursor stays on its frame when there is another stack in it."""

    def __init__(self) -> None:
        super().__init__(id="stack")
        self._groups: list[ThreadGroup] = []
        self._rows: list[FrameRow] = []
        self._make: Callable[[], list[ThreadGroup]] = list
        self._rows_of: Callable[[list[ThreadGroup]], StackRows] | None = None
        self._turned: set[tuple[Frame, ...]] = set()
        self.said = ""
        """Why there is no stack."""

    def show_rank(
        self,
        dump: StackDump | None,
        merged: Collection[tuple[Frame, ...]],
        view: StackView,
        matched: Collection[Frame],
        said: str,
    ) -> None:
        """Show the threads of a rank, the cursor on the frame it was on, else on the innermost one.

        Args:
            dump: of the rank, None when there is none.
            merged: the rank's stacks as they were merged.
            view: what is chosen.
            matched: frames that are searched for.
            said: why there is no stack.
        """
        self.said, self._turned = said, view.turned
        boring = view.merged_boring
        self._make = lambda: thread_groups(dump, merged, view.turned, show_boring=boring) if dump is not None else []
        self._rows_of = lambda groups: StackRows(groups, view.index.having, matched)
        self._build(self.row)

    def _build(self, wanted: FrameRow | None) -> None:
        """Lay the rows out, the cursor on the wanted one, else on the innermost frame."""
        assert self._rows_of is not None
        self._groups = self._make()
        source = self._rows_of(self._groups)
        self._rows = source.rows
        kept = [number for number, row in enumerate(self._rows) if wanted is not None and row.is_like(wanted)]
        at = kept[0] if kept else min(1, len(self._rows) - 1)
        order = np.arange(len(self._rows), dtype=np.intp)
        self.show(source, order, cursor=at if at >= 0 else None, empty=self.said)

    @property
    def row(self) -> FrameRow | None:
        """What the cursor is on."""
        at = self.cursor
        return self._rows[at] if at is not None and at < len(self._rows) else None

    @property
    def frame(self) -> Frame | None:
        """The frame the cursor is on; None on the title of a thread."""
        return self.row.frame if self.row is not None else None

    @property
    def path(self) -> tuple[Frame, ...]:
        """The frames from the outermost to the cursor's."""
        row = self.row
        return row.group.frames[row.number :][::-1] if row is not None and row.number >= 0 else ()

    @property
    def whole(self) -> tuple[Frame, ...]:
        """All frames of the thread the cursor is on, boring ones too, innermost first."""
        return self.row.group.key if self.row is not None else ()

    def go_to(self, path: Sequence[Frame]) -> None:
        """To the frame at the end of `path` (outermost first), if a thread of the rank has it; its thread is opened."""
        depth = len(path)
        wanted = tuple(path[::-1])
        group = next((one for one in self._groups if depth and one.frames[len(one.frames) - depth :] == wanted), None)
        if group is None:
            return
        if not group.is_open:
            self._turned ^= {group.key}
        self._build(FrameRow(group, len(group.frames) - depth))

    def turn(self) -> None:
        """Open or close the thread the cursor is on; its title has the cursor then."""
        row = self.row
        if row is not None:
            self._turned ^= {row.group.key}
            self._build(FrameRow(row.group))
