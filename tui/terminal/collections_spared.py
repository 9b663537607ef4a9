"""Garbage collection that does not stop the screen.

What thousands of ranks hold is hundreds of thousands of objects, nearly none of them garbage. At 4,096 ranks a full
pass over them takes 150 to 650 ms, in which nothing is painted; looks that are let go of are freed by counts alone.
"""

from __future__ import annotations

import gc

__all__ = ["keep_what_is_there", "spare_collections"]

THRESHOLDS = (10_000, 20, 100)
"""New objects until the youngest are looked through, and how often that happens until the older ones are."""


def spare_collections() -> None:
    """Look for garbage less often; for the whole process, once at its start."""
    gc.set_threshold(*THRESHOLDS)


def keep_what_is_there() -> None:
    """Take what is there now for no garbage: later passes don't look at it. After each look, in no time.

    Does nothing where collections are not spared: in a process that goes on after the program, garbage is to be freed.
    """
    if gc.get_threshold() == THRESHOLDS:
        gc.freeze()
