"""Opens a bundle from anybody: only lists are read, bodies stay in the file until something wants them.

Nothing is unpacked to the disk, nothing is executed, no name leads outside of the file. What is damaged is left out
with a reason, the rest counts.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from ..instants import utc_moment
from ..plain_text import plain
from ..spool import Body
from . import looks, records, store_record
from .errors import BundleError
from .walk import OWN_NAMES, inflated, open_file, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ..store_browse.events import StoreListing
    from ..store_browse.values import StoreValue
    from .members import Member

__all__ = ["Bundle", "BundleMeta", "BundledLook", "open_bundle"]

T = TypeVar("T")

JSON_LIMIT = 64 * 1024 * 1024
"""Bytes of one list."""
MANIFEST_LIMIT = 256 * 1024 * 1024
META_LIMIT = 1024 * 1024
BODY_LIMIT = 256 * 1024 * 1024
"""Bytes of a body: the most that a rank's recorder may answer."""
FILE_LIMIT = 512 * 1024 * 1024
"""Bytes of a dump that was read from a file."""
INLINE_BODY = 4 * 1024
"""Bytes up to which a body is taken into memory at once, and checked."""
_SMALL_KEPT = 4_096
_NEWER = "xpudbg.bundle/"


@dataclass(frozen=True, slots=True)
class BundleMeta:
    """What a bundle says of itself."""

    version: str
    """Of the xpudbg that wrote it."""
    created_at: int
    """ns since the epoch."""
    target: str
    redacted: tuple[str, ...]
    post_mortem: bool


@dataclass(frozen=True, slots=True)
class BundledLook:
    """One look of a bundle, not read yet."""

    number: int
    """From 1, as in the names of its members."""
    _bundle: Bundle = field(repr=False)
    _opened: Member = field(repr=False)
    _chunks: tuple[Member, ...] = field(repr=False)
    _closed: Member | None = field(repr=False)
    _after: tuple[Member, ...] = field(repr=False)

    def read(self, least_id: int = 1) -> looks.LookRead:
        """Read its lists; bodies stay in the file.

        Args:
            least_id: the look's number in the session is at least this.

        Raises:
            BundleError: it can't be told when it was taken, or of which ranks.
            OSError: the file can't be read.
        """
        bundle = self._bundle
        reading = looks.LookReading(bundle.open_body, least_id)
        reading.opened(bundle.decoded(self._opened, records.OpenedRecord))
        for chunk in self._chunks:
            self._take(reading, chunk, after=False)
        if self._closed is not None:
            try:
                reading.closed(bundle.decoded(self._closed, records.ClosedRecord))
            except BundleError as error:
                reading.damaged(str(error))
        for chunk in self._after:
            self._take(reading, chunk, after=True)
        return reading.done()

    def _take(self, reading: looks.LookReading, chunk: Member, *, after: bool) -> None:
        try:
            if reading.takes(chunk.size, chunk.name):
                reading.lines(self._bundle.content(chunk), chunk.name, after=after)
        except BundleError as error:
            reading.damaged(str(error))


