"""Where things stand in the progress matrix, and how a cell is written. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...services.flight_recorder.motion import Pace
from ...services.progress.matrix import PACES
from ..wording import count
from .column_places import ColumnPlaces
from .text import cell_len, fit, plain

if TYPE_CHECKING:
    from ...services.progress.matrix import Progress, ProgressCell

__all__ = ["MEANINGS", "SIGNS", "MatrixColumn", "MatrixLayout", "cell_said", "cell_text", "lags", "legend_said"]

GAP = 2
"""Blank terminal cells between columns."""
TITLE = 18
"""Terminal cells of the longest title."""
BAR = 6
"""Terminal cells of the longest bar of a lag."""
WITH_BAR = 56
"""Width of the matrix from which lags have a bar."""
STEP = 1
"""A moving rank that is so many calls behind is between two calls, as each of them is at times: nothing to point at."""
RANKS = 24
"""Terminal cells of the members of a group."""

SIGNS: dict[Pace | None, tuple[str, str]] = {
    Pace.FROZEN: ("=", "frozen"),
    Pace.CRAWLING: ("~", "crawling"),
    Pace.MOVING: (">", "moving"),
    Pace.IDLE: ("_", "idle"),
    None: (" ", "outside"),
}
"""Sign and word of each pace; with one look there is none, and `INSIDE` stands for ranks inside a call."""
INSIDE = ("+", "in a call")
MEANINGS = (
    ("!", "a finding accuses the rank"),
    ("w", "it is held up by an accused one"),
    ("=", "frozen: inside the same call as at the look before"),
    ("~", "crawling: far fewer calls than usual since the look before"),
    (">", "moving: it has made calls since the look before"),
    ("_", "idle: inside no call, and none made since the look before"),
    ("+", "inside a call; there is no look before to compare"),
    ("-1", "calls that it is behind the newest of its group"),
    ("?", "its position is not known"),
    ("-", "nothing is recorded there"),
)
"""The signs of the matrix and what they mean, for the help."""
_CODES = {code: SIGNS[pace][0] for code, pace in enumerate(PACES)}
_SOURCES = {"dump_nccl_trace_json": "nccl", "fr_trace_json": "cpu", "torchcomms_fr_trace_json": "comms"}


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """One column as it is painted."""

    title: str
    """Made plain."""
    position: int
    """Terminal cells of the widest position."""
    lag: int
    """Terminal cells of the widest lag with its minus, 0 when nobody lags."""

    @property
    def width(self) -> int:
        return max(cell_len(self.title) + 2, self.position + 2 + (self.lag + 1 if self.lag else 0))


class MatrixLayout(ColumnPlaces):
    """Widths for one `Progress` and one width of the widget.

    Before the columns stand mark, rank, role, lag and its bar.
    """

    def __init__(self, progress: Progress, width: int) -> None:
        several = len({column.source for column in progress.columns}) > 1
        self.columns = tuple(_column(progress, number, several=several) for number in range(len(progress.columns)))
        self.rank_width = max(len(str(int(progress.ranks[-1]))) if len(progress.ranks) else 1, 4)
        self.top_lag = int(np.max(progress.row_lag, initial=0))
        self.lag_width = max(len(f"{self.top_lag:,}"), 5)
        self.bar = BAR if width >= WITH_BAR and self.top_lag else 0
        left = 2 + self.rank_width + 3 + self.lag_width + (1 + self.bar if self.bar else 0) + GAP
        super().__init__((column.width for column in self.columns), gap=GAP, left=left)

    def bar_of(self, lag: int) -> str:
        """The bar of a lag: the longest is that of the greatest one, the shortest one cell."""
        length = -(-max(lag, 0) * self.bar // max(self.top_lag, 1))
        return ("━" * length).ljust(self.bar)


def _column(progress: Progress, number: int, *, several: bool) -> MatrixColumn:
    column = progress.columns[number]
    title = plain(column.title, TITLE * 4)
    if several:
        title = f"{title} {_SOURCES.get(column.source, plain(column.source, TITLE))}"
    at = progress.cells[:, number]
    at = at[at >= 0]
    lag = int(np.max(progress.lag[at], initial=0))
    highest = int(np.max(progress.position[at], initial=0))
    return MatrixColumn(fit(title, min(cell_len(title), TITLE)), len(str(highest)), len(f"-{lag}") if lag else 0)


def lags(progress: Progress, row: int) -> bool:
    """Whether a rank is behind in some group by more than a moving rank is at times."""
    lag = int(progress.row_lag[row])
    if not 0 < lag <= STEP:
        return lag > 0
    at = progress.cells[row]
    at = at[at >= 0]
    return bool(np.any((progress.lag[at] > 0) & (progress.pace[at] != PACES.index(Pace.MOVING))))


def cell_text(progress: Progress, at: int, column: MatrixColumn) -> tuple[str, str]:
    """A cell in the width of its column, and the component class that it is painted with.

    Args:
        at: index of the cell, negative for none.
    """
    if at < 0:
        return " " * column.width, "matrix--outside"
    position, lag, pace = int(progress.position[at]), int(progress.lag[at]), int(progress.pace[at])
    inside = bool(progress.inside[at])
    number = "?" if position < 0 else "-" if progress.silent[at] else str(position)
    sign = _CODES[pace] if pace else INSIDE[0] if inside else " "
    behind = f" {f'-{lag}' if lag > 0 else '':>{column.lag}}" if column.lag else ""
    text = f"{number:>{column.position}}{behind} {sign}".ljust(column.width)
    if position < 0:
        return text, "matrix--unknown"
    known = PACES[pace]
    if lag > (STEP if known is Pace.MOVING else 0):
        return text, "matrix--behind"
    return text, f"matrix--{known.value}" if known else "matrix--inside" if inside else "matrix--outside"


def legend_said(progress: Progress) -> list[tuple[str, str]]:
    """The signs that occur in the matrix, with a word for each."""
    ranks = np.bincount(progress.pace, minlength=len(PACES)).tolist()
    said = [SIGNS[pace] for code, pace in enumerate(PACES) if code and ranks[code]]
    said.reverse()
    if bool(np.any(progress.inside & (progress.pace == 0))):
        said.append(INSIDE)
    if bool(np.any(progress.position < 0)):
        said.append(("?", "not known"))
    if bool(np.any(progress.silent)):
        said.append(("-", "nothing recorded"))
    return said


def cell_said(cell: ProgressCell | None, rank: int, title: str, *, culprit: bool, waiting: bool) -> str:
    """A cell in words, plain text but for the group's description.

    Args:
        cell: None when the rank is in no group of the column.
        title: of the column.
    """
    role = ", accused" if culprit else ", held up" if waiting else ""
    if cell is None:
        return f"rank {rank}{role}: in no group of {title}"
    group = cell.group
    members = str(group.members)
    named = group.label if group.desc in ("", "undefined") else title
    of_ranks = f" (ranks {fit(members, min(len(members), RANKS))})"
    where = f"rank {rank}{role}"
    if cell.position is None:
        return f"{where}: its position in {named} is not known{of_ranks}"
    if cell.silent:
        least = f"; the others have made at least {count(cell.lag, 'call')} more" if cell.lag else ""
        return f"{where}: nothing recorded in {named}{least}{of_ranks}"
    parts = [f"{where}: {'P2P call' if cell.p2p else 'call'} #{cell.position} of {named}"]
    if cell.lag:
        parts.append(f"{cell.lag:,} behind the newest")
    if cell.pace is not None:
        sign, word = SIGNS[cell.pace]
        parts.append(f"{word} ({sign})")
    elif cell.inside:
        parts.append("in a call (+)")
    if cell.made is not None:
        parts.append(f"{count(cell.made, 'call')} since the last look")
    return ", ".join(parts) + of_ranks
