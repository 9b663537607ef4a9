"""A screen whose text can be copied, read in the pager and opened in the editor."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from ...services.report import render_markdown
from ..terminal.clipboard import copied_to_file
from ..terminal.editor import edit_text
from ..terminal.outside_program import OutsideError
from ..terminal.pager import page
from ..widgets.text import plain_lines

if TYPE_CHECKING:
    from ..app import XpudbgApp

__all__ = ["HandsOver"]

_REPORT_LIMIT = 1_000_000
"""Characters; a report for a ticket has at most 65,536."""


class HandsOver:
    """What those screens have in common; each says which text it is."""

    app: XpudbgApp

    def text_to_copy(self) -> tuple[str, str]:
        """The text of the place that has the keys, whole, and what to call it; empty when there is none."""
        raise NotImplementedError

    def cell_to_copy(self) -> tuple[str, str]:
        """The value of the cell under the cursor and what to call it; empty when the cursor is on none."""
        return "", ""

    def text_to_read(self) -> tuple[str, str]:
        """The text for pager and editor, and the name of its file; empty when there is none."""
        text, name = self.text_to_copy()
        return text, f"{re.sub(r'[^A-Za-z0-9.]+', '-', name).strip('-.')[:60] or 'text'}.txt"

    def why_no_text(self) -> str:
        """What to say when there is none."""
        return "there is no text here yet"

    def do_copy(self) -> None:
        self._copy(*self.text_to_copy(), "there is nothing to copy yet")

    def do_copy_cell(self) -> None:
        self._copy(*self.cell_to_copy(), "not now: the cursor is on no cell")

    def do_copy_report(self) -> None:
        text = plain_lines(render_markdown(self.app.session), _REPORT_LIMIT)
        self._copy(text, "the report as Markdown", "there is no report yet")

    def do_copy_to_file(self) -> None:
        text, name = self.text_to_copy()
        self.app.say(copied_to_file(text, name, Path.cwd()) if text else "there is nothing to copy yet")

    def _copy(self, text: str, name: str, nothing: str) -> None:
        if text:
            self.app.copy(text, name)
        else:
            self.app.say(nothing)

    def do_pager(self) -> None:
        text, file = self.text_to_read()
        if not text:
            self.app.say(f"not now: {self.why_no_text()}")
            return
        try:
            page(self.app, text, file, self.app.env)
        except OutsideError as error:
            self.app.say(str(error))

    def do_text_in_pager(self) -> None:
        """Where `o` opens files."""
        self.do_pager()

    def do_editor(self) -> None:
        text, file = self.text_to_read()
        if not text:
            self.app.say(f"not now: {self.why_no_text()}")
            return
        try:
            edit_text(self.app, text, file, self.app.env)
        except OutsideError as error:
            self.app.say(str(error))
