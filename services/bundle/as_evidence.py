"""What a bundle holds as evidence beside other files: its ranks' answers, each as if it had been found as a file."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..artifacts.artifact import Evidence
from ..artifacts.content import open_body
from ..cluster.probes import COUNTERS, RECORDERS
from ..flight_recorder.decode import decode
from ..flight_recorder.dump import DumpError
from ..looks.recorders import DUMP_FILE
from ..looks.stacks import SOURCES
from ..snapshot import Outcome
from .errors import BundleError
from .reader import open_bundle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..artifacts.artifact import Artifact
    from ..flight_recorder.dump import Dump
    from ..snapshot import RankReply
    from ..spool import Body, Spool
    from ..store_browse.events import StoreListing
    from ..store_browse.values import StoreValue
    from .looks import LookRead
    from .reader import Bundle

__all__ = ["MOST_LOOKS", "BundleEvidence", "read_as_evidence"]

MOST_LOOKS = 8
"""Looks of one bundle that are taken beside other files, the newest ones: their dumps are decoded at once."""
_RECORDERS = (DUMP_FILE, *(probe.source for probe in RECORDERS))
_TOLD = frozenset((*SOURCES, COUNTERS.source))
_NOT_FOUND = 404
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class BundleEvidence:
    """What one bundle says."""

    dumps: tuple[tuple[Dump, Body], ...] = ()
    """Flight recorder dumps with their bytes, by look and rank."""
    evidence: tuple[Evidence, ...] = ()
    """Stacks and counters."""
    world_size: int = 0
    hosts: Mapping[int, str] = field(default_factory=dict)
    """Of ranks; the dumps have none, as most files beside them: dumps of two hosts would count as two ranks'."""
    store: tuple[StoreListing, tuple[StoreValue, ...]] | None = None
    said: tuple[str, ...] = ()
    """What is worth knowing, one plain line each."""
    trouble: tuple[str, ...] = ()
    """What could not be read of it, one plain line each."""


def read_as_evidence(artifact: Artifact, spool: Spool) -> BundleEvidence:
    """Read a bundle that lies among other files, or in an archive.

    Args:
        artifact: the bundle.
        spool: takes one that stands within another file: a bundle is read where it lies.

    Raises:
        BundleError: it is none, or nothing can be read of it.
        OSError: it can't be read, or the spool is full.
    """
    path = artifact.body.path
    if path is None or artifact.body.offset or artifact.body.deflated is not None:
        path = _file_of(artifact.body, spool)
    bundle = open_bundle(path)
    try:
        return _Reading(bundle, artifact.name).run()
    finally:
        bundle.close()


def _file_of(body: Body, spool: Spool) -> Path:
    """A file of its own in the spool."""
    handle, name = tempfile.mkstemp(prefix="bundle-", dir=spool.folder)
    with open(handle, "wb") as file, open_body(body) as source:
        left = body.size
        while left and (piece := source.read(min(_PIECE, left))):
            file.write(piece)
            left -= len(piece)
    return Path(name)


class _Reading:
    """One bundle under way of being read."""

    def __init__(self, bundle: Bundle, name: str) -> None:
        self._bundle = bundle
        self._name = name
        self._dumps: list[tuple[Dump, Body]] = []
        self._evidence: list[Evidence] = []
        self._trouble = list(bundle.notes)
        self._hosts: dict[int, str] = {}
        self._size = 0
        self._bad = 0

    def run(self) -> BundleEvidence:
        bundle = self._bundle
        said = [f"{bundle.said}: judged with the other files; opened alone it shows the ranks' classes too"]
        left_out = len(bundle.looks) - MOST_LOOKS
        if left_out > 0:
            said.append(f"its first {left_out:,} looks are left out; opened alone it shows them")
        for bundled in bundle.looks[-MOST_LOOKS:]:
            try:
                look = bundled.read()
            except BundleError as error:
                self._trouble.append(f"look {bundled.number}: {error}")
                continue
            self._trouble += [f"look {bundled.number}: {note}" for note in look.notes]
            self._take(look, f"{self._name}, look {bundled.number}")
        if self._bad:
            self._trouble.append(f"{self._bad:,} answers can't be used")
        store = None
        try:
            listing, values = bundle.store()
            store = None if listing is None else (listing, values)
        except BundleError as error:
            self._trouble.append(f"the store's keys: {error}")
        return BundleEvidence(
            tuple(self._dumps),
            tuple(self._evidence),
            self._size,
            self._hosts,
            store,
            tuple(said),
            tuple(self._trouble),
        )

    def _take(self, look: LookRead, name: str) -> None:
        self._size = max(self._size, look.opened.world_size)
        self._hosts |= {one.rank: one.host for one in look.opened.addresses if one.host}
        replies = look.replies
        self._dumps += self._recorders(replies, name)
        for (rank, source), reply in sorted(replies.items()):
            # A rank without counters has no such handler: that is no failure.
            if source not in _TOLD or reply.outcome is Outcome.CANCELLED or reply.status == _NOT_FOUND:
                continue
            why = self._bundle.damage(reply.body)
            self._bad += bool(why)
            error = why or (reply.error if reply.outcome is not Outcome.OK else "")
            self._evidence.append(
                Evidence(
                    rank,
                    source,
                    reply.body,
                    reply.ended_at,
                    name,
                    self._hosts.get(rank, ""),
                    None if reply.outcome is Outcome.OK else _status(reply),
                    error,
                )
            )

    def _recorders(self, replies: Mapping[tuple[int, str], RankReply], name: str) -> Sequence[tuple[Dump, Body]]:
        """The dumps of the first recorder of which any rank has recorded something: NCCL's goes before Gloo's."""
        empty: list[tuple[Dump, Body]] = []
        for source in _RECORDERS:
            found: list[tuple[Dump, Body]] = []
            for (rank, asked), reply in sorted(replies.items()):
                if asked != source or reply.outcome is not Outcome.OK:
                    continue
                try:
                    if why := self._bundle.damage(reply.body):
                        raise DumpError(why)
                    dump = decode(reply.body.read(), rank)
                except DumpError:
                    self._bad += 1
                    continue
                taken_at = reply.started_at if source == DUMP_FILE else reply.ended_at
                made = replace(dump, source=name, taken_at=taken_at)
                found.append((made, reply.body))
            if any(not dump.silent for dump, _ in found):
                return found
            empty = empty or found
        return empty


def _status(reply: RankReply) -> int | None:
    """As torch's periodic dumps say it where there was no answer: 408 for a timeout, 503 for no connection."""
    if reply.outcome is Outcome.TIMEOUT:
        return 408
    return 503 if reply.outcome in (Outcome.REFUSED, Outcome.UNREACHABLE) else reply.status
