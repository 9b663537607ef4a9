"""The database file of the history: opened, made, brought to the present version, and its faults named."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from ..instants import stamp_text
from ..plain_text import plain
from .errors import DamagedHistoryError, HistoryError, NewerHistoryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["FOLDER_VARIABLE", "Database", "default_folder", "set_aside"]

FOLDER_VARIABLE = "XPUDBG_HISTORY"
"""Environment variable that names the history's folder."""
BUSY_S = 5.0
"""Seconds to wait for another process's write."""
FILE = "runs.db"
ARRAYS = "arrays"
"""Folder of the arrays, beside the database."""

_FIRST = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    started_ns INTEGER NOT NULL,
    ended_ns INTEGER,
    state TEXT NOT NULL CHECK (state IN ('under way', 'ok', 'failed', 'cancelled', 'interrupted')),
    title TEXT NOT NULL,
    case_json TEXT NOT NULL,
    endpoint_json TEXT NOT NULL,
    error_json TEXT,
    result_json TEXT,
    comparison_json TEXT,
    passed INTEGER,
    pid INTEGER NOT NULL,
    process_start TEXT NOT NULL,
    process_place TEXT NOT NULL
) STRICT;
CREATE INDEX runs_under_way ON runs (state) WHERE state = 'under way';
CREATE TABLE progress (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    at_ns INTEGER NOT NULL,
    kind TEXT NOT NULL,
    detail_json TEXT NOT NULL
) STRICT;
CREATE INDEX progress_of_run ON progress (run);
CREATE TABLE outputs (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    output_json TEXT NOT NULL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE uses (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (run, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX uses_of_blob ON uses (hash);
"""

_CASE_KEY = "ALTER TABLE runs ADD COLUMN case_key TEXT;\n"

MIGRATIONS: tuple[str, ...] = (_FIRST, _CASE_KEY)
"""Scripts that lead from version N to N + 1; each runs once, in one transaction. Never change one that was released."""

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_HINTS = {
    sqlite3.SQLITE_FULL: "free some space, or `xpudbg runs --prune`",
    sqlite3.SQLITE_READONLY: f"make its folder writable, or name another with {FOLDER_VARIABLE}",
    sqlite3.SQLITE_CANTOPEN: f"make its folder writable, or name another with {FOLDER_VARIABLE}",
    sqlite3.SQLITE_BUSY: "another xpudbg holds it; try again",
}


class Database:
    """One connection, used by one thread at a time. Transactions are short.

    Raises:
        DamagedHistoryError: the file is no database or broken.
        NewerHistoryError: a newer xpudbg wrote it.
        HistoryError: it can't be opened or made; the message says why.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._guard = threading.RLock()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise HistoryError(
                f"the run history can't be made in {folder}: {error.strerror}",
                hint=f"make it writable, or name another folder with {FOLDER_VARIABLE}",
            ) from error
        with self._faults_named():
            # Statements are transactions of their own, unless one is begun.
            self._connection = sqlite3.connect(
                self.path, timeout=BUSY_S, isolation_level=None, check_same_thread=False, cached_statements=32
            )
        weakref.finalize(self, self._connection.close)  # for who forgets to; from 3.13 on Python complains
        try:
            with self._faults_named():
                self._connection.execute("PRAGMA foreign_keys = ON")
                _patiently(lambda: self._connection.execute("PRAGMA journal_mode = WAL").fetchone())
                self._connection.execute("PRAGMA synchronous = NORMAL")
                self._migrate()
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        with self._guard:
            self._connection.close()

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for statements that change nothing."""
        with self._guard, self._faults_named():
            yield self._connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The connection inside one transaction: all of it holds, or none."""
        with self._guard, self._faults_named():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # sqlite undoes it by itself when the disk is full
                    self._connection.execute("ROLLBACK")
                raise

    def _migrate(self) -> None:
        if self._version() == len(MIGRATIONS):
            return
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            version = self._version()  # another process may have done it meanwhile
            if version > len(MIGRATIONS):
                raise NewerHistoryError(
                    f"the run history is of version {version}, written by a newer xpudbg; this one knows "
                    f"{len(MIGRATIONS)}",
                    hint=f"use the newer xpudbg, or name another folder with {FOLDER_VARIABLE}",
                )
            for script in MIGRATIONS[version:]:
                for statement in script.split(";\n"):
                    if statement.strip():
                        self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _version(self) -> int:
        version: int = self._connection.execute("PRAGMA user_version").fetchone()[0]
        return version

    @contextlib.contextmanager
    def _faults_named(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", None)
            code = code & 0xFF if code is not None else None
            if code in _DAMAGED:
                raise DamagedHistoryError(
                    f"the run history {self.path} is damaged: {error}",
                    hint="`xpudbg runs --set-aside` moves it away and begins a new one",
                ) from error
            raise HistoryError(
                f"the run history {self.path} can't be used: {error}", hint=_HINTS.get(code or 0, "")
            ) from error


def default_folder() -> Path:
    """Where the history lies: what XPUDBG_HISTORY names, else a folder in the user's data folder.

    Raises:
        HistoryError: there is no home folder.
    """
    if named := os.environ.get(FOLDER_VARIABLE):
        return Path(named)
    import platformdirs

    try:
        return platformdirs.user_data_path("xpudbg", appauthor=False) / "runs"
    except RuntimeError as error:  # a user without a home: a container's random uid
        raise HistoryError(
            "there is no home folder, so runs are not kept", hint=f"name a folder with {FOLDER_VARIABLE}"
        ) from error


def set_aside(folder: Path) -> Path:
    """Move a database, whatever is in it, and its arrays away under other names. A new one would not know the arrays,
    and prune them.

    Returns:
        The database's new path.

    Raises:
        HistoryError: there is none, or it can't be moved.
    """
    path = folder / FILE
    mark = f"aside-{stamp_text(time.time_ns())}"
    away = path.with_name(f"{FILE}.{mark}")
    try:
        path.rename(away)
        arrays = folder / ARRAYS
        if arrays.exists():
            arrays.rename(folder / f"{ARRAYS}.{mark}")
        for ending in ("-wal", "-shm"):
            beside = path.with_name(f"{FILE}{ending}")
            if beside.exists():
                beside.rename(away.with_name(f"{away.name}{ending}"))
    except FileNotFoundError as error:
        raise HistoryError(f"there is no run history in {plain(str(folder))}") from error
    except OSError as error:
        raise HistoryError(f"{path} can't be moved: {error.strerror}") from error
    return away


def _patiently(call: Callable[[], object]) -> None:
    """Switching to WAL ignores the busy timeout where two processes do it at the same time."""
    end = time.monotonic() + BUSY_S
    while True:
        try:
            call()
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return
