"""Memberships: one row for each known member of each group, with how far it is there."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ..flight_recorder.coordinates import written
from ..flight_recorder.interning import Interned
from ..ranksets import RankSet
from .cells import maybe_cell
from .column_table import Column, ColumnTable, rank_flags
from .group_names import group_label
from .moments import NOT_KNOWN
from .order import sortable
from .row_filter import Flag
from .table import CellValue, Detail, Field, Sign
from .texts import Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from .members import Members

__all__ = ["MembershipRows"]

Known: TypeAlias = "tuple[NDArray[np.uint64], NDArray[np.bool_]]"
"""Numbers, and which of them are known."""

_DUMPS = ("no dump", "dump")


class MembershipRows(ColumnTable):
    """Rows as torch's table Memberships: by group, then by rank."""

    def __init__(
        self, members: Members, hosts: Mapping[int, str], coordinates: Mapping[int, Mapping[str, int]]
    ) -> None:
        """
        Args:
            hosts: host of each rank, as far as it is known.
            coordinates: `RecorderLook.coordinates`.
        """
        self.members = members
        self._hosts = hosts
        self._coordinates = coordinates
        super().__init__("Memberships", self._made(), len(members))

    # jumps ----------------------------------------------------------------------------------------------------

    def group_of(self, row: int) -> int:
        """The row of its group."""
        self._check(row)
        return int(self.members.group[row])

    def row_of(self, group: int, rank: int) -> int | None:
        """The row of a member of a group (index in `Job.groups`), None when the rank is none."""
        return self.members.row_of(group, rank)

    # columns --------------------------------------------------------------------------------------------------

    @cached_property
    def _groups(self) -> Texts:
        return Texts([group_label(group) for group in self.members.groups], self.members.group)

    def _of_rank(self, told: Callable[[int], str]) -> Texts:
        """A text of the rank of each row, made once for each rank."""
        values: Interned[str] = Interned(str)
        distinct, places = np.unique(self.members.rank, return_inverse=True)
        codes = np.array([values.number(told(int(rank))) for rank in distinct], dtype=np.int32)
        return Texts(values.values, codes[places])

    @cached_property
    def _host_texts(self) -> Texts:
        return self._of_rank(lambda rank: self._hosts.get(rank, ""))

    @cached_property
    def _place_texts(self) -> Texts:
        return self._of_rank(lambda rank: written(self._coordinates.get(rank, {})))

    def _number(
        self, key: str, title: str, column: Callable[[], tuple[NDArray[np.uint64], NDArray[np.bool_]]]
    ) -> Column:
        def cell(row: int) -> CellValue:
            values, known = column()
            return maybe_cell(int(values[row]) if known[row] else None)

        return Column(Field(key, title, True), cell, lambda: sortable(*column()))

    def _made(self) -> Sequence[Column]:
        members = self.members
        return (
            Column(
                Field("group", "group_id"),
                lambda row: CellValue(self._groups.text(row)),
                texts=lambda: self._groups,
                filtered="group",
            ),
            Column(
                Field("rank", "global_rank", True), lambda row: CellValue(str(members.rank[row])), lambda: members.rank
            ),
            Column(
                Field("host", "host"), lambda row: CellValue(self._host_texts.text(row)), texts=lambda: self._host_texts
            ),
            Column(
                Field("place", "coordinates"),
                lambda row: CellValue(self._place_texts.text(row)),
                texts=lambda: self._place_texts,
            ),
            self._number("enqueued", "enqueued", lambda: members.enqueued),
            self._number("completed", "completed", lambda: members.completed),
            Column(Field("lag", "lag", True), self._lag_cell, lambda: sortable(*members.lag)),
            self._number("p2p_enqueued", "P2P enqueued", lambda: members.p2p_enqueued),
            self._number("p2p_completed", "P2P completed", lambda: members.p2p_completed),
            Column(
                Field("dump", "dump"),
                self._dump_cell,
                texts=lambda: Texts(_DUMPS, members.with_dump.astype(np.int32)),
            ),
        )

    # cells ----------------------------------------------------------------------------------------------------

    def _lag_cell(self, row: int) -> CellValue:
        lags, known = self.members.lag
        if not known[row]:
            return CellValue(NOT_KNOWN, Sign.FAINT)
        return CellValue(str(lags[row]), Sign.MISSING if lags[row] else Sign.NONE)

    def _dump_cell(self, row: int) -> CellValue:
        dumped = bool(self.members.with_dump[row])
        return CellValue(_DUMPS[dumped], Sign.NONE if dumped else Sign.MISSING)

    # rows -----------------------------------------------------------------------------------------------------

    def ranks(self, row: int) -> RankSet:
        """The member."""
        self._check(row)
        return RankSet((int(self.members.rank[row]),))

    def details(self, row: int) -> Sequence[Detail]:
        self._check(row)
        rank, group = int(self.members.rank[row]), self.members.groups[int(self.members.group[row])]
        told = [
            ("group", group_label(group)),
            ("rank", f"{rank}, number {group.ranks.index(rank)} of {group.size} in the group"),
            ("host", self._host_texts.text(row)),
            ("coordinates", self._place_texts.text(row)),
        ]
        facts = [Detail(label, text) for label, text in told if text]
        if group.inferred:
            facts.append(Detail("member", "concluded from its use of the group", Sign.FAINT))
        at = self.members.position(row)
        if at is None:
            job = self.members.analysis.job
            why = job.unreadable.get(rank, "it left none")
            return [*facts, Detail("position", f"not known: no dump of this rank ({why})", Sign.MISSING)]
        numbers = [
            ("oldest in its ring", at.first),
            ("newest called", at.enqueued),
            ("over up to", at.completed),
            ("newest P2P called", at.p2p_enqueued),
            ("P2P over up to", at.p2p_completed),
        ]
        facts += [
            Detail(label, NOT_KNOWN if number is None else f"#{number}", Sign.FAINT if number is None else Sign.NONE)
            for label, number in numbers
        ]
        said = [
            (at.silent, "nothing is recorded about the group on this rank"),
            (at.counted, f"its counters say it; they count {at.unit.value}"),
            (at.borrowed, "that these counters are this group's is concluded from other ranks"),
            (at.filtered, "the dump leaves out calls that are over"),
        ]
        how = [text for holds, text in said if holds]
        return [*facts, *(Detail("" if place else "how it is known", text) for place, text in enumerate(how))]

    def of_ranks(self, ranks: RankSet) -> NDArray[np.bool_]:
        flags = rank_flags(ranks)
        found: NDArray[np.bool_] = flags[np.minimum(self.members.rank, len(flags) - 1)]
        return found

    def of_sequence(self, first: int, last: int) -> NDArray[np.bool_]:
        """Members whose newest collective lies in the range."""
        newest, known = self.members.enqueued
        return known & (newest >= np.uint64(first)) & (newest <= np.uint64(last))

    def flagged(self, flag: Flag) -> NDArray[np.bool_]:
        members = self.members
        match flag:
            case Flag.MISSING:
                lags, known = members.lag
                return (known & (lags > 0)) | ~members.with_dump
            case Flag.OPEN:
                enqueued, called = members.enqueued
                completed, _ = members.completed
                return called & (enqueued > completed) & members.with_dump
            case Flag.P2P:
                return members.p2p_enqueued[1] & (members.p2p_enqueued[0] > 0)
            case Flag.MISMATCH:
                return np.zeros(len(self), dtype=np.bool_)
