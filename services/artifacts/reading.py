"""One artifact read to the end: what it is, and what it says. A function of its own that another process may run."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..flight_recorder.dump import DumpError
from ..flight_recorder.file_names import read_name
from ..spool import EMPTY, Body
from .artifact import Refused
from .content import ContentReader, content
from .job_log import lines_of, read_job_log
from .periodic import PeriodicKind, read_periodic
from .rank_stacks import read_stacks
from .recognise import ArtifactKind, recognise
from .recorder_dump import read_artifact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..flight_recorder.dump import Dump
    from .artifact import Artifact, Evidence
    from .job_log import JobLog
    from .periodic import PeriodicDump
from .recognise import Recognised

__all__ = ["ArtifactRead", "read"]

TEXT_LIMIT = 256 << 20
"""Bytes of a text, gzip undone, that are read whole; logs are read line by line and have no such limit."""

_PERIODIC = {
    ArtifactKind.PERIODIC_STACKS: PeriodicKind.STACKS,
    ArtifactKind.PERIODIC_PYSPY: PeriodicKind.PYSPY,
    ArtifactKind.PERIODIC_COUNTERS: PeriodicKind.COUNTERS,
    ArtifactKind.PERIODIC_RECORDER: PeriodicKind.RECORDER,
    ArtifactKind.PERIODIC_STORE: PeriodicKind.STORE,
    ArtifactKind.PERIODIC_HEALTH: PeriodicKind.HEALTH,
}


@dataclass(frozen=True, slots=True, eq=False)
class ArtifactRead:
    """What came of one artifact; of dump, evidence, log and periodic at most one is there. Can be pickled."""

    artifact: Artifact
    kind: ArtifactKind
    dump: Dump | None = None
    evidence: tuple[Evidence, ...] = ()
    log: JobLog | None = None
    periodic: PeriodicDump | None = None
    refused: Refused | None = None
    rank: int | None = None
    """By its name: of a dump that could not be read the rank whose dump is missing."""
    notes: tuple[str, ...] = ()
    """What is missing or odd, one plain line each, without the artifact's name."""
    cut: str = ""
    """Why only its beginning could be read, one plain line; empty where it was read to its end."""


def read(artifact: Artifact) -> ArtifactRead:
    """Read one artifact. Whatever is wrong with it ends up in `refused`; nothing is raised for what stands in it."""
    found = recognise(artifact)
    if not found.usable:
        return _refused(artifact, found, found.reason, partial=found.partial)
    try:
        return _read(artifact, found)
    except DumpError as error:
        named = read_name(artifact.file_name)
        # A file that only ends in a number and is no dump has nothing to do with the job.
        return _refused(artifact, found, str(error), partial=named is None or named.plain)
    except OSError as error:
        return _refused(artifact, found, f"cannot be read: {error.strerror or error}", partial=True)


def _read(artifact: Artifact, found: Recognised) -> ArtifactRead:
    kind = found.kind
    at = artifact.modified_at if found.taken_at is None else found.taken_at
    if kind is ArtifactKind.RECORDER:
        return ArtifactRead(artifact, kind, dump=read_artifact(artifact), rank=found.rank)
    if kind in (ArtifactKind.TRACE, ArtifactKind.BUNDLE):
        return ArtifactRead(artifact, kind, rank=found.rank)
    if kind is ArtifactKind.LOG:
        reader = ContentReader(artifact)
        lines = lines_of(io.BufferedReader(_Pieces(iter(reader))))
        log = read_job_log(artifact.name, lines, artifact.modified_at, _kept)
        return ArtifactRead(artifact, kind, log=log, notes=log.notes, cut=reader.why if reader.cut else "")
    data = content(artifact, TEXT_LIMIT)
    cut = data.why if data.cut else ""
    if kind in _PERIODIC:
        periodic = read_periodic(_PERIODIC[kind], artifact.name, data.data, at, _kept)
        return ArtifactRead(artifact, kind, periodic=periodic, notes=periodic.notes, cut=cut)
    assert found.rank is not None, "recognise refuses what has one rank and does not say which"
    told = read_stacks(artifact.name, data.data, found.rank, taken_at=at, put=_kept, host=found.host)
    if kind is ArtifactKind.COUNTERS:
        told = replace(told, source="wait_counter_values")
    return ArtifactRead(artifact, kind, evidence=(told,), rank=found.rank, cut=cut)


def _refused(artifact: Artifact, found: Recognised, reason: str, *, partial: bool) -> ArtifactRead:
    return ArtifactRead(artifact, found.kind, refused=Refused(artifact.name, reason, partial=partial), rank=found.rank)


def _kept(data: bytes) -> Body:
    """A body in memory; what is large goes into a spool where there is one."""
    return Body(len(data), data) if data else EMPTY


class _Pieces(io.RawIOBase):
    """Pieces as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces = pieces
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count
