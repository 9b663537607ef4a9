"""Which wait counters are waits for other ranks, and which ranks stand in one.

A wait counter does not say which thread waits. So one that also counts in ranks which wait inside a collective, by
their flight recorder or their stack, is taken for that of a thread beside, and says nothing of the rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .decode import ABSENT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..ranksets import RankSet
    from .table import CounterTable

__all__ = ["held_waits", "is_wait_for_others"]

_STORE = "TCPStore__"
_STORE_WAITS = frozenset(("barrier", "get", "init", "multiGet", "queuePop", "wait", "waitForWorkers"))
"""Calls of the store that return only when another rank has done something."""
_CALLS = "c10d."
"""Functions of torch.distributed; those that begin with an underscore work for their rank alone."""


def is_wait_for_others(title: str) -> bool:
    """Whether a counter counts waits for other ranks.

    Args:
        title: its name without torch's prefix.
    """
    if title.startswith(_STORE):
        return title.removeprefix(_STORE) in _STORE_WAITS
    return title.startswith(_CALLS) and not title.startswith(f"{_CALLS}_")


def held_waits(
    now: CounterTable, before: CounterTable | None, restarted: NDArray[np.bool_], inside: RankSet
) -> dict[int, str]:
    """Ranks in which a wait for others goes on that did so at the look before, and the title of its counter.

    It is the same wait when none of that counter has begun or ended in the rank between the looks.

    Args:
        before: the look to compare with.
        restarted: rows of ranks that began anew since then.
        inside: ranks that are inside a collective by their flight recorder or their stack.
    """
    if before is None:
        return {}
    made: dict[int, str] = {}
    earlier = now.seen_from(before)
    in_call = np.array([rank in inside for rank in now.ranks.tolist()], np.bool_)
    for column in range(len(now.names)):
        title = now.title(column)
        if not is_wait_for_others(title):
            continue
        active, was = now.values[0, :, column], earlier[0, :, column]
        same = np.all(now.values[1:3, :, column] == earlier[1:3, :, column], axis=0)
        known = now.values[2, :, column] != ABSENT
        held = (active > 0) & (was > 0) & same & known & ~restarted
        if title.startswith(_STORE) and np.any(held & in_call):
            continue
        for rank in now.ranks[held & ~in_call].tolist():
            made.setdefault(rank, title)
    return dict(sorted(made.items()))
