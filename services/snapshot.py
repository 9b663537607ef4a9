"""One look at a job as values: replies of ranks, the class of each rank, and the closed Snapshot.

Shapes, names and outcomes are those of the design's "Decisions"; everything here is immutable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from .ranksets import RankSet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .artifacts.watchdog import WatchdogLine
    from .cluster.health import Health
    from .profiles.memberships import Memberships
    from .spool import Body

__all__ = ["LookContext", "Outcome", "RankAddress", "RankClass", "RankReply", "RankState", "Snapshot"]


ROW_BYTES = 400
"""About what one reply or one row of the rank table takes in memory, without the body."""


class Outcome(StrEnum):
    """How one request to one rank ended."""

    OK = "ok"
    HTTP_ERROR = "http_error"
    """An answer that is no success: a status of 300 or more, or bytes that are not HTTP (status None)."""
    TIMEOUT = "timeout"
    """Connected, but no whole answer within the budget. The request may still be outstanding on the rank."""
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    """No connection: connecting timed out, or there is no route."""
    NAME_UNKNOWN = "name_unknown"
    RESET = "reset"
    """The peer closed the connection before the whole answer was there."""
    TOO_LARGE = "too_large"
    CANCELLED = "cancelled"


class RankClass(StrEnum):
    """What a rank looks like from outside (spec: worker-server, "What different sick ranks look like")."""

    ALIVE = "alive"
    GIL_HELD = "gil_held"
    STOPPED = "stopped"
    DEAD = "dead"
    UNREACHABLE = "unreachable"
    NAME_UNKNOWN = "name_unknown"
    NOT_REGISTERED = "not_registered"
    FOREIGN_PORT = "foreign_port"
    SERVER_ERROR = "server_error"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RankAddress:
    """Where a rank's worker server is said to be."""

    rank: int
    registered: str
    """The URL as the job registered it, without user and password; empty when the rank has not registered."""
    url: str
    """The URL that is asked, after --map; never shown when it carries a password. Empty when not registered."""
    host: str
    """Host name as registered (what the job calls the node)."""
    error: str = ""
    """Why the registered text is not an address, empty when it is one."""
    shares: int | None = None
    """The lower rank at the same host and port: at most one of them is there, and only that one is asked."""
    file: str = ""
    """Post mortem: the file that the rank is known from; empty for a live rank."""


@dataclass(frozen=True, slots=True)
class RankReply:
    """What came back from one request to one rank."""

    rank: int
    source: str
    """Handler name, `ping` or `dump_traceback` for example; `handlers` is the list that GET /handler/ gives."""
    query: str
    outcome: Outcome
    status: int | None
    """HTTP status, None when there was no HTTP answer."""
    body: Body
    """The answer, or what came of it before it broke; may be empty."""
    error: str
    """One plain line when the outcome is not ok, else empty."""
    started_at: int
    """When the request was sent, ns since the epoch."""
    took_s: float
    """Seconds from sending to the end, waiting in a lane not counted."""
    connected: bool = True
    """Whether the TCP connection came about."""

    @property
    def ended_at(self) -> int:
        """When the reply was complete or given up, ns since the epoch."""
        return self.started_at + int(self.took_s * 1e9)


@dataclass(frozen=True, slots=True)
class RankState:
    """One row of the rank table: a rank's class and what it rests on."""

    rank: int
    address: RankAddress
    rank_class: RankClass = RankClass.UNKNOWN
    reason: str = "not looked at yet"
    """One plain line: why this class."""
    confirmed: int = 0
    """How many looks in a row ended with this class (0 while the first is under way)."""
    since: int | None = None
    """When this class was first seen without a break, ns since the epoch."""
    seen_at: int | None = None
    """When the rank last gave a good answer to anything, ns since the epoch."""
    stuck: tuple[str, ...] = ()
    """Handlers with a request of ours that the rank has not answered; each keeps one of its server threads."""
    ping_s: float | None = None
    """Seconds the last answered ping took."""
    health: Health | None = None
    """What torchcomms' health check said last; None where the rank has none, and since it is not heard any more."""
    was_alive: bool = False
    """Whether the rank answered as alive at any time during this attachment."""

    @property
    def host(self) -> str:
        return self.address.host


@dataclass(frozen=True, slots=True)
class LookContext:
    """What the analyses of a look rest on beside its replies: with it they can be done again."""

    without_counters: RankSet = field(default_factory=RankSet)
    """Ranks that have no handler for wait counters."""
    group_sizes: Mapping[str, int] = field(default_factory=dict)
    """Number of members of groups by name, as the store knows them."""
    memberships: Mapping[int, Memberships] = field(default_factory=dict)
    """Who is in which group, by the rank whose profile said so."""
    may_wait: RankSet | None = None
    """Ranks whose line in the source waits for others, unseen by Python's stack; None when that was not looked at."""
    unreadable: Mapping[int, str] = field(default_factory=dict)
    """Post mortem: why a rank's file could not be used, one plain line each."""
    mixed: RankSet = field(default_factory=RankSet)
    """Post mortem: ranks of which files of several hosts or runs lie together."""
    watchdog: tuple[WatchdogLine, ...] = ()
    """Post mortem: lines of NCCL's watchdog in logs."""
    heard: RankSet = field(default_factory=RankSet)
    """Post mortem: ranks that wrote into a log."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One closed look at the job."""

    id: int
    taken_at: int
    """When the look began, ns since the epoch."""
    closed_at: int
    target: str
    """The target as it is shown, without secrets."""
    world_size: int
    ranks: Mapping[int, RankState]
    """Every rank of the look by number, those that have not registered included."""
    replies: Mapping[tuple[int, str], RankReply] = field(default_factory=dict)
    """Replies by (rank, source)."""
    cancelled: bool = False
    notes: tuple[str, ...] = ()
    """What limits this look as a whole, one plain line each."""
    partial: bool = False
    """Something that should have been read could not be."""
    context: LookContext = field(default_factory=LookContext)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranks", MappingProxyType(dict(self.ranks)))
        object.__setattr__(self, "replies", MappingProxyType(dict(self.replies)))

    @property
    def took_s(self) -> float:
        return (self.closed_at - self.taken_at) / 1e9

    def memory(self) -> int:
        """About how many bytes it holds in memory; bodies in the spool don't count."""
        bodies = {id(reply.body): len(reply.body.inline or b"") for reply in self.replies.values()}
        return sum(bodies.values()) + ROW_BYTES * (len(self.replies) + len(self.ranks))

    def of_class(self, rank_class: RankClass) -> RankSet:
        """The ranks that have this class."""
        return RankSet(rank for rank, state in self.ranks.items() if state.rank_class is rank_class)
