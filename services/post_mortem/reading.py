"""The files of one target found and read, as often as wanted: here, by processes of this machine, or by a cluster.

Blocks; `close` may be called from another thread and ends what is under way.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ..artifacts.gathering import Gathered, gather
from ..artifacts.intake import take_in
from ..artifacts.reading_pool import ReadingPool, pays
from ..events import TargetProgress
from ..plain_text import plain
from ..targets import TargetError

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from ..artifacts.intake import Intake
    from ..attach_options import AttachOptions
    from ..spool import Spool
    from ..targets import FilesTarget

__all__ = ["FileReading"]

HINT = (
    "dumps of the flight recorder (nccl_trace_rank_5), torch's periodic dumps (stacks_20260923_065505.txt), stacks of "
    "faulthandler or py-spy, a job's log, profiler traces, our bundles, also in tar, zip or gz"
)
_STEPS = 200
"""How often it is said how many files have been read."""


class FileReading:
    """Reads the files of one target."""

    def __init__(
        self, target: FilesTarget, options: AttachOptions, spool: Spool, told: Callable[[TargetProgress], None]
    ) -> None:
        """
        Args:
            target: the files and folders.
            options: whether sub-folders count, which cluster reads.
            spool: takes members of archives and large bodies.
            told: takes how far it is; called from the thread that reads.
        """
        self._target = target
        self._options = options
        self._spool = spool
        self._told = told
        self._guard = threading.Lock()
        self._readers: Executor | None = None
        self._closed = False

    def read(self) -> Gathered:
        """Find the files and read them all, also those that have been read before.

        Raises:
            TargetError: a path does not exist, nothing under the paths is of use, or the cluster can't be used.
        """
        try:
            intake = self._found()
            gathered = gather(intake, self._spool, self._readers_for(intake), self._read_so_far)
        except OSError as error:
            raise TargetError(plain(str(error)), hint=f"give a folder or files: {HINT}") from error
        finally:
            if not self._options.executor:
                self._let_go()
        if gathered.empty:
            count = len(intake.artifacts) + len(intake.refused)
            reasons = [f"{one.name}: {one.reason}" for one in (*gathered.silent, *gathered.refused)][:3]
            if not count:
                raise TargetError(f"{self._target.label}: no file in it", hint=HINT)
            raise TargetError(
                f"{self._target.label}: nothing of use among {count:,} {'file' if count == 1 else 'files'}"
                + (f" ({'; '.join(reasons)})" if reasons else ""),
                hint=HINT,
            )
        return gathered

    def close(self) -> None:
        """Let go of processes and cluster; a read under way fails."""
        self._closed = True
        self._let_go()

    def _let_go(self) -> None:
        with self._guard:
            readers, self._readers = self._readers, None
        if readers is not None:
            readers.shutdown()

    def _read_so_far(self, done: int, count: int) -> None:
        if done == count or not done % max(count // _STEPS, 1):
            self._told(TargetProgress(done, count))

    def _found(self) -> Intake:
        """The files of the target: of this machine, or of those of the cluster.

        Raises:
            OSError: none of the paths exists.
            TargetError: the cluster can't be used.
        """
        paths, recursive = self._target.paths, self._options.recursive
        if not self._options.executor:
            finding = lambda line: self._told(TargetProgress(0, 0, line))  # noqa: E731
            return take_in(paths, recursive=recursive, spool=self._spool, told=finding)
        from ..artifacts.listing_there import list_files
        from .reading_cluster import ReadingCluster

        if self._readers is None:
            self._hold(ReadingCluster(self._options.executor))
        assert self._readers is not None
        found = self._readers.submit(list_files, paths, recursive).result()
        if isinstance(found, str):
            raise FileNotFoundError(f"on the cluster's workers: {found}")
        return found

    def _readers_for(self, intake: Intake) -> Executor | None:
        if self._readers is None and pays(intake.artifacts):
            self._hold(ReadingPool())
        return self._readers

    def _hold(self, readers: Executor) -> None:
        with self._guard:
            if not self._closed:
                self._readers = readers
                return
        readers.shutdown()
        raise TargetError("closed while it was opened", hint="")
