"""A call that ranks are inside now, and what is known of each of its members."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..ranksets import RankSet

if TYPE_CHECKING:
    from .operations import Operation
    from .p2p import Half

__all__ = ["OpenCall"]


@dataclass(slots=True)
class OpenCall:
    """A call that ranks are inside now."""

    index: int
    group: int
    seq: int
    p2p: bool
    operation: Operation
    inside: RankSet
    """Ranks whose current call it is."""
    rows: dict[int, int]
    """The entry of each of them, as row of the job's columns."""
    created: int
    """When the first of them called it, ns since the epoch."""
    inner: int = 1
    """Operations that it is made of: more than one when it is coalesced."""
    halves: tuple[Half, ...] = ()
    """The sends and receives that are open in it."""
    met: tuple[tuple[Half, Half], ...] = ()
    """Those of them whose other half is known for certain, with it."""
    missing: RankSet = field(default_factory=RankSet)
    """Members that have not called it."""
    unsure: RankSet = field(default_factory=RankSet)
    """Those of `missing` about which that is concluded, not recorded."""
    silent: RankSet = field(default_factory=RankSet)
    """Those of `missing` that have recorded nothing at all in the group."""
    lost: RankSet = field(default_factory=RankSet)
    """Those of `missing` whose rings have nothing left that could show the other half of a P2P call."""
    unclear: RankSet = field(default_factory=RankSet)
    """Members outside all calls that have either not called it or completed it: nothing tells which."""
    absent: RankSet = field(default_factory=RankSet)
    """Members without a dump."""
    behind: RankSet = field(default_factory=RankSet)
    """Members that have called it, but are still inside an earlier call."""
    hidden: RankSet = field(default_factory=RankSet)
    """Ranks that are inside it by their counters: their rings have lost the entry."""
    done: RankSet = field(default_factory=RankSet)
    """Members that have completed it in time; of a P2P call the peers that have completed their halves of it."""
    late: RankSet = field(default_factory=RankSet)
    """Ranks inside it whose entry says completed, after the timeout."""
    unseen: int = 0
    """Members that nothing names (see `JobGroup.unseen`)."""
    alone: bool = False
    """The group has one rank: nothing but its own device keeps it."""

    @property
    def all_called(self) -> bool:
        """That a member has completed it shows that all have called it, even those of which nothing is known."""
        return bool(self.done) and not self.p2p and not self.missing and self.operation.needs_all

    @property
    def stuck(self) -> RankSet:
        """Ranks that have not completed what every member has called and some have completed."""
        if self.p2p or not self.done or self.missing:
            return RankSet()
        if (self.absent or self.unseen or self.unclear) and not self.all_called:
            return RankSet()
        if self.operation.rooted and (self.behind or len(self.inside) >= len(self.done)):
            return RankSet()
        return self.inside | self.hidden

    @property
    def half_done(self) -> bool:
        """A collective that all have called, and that too few have completed to tell at which end it stands still."""
        others = self.missing or self.absent or self.unseen or self.unclear or self.behind
        return bool(self.done) and not (self.p2p or others or self.stuck)

    @property
    def left_open(self) -> bool:
        """A P2P call that all peers have completed, and the rank inside it has not."""
        peers = {half.peer for half in self.halves}
        return self.p2p and bool(peers) and peers == set(self.done) and not (self.missing or self.absent or self.behind)

    @property
    def both_ends(self) -> bool:
        """A P2P call whose peers are all inside their halves of it, so that nothing tells what it waits for."""
        others = self.missing or self.absent or self.behind or self.done
        return self.p2p and bool(self.met) and not others

    @property
    def full(self) -> bool:
        """A collective that every member is inside of, so that nothing tells what it waits for."""
        others = self.missing or self.absent or self.behind or self.unclear or self.unseen
        return not (others or self.done or self.late or self.p2p) and len(self.inside | self.hidden) > 1

    @property
    def blockers(self) -> RankSet:
        """The ranks that hold it up, as far as they are known."""
        if self.missing:
            return self.missing
        if self.absent:
            return self.absent
        return RankSet() if self.stuck else self.behind
