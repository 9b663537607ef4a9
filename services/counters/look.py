"""The wait counters of one look: read, compared with the look before, and what they say of who waits for others.

`CounterAnalyst` keeps the looks before; it is used from one thread at a time.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..cluster.answers import AnswerError
from ..judging.history import APART_S
from ..ranksets import RankSet
from .decode import ABSENT, read_counters
from .metrics import restarted_between
from .table import EMPTY_TABLE, table_of
from .waits import held_waits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..snapshot import RankReply
    from .decode import Counters
    from .table import CounterTable

__all__ = ["NO_COUNTERS", "SOURCE", "CounterAnalyst", "CounterLook"]

SOURCE = "wait_counter_values"
"""The handler."""
LOOKS_KEPT = 64
"""Looks kept for what is shown over time."""
LOOKS_MEMORY = 128 * 1024 * 1024
"""Bytes that the tables of earlier looks may take together."""


@dataclass(frozen=True, slots=True, eq=False)
class CounterLook:
    """What the wait counters of one look say. Immutable."""

    look_id: int
    """0 before the first look."""
    taken_at: int = 0
    """ns since the epoch."""
    table: CounterTable = EMPTY_TABLE
    before: CounterTable | None = None
    """The newest look that lies far enough back to be compared with."""
    before_id: int = 0
    """The number of that look, 0 when there is none."""
    restarted: RankSet = field(default_factory=RankSet)
    """Ranks whose counters began anew since then: their process is another one."""
    missing: Mapping[int, str] = field(default_factory=dict)
    """Why a rank has no counters, one plain line."""
    waits: Mapping[int, str] = field(default_factory=dict)
    """Ranks in which the same wait for other ranks goes on as at the look before, and its counter's name, as torch
    names it without its prefix. Not ranks that wait so beside a collective."""
    past: tuple[CounterTable, ...] = ()
    """Tables of earlier looks and of this one, oldest first."""

    @property
    def ranks(self) -> RankSet:
        """Ranks that gave counters."""
        return RankSet(self.table.ranks.tolist())

    @property
    def restarted_rows(self) -> NDArray[np.bool_]:
        """Which rows of the table are of ranks that began anew."""
        return np.array([rank in self.restarted for rank in self.table.ranks.tolist()], np.bool_)

    @property
    def active_ranks(self) -> RankSet:
        """Ranks that wait in some counter now."""
        return RankSet(self.table.ranks[np.any(self.table.active > 0, axis=1)].tolist())

    def waiting_in(self, rank: int) -> list[tuple[str, int]]:
        """The counters in which a rank waits now, as (title, threads); not made plain."""
        row = self.table.row_of(rank)
        if row is None:
            return []
        active = self.table.active[row]
        return [(self.table.title(int(column)), int(active[column])) for column in np.flatnonzero(active > 0)]

    def over_looks(self, rank: int, name: str, number: int) -> list[int | None]:
        """A field of one cell at each of the looks of `past`; None where it is not known.

        Args:
            number: of the field, as in `FIELDS`.
        """
        made: list[int | None] = []
        for table in self.past:
            row, column = table.row_of(rank), table.column_of(name)
            value = ABSENT if row is None or column is None else int(table.values[number, row, column])
            made.append(None if value == ABSENT else value)
        return made


NO_COUNTERS = CounterLook(0)
"""Before the first look, and of a job that is known from files."""


class CounterAnalyst:
    """Reads the wait counters of one attachment look by look."""

    def __init__(self) -> None:
        self._past: deque[tuple[int, int, CounterTable]] = deque(maxlen=LOOKS_KEPT)

    def analyse(
        self,
        look_id: int,
        taken_at: int,
        replies: Mapping[tuple[int, str], RankReply],
        ranks: RankSet,
        *,
        without: RankSet,
        inside: RankSet,
    ) -> CounterLook:
        """The wait counters of a look.

        Args:
            look_id: number of the look.
            taken_at: when it was taken, ns since the epoch.
            replies: the replies of the look, by rank and source.
            ranks: the ranks that were asked.
            without: ranks that have no such handler.
            inside: ranks that are inside a collective by their flight recorder or their stack.

        Raises:
            OSError: a spooled body can't be read.
        """
        counters: dict[int, Counters] = {}
        missing: dict[int, str] = {}
        at: dict[int, int] = {}
        for rank in ranks:
            reply = replies.get((rank, SOURCE))
            if reply is None:
                missing[rank] = _why(rank, replies, without)
                continue
            try:
                counters[rank] = read_counters(reply)
            except AnswerError as error:
                missing[rank] = str(error)
            else:
                at[rank] = reply.ended_at
        table = table_of(counters, at)
        none: tuple[int, CounterTable | None] = (0, None)
        apart = ((number, one) for number, when, one in reversed(self._past) if taken_at - when >= APART_S * 1e9)
        before_id, before = next(apart, none)
        rows = restarted_between(table, before)
        restarted = RankSet(table.ranks[rows].tolist())
        self._past.append((look_id, taken_at, table))
        self._forget()
        past = tuple(one for _, _, one in self._past)
        waits = held_waits(table, before, rows, inside)
        return CounterLook(look_id, taken_at, table, before, before_id, restarted, missing, waits, past)

    def _forget(self) -> None:
        """Looks beyond what memory allows go, oldest first; the newest two stay."""
        left = LOOKS_MEMORY
        for number, (_, _, table) in enumerate(reversed(self._past)):
            left -= table.nbytes
            if left < 0 and number >= 2:
                for _ in range(len(self._past) - number):
                    self._past.popleft()
                return


def _why(rank: int, replies: Mapping[tuple[int, str], RankReply], without: RankSet) -> str:
    if rank in without:
        return "not there: the rank has no wait_counter_values"
    for source in ("ping", "handlers"):
        reply = replies.get((rank, source))
        if reply is not None and reply.error:
            return f"{source}: {reply.error}"
    return "it was not asked"
