"""An engine that does nothing but record what it was told, and events built by hand."""

from __future__ import annotations

import queue
from typing import TYPE_CHECKING

from xpudbg.services import events
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome, RankAddress, RankReply
from xpudbg.services.spool import EMPTY, Body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from xpudbg.services.bundle.orders import BundleOrder
    from xpudbg.services.cluster.probes import Probe
    from xpudbg.services.console.orders import Order
    from xpudbg.services.store_browse.orders import StoreOrder

NOW = 1_760_000_000_000_000_000
"""The instant at which the scripted jobs are looked at, ns since the epoch."""
SECOND = 1_000_000_000


class ScriptedEngine:
    """Stands where the engine stands: `calls` is what it was told, `events` what it is made to say."""

    def __init__(self, script: Iterable[events.Event] = ()) -> None:
        self.events: queue.SimpleQueue[events.Event] = queue.SimpleQueue()
        self.calls: list[tuple[str, object]] = []
        self.on_look: Callable[[], Iterable[events.Event]] = lambda: ()
        self.on_store: Callable[[StoreOrder], Iterable[events.Event]] = lambda _order: ()
        self.on_bundle: Callable[[BundleOrder], Iterable[events.Event]] = lambda _order: ()
        self.on_console: Callable[[Order], object] = lambda _order: None
        self._script = list(script)

    def say(self, said: Iterable[events.Event]) -> None:
        for event in said:
            self.events.put(event)

    def attach(self, target: object, options: object = None) -> None:
        self.calls.append(("attach", target))
        self.say(self._script)

    def look(self) -> None:
        self.calls.append(("look", None))
        self.say(self.on_look())

    def ask(self, ranks: RankSet, probe: Probe) -> None:
        self.calls.append(("ask", (ranks, probe)))

    def browse_store(self, order: StoreOrder) -> None:
        self.calls.append(("store", order))
        self.say(self.on_store(order))

    def console(self, order: Order) -> None:
        self.calls.append(("console", order))
        self.on_console(order)

    def profile(self, order: object) -> None:
        self.calls.append(("profile", order))

    def bundle(self, order: BundleOrder) -> None:
        self.calls.append(("bundle", order))
        self.say(self.on_bundle(order))

    def cancel(self) -> None:
        self.calls.append(("cancel", None))

    def detach(self) -> None:
        self.calls.append(("detach", None))
        self.say([events.TargetClosed()])

    def last(self, what: str) -> object:
        """What it was told last of a kind; looks may come in between by themselves."""
        return next(given for name, given in reversed(self.calls) if name == what)

    def told(self, name: str) -> int:
        """How often it was told `name`."""
        return sum(1 for called, _ in self.calls if called == name)


SICK: Mapping[str, tuple[Outcome, str]] = {
    "stopped": (Outcome.TIMEOUT, "connected, but no answer to ping within 3 s"),
    "dead": (Outcome.REFUSED, "connection refused"),
    "unreachable": (Outcome.UNREACHABLE, "connecting timed out after 3 s"),
    "name_unknown": (Outcome.NAME_UNKNOWN, "the name does not resolve"),
    "server_error": (Outcome.RESET, "connection reset before the whole answer was there"),
    "foreign_port": (Outcome.TOO_LARGE, "answer larger than 64 KiB"),
}


def opened(size: int, *, per_host: int = 8, hosts: Mapping[int, str] | None = None) -> events.TargetOpened:
    """A store with `size` ranks, eight to a host."""
    named = hosts or {}
    addresses = tuple(
        RankAddress(rank, f"http://{host}:{25000 + rank % per_host}", f"http://{host}:{25000 + rank % per_host}", host)
        for rank in range(size)
        for host in (named.get(rank, f"node-{rank // per_host:03d}"),)
    )
    return events.TargetOpened("store head-0:29500", size, addresses)


def ping(look_id: int, rank: int, kind: str = "alive", at: int = NOW, error: str = "") -> list[events.Event]:
    """What comes of one rank's probes when it is of a class."""
    sent = at - 3 * SECOND
    pong = RankReply(rank, "ping", "", Outcome.OK, 200, Body(4, b"pong"), "", sent, 0.002 + rank % 7 * 0.0005)
    if kind == "alive":
        return [events.ReplyArrived(look_id, pong)]
    if kind == "gil_held":
        dump = RankReply(rank, "dump_traceback", "", Outcome.TIMEOUT, None, EMPTY, "no answer", sent, 3.0)
        stuck = events.StuckChanged(rank, ("dump_traceback",))
        return [events.ReplyArrived(look_id, pong), events.ReplyArrived(look_id, dump), stuck]
    outcome, usual = SICK[kind]
    reply = RankReply(rank, "ping", "", outcome, None, EMPTY, error or usual, sent, 3.0)
    said: list[events.Event] = [events.ReplyArrived(look_id, reply)]
    if outcome is Outcome.TIMEOUT:
        said.append(events.StuckChanged(rank, ("ping",)))
    return said


def look(
    look_id: int,
    size: int,
    sick: Mapping[int, str] | None = None,
    *,
    at: int = NOW,
    error: str = "",
    silent: Iterable[int] = (),
    closed: bool = True,
) -> list[events.Event]:
    """A whole look: all ranks alive but those named.

    Args:
        sick: class by rank.
        silent: ranks that have not told anything (only of use with `closed` False).
    """
    kinds, out = sick or {}, set(silent)
    said: list[events.Event] = [events.LookStarted(look_id, at - 4 * SECOND, RankSet.full(size))]
    for rank in range(size):
        if rank not in out:
            said += ping(look_id, rank, kinds.get(rank, "alive"), at, error)
    if closed:
        said.append(events.LookClosed(look_id, at))
    return said


def job(size: int, sick: Mapping[int, str] | None = None) -> list[events.Event]:
    """A job opened and looked at once."""
    return [events.TargetOpening("store head-0:29500"), opened(size), *look(1, size, sick)]
