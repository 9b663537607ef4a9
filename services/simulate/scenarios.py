"""The scenarios of the demo cluster: what each rank does, and which ranks are therefore at fault.

The culprits are known by construction, so a scenario is also a test of what xpudbg says about it. Every scenario
works with any number of ranks from 1 on; larger clusters have more sick ranks where one alone would be lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from ..cluster.health import UNHEALTHY
from ..flight_recorder.causes import Kind
from ..judging.stack_findings import STUCK_STACK
from ..ranksets import RankSet
from ..snapshot import RankClass

__all__ = ["DEFAULT", "RANKS_PER_HOST", "SCENARIOS", "Behaviour", "Scenario"]

RANKS_PER_HOST = 8
_ONE_IN = 100
"""A scenario with single sick ranks has one in so many, and at least one."""


class Behaviour(StrEnum):
    """What one simulated rank does."""

    HEALTHY = "healthy"
    SLOW = "slow"
    """Healthy, but each answer takes half a second."""
    STOPPED = "stopped"
    """A listening socket that nobody accepts from, as after SIGSTOP."""
    GIL_HELD = "gil-held"
    """Answers everything but dump_traceback."""
    LOADING = "loading"
    """Answers everything; its main thread is asleep in the data loader while the others wait for it."""
    DEAD = "dead"
    """A port that refuses connections."""
    UNREACHABLE = "unreachable"
    """Connecting gets no answer at all."""
    NAME_UNKNOWN = "name-unknown"
    """Registered under a host name that resolves nowhere."""
    NOT_REGISTERED = "not-registered"
    """In the job, but without a key in the store."""
    FOREIGN_PORT = "foreign-port"
    """Another program has the port: it serves web pages."""
    SERVER_ERROR = "server-error"
    """Every request ends in status 500."""
    UNHEALTHY = "unhealthy"
    """Takes part like the others, and torchcomms' health check says that it is not well."""
    RESET = "reset"
    """Accepts connections and resets them."""

    @property
    def rank_class(self) -> RankClass:
        """The class that xpudbg should give such a rank."""
        return _CLASSES[self]

    def finding(self, *, recorder: bool) -> str:
        """Kind of the finding that names such a rank; empty when nothing is wrong with it."""
        if self is Behaviour.LOADING:
            return Kind.NOT_JOINED.value if recorder else STUCK_STACK
        if self is Behaviour.UNHEALTHY:
            return UNHEALTHY
        return "" if self.rank_class is RankClass.ALIVE else self.rank_class.value

    @property
    def holds_up(self) -> bool:
        """Whether the job can't go on because of such a rank: it will not join the next collective."""
        return self in _HOLDING_UP


_CLASSES = {
    Behaviour.HEALTHY: RankClass.ALIVE,
    Behaviour.SLOW: RankClass.ALIVE,
    Behaviour.STOPPED: RankClass.STOPPED,
    Behaviour.GIL_HELD: RankClass.GIL_HELD,
    Behaviour.LOADING: RankClass.ALIVE,
    Behaviour.UNHEALTHY: RankClass.ALIVE,
    Behaviour.DEAD: RankClass.DEAD,
    Behaviour.UNREACHABLE: RankClass.UNREACHABLE,
    Behaviour.NAME_UNKNOWN: RankClass.NAME_UNKNOWN,
    Behaviour.NOT_REGISTERED: RankClass.NOT_REGISTERED,
    Behaviour.FOREIGN_PORT: RankClass.FOREIGN_PORT,
    Behaviour.SERVER_ERROR: RankClass.SERVER_ERROR,
    Behaviour.RESET: RankClass.SERVER_ERROR,
}
_HOLDING_UP = frozenset(
    {Behaviour.STOPPED, Behaviour.GIL_HELD, Behaviour.LOADING, Behaviour.DEAD, Behaviour.UNREACHABLE}
)

Placement = Mapping[Behaviour, RankSet]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A state of a cluster with known culprits."""

    name: str
    story: str
    """What happens, in one line."""
    placement: Callable[[int], Placement]
    """Ranks that don't do as the others, by behaviour, from the number of ranks."""
    default_ranks: int = 16
    others: Behaviour = Behaviour.HEALTHY
    """What all other ranks do."""
    idle: bool = False
    """The job rests between two collectives: nobody waits for anybody and nothing moves."""
    recorder: bool = True
    """The flight recorder is switched on."""
    torchcomms: bool = False
    """The job communicates through torchcomms: its ranks have that library's handlers."""

    def behaviours(self, n_ranks: int) -> list[Behaviour]:
        """What each rank does, by rank.

        Raises:
            ValueError: fewer than one rank.
        """
        if n_ranks < 1:
            raise ValueError("a cluster has at least one rank")
        made = [self.others] * n_ranks
        for behaviour, ranks in self.placement(n_ranks).items():
            for rank in ranks:
                made[rank] = behaviour
        return made

    def culprits(self, n_ranks: int) -> dict[str, RankSet]:
        """The ranks at fault by the kind of the finding that names them; empty for a healthy job."""
        found: dict[str, list[int]] = {}
        for rank, behaviour in enumerate(self.behaviours(n_ranks)):
            if kind := behaviour.finding(recorder=self.recorder):
                found.setdefault(kind, []).append(rank)
        return {kind: RankSet(ranks) for kind, ranks in found.items()}


