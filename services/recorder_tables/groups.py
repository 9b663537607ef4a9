"""Groups: one row for each process group, with how far apart its members are."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..ranksets import RankSet, ranks_said
from .cells import known_cell, maybe_cell
from .column_table import Column, ColumnTable
from .group_names import group_label
from .moments import NOT_KNOWN
from .order import sortable
from .row_filter import Flag
from .table import CellValue, Detail, Field, Sign
from .texts import Texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..flight_recorder.groups import JobGroup
    from .collectives import CollectiveRows

__all__ = ["GroupRows"]

_HOW = ("recorded", "inferred")


def _no_desc(group: JobGroup) -> CellValue:
    """What stands for a description that is empty: for the group without a name too what it is called elsewhere."""
    return CellValue("" if group.name else group_label(group), Sign.FAINT)


class GroupRows(ColumnTable):
    """One row for each group of the job; the row is its index in `Job.groups`."""

    def __init__(self, collectives: CollectiveRows) -> None:
        self.collectives = collectives
        self.members = collectives.members
        super().__init__("Groups", self._made(), len(self.members.groups))

    # jumps ----------------------------------------------------------------------------------------------------

    def row_of(self, group: int) -> int | None:
        """The row of a group by its index in `Job.groups`, None when there is no such group."""
        return group if 0 <= group < len(self) else None

    def members_of(self, row: int) -> NDArray[np.intp]:
        """The rows of its memberships."""
        self._check(row)
        return self.members.rows_of(row)

    # columns --------------------------------------------------------------------------------------------------

    def _each(self, values: Sequence[str]) -> Texts:
        return Texts(values, np.arange(len(values), dtype=np.int32))

    @cached_property
    def size(self) -> NDArray[np.int64]:
        """Members, those that are known to exist only by number included."""
        return np.array([group.size for group in self.members.groups], dtype=np.int64)

    @cached_property
    def known(self) -> NDArray[np.int64]:
        return np.diff(self.members.starts)

    @cached_property
    def dumped(self) -> NDArray[np.int64]:
        """Members that have a dump."""
        return self._counted(self.members.with_dump)

    @cached_property
    def calls(self) -> NDArray[np.int64]:
        """Rows of the collectives that it has."""
        return np.bincount(self.collectives.group, minlength=len(self.members.groups)).astype(np.int64)

    @cached_property
    def open(self) -> NDArray[np.int64]:
        """Calls that are not over on some rank."""
        here = self.collectives.group[self.collectives.open > 0]
        return np.bincount(here, minlength=len(self.members.groups)).astype(np.int64)

    @cached_property
    def _span(self) -> list[tuple[int, int] | None]:
        """The newest collective of the hindmost and of the foremost member, None where no member's is known."""
        newest, known = self.members.enqueued
        found: list[tuple[int, int] | None] = []
        for low, high in zip(self.members.starts, self.members.starts[1:], strict=False):
            here = newest[low:high][known[low:high]]
            found.append((int(here.min()), int(here.max())) if len(here) else None)
        return found

    @cached_property
    def _mismatched(self) -> NDArray[np.bool_]:
        flags = np.zeros(len(self.members.groups), dtype=np.bool_)
        flags[[mismatch.group for mismatch in self.collectives.lines.analysis.mismatches]] = True
        return flags

    def _counted(self, flags: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(self.members.group[flags], minlength=len(self.members.groups)).astype(np.int64)

    def _span_keys(self, place: int) -> NDArray[np.int64]:
        known = np.array([span is not None for span in self._span], dtype=np.bool_)
        values = np.array([span[place] if span else 0 for span in self._span], dtype=np.uint64)
        return sortable(values, known)

    def _lag_keys(self) -> NDArray[np.int64]:
        known = np.array([span is not None for span in self._span], dtype=np.bool_)
        return sortable(np.array([span[1] - span[0] if span else 0 for span in self._span], dtype=np.uint64), known)

    def _made(self) -> Sequence[Column]:
        groups = self.members.groups
        how = np.array([group.inferred for group in groups], dtype=np.int32)
        return (
            Column(
                Field("group", "id"),
                lambda row: CellValue(groups[row].name),
                texts=lambda: self._each([group.name for group in groups]),
                filtered="group",
            ),
            Column(
                Field("desc", "desc"),
                lambda row: CellValue(groups[row].desc) if groups[row].desc else _no_desc(groups[row]),
                texts=lambda: self._each([group.desc for group in groups]),
                filtered="group",
            ),
            Column(Field("size", "size", True), lambda row: CellValue(str(self.size[row])), lambda: self.size),
            Column(Field("known", "known", True), self._known_cell, lambda: self.known),
            Column(Field("dumps", "with dump", True), self._dumps_cell, lambda: self.dumped),
            Column(Field("hindmost", "hindmost seq", True), lambda row: self._seq(row, 0), lambda: self._span_keys(0)),
            Column(Field("foremost", "foremost seq", True), lambda row: self._seq(row, 1), lambda: self._span_keys(1)),
            Column(Field("lag", "lag", True), self._lag_cell, self._lag_keys),
            Column(Field("calls", "calls", True), lambda row: CellValue(str(self.calls[row])), lambda: self.calls),
            Column(Field("open", "open", True), self._open_cell, lambda: self.open),
            Column(
                Field("how", "members are"),
                lambda row: CellValue(_HOW[how[row]], Sign.FAINT if how[row] else Sign.NONE),
                texts=lambda: Texts(_HOW, how),
            ),
            Column(
                Field("ranks", "ranks"),
                lambda row: CellValue(str(groups[row].members)),
                lambda: np.array([group.members.first or 0 for group in groups], dtype=np.int64),
            ),
        )

    # cells ----------------------------------------------------------------------------------------------------

    def _known_cell(self, row: int) -> CellValue:
        return CellValue(str(self.known[row]), Sign.MISSING if self.known[row] < self.size[row] else Sign.NONE)

    def _dumps_cell(self, row: int) -> CellValue:
        return CellValue(str(self.dumped[row]), Sign.MISSING if self.dumped[row] < self.size[row] else Sign.NONE)

    def _seq(self, row: int, place: int) -> CellValue:
        span = self._span[row]
        return maybe_cell(span[place] if span else None)

    def _lag_cell(self, row: int) -> CellValue:
        span = self._span[row]
        if span is None or span[0] == span[1]:
            return known_cell(NOT_KNOWN if span is None else "0")
        return CellValue(str(span[1] - span[0]), Sign.MISSING)

    def _open_cell(self, row: int) -> CellValue:
        return CellValue(str(self.open[row]), Sign.OPEN if self.open[row] else Sign.FAINT)

    # rows -----------------------------------------------------------------------------------------------------

    def ranks(self, row: int) -> RankSet:
        """Its known members."""
        self._check(row)
        return self.members.groups[row].members

    def details(self, row: int) -> Sequence[Detail]:
        self._check(row)
        group = self.members.groups[row]
        job = self.collectives.lines.job
        how = "concluded from who uses it" if group.inferred else "as the dumps say"
        facts = [
            Detail("group", group_label(group)),
            Detail("name", group.name),
            Detail("description", group.desc),
            *(Detail("described as", f"{desc!r} on {ranks_said(ranks)}") for desc, ranks in group.descs.items()),
            Detail("members", f"{group.members} ({len(group.ranks)}), {how}"),
        ]
        if group.disputed:
            facts.append(Detail("disputed", f"the dumps of {group.disputed} say other members", Sign.MISMATCH))
        if group.unseen:
            facts.append(Detail("unseen members", f"{group.unseen}, their ranks are not known", Sign.MISSING))
        if absent := group.members & job.absent:
            facts.append(Detail("without a dump", f"{absent} ({len(absent)})", Sign.MISSING))
        newest, known = self.members.enqueued
        mine = self.members_of(row)
        unknown = self.members.rank[mine][~known[mine] & self.members.with_dump[mine]]
        if len(unknown):
            facts.append(Detail("position not known", str(RankSet(unknown.tolist())), Sign.FAINT))
        span = self._span[row]
        if span is not None:
            here = mine[known[mine]]
            for label, seq in (("foremost", span[1]), ("hindmost", span[0])):
                at = here[newest[here] == np.uint64(seq)]
                facts.append(Detail(label, f"#{seq}, {ranks_said(RankSet(self.members.rank[at].tolist()))}"))
        facts.append(Detail("calls", f"{self.calls[row]:,} recorded, {self.open[row]:,} not over on some rank"))
        return facts

    def of_ranks(self, ranks: RankSet) -> NDArray[np.bool_]:
        return np.array([bool(group.members & ranks) for group in self.members.groups], dtype=np.bool_)

    def flagged(self, flag: Flag) -> NDArray[np.bool_]:
        match flag:
            case Flag.MISSING:
                return self._lag_keys() > 0
            case Flag.MISMATCH:
                return self._mismatched
            case Flag.OPEN:
                return self.open > 0
            case Flag.P2P:
                found = np.zeros(len(self), dtype=np.bool_)
                found[self.collectives.group[self.collectives.p2p]] = True
                return found
