"""Forgetting: runs by age, then by the size of their arrays, then the arrays that nobody has any more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .blobs import BlobFolder
    from .database import Database

__all__ = ["Pruned", "prune"]


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was forgotten."""

    runs: int
    freed: int
    """Bytes of arrays."""


def prune(database: Database, blobs: BlobFolder, *, before_ns: int, most: int) -> Pruned:
    """Forget runs that started before a moment, and the oldest ones until the arrays take at most `most` bytes. Runs
    under way stay. Arrays that nobody has are removed an hour after they were last kept.

    Raises:
        HistoryError: the database can't be used.
    """
    with database.writing() as connection:
        old = connection.execute(
            "DELETE FROM runs WHERE started_ns < ? AND state != 'under way' RETURNING id", (before_ns,)
        ).fetchall()
        total = connection.execute("SELECT coalesce(sum(bytes), 0) FROM (SELECT DISTINCT hash, bytes FROM uses)")
        left: int = total.fetchone()[0]
        forgotten = len(old)
        if left > most:
            # An array goes with the newest run that has it.
            rows = connection.execute(
                "SELECT newest, sum(bytes) FROM (SELECT max(run) AS newest, hash, bytes FROM uses GROUP BY hash) "
                "GROUP BY newest ORDER BY newest"
            ).fetchall()
            for newest, size in rows:
                if left <= most:
                    break
                gone = connection.execute("DELETE FROM runs WHERE id <= ? AND state != 'under way'", (newest,))
                forgotten += gone.rowcount
                left -= size
        used = {row[0] for row in connection.execute("SELECT DISTINCT hash FROM uses")}
    return Pruned(forgotten, blobs.remove_all_but(used))
