"""The rank table as rows and columns: what each cell says, in which order and which of them are shown."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ...services.cluster.liveness import NO_TRACEBACK
from ...services.snapshot import RankClass
from ..stacks.frame_text import frame_line
from ..widgets.table_layout import Cell, Column
from ..wording import age, milliseconds
from .classes import APPEARANCES, SEVERITY_ORDER, appearance, label_of
from .filter import nobody, nobody_inside
from .record import RankRecord, nowhere

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from ...services.ranksets import RankSet
    from ...services.snapshot import RankState
    from ...services.stacks.model import Frame
    from ..widgets.table_layout import Sorts, TableSource
    from .filter import Having, Inside, RankFilter

__all__ = ["COLUMNS", "RankRows", "row_text"]

_CLASS_WIDTH = 2 + max(len(shown.label) for shown in APPEARANCES.values())

COLUMNS: tuple[Column, ...] = (
    Column("rank", "rank", "right", max_width=9),
    Column("class", "class", min_width=_CLASS_WIDTH, max_width=_CLASS_WIDTH),
    Column("host", "host", max_width=24),
    Column("since", "since", "right", max_width=9),
    Column("call", "in call", max_width=34),
    Column("lag", "lag", "right", max_width=9),
    Column("place", "coordinates", max_width=20),
    Column("called", "called from", max_width=40),
    Column("where", "where", max_width=40),
    Column("ping", "ping ms", "right", max_width=9),
    Column("stuck", "stuck", "right", max_width=7),
    Column("reason", "reason", max_width=56),
    Column("address", "address", max_width=60),
    Column("file", "file", max_width=60),
)
_LIVE = frozenset(("class", "since", "where", "ping", "stuck", "reason", "address"))
"""Columns that files tell nothing of."""

_DIGITS = re.compile(r"(\d{1,18})")


class RankRows:
    """A `TableSource` over the rank table of one moment; row numbers are ranks, so marks and cursor are ranks too."""

    def __init__(
        self,
        ranks: Mapping[int, RankState],
        now: int,
        where: Callable[[int], Frame | None] = nowhere,
        record: RankRecord | None = None,
    ) -> None:
        """
        Args:
            ranks: the rank table.
            now: ns since the epoch, for ages.
            where: the frame that tells where a rank is.
            record: what the flight recorders say of the ranks; None before they say anything.
        """
        self.record = record or RankRecord()
        self._ranks = ranks
        self._now = now
        self._where = where
        self.columns = self._known(ranks)

    def _known(self, ranks: Mapping[int, RankState]) -> tuple[Column, ...]:
        """The columns of which anything can be known: of files alone there is no process, live there are no files."""
        record, post_mortem = self.record, any(state.address.file for state in ranks.values())
        hidden = set(_LIVE) if post_mortem else {"file", "called"}
        if post_mortem and any(_answered_somehow(state) for state in ranks.values()):
            hidden -= {"class", "reason"}  # torch's periodic dumps tell how ranks answered
        if post_mortem and any(self._where(rank) is not None for rank in ranks):
            hidden -= {"where"}
        hidden |= {
            key
            for key, known in (
                ("call", record.has_calls),
                ("lag", record.has_lag),
                ("place", record.has_coordinates),
                ("called", record.has_frames),
                ("host", not post_mortem or any(state.host for state in ranks.values())),
            )
            if not known
        }
        return tuple(column for column in COLUMNS if column.key not in hidden)

    def cell(self, row: int, column: int) -> Cell:
        state, record = self._ranks[row], self.record
        match self.columns[column].key:
            case "rank":
                return str(state.rank), ""
            case "class":
                shown = appearance(state.rank_class)
                return f"{shown.sign} {label_of(state)}", shown.component
            case "host":
                return state.host, ""
            case "since":
                return (age(self._now, state.since) if state.since is not None else ""), ""
            case "call":
                return record.call(row), "" if record.inside(row) else "table--muted"
            case "lag":
                lag = record.lag(row)
                return ("?" if lag is None else f"{lag:,}"), "" if lag else "table--muted"
            case "place":
                return record.coordinates(row), "table--muted"
            case "called":
                return _frame_text(record.called_at(row)), ""
            case "ping":
                return milliseconds(state.ping_s), ""
            case "where":
                return _frame_text(self._where(row)), ""
            case "stuck":
                return (str(len(state.stuck)) if state.stuck else ""), ""
            case "reason":
                return state.reason, "table--muted"
            case "file":
                return state.address.file, "table--muted"
            case _:
                return _address(state), "table--muted"

    def order(
        self,
        shown: RankFilter | None,
        marked: RankSet,
        sorts: Sorts,
        previous: NDArray[np.intp] | None,
        having: Having = nobody,
        inside: Inside = nobody_inside,
    ) -> NDArray[np.intp]:
        """The ranks that match, sorted; equal ones and those without a value by rank, the latter last.

        Args:
            shown: the filter, None for all.
            sorts: the column that counts most first; none: by rank.
            previous: an earlier answer; given back when nothing changed, so that a table can tell at once.
            having: for the filter, the ranks with a frame in which a text occurs.
            inside: for the filter, the ranks inside a call of an operation or group.
        """
        states = [s for s in self._ranks.values() if shown is None or shown.matches(s, marked, having, inside)]
        ranks = sorted(s.rank for s in states)
        for key, descending in reversed(sorts):
            ranks = self._sorted(ranks, key, descending)
        order = np.array(ranks, np.intp)
        return previous if previous is not None and np.array_equal(previous, order) else order

    def _sorted(self, ranks: list[int], key: str, descending: bool) -> list[int]:
        values = {rank: self._value(self._ranks[rank], key) for rank in ranks}
        filled = [rank for rank in ranks if values[rank] is not None]
        filled.sort(key=lambda rank: values[rank], reverse=descending)  # type: ignore[arg-type, return-value]
        return filled + [rank for rank in ranks if values[rank] is None]

    def _value(self, state: RankState, key: str) -> object:
        rank, record = state.rank, self.record
        match key:
            case "lag":
                return record.lag(rank)
            case "where":
                text = _frame_text(self._where(rank))
            case "called":
                text = _frame_text(record.called_at(rank))
            case "call":
                text = record.call(rank)
            case "place":
                text = record.coordinates(rank)
            case _:
                return _value(state, key)
        return _natural(text) if text else None


def _answered_somehow(state: RankState) -> bool:
    """Whether a file tells how the rank answered whoever wrote it."""
    return state.rank_class is not RankClass.UNKNOWN or state.reason.startswith(NO_TRACEBACK)


def _frame_text(frame: Frame | None) -> str:
    return frame_line(frame) if frame is not None else ""


def _value(state: RankState, key: str) -> object:
    """What a column is sorted by; None when the cell is empty."""
    match key:
        case "class":
            return SEVERITY_ORDER[state.rank_class]
        case "host":
            return _natural(state.host) if state.host else None
        case "since":
            return -state.since if state.since is not None else None
        case "ping":
            return state.ping_s
        case "stuck":
            return len(state.stuck) or None
        case "reason":
            return _natural(state.reason) if state.reason else None
        case "address":
            return _natural(_address(state)) if _address(state) else None
        case "file":
            return _natural(state.address.file) if state.address.file else None
    return state.rank


def _address(state: RankState) -> str:
    """Where a rank registered, or why it has not."""
    return state.address.registered or state.address.error


@lru_cache(maxsize=65_536)
def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """node-2 before node-10: digits compare as numbers."""
    parts = _DIGITS.split(text[:200].casefold())
    return tuple((0, int(part), "") if index % 2 else (1, 0, part) for index, part in enumerate(parts))


def row_text(rows: TableSource, rank: int) -> str:
    """One row as plain text, for the clipboard."""
    cells = [rows.cell(rank, index)[0] for index in range(len(rows.columns))]
    said = [f"{column.title} {text}" for column, text in zip(rows.columns, cells, strict=True) if text]
    return "  ".join(said)
