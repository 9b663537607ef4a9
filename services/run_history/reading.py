"""The reading half of the run history."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..addressing.endpoints import Endpoint
from ..plain_text import plain
from .blobs import Blob
from .case_text import json_to_case
from .errors import DamagedHistoryError, NotKeptError, UnknownRunError
from .records import KeptOutput, OutputRecord, ProgressRecord, RunError, RunRecord, RunState
from .summary import json_to_endpoint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..dispatch.case import OpCase
    from ..dispatch.endpoint import OpEndpoint
    from .blobs import BlobFolder
    from .database import Database

__all__ = ["HistoryReader"]

_COLUMNS = (
    "id, started_ns, ended_ns, state, title, case_json, endpoint_json, error_json, result_json, comparison_json, "
    "passed, case_key"
)
_BAD = "(state IN ('failed', 'interrupted') OR passed = 0)"


class HistoryReader:
    """Looks runs up. Every method raises HistoryError where the database can't be read."""

    def __init__(self, database: Database, blobs: BlobFolder) -> None:
        self._database = database
        self._blobs = blobs
        self._interrupted: tuple[int, ...] = ()

    def interrupted(self) -> list[RunRecord]:
        """The runs that were found interrupted when this history was opened."""
        return [self.get(run_id) for run_id in self._interrupted]

    def latest(self, *, limit: int = 50, failed: bool = False) -> list[RunRecord]:
        """The latest runs, newest first, without their outputs.

        Args:
            failed: only failed and interrupted ones, and those whose comparison failed.
        """
        where = f"WHERE {_BAD}" if failed else ""
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM runs {where} ORDER BY id DESC LIMIT ?",  # noqa: S608 - constants only
                (limit,),
            ).fetchall()
        return [_record(row, ()) for row in rows]

    def get(self, run_id: int) -> RunRecord:
        """One run with the description of its outputs.

        Raises:
            UnknownRunError: there is no such run.
        """
        with self._database.reading() as connection:
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM runs WHERE id = ?",  # noqa: S608 - constants only
                (run_id,),
            ).fetchone()
            outputs = connection.execute(
                "SELECT output_json FROM outputs WHERE run = ? ORDER BY position", (run_id,)
            ).fetchall()
        if row is None:
            raise UnknownRunError(f"there is no run {run_id}", hint="`xpudbg runs` lists them")
        return _record(row, tuple(_output(_decoded(text, run_id)) for (text,) in outputs))

    def find(self, word: str) -> RunRecord:
        """The run that a person means by a number, `#number`, `last` or `last-failed`.

        Raises:
            UnknownRunError: none.
        """
        if word in ("last", "last-failed"):
            found = self.latest(limit=1, failed=word == "last-failed")
            if not found:
                what = "no run" if word == "last" else "no failed run"
                raise UnknownRunError(f"the history has {what}", hint="`xpudbg run` makes one")
            return self.get(found[0].id)
        digits = word.removeprefix("#")
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 19):
            raise UnknownRunError(f"{plain(word, 60)!r} is no run", hint="give its number, last or last-failed")
        return self.get(int(digits))

    def case(self, run_id: int, without: frozenset[str] = frozenset()) -> OpCase:
        """The case of a run, its array inputs read-only, large ones mapped from their files.

        Args:
            without: names of inputs that are None where they were not kept.

        Raises:
            UnknownRunError: there is no such run.
            NotKeptError: an input was not kept or is gone.
        """
        return json_to_case(self.get(run_id).case, self._blobs.get, without)

    def endpoint(self, run_id: int) -> OpEndpoint:
        """Where a run ran.

        Raises:
            UnknownRunError: there is no such run.
        """
        return json_to_endpoint(self._one(run_id, "endpoint_json"))

    def outputs(self, run_id: int) -> list[KeptOutput]:
        """The outputs of a run with their values, large ones mapped from their files.

        Raises:
            UnknownRunError: there is no such run.
        """
        self.get(run_id)
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT output_json FROM outputs WHERE run = ? ORDER BY position", (run_id,)
            ).fetchall()
        return [self._kept(_decoded(text, run_id)) for (text,) in rows]

    def progress_of(self, run_id: int) -> list[ProgressRecord]:
        """What was told while it ran, in order; byte counts only where they ended."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT at_ns, kind, detail_json FROM progress WHERE run = ? ORDER BY rowid", (run_id,)
            ).fetchall()
        return [ProgressRecord(at_ns, kind, _decoded(text, run_id)) for at_ns, kind, text in rows]

    def _one(self, run_id: int, column: str) -> Any:
        with self._database.reading() as connection:
            row = connection.execute(
                f"SELECT {column} FROM runs WHERE id = ?",  # noqa: S608 - constants only
                (run_id,),
            ).fetchone()
        if row is None:
            raise UnknownRunError(f"there is no run {run_id}", hint="`xpudbg runs` lists them")
        return _decoded(row[0], run_id)

    def _kept(self, said: Mapping[str, Any]) -> KeptOutput:
        record = _output(said)
        if record.hash is None:
            return KeptOutput(record.name, record.dtype, None, record.note)
        try:
            array = self._blobs.get(Blob(record.hash, said["stored"], said["bytes"]), f"output {record.name}")
        except NotKeptError as error:
            return KeptOutput(record.name, record.dtype, None, str(error))
        return KeptOutput(record.name, record.dtype, array)


def _record(row: tuple[Any, ...], outputs: tuple[OutputRecord, ...]) -> RunRecord:
    run_id, started, ended, state, title, case, endpoint, error, result, comparison, passed, key = row
    where = _decoded(endpoint, run_id)
    said = None if error is None else _decoded(error, run_id)
    try:
        return RunRecord(
            id=run_id,
            started_ns=started,
            ended_ns=ended,
            state=RunState(state),
            title=title,
            case=_decoded(case, run_id),
            endpoint=str(Endpoint(where["host"], where["port"])),
            error=None if said is None else RunError(**said),
            result=None if result is None else _decoded(result, run_id),
            comparison=None if comparison is None else _decoded(comparison, run_id),
            passed=None if passed is None else bool(passed),
            outputs=outputs,
            case_key=key,
        )
    except (KeyError, TypeError, ValueError) as fault:
        raise _damaged(run_id) from fault


def _output(said: Mapping[str, Any]) -> OutputRecord:
    return OutputRecord(
        name=said["name"],
        dtype=said["dtype"],
        shape=tuple(said.get("shape", ())),
        statistics=said.get("statistics"),
        hash=said.get("hash"),
        note=said.get("note", ""),
    )


def _decoded(text: str, run_id: int) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise _damaged(run_id) from error


def _damaged(run_id: int) -> DamagedHistoryError:
    return DamagedHistoryError(
        f"run {run_id} of the history is damaged", hint="`xpudbg runs --set-aside` moves it away and begins a new one"
    )
