"""What a session knows of its job now: the rank table, the analyses of the newest look, the look under way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..counters.look import NO_COUNTERS, CounterLook
from ..ranksets import RankSet
from .record import LookRecord
from .recorders import RecorderLook
from .stacks import StackLook

if TYPE_CHECKING:
    from ..findings import Verdict
    from ..snapshot import RankReply, RankState, Snapshot

__all__ = ["LiveState", "LookUnderWay"]


@dataclass(slots=True)
class LiveState:
    """It changes with the session that holds it, and with nothing else. Analyses have the `look_id` 0 before the
    first."""

    world_size: int = 0
    ranks: dict[int, RankState] = field(default_factory=dict)
    """By number, ascending."""
    stacks: StackLook = field(default_factory=lambda: StackLook(look_id=0))
    recorder: RecorderLook = field(default_factory=lambda: RecorderLook(look_id=0))
    counters: CounterLook = NO_COUNTERS
    recorded: StackLook | None = None
    """Stacks that the recorders of files kept of the calls that are not over."""

    def record(self, look: Snapshot, verdict: Verdict) -> LookRecord:
        """What is kept of a look that has closed just now; analyses of the look before are not its own."""
        mine = look.id
        return LookRecord(
            look,
            verdict,
            self.stacks if self.stacks.look_id == mine else StackLook(look_id=0),
            self.recorder if self.recorder.look_id == mine else RecorderLook(look_id=0),
            self.counters if self.counters.look_id == mine else NO_COUNTERS,
            self.recorded if self.recorder.look_id == mine else None,
        )


@dataclass(slots=True)
class LookUnderWay:
    """The look that has not closed yet."""

    id: int
    taken_at: int
    asked: RankSet
    replies: dict[tuple[int, str], RankReply] = field(default_factory=dict)
    told: set[int] = field(default_factory=set)
    """Ranks about which this look already says something (their ping has ended)."""
    received: dict[tuple[int, str], int] = field(default_factory=dict)
    """Bytes so far of large bodies on their way."""

    @property
    def waiting_for(self) -> RankSet:
        """Ranks asked of which nothing has come yet."""
        return self.asked - RankSet(self.told)
