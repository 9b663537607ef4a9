"""Whether two dumps of one rank come from one process, or from two jobs whose files lie together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .dump import Dump

__all__ = ["of_one_run"]


def of_one_run(older: Dump, newer: Dump) -> bool:
    """False when the dumps contradict each other: other hosts, counters that went back, calls made at two times."""
    if older.host != newer.host:
        return False
    before = _members(older)
    if any(before.get(name, members) != members for name, members in _members(newer).items()):
        return False
    known = {label.name: number for number, label in enumerate(older.entries.tables.groups)}
    return all(
        label.name not in known or _continues(_calls(older, known[label.name]), _calls(newer, number))
        for number, label in enumerate(newer.entries.tables.groups)
    )


def _members(dump: Dump) -> dict[str, object]:
    return {config.name: config.members for config in dump.configs if config.members}


def _calls(dump: Dump, label: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Sequence numbers of the collectives under a label, and when each was called."""
    entries = dump.entries
    here = (entries.group == label) & ~entries.is_p2p & (entries.created > 0)
    seq, first = np.unique(entries.collective_seq[here], return_index=True)
    return seq, entries.created[here][first]


def _continues(
    older: tuple[NDArray[np.uint64], NDArray[np.int64]], newer: tuple[NDArray[np.uint64], NDArray[np.int64]]
) -> bool:
    if not len(older[0]) or not len(newer[0]):
        return True
    if newer[0][-1] < older[0][-1]:
        return False
    _, mine, theirs = np.intersect1d(older[0], newer[0], assume_unique=True, return_indices=True)
    return bool((older[1][mine] == newer[1][theirs]).all())
