"""How the progress matrix is shown: which pane has the place where there is one only, order of the rows, the column."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ...services.findings import VerdictValue
from ...services.judging.class_findings import CLASS_VALUES
from ...services.progress.matrix import LAG, RANK
from ...services.ranksets import RankSet
from ..tables.matrix_sort import MatrixSort

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ...services.findings import Finding
    from ...services.progress.matrix import Progress
    from ...services.session import Session

__all__ = ["ColumnKey", "Pane", "ProgressView", "SortKey"]

ColumnKey = tuple[str, str]
"""`GroupColumn.key`: a column is known by it from look to look."""
SortKey = int | ColumnKey
"""`LAG`, `RANK` or a column."""


class Pane(StrEnum):
    """The two panes of the overview that share a place in a small terminal."""

    GRID = "rank grid"
    MATRIX = "progress matrix"


class ProgressView:
    """The choice over the progress matrix of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.pane = Pane.GRID
        """The pane that has the keys; the only one shown where there is no room for both."""
        self._sort = MatrixSort("progress", {LAG: "lag", RANK: "rank"})
        self.column_key: ColumnKey | None = None
        """The column a person has gone to."""
        self._order: NDArray[np.intp] = np.empty(0, np.intp)
        self._made_for: object = None

    @property
    def progress(self) -> Progress:
        return self._session.recorder.progress

    @property
    def culprits(self) -> RankSet:
        """Ranks that findings accuse; not those they only can't tell anything of, unless others wait."""
        findings = self._session.verdict.findings
        return _union(one.culprits for one in findings if one.severity.accuses and (one.waiting or not _unknown(one)))

    @property
    def waiting(self) -> RankSet:
        """Ranks that are held up by what findings say, and are not accused themselves."""
        held_up = _union(one.waiting for one in self._session.verdict.findings if one.severity.accuses)
        return held_up - self.culprits

    @property
    def column(self) -> int:
        """The column of the cursor: the one gone to, else the first."""
        return self.progress.column_of(self.column_key) or 0

    @property
    def sorted_by(self) -> int:
        """What `Progress.order` is to sort by; by lag where there is no such column as the one sorted by."""
        key = self._sort.key
        if isinstance(key, int):
            return key
        source, _, title = key.partition(" ")
        column = self.progress.column_of((source, title))
        return LAG if column is None else column

    @property
    def descending(self) -> bool:
        """Whether it is the other way round; the order that stands in for another is not."""
        return self._sort.descending and (self.sorted_by >= 0 or isinstance(self._sort.key, int))

    @property
    def sort_key(self) -> SortKey:
        """The same as `sorted_by`, a column by its key."""
        by = self.sorted_by
        return by if by < 0 else self.progress.columns[by].key

    def go_to_column(self, number: int) -> None:
        self.column_key = self.progress.columns[number].key

    def sort_by(self, key: SortKey) -> None:
        """Sort by lag, rank or a column; the same again turns the order round."""
        self._take(key, descending=not self.descending if key == self.sort_key else False)

    def _take(self, key: SortKey, *, descending: bool = False) -> None:
        self._sort.take(key if isinstance(key, int) else " ".join(key), descending=descending)

    def sort_next(self) -> None:
        """From lag to rank, to the column of the cursor, to lag."""
        after: dict[int, SortKey] = {LAG: RANK, RANK: self.progress.columns[self.column].key}
        self._take(after.get(self.sorted_by, LAG))

    def order(self, shown: RankSet | None) -> NDArray[np.intp]:
        """The rows shown, in order; sorted by lag, accused ranks first. The same array as long as nothing changed.

        Args:
            shown: ranks that match the filter, None for all.
        """
        first = self.culprits
        made_for = (self.progress, shown, first, self.sorted_by, self.descending)
        if made_for != self._made_for:
            self._order = self.progress.order(
                self.sorted_by, descending=self.descending, shown=shown, first=first if self.sorted_by == LAG else None
            )
            self._made_for = made_for
        return self._order


def _unknown(finding: Finding) -> bool:
    """Whether it says of ranks that they can't be reached, or did not register: that may be no fault of theirs."""
    return CLASS_VALUES.get(finding.kind) is VerdictValue.UNKNOWN


def _union(sets: Iterable[RankSet]) -> RankSet:
    bits = 0
    for one in sets:
        bits |= one.bits
    return RankSet.from_bits(bits)
