"""The parts about the flight recorders: how far each group is, and the collectives that something is wrong with."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...progress.matrix import PACES
from ...ranksets import RankSet
from ...recorder_tables.browser import RecorderTables, source_name
from ...recorder_tables.row_filter import RowFilter
from .elements import Element, el, ranks_text, table
from .verdict_parts import left_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...progress.matrix import Progress
    from ...session import Session

__all__ = ["collectives_part", "progress_part"]

MOST_GROUPS = 100
MOST_CALLS = 100
_COLUMNS = (
    "group",
    "seq",
    "p2p_seq",
    "op",
    "state",
    "here",
    "open",
    "missing",
    "mismatch",
    "inputs",
    "dtype",
    "age",
    "created_utc",
)
"""Fields of the table Collectives that are shown."""
_PROBLEMS = ("is:mismatch", "is:missing", "is:open")


class _Standing(NamedTuple):
    """How a group stands; groups that stand alike share a row."""

    lag: int
    """Of the rank that is furthest behind; 0 where that is not known."""
    column: int
    label: str
    size: int
    newest: int
    inside: int
    pace: str


def progress_part(session: Session) -> Element | None:
    """One row for the groups that stand alike: newest call, who is how far behind, how many are inside a call."""
    progress = session.recorder.progress
    if not progress:
        return None
    found: dict[_Standing, list[tuple[RankSet, RankSet]]] = {}
    for column in range(len(progress.columns)):
        cells = progress.cells[:, column]
        there = np.flatnonzero(cells >= 0)
        groups = progress.group[cells[there]]
        order = np.argsort(groups, kind="stable")
        for mine in np.split(there[order], np.flatnonzero(np.diff(groups[order])) + 1):
            standing, behind = _standing(progress, column, mine)
            members = progress.groups[int(progress.group[cells[mine[0]]])].members
            found.setdefault(standing, []).append((members, behind))
    rows = sorted(found.items(), key=lambda one: (-one[0].lag, one[0].column))
    shown = [_progress_row(progress, standing, alike) for standing, alike in rows[:MOST_GROUPS]]
    titles = (
        "along",
        "group",
        "groups",
        "size",
        "members",
        "newest call",
        "most behind",
        "who",
        "inside a call",
        "pace",
    )
    kept = [at for at in range(len(titles)) if any(row[at] for row in shown)]
    numeric = [place for place, at in enumerate(kept) if titles[at] in _NUMBERS]
    count = sum(map(len, found.values()))
    return el(
        "section",
        "",
        el("h2", "", f"Progress by group ({count:,}, greatest lag first; groups that stand alike in one row)"),
        table([titles[at] for at in kept], ([row[at] for at in kept] for row in shown), numeric=numeric),
        left_out(len(rows), MOST_GROUPS, "row"),
    )


_NUMBERS = ("groups", "size", "newest call", "most behind", "inside a call")


def _standing(progress: Progress, column: int, rows: NDArray[np.intp]) -> tuple[_Standing, RankSet]:
    """How the ranks of these rows, a group, stand, and which of them are furthest behind."""
    cells = progress.cells[rows, column]
    group = progress.groups[int(progress.group[cells[0]])]
    lag = progress.lag[cells]
    most = int(lag.max(initial=-1))
    paces = [PACES[code] for code in np.unique(progress.pace[cells])]
    standing = _Standing(
        lag=max(most, 0),
        column=column,
        label=group.label,
        size=group.size,
        newest=int(progress.position[cells].max(initial=-1)),
        inside=int(np.count_nonzero(progress.inside[cells])),
        pace=", ".join(pace.value for pace in paces if pace is not None),
    )
    return standing, RankSet(progress.ranks[rows[lag == most]].tolist()) if most > 0 else RankSet()


def _progress_row(progress: Progress, one: _Standing, alike: list[tuple[RankSet, RankSet]]) -> tuple[str, ...]:
    members, behind = (reduce(or_, sets) for sets in zip(*alike, strict=True))
    return (
        progress.columns[one.column].title,
        one.label,
        f"{len(alike):,}",
        f"{one.size:,}",
        ranks_text(members),
        f"#{one.newest}" if one.newest >= 0 else "",
        f"{one.lag:,}" if one.lag > 0 else "",
        ranks_text(behind) if behind else "",
        f"{one.inside:,}",
        one.pace,
    )


def collectives_part(session: Session) -> Element | None:
    """Collectives that ranks have not come to, differ in, or that are not over: those first that are worse."""
    parts: list[Element | None] = []
    for source in session.recorder.diagnoses:
        found = RecorderTables(session.recorder, source).collectives
        masks = [found.mask(RowFilter.parse(text)) for text in _PROBLEMS]
        weight = masks[0] * 4 + masks[1] * 2 + masks[2] * 1
        rows = np.flatnonzero(weight)
        rows = rows[np.argsort(-weight[rows], kind="stable")]
        if not len(rows):
            continue
        places = [found.place(key) for key in _COLUMNS]
        shown = [[found.cell(row, place).text for place in places] for row in rows[:MOST_CALLS].tolist()]
        kept = [at for at in range(len(places)) if any(row[at] not in ("", "0", "—") for row in shown)]
        fields = [found.fields[places[at]] for at in kept]
        numeric = [at for at, field in enumerate(fields) if field.numeric]
        titles = [field.title for field in fields]
        parts.append(
            el(
                "h2",
                "",
                f"Collectives that are open, not joined by all, or differ: {source_name(source)} ({len(rows):,})",
            )
        )
        parts.append(table(titles, ([row[at] for at in kept] for row in shown), numeric=numeric))
        parts.append(left_out(len(rows), MOST_CALLS, "collective"))
    return el("section", "", *parts) if parts else None