class Bundle:
    """An open bundle. Its methods may be called from several threads; `close` when no body is wanted any more is not
    needed for bodies: each opens the file for itself."""

    def __init__(self, path: Path, file: int) -> None:
        self.path = path
        self._file = file
        self._guard = threading.Lock()
        found = walk(file)
        self._members = {member.name: member for member in found.members}
        self._small: OrderedDict[str, Body] = OrderedDict()
        self._large: dict[int, Member] = {}
        """Members of bodies that were handed out, by where their bytes begin."""
        self._checked: dict[int, str] = {}
        self._notes = list(found.notes)
        self.cut = found.cut
        """The capture was interrupted: the end of the file is missing."""
        self._hashes: dict[str, str] = {}
        self.meta = self._read_meta()
        self._hashes = self._read_manifest()
        self.looks = tuple(self._find_looks())
        """In the order in which they were taken."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is wrong with the file, one plain line each."""
        return tuple(self._notes)

    @property
    def said(self) -> str:
        """`bundle of 2026-11-30 10:00:05 UTC, 3 looks`."""
        at = utc_moment(self.meta.created_at)
        count = len(self.looks)
        changed = f", {' and '.join(self.meta.redacted)} redacted" if self.meta.redacted else ""
        cut = ", cut" if self.cut else ""
        return f"bundle of {at:%Y-%m-%d %H:%M:%S} UTC, {count:,} look{'s' if count != 1 else ''}{changed}{cut}"

    def close(self) -> None:
        """Close the file. Bodies can be read all the same."""
        with self._guard:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    def store(self) -> tuple[StoreListing | None, tuple[StoreValue, ...]]:
        """Keys of the job's store, and the values that had been read.

        Raises:
            BundleError: they are damaged.
            OSError: the file can't be read.
        """
        member = self._members.get("store.json")
        if member is None:
            return None, ()
        try:
            return store_record.shown(self.decoded(member, records.StoreRecord))
        except ValueError as error:
            raise error if isinstance(error, BundleError) else BundleError(f"store.json: {error}") from None

    def report(self) -> bytes | None:
        """The report as it was when the bundle was written, as JSON; None when there is none.

        Raises:
            BundleError: it is damaged.
            OSError: the file can't be read.
        """
        member = self._members.get("report.json")
        return None if member is None else self.content(member)

    def open_body(self, digest: str, size: int, *, from_file: bool = False) -> Body:
        """A handle on a body, read when it is wanted; small ones are taken at once.

        Args:
            digest: its SHA-256 in hex.
            size: bytes that the look says it has.
            from_file: it is a dump that was read from a file.

        Raises:
            BundleError: it is not there, too large, or a small one is damaged.
            OSError: the file can't be read.
        """
        member = self._members.get(f"bodies/{digest}")
        if member is None:
            raise BundleError("the bundle does not hold its body")
        limit = FILE_LIMIT if from_file else BODY_LIMIT
        if member.size > limit:
            raise BundleError(f"its body says that it has {member.size:,} bytes; more than {limit:,} are not read")
        if member.size != size and not self.meta.redacted:
            raise BundleError(f"its body has {member.size:,} bytes in the bundle, not {size:,}")
        if member.size <= INLINE_BODY:
            return self._small_body(member, digest)
        self._large[member.data_at] = member
        return Body(
            size=member.size,
            path=self.path,
            offset=member.data_at,
            deflated=member.packed if member.deflated else None,
        )

    def damage(self, body: Body) -> str:
        """What is wrong with the bytes of a body that `open_body` gave, one plain line; empty when they are its own."""
        member = self._large.get(body.offset) if body.path == self.path else None
        if member is None:  # in memory: checked when it was taken
            return ""
        known = self._checked.get(body.offset)
        if known is None:
            try:
                digest = hashlib.sha256(body.read()).hexdigest()
            except OSError as error:
                known = f"can't be read from the bundle: {error.strerror or error}"
            else:
                known = "" if member.name == f"bodies/{digest}" else looks.DAMAGED
            self._checked[body.offset] = known
        return known

    def verify(self, told: Callable[[int, int], None] | None = None) -> tuple[str, ...]:
        """Read everything once and check it against its hash.

        Args:
            told: how many members were checked, and of how many.

        Returns:
            What is wrong, one plain line each; empty when all is well.

        Raises:
            OSError: the file can't be read.
        """
        wrong = list(self._notes)
        unlisted = set(self._hashes) - set(self._members) if not self.cut else set()
        wrong += [f"{plain(name, 120)} is in the manifest, and not there" for name in sorted(unlisted)[:20]]
        for number, member in enumerate(self._members.values(), 1):
            try:
                data = inflated(self._descriptor, member, max(FILE_LIMIT, JSON_LIMIT))
            except BundleError as error:
                wrong.append(str(error))
                continue
            digest = hashlib.sha256(data).hexdigest()
            named = member.name.removeprefix("bodies/") if member.name.startswith("bodies/") else digest
            unlisted_is_well = not self._hashes or member.name == "manifest.json"
            listed = self._hashes.get(member.name, digest if unlisted_is_well else "")
            if not digest == named == listed:
                wrong.append(f"{member.name} has another content than its hash says")
            if told is not None:
                told(number, len(self._members))
        return tuple(wrong)

    # reading ------------------------------------------------------------------------------------------------------

    @property
    def _descriptor(self) -> int:
        if self._file < 0:
            self._file = open_file(self.path)
        return self._file

    def content(self, member: Member, limit: int = JSON_LIMIT) -> bytes:
        """The bytes of a list, checked.

        Raises:
            BundleError: damaged, or too large.
            OSError: the file can't be read.
        """
        with self._guard:
            data = inflated(self._descriptor, member, limit)
        listed = self._hashes.get(member.name)
        if listed is not None and hashlib.sha256(data).hexdigest() != listed:
            raise BundleError(f"{member.name} has another content than the manifest says")
        return data

    def decoded(self, member: Member, wanted: type[T], limit: int = JSON_LIMIT) -> T:
        """A list as what it should be.

        Raises:
            BundleError: damaged, too large, or of another shape.
            OSError: the file can't be read.
        """
        return looks.decoded(self.content(member, limit), wanted, member.name)

    def _read_meta(self) -> BundleMeta:
        member = self._members.get("meta.json")
        if member is None:
            raise BundleError("cut within its first bytes: it holds nothing")
        meta = self.decoded(member, records.MetaRecord, META_LIMIT)
        if meta.schema != records.SCHEMA:
            raise BundleError(
                f"it is a bundle of the form {plain(meta.schema, 40)}; this xpudbg knows {records.SCHEMA}",
                hint=f"it was written by xpudbg {plain(meta.version, 40)}: a version of that time or later opens it",
            )
        redacted = tuple(plain(kind, 40) for kind in meta.redacted[:10])
        return BundleMeta(plain(meta.version, 80), meta.created_at, plain(meta.target), redacted, meta.post_mortem)

    def _read_manifest(self) -> dict[str, str]:
        member = self._members.get("manifest.json")
        if member is None:
            if not self.cut:
                self._notes.append("it has no manifest: what it holds can't be held against its hashes")
            return {}
        try:
            manifest = self.decoded(member, records.ManifestRecord, MANIFEST_LIMIT)
        except BundleError as error:
            self._notes.append(str(error))
            return {}
        listed = manifest.members
        missing = sum(1 for name in listed if name not in self._members)
        if missing:
            self._notes.append(f"{missing:,} members of its manifest are not there")
        return {name: one.sha256 for name, one in listed.items()}

    def _find_looks(self) -> Iterator[BundledLook]:
        by_look: dict[int, list[Member]] = {}
        for name, member in self._members.items():
            if (matched := OWN_NAMES.fullmatch(name)) and matched["look"]:
                by_look.setdefault(int(matched["look"]), []).append(member)
        for number, there in sorted(by_look.items()):
            kinds: dict[str, list[Member]] = {}
            for member in sorted(there, key=lambda one: one.name):
                kinds.setdefault(member.name.rpartition("/")[2].partition("-")[0].partition(".")[0], []).append(member)
            if "opened" not in kinds:
                self._notes.append(f"look {number} does not say when it began: it is left out")
                continue
            chunks, after = tuple(kinds.get("replies", ())), tuple(kinds.get("after", ()))
            yield BundledLook(
                number, self, kinds["opened"][0], chunks, next(iter(kinds.get("closed", ())), None), after
            )

    def _small_body(self, member: Member, digest: str) -> Body:
        known = self._small.get(digest)
        if known is not None:
            return known
        with self._guard:
            data = inflated(self._descriptor, member, INLINE_BODY)
        if hashlib.sha256(data).hexdigest() != digest:
            raise BundleError(looks.DAMAGED)
        body = self._small[digest] = Body(size=len(data), inline=data)
        if len(self._small) > _SMALL_KEPT:
            self._small.popitem(last=False)
        return body


def open_bundle(path: Path) -> Bundle:
    """Open a bundle, complete or cut.

    Raises:
        BundleError: it is none, or nothing can be read of it.
        OSError: the file can't be opened or read.
    """
    file = open_file(path)
    try:
        return Bundle(path, file)
    except BaseException:
        os.close(file)
        raise
