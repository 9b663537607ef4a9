"""One closed look with everything that was made of it: what time travel shows and differences compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .counters.look import CounterLook
    from .findings import Verdict
    from .recorder_look import RecorderLook
    from .snapshot import Snapshot
    from .stack_look import StackLook

__all__ = ["LookRecord"]


@dataclass(frozen=True, slots=True)
class LookRecord:
    """A look and its analyses. Immutable; a look that was cancelled before its analyses has those of no look (id 0)."""

    snapshot: Snapshot
    verdict: Verdict
    """As it was judged when the look closed."""
    stacks: StackLook
    recorder: RecorderLook
    counters: CounterLook
    recorded: StackLook | None = None
    """Stacks that the recorders of files kept of the calls that are not over."""