def _nobody(_n_ranks: int) -> Placement:
    return {}


def _single(behaviour: Behaviour) -> Callable[[int], Placement]:
    """Single ranks, spread over the cluster and not in step with its hosts."""

    def place(n_ranks: int) -> Placement:
        count = max(1, n_ranks // _ONE_IN)
        middles = [n_ranks * (2 * i + 1) // (2 * count) for i in range(count)]
        return {behaviour: RankSet(middle + i * 29 % 41 for i, middle in enumerate(middles))}

    return place


def _hosts(behaviour: Behaviour) -> Callable[[int], Placement]:
    """Whole hosts, one in sixteen; in a cluster of one host that one."""

    def place(n_ranks: int) -> Placement:
        if n_ranks <= RANKS_PER_HOST:
            return {behaviour: RankSet.full(n_ranks)}
        hosts = -(-n_ranks // RANKS_PER_HOST)
        sick = [1 + 16 * i for i in range(-(-(hosts - 1) // 16))]
        return {behaviour: RankSet(rank for host in sick for rank in _ranks_of(host, n_ranks))}

    return place


def _ranks_of(host: int, n_ranks: int) -> range:
    return range(host * RANKS_PER_HOST, min((host + 1) * RANKS_PER_HOST, n_ranks))


_MIXED = (
    (Behaviour.STOPPED, (12,)),
    (Behaviour.GIL_HELD, (27,)),
    (Behaviour.DEAD, (41,)),
    (Behaviour.UNREACHABLE, tuple(range(48, 56))),
    (Behaviour.NOT_REGISTERED, (63,)),
    (Behaviour.SERVER_ERROR, (22,)),
    (Behaviour.FOREIGN_PORT, (5,)),
)
"""The mixed scenario on 64 ranks."""
_MIXED_EVERY = 512


def _mixed(n_ranks: int) -> Placement:
    """Several faults at once.

    From 64 ranks on the first 64 of each 512 are as in `_MIXED`; a smaller cluster is that picture scaled down, with
    at most a quarter of its ranks sick (and at least one).
    """
    placed: dict[int, Behaviour] = {}
    if n_ranks >= 64:
        for first in range(0, n_ranks - 63, _MIXED_EVERY):
            for behaviour, ranks in _MIXED:
                placed |= {first + rank: behaviour for rank in ranks}
    else:
        allowed = max(1, n_ranks // 4)
        for behaviour, ranks in _MIXED:
            rank = ranks[0] * n_ranks // 64
            whole_host = behaviour is Behaviour.UNREACHABLE  # a part of a host can't be gone
            if len(placed) < allowed and rank not in placed and not whole_host:
                placed[rank] = behaviour
    return {
        behaviour: RankSet(rank for rank, does in placed.items() if does is behaviour)
        for behaviour in dict.fromkeys(placed.values())
    }


DEFAULT = "mixed"
"""Name of the scenario of a plain `xpudbg demo`."""

SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario(
            "mixed",
            "several faults at once: ranks stopped, dead, holding the GIL, a host gone, a port taken over",
            _mixed,
            default_ranks=64,
        ),
        Scenario("healthy", "every rank trains, the job moves", _nobody),
        Scenario("idle", "every rank sleeps in its data loader between two collectives", _nobody, idle=True),
        Scenario("slow-answers", "every answer takes half a second; nothing is wrong", _nobody, others=Behaviour.SLOW),
        Scenario(
            "stopped",
            "a rank's process is stopped (SIGSTOP): it connects but never answers, and all others wait for it",
            _single(Behaviour.STOPPED),
        ),
        Scenario(
            "gil-held",
            "a rank's C extension holds the GIL: it answers ping, its Python traceback never comes",
            _single(Behaviour.GIL_HELD),
        ),
        Scenario(
            "not-joined",
            "a rank is asleep in its data loader while all others wait for it in a collective",
            _single(Behaviour.LOADING),
        ),
        Scenario(
            "stuck-stack",
            "the same in a job whose flight recorder is off: only stacks tell who is somewhere else",
            _single(Behaviour.LOADING),
            recorder=False,
        ),
        Scenario(
            "torchcomms-unhealthy",
            "a torchcomms job that moves; one rank's health check says that a link of it is down",
            _single(Behaviour.UNHEALTHY),
            torchcomms=True,
        ),
        Scenario("dead", "a rank's process has died: its port refuses connections", _single(Behaviour.DEAD)),
        Scenario("unreachable", "a host is gone: connecting to its ranks times out", _hosts(Behaviour.UNREACHABLE)),
        Scenario(
            "name-unknown",
            "the ranks of a host are registered under a name that doesn't resolve from here",
            _hosts(Behaviour.NAME_UNKNOWN),
        ),
        Scenario(
            "not-registered",
            "a rank is in the job but has not registered its worker server",
            _single(Behaviour.NOT_REGISTERED),
        ),
        Scenario(
            "foreign-port",
            "a rank was registered by an earlier attempt; a web server has its port now",
            _single(Behaviour.FOREIGN_PORT),
        ),
        Scenario("server-error", "a rank's worker server answers with status 500", _single(Behaviour.SERVER_ERROR)),
        Scenario("reset", "a rank accepts connections and resets them", _single(Behaviour.RESET)),
    )
}
"""Every scenario by name, the default first."""
