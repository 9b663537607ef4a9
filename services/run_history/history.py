"""The run history: a row before a run starts, and all it gave when it ends.

Killed at any moment, it has every run that ended; a run that was under way is found by the next start, since its row
names the process. Several processes use one history at a time.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..dispatch.errors import RunCancelledError
from ..dispatch.run_result import named_outputs
from . import process_identity
from .blobs import Blob, BlobFolder
from .case_text import blobs_in, case_to_json
from .database import ARRAYS, Database, default_folder
from .errors import NotKeptError
from .pruning import prune
from .reading import HistoryReader
from .records import RunState
from .summary import (
    comparison_to_json,
    endpoint_to_json,
    error_to_json,
    output_statistics,
    progress_to_json,
    result_to_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from ..comparison.compare import Comparison
    from ..dispatch.case import OpCase
    from ..dispatch.endpoint import OpEndpoint
    from ..dispatch.errors import DispatchError
    from ..dispatch.progress import Progress
    from ..dispatch.run_loop import OpRun
    from .pruning import Pruned

__all__ = ["HistoryLimits", "RunHistory"]

MIB = 1 << 20
UNKNOWN_PLACE_S = 2 * 86_400
"""Seconds after which a run of a process that can't be looked at from here counts as interrupted; a run's deadline is
a day at most."""


@dataclass(frozen=True, slots=True)
class HistoryLimits:
    """What is kept."""

    array_bytes: int = 256 * MIB
    """Larger inputs and outputs are described, not kept."""
    progress: int = 200
    """Progress records of one run."""
    age_s: float = 90 * 86_400.0
    """Runs older than this are pruned."""
    total_bytes: int = 4096 * MIB
    """Bytes of all kept arrays; the oldest runs are pruned beyond."""


class RunHistory(HistoryReader):
    """An open history. Every method blocks for as long as files and the database need: call them in a thread. Any
    thread may, one after another.

    Every method raises HistoryError where the database can't be used; what it says is for people.

    Args:
        folder: where it lies; `default_folder()` when None. Made when it is not there.
        limits: what is kept.
        clock: ns since the epoch.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        limits: HistoryLimits | None = None,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self.folder = folder if folder is not None else default_folder()
        self.limits = limits or HistoryLimits()
        self._clock = clock
        database = Database(self.folder)
        super().__init__(database, BlobFolder(self.folder / ARRAYS))
        try:
            self._interrupted = self._find_interrupted()
        except BaseException:
            database.close()
            raise

    def begin(self, case: OpCase, endpoint: OpEndpoint, case_key: str | None = None) -> int:
        """Write down that a run starts, with its inputs.

        Args:
            case_key: tells the case from all others, wherever it is run again; None: it comes from no file.

        Returns:
            The run's number.
        """
        said = case_to_json(case, self._keep)
        used = blobs_in(said)
        values = (
            *(self._clock(), RunState.UNDER_WAY, case.title, _json(said), _json(endpoint_to_json(endpoint))),
            *process_identity.own_identity(),
            case_key,
        )
        with self._database.writing() as connection:
            made = connection.execute(
                "INSERT INTO runs (started_ns, state, title, case_json, endpoint_json, pid, process_start, "
                "process_place, case_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            run_id = made.lastrowid
            assert run_id is not None
            self._use(connection, run_id, used)
        return run_id

    def progress(self, run_id: int, latest: Progress) -> None:
        """Write down how far a run is; beyond `limits.progress` records nothing is written."""
        kind, detail = progress_to_json(latest)
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO progress (run, at_ns, kind, detail_json) SELECT ?, ?, ?, ? "
                "WHERE (SELECT count(*) FROM progress WHERE run = ?) < ?",
                (run_id, self._clock(), kind, _json(detail), run_id, self.limits.progress),
            )

    def finish(self, run_id: int, run: OpRun) -> None:
        """Write down what a run gave."""
        rows: list[tuple[int, int, str]] = []
        used: list[Blob] = []
        for position, (name, output) in enumerate(named_outputs(run)):
            said: dict[str, Any] = {"name": name, "dtype": None}
            if output is not None:
                said |= {"dtype": output.dtype, "shape": list(output.array.shape)}
                said["statistics"] = output_statistics(output)
                kept = self._keep(f"output {name}", output.array)
                if isinstance(kept, Blob):
                    used.append(kept)
                    said |= {"hash": kept.hash, "stored": kept.dtype, "bytes": kept.size}
                else:
                    said["note"] = kept
            rows.append((run_id, position, _json(said)))
        with self._database.writing() as connection:
            connection.executemany("INSERT INTO outputs (run, position, output_json) VALUES (?, ?, ?)", rows)
            self._use(connection, run_id, used)
            connection.execute(
                "UPDATE runs SET state = ?, ended_ns = ?, result_json = ? WHERE id = ?",
                (RunState.OK, self._clock(), _json(result_to_json(run)), run_id),
            )

    def fail(self, run_id: int, error: DispatchError) -> None:
        """Write down why a run gave no result."""
        state = RunState.CANCELLED if isinstance(error, RunCancelledError) else RunState.FAILED
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE runs SET state = ?, ended_ns = ?, error_json = ? WHERE id = ?",
                (state, self._clock(), _json(error_to_json(error)), run_id),
            )

    def compared(self, run_id: int, found: Mapping[str, Comparison]) -> None:
        """Write down how a run's outputs (by name) compare with what they should be."""
        said = {name: comparison_to_json(one) for name, one in found.items()}
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE runs SET comparison_json = ?, passed = ? WHERE id = ?",
                (_json(said), all(one.passed for one in found.values()), run_id),
            )

    def prune(self, limits: HistoryLimits | None = None) -> Pruned:
        """Forget runs beyond the limits, oldest first, and remove the arrays that no run has any more."""
        chosen = limits or self.limits
        return prune(
            self._database, self._blobs, before_ns=self._clock() - int(chosen.age_s * 1e9), most=chosen.total_bytes
        )

    def close(self) -> None:
        self._database.close()

    def _keep(self, _name: str, array: NDArray[Any]) -> Blob | str:
        if array.nbytes > self.limits.array_bytes:
            return f"larger than the {self.limits.array_bytes // MIB:,} MiB that are kept"
        try:
            return self._blobs.put(array)
        except NotKeptError as error:
            return str(error)
        except OSError as error:
            return f"it could not be written: {error.strerror}"

    def _use(self, connection: Any, run_id: int, used: list[Blob]) -> None:
        connection.executemany(
            "INSERT OR IGNORE INTO uses (run, hash, bytes) VALUES (?, ?, ?)",
            [(run_id, blob.hash, blob.size) for blob in used],
        )

    def _find_interrupted(self) -> tuple[int, ...]:
        """Mark the runs under way whose process is gone."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT id, pid, process_start, process_place, started_ns FROM runs WHERE state = 'under way'"
            ).fetchall()
        long_ago = self._clock() - UNKNOWN_PLACE_S * 10**9
        gone = []
        for run_id, pid, began, place, started_ns in rows:
            ended = process_identity.is_gone(pid, began, place)
            if ended or (ended is None and started_ns < long_ago):
                gone.append(run_id)
        if not gone:
            return ()
        marked = []
        with self._database.writing() as connection:
            for run_id in gone:
                changed = connection.execute(
                    "UPDATE runs SET state = 'interrupted' WHERE id = ? AND state = 'under way'", (run_id,)
                )
                if changed.rowcount:
                    marked.append(run_id)
        return tuple(marked)


def _json(value: object) -> str:
    """JSON with NaN and Infinity, as Python reads them back."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True)
