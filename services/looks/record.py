"""One closed look with everything that was made of it: what time travel shows and differences compare."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..counters.look import NO_COUNTERS
from .recorders import RecorderLook
from .stacks import StackLook

if TYPE_CHECKING:
    from ..counters.look import CounterLook
    from ..findings import Verdict
    from ..snapshot import Snapshot

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
    dropped: bool = False
    """Its analyses were let go of to save memory, and are those of no look; they can be made again of the replies."""

    @property
    def is_analysed(self) -> bool:
        """Whether any analysis of it is there."""
        return any(
            one is not None and one.look_id for one in (self.stacks, self.recorder, self.counters, self.recorded)
        )

    @property
    def can_be_analysed_again(self) -> bool:
        """Whether its analyses rest on the replies of ranks alone; those of files rest on the files."""
        return self.is_analysed and not any(state.address.file for state in self.snapshot.ranks.values())

    def without_analyses(self) -> LookRecord:
        """The same look, its analyses let go of."""
        return replace(
            self, stacks=StackLook(0), recorder=RecorderLook(0), counters=NO_COUNTERS, recorded=None, dropped=True
        )
