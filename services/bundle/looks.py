"""The lists of one bundled look as the engine's events, with what can't be used left out and said."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from .. import events
from ..artifacts.artifact import Refused
from ..artifacts.watchdog import WatchdogLine
from ..looks.recorders import DUMP_FILE
from ..plain_text import LINE_LIMIT, plain
from ..profiles.memberships import Membership, Memberships
from ..ranksets import RankSet
from ..snapshot import LookContext, Outcome, RankAddress, RankReply
from ..spool import EMPTY
from . import records
from .errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..spool import Body

__all__ = ["DAMAGED", "LookRead", "LookReading", "decoded"]

T = TypeVar("T")

DAMAGED = "damaged in the bundle: its content is not what its hash says"
MOST_STEPS = 1_000_000
"""Answers and changes of one look."""
MOST_BYTES = 512 * 1024 * 1024
"""Bytes of the lists of one look."""
_MOST_CHANGES = 1_000
"""Changes of the target within one look."""
_RANKS_MEMORY = 256 * 1024 * 1024
"""Bytes that the sets of ranks of one look may take: a short text can name a rank that needs much."""
_TEXT = LINE_LIMIT + 40
"""Longer than what `plain` has cut once, so that it is not cut again."""
_NAME = 200


@dataclass(frozen=True, slots=True)
class LookRead:
    """One look as it was kept."""

    opened: events.TargetOpened
    """The target as it stood when the look began."""
    started: events.LookStarted
    steps: tuple[events.Event, ...]
    """What came while it was under way, in order: answers, requests left without one, changes of the target."""
    closed: events.LookClosed | None
    """None when the capture was interrupted within it."""
    analysed: bool
    """Whether its replies were analysed."""
    after: tuple[events.Event, ...] = ()
    """What came between its end and the next look."""
    notes: tuple[str, ...] = ()
    """What could not be read of it, one plain line each."""
    files: Mapping[int, str] = field(default_factory=dict)
    """Post mortem: the file of each rank's dump."""

    @property
    def replies(self) -> dict[tuple[int, str], RankReply]:
        """Its answers by rank and source."""
        return {
            (step.reply.rank, step.reply.source): step.reply
            for step in self.steps
            if isinstance(step, events.ReplyArrived)
        }


class _OpenBody(Protocol):
    def __call__(self, digest: str, size: int, *, from_file: bool = False) -> Body: ...


def decoded(data: bytes, wanted: type[T], name: str) -> T:
    """JSON as what it should be.

    Args:
        name: where it stands, for the message.

    Raises:
        BundleError: it is not.
    """
    try:
        return msgspec.json.decode(data, type=wanted)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BundleError(f"{name} is not what it should be: {plain(str(error), 200)}") from None


