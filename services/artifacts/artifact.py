"""A file as it was found, and what one says of one rank: the two values that post mortem reading goes through.

Artifact (bytes with a name) -> recognised by content -> Evidence (what a live rank would have answered).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ..spool import Body

__all__ = ["Artifact", "Evidence", "Refused"]


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file, or one member of an archive, not yet looked into. Immutable."""

    name: str
    """As it is shown: the path within the one folder that was given, else as typed, or `archive.tar/member`; plain."""
    body: Body
    """The bytes as they were found (gzip not undone): a file on disk is not copied, a member of an archive is in the
    spool, or stands in its tar."""
    modified_at: int
    """Of the file or the member, ns since the epoch."""
    path: Path | None = None
    """Where it lies when it is a file of its own: another process can read it there."""

    @property
    def file_name(self) -> str:
        """The last part of the name: where rank, host and time may stand."""
        return self.name.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that could not be used."""

    name: str
    reason: str
    """One plain line."""
    partial: bool = True
    """Whether the answer is incomplete for it; False for what is no part of a job (a README)."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an artifact says of one rank, in the form of a handler's answer."""

    rank: int
    source: str
    """The handler that gives such a body on a live rank (`dump_traceback`, `pyspy_dump`, `wait_counter_values`), or
    `dump_file` for a flight recorder dump of any form, `watchdog` for lines of NCCL's watchdog."""
    body: Body
    """Empty when there is only an error."""
    taken_at: int
    """From the file's name, else from what stands in it, else the file's own time; ns since the epoch."""
    artifact: str
    """Name of the artifact."""
    host: str = ""
    status: int | None = None
    """HTTP status of an answer that is none, as torch wrote it; it writes 408 for a timeout, 503 for no connection."""
    error: str = ""
    """Why there is no answer of this rank (`Error: 408` in a periodic dump), one plain line; empty for a good one."""
