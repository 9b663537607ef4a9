"""The class of a rank, from what came back of its probes (spec: worker-server.md, both tables).

Pure: `fold` takes a row of the rank table and one reply, and gives the new row. Classes are sticky: a rank whose
ping of an earlier look is still unanswered keeps its class, it does not drift to "unreachable" when its listen
backlog is full.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..instants import APART_NS
from ..looks.recorders import DUMP_FILE
from ..snapshot import Outcome, RankAddress, RankClass, RankReply, RankState
from .health import read_health
from .probes import COUNTERS, HEALTH

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ORPHANED", "PONG", "STORE", "begin", "compare_hosts", "fold", "is_pong", "not_told", "settle"]

PONG = b"pong"
STORE = "store"
"""Source of what the job's store tells about a rank."""
ORPHANED = "its process has ended: the store in it hung up; a process forked from it keeps its ports open"

NO_TRACEBACK = "gave no traceback"
"""How the reason of a rank begins that files tell so of."""
FULL_QUEUE = "connecting times out while other ranks of its host can be reached: its listen queue is full"
_REACHED = frozenset((RankClass.ALIVE, RankClass.GIL_HELD, RankClass.FOREIGN_PORT, RankClass.SERVER_ERROR))
"""Classes of ranks that have accepted a connection."""

_BY_OUTCOME = {
    Outcome.REFUSED: RankClass.DEAD,
    Outcome.UNREACHABLE: RankClass.UNREACHABLE,
    Outcome.NAME_UNKNOWN: RankClass.NAME_UNKNOWN,
    Outcome.TIMEOUT: RankClass.STOPPED,
    Outcome.RESET: RankClass.SERVER_ERROR,
    Outcome.TOO_LARGE: RankClass.FOREIGN_PORT,
}


def begin(address: RankAddress) -> RankState:
    """The row of a rank that has not been asked yet."""
    if address.file:
        return RankState(address.rank, address, RankClass.UNKNOWN, f"post mortem: {address.file}")
    if address.shares is not None:
        reason = f"has the address of rank {address.shares}: at most one of them is there"
        return RankState(address.rank, address, RankClass.UNKNOWN, reason)
    if address.error:
        return RankState(address.rank, address, RankClass.NAME_UNKNOWN, address.error)
    if not address.url:
        reason = "has not registered a debug server in the store"
        return RankState(address.rank, address, RankClass.NOT_REGISTERED, reason)
    return RankState(address.rank, address)


def is_pong(reply: RankReply) -> bool:
    """Whether a reply to `ping` is what a rank's worker server says."""
    return reply.outcome is Outcome.OK and reply.body.size <= 64 and reply.body.read().strip() == PONG


def fold(state: RankState, reply: RankReply) -> RankState:
    """The row after one more reply.

    `ping` decides the class; `dump_traceback` tells a rank whose GIL is held from one that is alive; any other good
    answer only says that the rank was heard.
    """
    if reply.outcome is Outcome.CANCELLED:
        return state
    if state.address.file:
        return _from_file(state, reply)
    if reply.source == "ping":
        return _from_ping(state, reply)
    if reply.source == STORE:
        if reply.outcome is Outcome.RESET and state.rank_class in (RankClass.STOPPED, RankClass.UNREACHABLE):
            return _become(state, RankClass.DEAD, ORPHANED, reply.ended_at)
        return state
    if reply.outcome is Outcome.OK:
        state = replace(state, seen_at=max(reply.ended_at, state.seen_at or 0))
    if reply.source == HEALTH.source:
        return replace(state, health=read_health(reply))
    if reply.source == "dump_traceback" and state.rank_class in (RankClass.ALIVE, RankClass.GIL_HELD):
        return _from_dump(state, reply)
    return state


def not_told(state: RankState, why: str) -> RankState:
    """The row of a rank that a look was to ask and that came to nothing: what an earlier look saw is not news."""
    state = replace(state, health=None)
    return _become(state, RankClass.UNKNOWN, f"not asked to the end at this look: {why}", state.since or 0)


def compare_hosts(table: Mapping[int, RankState]) -> dict[int, RankState]:
    """The rows that read differently beside the other ranks of the same host.

    A host that accepts connections for other ranks is not gone: where connecting to one rank alone times out, that
    rank's listen queue is full, as a stopped rank's is after six connections.
    """
    reached = {state.host for state in table.values() if state.host and state.rank_class in _REACHED}
    return {
        rank: _become(state, RankClass.STOPPED, FULL_QUEUE, state.since or 0)
        for rank, state in table.items()
        if state.rank_class is RankClass.UNREACHABLE and state.host in reached
    }


