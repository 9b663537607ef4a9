"""From the engine's events to the members of a bundle: a journal of each look, written as it happens."""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter
from dataclasses import fields
from typing import TYPE_CHECKING

import msgspec

from .. import events
from ..addressing.endpoints import TargetError, parse_endpoint
from ..looks.recorders import DUMP_FILE
from ..plain_text import plain
from ..version import __version__
from . import records, store_record
from .errors import BundleError, UnredactableError
from .redaction import STORE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..artifacts.watchdog import WatchdogLine
    from ..ranksets import RankSet
    from ..snapshot import LookContext, RankAddress, RankReply
    from ..spool import Body
    from ..store_browse.events import StoreListing
    from ..store_browse.values import StoreValue
    from .redaction import Redaction
    from .writer import BundleWriter

__all__ = ["FLUSH_LINES", "FLUSH_S", "BundleRecording"]

FLUSH_S = 0.2
"""Seconds after which a reply stands in the file at the latest, where `flush_due` is asked for."""
FLUSH_LINES = 256

_SPOOLED = re.compile(r"[0-9a-f]{64}")
_LOGIN = re.compile(r"//[^/@\s]*@")


class BundleRecording:
    """Takes the events of one attachment in their order. Used from one thread at a time."""

    def __init__(
        self,
        writer: BundleWriter,
        redaction: Redaction,
        *,
        clock: Callable[[], int] = time.time_ns,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Args:
            writer: a new bundle; `meta.json` is written when the target is open.
            redaction: what is replaced.
            clock: gives the time at which the bundle was made, ns since the epoch.
            monotonic: tells how long lines have been waiting, seconds.
        """
        self._writer = writer
        self._redaction = redaction
        self._clock = clock
        self._monotonic = monotonic
        self._target: events.TargetOpened | None = None
        self._looks = 0
        self._look_id: int | None = None
        """The look under way."""
        self._lines: list[records.Line] = []
        self._oldest = 0.0
        """When the first of them came."""
        self._chunks = 0
        self._analysed: events.Analysed | None = None
        self._left_out: Counter[str] = Counter()
        self._rewritten: dict[bytes, str] = {}
        """By the hash of what was replaced: the hash of what stands in its place."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """Why bodies were left out and how many of each, one plain line each."""
        return tuple(f"{count:,} answers: {plain(why)}" for why, count in self._left_out.items())

    @property
    def looks(self) -> int:
        """Looks that have begun."""
        return self._looks

    def learn(self, hosts: Iterable[str]) -> None:
        """Hosts that redaction is to know before anything is written."""
        self._redaction.learn(hosts)

    def apply(self, event: events.Event) -> None:
        """Put one event into the bundle; those that have no place there are passed over.

        Raises:
            BundleError: the bundle is full.
            OSError: it can't be written.
        """
        match event:
            case events.TargetOpened():
                self._opened(event)
            case events.LookStarted():
                self._started(event)
            case events.ReplyArrived() if event.look_id == self._look_id:
                self._reply(event.reply, "look")
            case events.LateReply():
                self._reply(event.reply, "late")
            case events.AskedReply():
                self._reply(event.reply, "asked")
            case events.StuckChanged():
                self._line(records.StuckLine(event.rank, list(event.handlers)))
            case events.Analysed():
                self._analysed = event
            case events.LookClosed() if event.look_id == self._look_id:
                self._closed(event)

    def flush_due(self) -> float | None:
        """Write the lines that have waited for `FLUSH_S`.

        Returns:
            Seconds until the next ones will have; None while there are none.
        """
        if not self._lines or not self._looks:
            return None
        left = self._oldest + FLUSH_S - self._monotonic()
        if left > 0:
            return left
        self._flush()
        return None

    def finish(self, listing: StoreListing | None, values: Iterable[StoreValue], report: object, markdown: str) -> None:
        """Write what belongs to the end, and end the file.

        Args:
            listing: keys of the store; None when they were not read.
            values: those of the store that were read.
            report: the report as plain values (`report.document`).
            markdown: the same for a ticket.

        Raises:
            BundleError: the bundle is full.
            OSError: it can't be written.
        """
        if self._looks:
            self._flush()
        redaction = self._redaction
        stored = store_record.stored(
            listing, values, without_values=STORE in redaction.kinds, text_only=redaction.rewrites
        )
        self._add("store.json", stored)
        self._writer.add("report.json", msgspec.json.format(records.encode(self._redaction.tree(report))) + b"\n")
        if not self._redaction.rewrites:  # its escapes would hide what is to be replaced
            self._writer.add("report.md", markdown.encode("utf-8", "backslashreplace"))
        self._writer.finish()

    # ----------------------------------------------------------------------------------------------------------

    def _opened(self, event: events.TargetOpened) -> None:
        of_files = any(address.file for address in event.addresses)
        if of_files:
            self._redaction.learn_files()
        if self._redaction.learn(_hosts(event, of_files=of_files)):
            self._rewritten.clear()
        if not self._writer.begun:
            meta = records.MetaRecord(
                schema=records.SCHEMA,
                version=__version__,
                created_at=self._clock(),
                target=self._redaction.text(event.label),
                redacted=sorted(self._redaction.kinds),
                post_mortem=of_files,
            )
            self._writer.begin(meta)
        self._target = event
        if self._look_id is not None:
            self._line(records.OpenedLine(_target(event)))

    def _started(self, event: events.LookStarted) -> None:
        if event.look_id == self._look_id:
            self._line(records.JoinedLine(str(event.ranks)))
            return
        assert self._target is not None, "a look without a target"
        if self._looks:
            self._flush()
        waiting, self._lines = self._lines, []
        self._looks += 1
        self._look_id, self._chunks, self._analysed = event.look_id, 0, None
        opened = records.OpenedRecord(event.look_id, event.taken_at, str(event.ranks), _target(self._target))
        self._add(f"looks/{self._looks:04}/opened.json", opened)
        for line in waiting:
            self._line(line)

    def _reply(self, reply: RankReply, how: str) -> None:
        digest, left_out = self._body(reply.body)
        self._line(
            records.ReplyLine(
                rank=reply.rank,
                source=reply.source,
                outcome=reply.outcome,
                started_at=max(reply.started_at, 0),
                took_s=max(reply.took_s, 0.0),
                size=reply.body.size,
                body=digest,
                status=reply.status,
                query=reply.query,
                error=reply.error,
                connected=reply.connected,
                how=how,
                file=_file_name(reply),
                left_out=left_out,
            )
        )

    def _body(self, body: Body) -> tuple[str | None, str]:
        """Its hash, and why the bundle does not hold it."""
        if not body.size:
            return None, ""
        try:
            data = body.read()
        except OSError as error:
            return None, self._lacking(f"it could not be read: {error.strerror or error}")
        if len(data) != body.size:
            return None, self._lacking("less of it could be read than there was")
        try:
            return self._placed(data), ""
        except (UnredactableError, BundleError) as error:
            return None, self._lacking(str(error))

    def _lacking(self, why: str) -> str:
        self._left_out[why] += 1
        return why

    def _placed(self, data: bytes) -> str:
        if not self._redaction.rewrites:
            return self._writer.body(data)
        before = hashlib.sha256(data).digest()
        digest = self._rewritten.get(before)
        if digest is None:
            digest = self._rewritten[before] = self._writer.body(self._redaction.body(data))
        return digest

    def _closed(self, event: events.LookClosed) -> None:
        self._flush()
        analysed = self._analysed
        context = event.context
        files = None
        assert self._target is not None
        if analysed is not None and any(address.file for address in self._target.addresses):
            unreadable = (context.unreadable if context is not None else {}) or analysed.recorder.unreadable
            files = records.FilesRecord(dict(unreadable))
            if context is not None:
                files.mixed, files.heard = str(context.mixed), str(context.heard)
                files.watchdog = [_watchdog(line) for line in context.watchdog]
        closed = records.ClosedRecord(
            closed_at=event.closed_at,
            cancelled=event.cancelled,
            partial=event.partial,
            analysed=analysed is not None,
            notes=list(event.notes),
            context=_context(context) if context is not None else None,
            files=files,
        )
        self._add(f"looks/{self._looks:04}/closed.json", closed)
        self._look_id, self._chunks = None, 0

    def _line(self, line: records.Line) -> None:
        if not self._lines:
            self._oldest = self._monotonic()
        self._lines.append(line)
        if len(self._lines) >= FLUSH_LINES and self._looks:
            self._flush()

    def _flush(self) -> None:
        if not self._lines:
            return
        lines, self._lines = self._lines, []
        self._chunks += 1
        kind = "replies" if self._look_id is not None else "after"
        encoded = b"".join(self._encoded(line) + b"\n" for line in lines)
        self._writer.add(f"looks/{self._looks:04}/{kind}-{self._chunks:04}.jsonl", encoded)

    def _add(self, name: str, record: msgspec.Struct) -> None:
        self._writer.add(name, self._encoded(record) + b"\n")

    def _encoded(self, record: msgspec.Struct) -> bytes:
        if not self._redaction.rewrites:
            return records.encode(record)
        return records.encode(self._redaction.tree(msgspec.to_builtins(record)))


def _file_name(reply: RankReply) -> str:
    """The file that a dump was read from, where it is one of its own."""
    path = reply.body.path
    if reply.source != DUMP_FILE or path is None or reply.body.offset or reply.body.deflated is not None:
        return ""
    return "" if _SPOOLED.fullmatch(path.name) else path.name


def _target(event: events.TargetOpened) -> records.TargetRecord:
    return records.TargetRecord(
        label=event.label,
        world_size=event.world_size,
        ranks=[_rank(address) for address in event.addresses],
        notes=list(event.notes),
        secure=event.secure,
        store=event.store,
        unused=[records.RefusedRecord(one.name, one.reason, one.partial) for one in event.unused],
        asides=list(event.asides),
    )


def _rank(address: RankAddress) -> records.RankRecord:
    url = _LOGIN.sub("//", address.url)
    return records.RankRecord(
        address.rank, address.registered, url, address.host, address.error, address.shares, address.file
    )


def _watchdog(line: WatchdogLine) -> records.WatchdogRecord:
    given = {one.name: getattr(line, one.name) for one in fields(line)}
    return records.WatchdogRecord(**given | {"behind": str(line.behind)})


def _context(context: LookContext) -> records.ContextRecord:
    def written(ranks: RankSet | None) -> str | None:
        return None if ranks is None else str(ranks)

    return records.ContextRecord(
        without_counters=str(context.without_counters),
        group_sizes=dict(context.group_sizes),
        memberships={
            rank: records.MembershipsRecord(
                [
                    records.MembershipRecord(one.name, str(one.ranks), one.description, one.backend, one.size)
                    for one in known.groups
                ],
                known.world_size,
            )
            for rank, known in context.memberships.items()
        },
        may_wait=written(context.may_wait),
    )


def _hosts(event: events.TargetOpened, *, of_files: bool) -> list[str]:
    """Every host that a target names; that of files is named after them."""
    found = []
    for address in event.addresses:
        found += [address.host, _host_in(address.registered), _host_in(address.url)]
    if of_files:
        return [host for host in found if host]
    found.append(_host_in(event.store))
    # `store node-1:29500`, `3 workers from http://node-1:4000`
    found += [_host_in(word) for word in event.label.split() if ":" in word]
    return [host for host in found if host]


def _host_in(text: str) -> str:
    try:
        host_and_port = text.rpartition("//")[2].rpartition("@")[2].partition("/")[0]
        return parse_endpoint(host_and_port, 1).host if host_and_port else ""
    except TargetError:
        return ""
