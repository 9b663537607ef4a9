"""Finding files on another machine, for a cluster that reads them where they lie: only plain files count there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..spool import Spool
from .artifact import Refused
from .intake import Intake, take_in
from .limits import Limits

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["list_files"]

IN_AN_ARCHIVE = "stands in an archive; a cluster reads plain files: unpack it where it lies"


def list_files(paths: tuple[Path, ...], recursive: bool) -> Intake | str:
    """The files under these paths of the machine on which this runs, or why there are none, one plain line.

    Members of archives would lie in a spool of that machine alone, so they are refused.
    """
    spool = Spool()
    try:
        found = take_in(paths, recursive=recursive, spool=spool, limits=Limits(kept_bytes=0))
    except OSError as error:
        return str(error)
    finally:
        spool.close()
    inside = tuple(Refused(one.name, IN_AN_ARCHIVE) for one in found.artifacts if one.path is None)
    plain_files = tuple(one for one in found.artifacts if one.path is not None)
    return Intake(plain_files, (*found.refused, *inside), found.notes)
