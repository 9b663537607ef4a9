"""Cases and runs as rows of tables, and how a case's status looks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

from ...services.console.status import CaseStatus
from ...services.run_history.records import RunState
from ..widgets.table_layout import Cell, Column
from ..wording import age, duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ...services.console.console import Console
    from ...services.console.runs import RunLine
    from ..widgets.table_layout import Sorts

T = TypeVar("T")

__all__ = [
    "CaseRows",
    "RunRows",
    "run_status",
    "sorted_cases",
    "sorted_runs",
    "status_cell",
    "status_colour",
    "status_text",
]

DAY_S = 86_400

_LOOKS: dict[CaseStatus, tuple[str, str, str]] = {
    CaseStatus.FAILED: ("x", "table--missing", "bold $text-error"),
    CaseStatus.WRONG: ("!", "table--missing", "bold $text-error"),
    CaseStatus.INTERRUPTED: ("?", "table--mismatch", "bold $text-warning"),
    CaseStatus.FAILED_BY_FILE: ("x", "table--mismatch", "bold $text-warning"),
    CaseStatus.NO_CASE: ("?", "table--warning", "$text-warning"),
    CaseStatus.RUNNING: (">", "table--open", "$text-accent"),
    CaseStatus.CANCELLED: ("-", "table--muted", "$text-muted"),
    CaseStatus.NOT_RUN: (".", "table--muted", "$text-muted"),
    CaseStatus.RAN: ("o", "", ""),
    CaseStatus.PASSED_BY_FILE: ("o", "table--muted", "$text-muted"),
    CaseStatus.PASSED: ("o", "table--passed", "$text-success"),
}
"""Sign, component class in a table, theme style elsewhere."""


def status_cell(status: CaseStatus) -> Cell:
    """The cell of a case's or run's state: sign, word and colour."""
    return (status_text(status), _LOOKS[status][1])


def status_text(status: CaseStatus) -> str:
    """The sign and the word."""
    return f"{_LOOKS[status][0]} {status.word}"


def status_colour(status: CaseStatus) -> str:
    """The style that a state is painted with outside of tables, as Textual writes styles."""
    return _LOOKS[status][2]


def run_status(line: RunLine) -> CaseStatus:
    """The same words for one run."""
    return CaseStatus.of_run(line)


class CaseRows:
    """The cases, in the order given; a row of the table is a place in it."""

    columns: Sequence[Column] = (
        Column("status", "status", max_width=16),
        Column("name", "case", min_width=12, max_width=32),
        Column("op", "operator", max_width=36),
        Column("result", "last result", max_width=60),
        Column("when", "when", min_width=9, max_width=12),
        Column("server", "server", max_width=24),
        Column("origin", "from", max_width=28),
    )

    def __init__(self, console: Console, ids: Sequence[str], now: int) -> None:
        self._console = console
        self.ids = ids
        self._now = now

    def cell(self, row: int, column: int) -> Cell:
        console, case = self._console, self._console.cases[self.ids[row]]
        line = console.latest(case.id)
        match self.columns[column].key:
            case "status":
                return status_cell(console.status(case.id))
            case "name":
                return (f"{case.name} *{len(case.edits)}" if case.edits else case.name, "")
            case "op":
                return (case.title, "")
            case "result":
                if line is not None:
                    return (line.said, "")
                return (case.problem or case.reason, "table--muted")
            case "when":
                return (when(self._now, line.started_ns) if line is not None else "", "table--muted")
            case "server":
                return (line.endpoint if line is not None else "", "table--muted")
            case _:
                return (case.origin, "table--muted")


def sorted_cases(console: Console, ids: Sequence[str], sorts: Sorts) -> list[str]:
    """Cases sorted by columns; unknown values last, equal ones in the order given."""

    def value(case_id: str, key: str) -> Any:
        case, line = console.cases[case_id], console.latest(case_id)
        match key:
            case "status":
                return console.status(case_id).urgency, console.status(case_id).word
            case "name":
                return case.name.casefold()
            case "op":
                return case.title.casefold() or None
            case "result":
                return (line.said if line is not None else case.problem or case.reason) or None
            case "when":
                return -line.started_ns if line is not None else None
            case "server":
                return line.endpoint if line is not None else None
            case "origin":
                return case.origin or None
        return None

    return _in_order(ids, sorts, value)


def sorted_runs(lines: Sequence[RunLine], sorts: Sorts) -> list[int]:
    """Places of runs sorted by columns, in the same way."""

    def value(place: int, key: str) -> Any:
        line = lines[place]
        match key:
            case "status":
                status = run_status(line)
                return status.urgency, status.word
            case "when":
                return -line.started_ns
            case "took":
                return line.took_s if line.state is not RunState.INTERRUPTED else None
            case "changes":
                return line.changes or None
            case "result":
                return line.said or None
            case "server":
                return line.endpoint
            case "number":
                return line.number
        return None

    return _in_order(range(len(lines)), sorts, value)


def _in_order(items: Iterable[T], sorts: Sorts, value: Callable[[T, str], Any]) -> list[T]:
    found = list(items)
    for key, descending in reversed(sorts):
        known = [(value(item, key), item) for item in found]
        there = sorted((one for one in known if one[0] is not None), key=lambda one: one[0], reverse=descending)
        found = [item for _, item in there] + [item for worth, item in known if worth is None]
    return found


class RunRows:
    """The runs of one case, newest first."""

    columns: Sequence[Column] = (
        Column("status", "outcome", max_width=14),
        Column("when", "when", min_width=9, max_width=12),
        Column("took", "took", align="right", max_width=9),
        Column("changes", "edited", min_width=8, max_width=48),
        Column("result", "result", max_width=70),
        Column("server", "server", max_width=24),
        Column("number", "run", align="right", max_width=8),
    )

    def __init__(self, lines: Sequence[RunLine], now: int) -> None:
        self.lines = lines
        self._now = now

    def cell(self, row: int, column: int) -> Cell:
        line = self.lines[row]
        match self.columns[column].key:
            case "status":
                return status_cell(run_status(line))
            case "when":
                return (when(self._now, line.started_ns), "table--muted")
            case "took":
                took = line.took_s if line.state is not RunState.INTERRUPTED else None
                return (duration(took) if took is not None else "", "")
            case "changes":
                return (" ".join(f"{name}={value}" for name, value in line.changes), "table--match")
            case "result":
                return (line.said, "")
            case "server":
                return (line.endpoint, "table--muted")
            case _:
                return (f"#{line.number}" if line.number is not None else "", "table--muted")


def when(now: int, then: int) -> str:
    """How long ago, or the day when that is longer than one."""
    if now - then < DAY_S * 1_000_000_000:
        return f"{age(now, then)} ago"
    return time.strftime("%Y-%m-%d", time.gmtime(then / 1e9))