def settle(state: RankState) -> RankState:
    """The row at the end of a look: one more look has confirmed its class."""
    return replace(state, confirmed=state.confirmed + 1)


def _become(state: RankState, rank_class: RankClass, reason: str, at: int) -> RankState:
    if state.rank_class is rank_class:
        return replace(state, reason=reason)
    return replace(state, rank_class=rank_class, reason=reason, since=at, confirmed=0)


def _from_ping(state: RankState, reply: RankReply) -> RankState:
    at = reply.ended_at
    if is_pong(reply):
        heard = replace(state, seen_at=at, ping_s=reply.took_s, was_alive=True)
        if state.rank_class is RankClass.GIL_HELD:
            return heard  # only the traceback decides about the GIL, and it is asked after the ping
        return _become(heard, RankClass.ALIVE, f"answers ping in {reply.took_s * 1000:.0f} ms", at)
    state = replace(state, health=None)
    if state.reason == ORPHANED and reply.outcome in (Outcome.TIMEOUT, Outcome.UNREACHABLE):
        return state
    if reply.outcome is Outcome.UNREACHABLE and state.rank_class is RankClass.STOPPED:
        reason = "stopped earlier, and its listen queue is full now: new connections time out"
        return replace(state, reason=reason)
    if reply.outcome is Outcome.OK:
        said = _first_line(reply)
        return _become(state, RankClass.FOREIGN_PORT, f"answers ping with {said!r} instead of 'pong'", at)
    if reply.outcome is Outcome.HTTP_ERROR:
        status = reply.status
        if status is not None and 500 <= status != 501:
            return _become(state, RankClass.SERVER_ERROR, f"answers ping with {reply.error}", at)
        if status == 407:
            return _become(state, RankClass.UNREACHABLE, "the proxy asks for a login (HTTP 407)", at)
        if status is None and reply.error.startswith("TLS"):
            return _become(state, RankClass.SERVER_ERROR, reply.error, at)
        return _become(state, RankClass.FOREIGN_PORT, f"something else answers on this port: {reply.error}", at)
    if reply.outcome is Outcome.TIMEOUT and reply.status is not None:
        # It answers, if slowly; the slowness may as well be the network's or ours.
        return _become(state, RankClass.UNKNOWN, reply.error, at)
    return _become(state, _BY_OUTCOME[reply.outcome], reply.error, at)


def _from_dump(state: RankState, reply: RankReply) -> RankState:
    at = reply.ended_at
    if reply.outcome in (Outcome.REFUSED, Outcome.UNREACHABLE, Outcome.RESET, Outcome.NAME_UNKNOWN):
        return state  # the ping that follows tells what has become of it
    if reply.outcome is Outcome.TIMEOUT and reply.status is None:
        reason = f"answers ping, but its Python traceback has not come for {reply.took_s:.0f} s: the GIL is held"
        return _become(state, RankClass.GIL_HELD, reason, at)
    ping = f"answers ping in {state.ping_s * 1000:.0f} ms" if state.ping_s is not None else "answers"
    return _become(state, RankClass.ALIVE, ping, at)


def _from_file(state: RankState, reply: RankReply) -> RankState:
    """How a rank answered torch's own sweep, of which a periodic dump is left; other files tell nothing of this.

    Counters need no GIL: without them too the process does not run. A rank that recorded calls long after it did not
    answer was running then.
    """
    if reply.source == DUMP_FILE and state.since is not None and reply.started_at > state.since + APART_NS:
        return _become(state, RankClass.UNKNOWN, begin(state.address).reason, reply.started_at)
    if reply.source not in ("dump_traceback", COUNTERS.source):
        return state
    at, counters = reply.started_at, reply.source == COUNTERS.source
    said = f"when torch asked it: {reply.error}"
    match reply.outcome:
        case Outcome.REFUSED:
            return _become(state, RankClass.DEAD, said, at)
        case Outcome.UNREACHABLE:
            return _become(state, RankClass.UNREACHABLE, said, at)
        case Outcome.TIMEOUT if counters:
            return _become(state, RankClass.STOPPED, said, at)
        case Outcome.TIMEOUT:
            return _become(state, RankClass.UNKNOWN, f"{NO_TRACEBACK}: {reply.error}", at)
        case Outcome.OK if counters and state.reason.startswith(NO_TRACEBACK):
            return _become(state, RankClass.GIL_HELD, f"gave its wait counters; {state.reason}", at)
        case Outcome.OK if not counters:
            return _become(state, RankClass.UNKNOWN, begin(state.address).reason, at)
    return state


def _first_line(reply: RankReply) -> str:
    lines = reply.body.text(200).strip().splitlines()
    return lines[0][:80] if lines else ""