class LookReading:
    """One look under way of being read: `opened`, then `lines` as often as there are, `closed`, `done`."""

    def __init__(self, open_body: _OpenBody, least_id: int) -> None:
        self._open_body = open_body
        self._least_id = least_id
        self._decoder = msgspec.json.Decoder(records.Line)
        self._look_id = 0
        self._target: events.TargetOpened | None = None
        self._started: events.LookStarted | None = None
        self._steps: list[events.Event] = []
        self._after: list[events.Event] = []
        self._closed: events.LookClosed | None = None
        self._analysed = False
        self._notes: list[str] = []
        self._files: dict[int, str] = {}
        self._lost = 0
        self._changes = 0
        self._bytes_left = MOST_BYTES
        self._memory_left = _RANKS_MEMORY

    def takes(self, size: int, name: str) -> bool:
        """Whether a chunk of so many bytes is still read; says so where not."""
        self._bytes_left -= size
        if self._bytes_left < 0:
            self.damaged(f"{name}: the lists of a look of more than {MOST_BYTES:,} bytes are not read to their end")
        return self._bytes_left >= 0

    def opened(self, record: records.OpenedRecord) -> None:
        """
        Raises:
            BundleError: its ranks can't be read.
        """
        self._look_id = max(record.look, self._least_id)
        try:
            asked = self._ranks(record.asked)
            self._target = _target(record.target)
        except ValueError as error:
            raise BundleError(f"the beginning of a look can't be read: {plain(str(error), 200)}") from None
        self._started = events.LookStarted(self._look_id, record.taken_at, asked)

    def lines(self, data: bytes, name: str, *, after: bool = False) -> None:
        """Read a chunk of the journal. A line that can't be read is left out, and counted."""
        into = self._after if after else self._steps
        for line in data.split(b"\n"):
            if not line:
                continue
            if len(self._steps) + len(self._after) >= MOST_STEPS:
                self.damaged(f"{name}: a look of more than {MOST_STEPS:,} answers is not read to its end")
                return
            try:
                step = self._step(self._decoder.decode(line))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
                self._lost += 1
                if self._lost == 1:
                    self.damaged(f"{name}: a line can't be read: {plain(str(error), 200)}")
                continue
            if step is not None:
                into.append(step)

    def closed(self, record: records.ClosedRecord) -> None:
        """
        Raises:
            BundleError: its context can't be read.
        """
        try:
            context = self._context(record.context, record.files)
        except ValueError as error:
            raise BundleError(f"the end of a look can't be read: {plain(str(error), 200)}") from None
        notes = tuple(plain(note, _TEXT) for note in record.notes)
        self._analysed = record.analysed
        self._closed = events.LookClosed(
            self._look_id, record.closed_at, record.cancelled, notes, record.partial, context=context
        )

    def damaged(self, note: str) -> None:
        """Say that a part could not be read."""
        self._notes.append(plain(note, _TEXT))

    def done(self) -> LookRead:
        assert self._target is not None
        assert self._started is not None
        if self._lost > 1:
            self.damaged(f"{self._lost:,} lines can't be read in all")
        return LookRead(
            self._target,
            self._started,
            tuple(self._steps),
            self._closed,
            self._analysed,
            tuple(self._after),
            tuple(self._notes),
            self._files,
        )

    # ----------------------------------------------------------------------------------------------------------

    def _step(self, line: records.Line) -> events.Event | None:
        match line:
            case records.ReplyLine():
                reply = self._reply(line)
                if line.how == "late":
                    return events.LateReply(reply)
                return events.AskedReply(reply) if line.how == "asked" else events.ReplyArrived(self._look_id, reply)
            case records.StuckLine():
                return events.StuckChanged(line.rank, tuple(plain(name, _NAME) for name in line.handlers))
            case records.OpenedLine():
                self._change()
                return _target(line.target)
            case records.JoinedLine():
                assert self._started is not None
                self._change()
                return events.LookStarted(self._look_id, self._started.taken_at, self._ranks(line.ranks))

    def _change(self) -> None:
        self._changes += 1
        if self._changes > _MOST_CHANGES:
            raise ValueError(f"more than {_MOST_CHANGES:,} changes of the target")

    def _ranks(self, text: str) -> RankSet:
        """
        Raises:
            ValueError: no set of ranks, or too large with those before it.
        """
        ranks = RankSet.parse(text)
        self._memory_left -= (ranks.last or 0) // 8 + 64
        if self._memory_left < 0:
            raise ValueError("its sets of ranks take too much memory")
        return ranks

    def _reply(self, line: records.ReplyLine) -> RankReply:
        from_file = line.source == DUMP_FILE
        if from_file and line.file:
            self._files[line.rank] = plain(line.file, _NAME)
        outcome, error, body = line.outcome, plain(line.error, _TEXT), EMPTY
        missing = f"left out of the bundle: {plain(line.left_out, _TEXT)}" if line.left_out else ""
        if line.body is not None and not missing:
            try:
                body = self._open_body(line.body, line.size, from_file=from_file)
            except BundleError as failed:
                missing = str(failed)
        if missing and outcome is Outcome.OK:
            outcome, error = Outcome.HTTP_ERROR, missing
        return RankReply(
            rank=line.rank,
            source=plain(line.source, _NAME),
            query=plain(line.query, _TEXT),
            outcome=outcome,
            status=line.status,
            body=body,
            error=error,
            started_at=line.started_at,
            took_s=line.took_s,
            connected=line.connected,
        )

    def _context(self, record: records.ContextRecord | None, files: records.FilesRecord | None) -> LookContext:
        """
        Raises:
            ValueError: a set of ranks can't be read.
        """
        nobody = RankSet()
        known = files or records.FilesRecord()
        context = LookContext(
            may_wait=nobody,
            unreadable={rank: plain(why, _TEXT) for rank, why in known.unreadable.items()},
            mixed=self._ranks(known.mixed),
            watchdog=tuple(map(self._watchdog, known.watchdog)),
            heard=self._ranks(known.heard),
        )
        if record is None:
            return context
        return replace(
            context,
            without_counters=self._ranks(record.without_counters),
            group_sizes={plain(name, _NAME): size for name, size in record.group_sizes.items()},
            memberships={rank: self._memberships(rank, one) for rank, one in record.memberships.items()},
            may_wait=nobody if record.may_wait is None else self._ranks(record.may_wait),
        )

    def _watchdog(self, record: records.WatchdogRecord) -> WatchdogLine:
        given = {name: getattr(record, name) for name in record.__struct_fields__}
        texts = {name: plain(value, _TEXT) for name, value in given.items() if isinstance(value, str)}
        return WatchdogLine(**given | texts | {"kind": record.kind, "behind": self._ranks(record.behind)})

    def _memberships(self, rank: int, record: records.MembershipsRecord) -> Memberships:
        groups: Sequence[Membership] = [
            Membership(
                plain(one.name, _NAME),
                plain(one.description, _NAME),
                plain(one.backend, _NAME),
                one.size,
                self._ranks(one.ranks),
            )
            for one in record.groups
        ]
        return Memberships(rank, record.world_size, tuple(groups))


def _target(record: records.TargetRecord) -> events.TargetOpened:
    addresses = {one.rank: _address(one) for one in record.ranks}
    return events.TargetOpened(
        plain(record.label, _TEXT),
        record.world_size,
        tuple(addresses[rank] for rank in sorted(addresses)),
        tuple(plain(note, _TEXT) for note in record.notes),
        plain(record.secure, _NAME),
        plain(record.store, _TEXT),
        unused=tuple(Refused(plain(one.name, _TEXT), plain(one.reason, _TEXT), one.partial) for one in record.unused),
        asides=tuple(plain(note, _TEXT) for note in record.asides),
    )


def _address(record: records.RankRecord) -> RankAddress:
    return RankAddress(
        rank=record.rank,
        registered=plain(record.registered, _TEXT),
        url=plain(record.url, _TEXT),
        host=plain(record.host, _TEXT),
        error=plain(record.error, _TEXT),
        shares=record.shares,
        file=plain(record.file, _TEXT),
    )
