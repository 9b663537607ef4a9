"""What is said of a case that has not run here: what its file says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ...services.ttk_cases.case import Outcome
from ..actions.registry import key_of
from ..widgets.painted import hanging, styled
from ..widgets.text import cell_len, fit, plain

if TYPE_CHECKING:
    from ...services.console.case import ConsoleCase

__all__ = ["case_lines"]

_SAID = {
    Outcome.BROKEN: ("Its file says that its last run gave nothing to compare.", "$text-warning"),
    Outcome.FAILED: ("Its file says that its last run was wrong.", "$text-warning"),
    Outcome.PASSED: ("Its file says that its last run passed.", "$foreground-muted"),
}
COLUMNS = 40
"""Columns of a row that are shown."""
LABEL = 28
CELL_LINES = 3


def case_lines(case: ConsoleCase, *, running: bool, width: int) -> list[Content]:
    """The lines, each at most `width` terminal cells."""
    if running:
        now = "It is running here for the first time."
    else:
        now = f"It has not run here. {key_of('run_case')} runs it." if case.case is not None else "It can't be run."
    lines = [styled(now, "bold")]
    if case.problem:
        lines += styled(case.problem, "$text-warning").wrap(width)
    if case.said in _SAID:
        text, colour = _SAID[case.said]
        lines += styled(f"{text} {case.reason}".rstrip(), colour).wrap(width)
    columns = [(plain(name, 80), plain(text, 600)) for name, text in case.raw.items() if text.strip()]
    if columns:
        lines += [Content(""), styled(f"The row, {case.origin}", "$foreground-muted")]
    indent = min(max((cell_len(name) for name, _ in columns), default=0), LABEL) + 2
    for name, text in columns[:COLUMNS]:
        label = Content.styled(fit(name, indent - 1), "$foreground-muted")
        lines += hanging(label, styled(text), width, indent)[:CELL_LINES]
    if len(columns) > COLUMNS:
        lines.append(styled(f"and {len(columns) - COLUMNS} more columns", "$foreground-muted"))
    return [line.truncate(width, ellipsis=True) for line in lines]
