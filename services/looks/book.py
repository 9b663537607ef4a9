"""The closed looks of a session, kept within bounds: what older looks can do without goes first, then the looks.

Four bounds: bytes by estimate of all looks and of all analyses, bytes of replies on disk, and the number of looks. A
look whose analyses are gone keeps its replies, ranks and verdict. Bodies of replies that still lie in memory are due
for packing into a file when looks take much; somebody else does that (`due_for_packing`, `repack`), for it takes long.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING

from .bounds import USUAL_BOUNDS, LookBounds
from .changes import LookChange, change_at
from .disk import DiskUse
from .memory import analyses_memory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..counters.look import CounterLook
    from ..snapshot import RankReply, Snapshot
    from .record import LookRecord
    from .recorders import RecorderLook
    from .stacks import StackLook

__all__ = ["ANALYSES_MEMORY", "LOOKS_KEPT", "LOOKS_MEMORY", "PACK_ABOVE", "USUAL_BOUNDS", "LookBook", "LookBounds"]

LOOKS_KEPT = 2000
"""Closed looks kept; the oldest goes first."""
LOOKS_MEMORY = 256 * 1024 * 1024
"""Bytes that closed looks may take together, without their analyses and beside the newest two, which are always
kept."""
ANALYSES_MEMORY = 256 * 1024 * 1024
"""Bytes that the analyses of looks may take together; those of the newest look are always kept."""
PACK_ABOVE = LOOKS_MEMORY // 8
"""Bytes of closed looks above which bodies of the older ones are due for packing."""
_NEWEST = 2
"""The newest looks, which are not given up."""


class LookBook:
    """Closed looks, oldest first. It belongs to one thread, as the session does."""

    def __init__(self, bounds: LookBounds = USUAL_BOUNDS) -> None:
        self.bounds = bounds
        self.snapshots: list[Snapshot] = []
        """The looks without their analyses, oldest first."""
        self.pinned: int | None = None
        """A look that is kept whole, whatever it takes: the one that is shown."""
        self._records: dict[int, LookRecord] = {}
        self._changes: dict[int, LookChange] = {}
        self._bytes: dict[int, int] = {}
        """Of each look, without analyses."""
        self._analyses: dict[int, int] = {}
        """Of the analyses of each look that has any, the one used longest ago first."""
        self._packed: set[int] = set()
        self._disk = DiskUse(bounds.disk)

    def __len__(self) -> int:
        return len(self.snapshots)

    def copy(self) -> LookBook:
        """A book of the same looks that another thread may read; none of them is the one shown."""
        made = LookBook(self.bounds)
        made.snapshots = list(self.snapshots)
        made._records, made._changes = dict(self._records), dict(self._changes)
        made._bytes, made._analyses, made._packed = dict(self._bytes), dict(self._analyses), set(self._packed)
        made._disk = self._disk.copy()
        return made

    # what is there --------------------------------------------------------------------------------------------

    @property
    def records(self) -> list[LookRecord]:
        """The looks, oldest first."""
        return [self._records[look.id] for look in self.snapshots]

    def get(self, look_id: int | None) -> LookRecord | None:
        """A look; None when it is not there."""
        return None if look_id is None else self._records.get(look_id)

    def change(self, look_id: int) -> LookChange | None:
        """What changed at a look; None when it is not there."""
        return self._changes.get(look_id)

    def before(self, look_id: int) -> LookRecord | None:
        """The look before one; None when it is the oldest that is there."""
        at = self.place(look_id)
        return self._records[self.snapshots[at - 1].id] if at > 0 else None

    def after(self, look_id: int) -> LookRecord | None:
        """The look after one; None when it is the newest."""
        at = self.place(look_id + 1)
        return self._records[self.snapshots[at].id] if at < len(self.snapshots) else None

    def place(self, look_id: int) -> int:
        """Where a look stands among `snapshots`; where it would stand when it is not there."""
        return bisect_left(self.snapshots, look_id, key=lambda look: look.id)

    @property
    def memory(self) -> int:
        """About how many bytes the looks take, without their analyses."""
        return sum(self._bytes.values())

    @property
    def memory_of_analyses(self) -> int:
        """About how many bytes the analyses take."""
        return sum(self._analyses.values())

    @property
    def disk(self) -> int:
        """Bytes of replies that lie in the spool."""
        return self._disk.total

    # what changes it ------------------------------------------------------------------------------------------

    def keep(self, record: LookRecord) -> None:
        """Add a look that has closed, the newest; older ones may go for it."""
        look = record.snapshot
        before = self._records[self.snapshots[-1].id] if self.snapshots else None
        self.snapshots.append(look)
        self._records[look.id] = record
        self._changes[look.id] = change_at(before, record)
        self._bytes[look.id] = look.memory()
        self._disk.add(look)
        self._note_analyses(record)
        self._forget()

    def pin(self, look_id: int | None) -> None:
        """Keep this look whole from now on, in place of the one before."""
        self.pinned = look_id if look_id in self._records else None
        if self.pinned in self._analyses:
            self._analyses[self.pinned] = self._analyses.pop(self.pinned)
        self._forget()

    def restore(self, look_id: int, stacks: StackLook, recorder: RecorderLook, counters: CounterLook) -> None:
        """Take analyses that were made again."""
        record = self._records.get(look_id)
        if record is None or not record.dropped:
            return
        made = replace(record, stacks=stacks, recorder=recorder, counters=counters, dropped=False)
        self._records[look_id] = made
        self._note_analyses(made)
        self._forget()

    def due_for_packing(self) -> Snapshot | None:
        """The oldest look whose bodies ought to leave the memory, never the newest; None as long as looks take
        little."""
        most = self.bounds.memory
        if self.memory <= (PACK_ABOVE if most is None else most // 8):
            return None
        return next((look for look in self.snapshots[:-1] if look.id not in self._packed), None)

    def is_packed(self, look_id: int | None) -> bool:
        """Whether a look has been packed, or is not there any more."""
        return look_id not in self._records or look_id in self._packed

    def repack(self, look_id: int, replies: Mapping[tuple[int, str], RankReply]) -> None:
        """Take the replies of a look with their bodies elsewhere."""
        record = self._records.get(look_id)
        if record is None:
            return
        look = replace(record.snapshot, replies=replies)
        self._disk.add(look)
        self._disk.remove(record.snapshot)
        self.snapshots[self.place(look_id)] = look
        self._records[look_id] = replace(record, snapshot=look)
        self._bytes[look_id] = look.memory()
        self._packed.add(look_id)

    # bounds ---------------------------------------------------------------------------------------------------

    def _note_analyses(self, record: LookRecord) -> None:
        if record.is_analysed:
            self._analyses[record.snapshot.id] = analyses_memory(record)

    def _forget(self) -> None:
        self._forget_looks()
        newest, left = self.snapshots[-1].id if self.snapshots else None, self.memory_of_analyses
        most = ANALYSES_MEMORY if self.bounds.analyses is None else self.bounds.analyses
        for look_id in list(self._analyses):
            if left <= most:
                return
            record = self._records[look_id]
            if look_id not in (newest, self.pinned) and record.can_be_analysed_again:
                left -= self._analyses.pop(look_id)
                self._records[look_id] = record.without_analyses()

    def _forget_looks(self) -> None:
        number = len(self.snapshots)
        left = self.memory - sum(self._bytes[look.id] for look in self.snapshots[-_NEWEST:])
        room = self._disk.room()
        memory = LOOKS_MEMORY if self.bounds.memory is None else self.bounds.memory
        looks = LOOKS_KEPT if self.bounds.looks is None else self.bounds.looks
        for look in self.snapshots[:-_NEWEST]:
            if left <= memory and number <= looks and self._disk.total <= room:
                break
            if look.id == self.pinned:
                continue
            left, number = left - self._bytes[look.id], number - 1
            self._disk.remove(look)
            for of_look in (self._records, self._changes, self._bytes, self._analyses):
                of_look.pop(look.id, None)
            self._packed.discard(look.id)
        if number < len(self.snapshots):
            self.snapshots = [look for look in self.snapshots if look.id in self._records]
