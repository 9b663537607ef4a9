"""An artifact read as a flight recorder dump: its rank, host and time are those of its name where that says them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..flight_recorder.decode import MAX_BYTES, decode
from ..flight_recorder.dump import DumpError
from ..flight_recorder.file_names import read_name, read_time
from ..ranksets import RankSet
from .content import content

if TYPE_CHECKING:
    from ..flight_recorder.dump import Dump
    from .artifact import Artifact

__all__ = ["RANK_INFERRED", "newest_instant", "read_artifact"]

RANK_INFERRED = "its name has no rank; of all members of its groups only this one is in each"


def read_artifact(artifact: Artifact) -> Dump:
    """The dump in an artifact. A name without a rank is made up for where its groups leave only one.

    Raises:
        DumpError: it cannot be read, is cut or no dump, or nothing says of which rank it is.
    """
    try:
        found = content(artifact, MAX_BYTES)
    except OSError as error:
        raise DumpError(f"cannot be read: {error.strerror or error}") from None
    if found.cut:
        raise DumpError(found.why)
    named = read_name(artifact.file_name)
    dump = decode(found.data, 0 if named is None else named.rank)
    if named is None:
        dump = replace(dump, rank=_only_common_member(dump), notes=(*dump.notes, RANK_INFERRED))
    return replace(
        dump,
        source=artifact.file_name,
        host="" if named is None else named.host,
        taken_at=(named and named.taken_at)
        or read_time(artifact.file_name)
        or newest_instant(dump)
        or artifact.modified_at,
    )


def newest_instant(dump: Dump) -> int | None:
    """The newest time in a dump, ns since the epoch; None when it has none."""
    entries = dump.entries
    if not len(entries):
        return None
    return max(int(entries.created.max()), int(entries.started.max()), int(entries.completed.max())) or None


def _only_common_member(dump: Dump) -> int:
    """The rank of a dump by its groups: it is a member of each.

    Raises:
        DumpError: that leaves several.
    """
    members = [config.members for config in dump.configs if config.members]
    common = members[0] if members else RankSet()
    for more in members[1:]:
        common &= more
    if len(common) != 1 or common.first is None:
        raise DumpError("its name has no rank at its end, and nothing in it says of which rank it is")
    return common.first
