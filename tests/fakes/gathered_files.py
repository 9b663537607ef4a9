"""Files read as the program reads them, without a program around it."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path

from xpudbg.services.artifacts.gathering import Gathered, gather
from xpudbg.services.artifacts.intake import take_in
from xpudbg.services.spool import Spool

__all__ = ["gathered"]


def gathered(*paths: Path, recursive: bool = False, executor: Executor | None = None) -> Gathered:
    """What stands in files; what needs a spool beyond this call (members of archives, large texts) is gone."""
    spool = Spool()
    try:
        return gather(take_in(paths, recursive=recursive, spool=spool), spool, executor)
    finally:
        spool.close()
