"""Checks of how the ranks are reached: the store, the world size, names, answers, handlers, response times."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from ..cluster.file_limit import connections_allowed
from ..cluster.handler_calls import handlers_of, handlers_unknown
from ..ranksets import RankSet
from ..snapshot import RankClass
from .check import Check, CheckState, ranks_told

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..session import Session

__all__ = ["reach_checks"]

_SLOW_S = 0.25
"""A ping that takes longer is said."""
_SLOWER = 10
"""So is one that takes so many times the median, from `_SLOWER_S` on."""
_SLOWER_S = 0.05
_USUAL = ("dump_traceback", "ping", "wait_counter_values")
"""Handlers that every torch with a debug server registers and xpudbg asks."""
_SHOWN = 6
"""Handlers or groups of ranks that a sentence names."""
_UNEQUAL = "What one rank can't be asked is not there to be compared; often these are different versions of torch."
_SILENT = {
    RankClass.DEAD: ("nothing listens at the registered address", "start the rank again, or read the end of its log"),
    RankClass.STOPPED: (
        "connections are accepted, no request is answered",
        "look at the process on its host: state T or D",
    ),
    RankClass.UNREACHABLE: (
        "connecting times out or there is no route",
        "open the ports towards the hosts, run xpudbg inside the cluster, or tunnel: --map HOST:PORT=ADDR:PORT",
    ),
    RankClass.FOREIGN_PORT: (
        "something else answers at the address",
        "the rank has ended and its port is another's, or a proxy answers in its place (--proxy)",
    ),
    RankClass.SERVER_ERROR: ("the debug server fails to answer", "read the log of the rank"),
    RankClass.GIL_HELD: (
        "the Python traceback does not come, a thread holds the GIL",
        "py-spy dump on the host shows the thread that holds it",
    ),
}


def reach_checks(session: Session) -> list[Check]:
    """The checks of one session that has taken a look at a living job."""
    return [
        _store(session),
        _world(session),
        _names(session),
        *_answers(session),
        _handlers(session),
        _times(session),
        _stuck(session),
        _connections(session),
    ]


def _store(session: Session) -> Check:
    if not session.store.where:
        return Check(
            "store",
            CheckState.UNKNOWN,
            "The target names workers, not the job's store.",
            mend="xpudbg doctor HOST:PORT",
        )
    latest = session.latest
    silent = [note for note in (latest.notes if latest is not None else ()) if "could not be read again" in note]
    if silent:
        why = "Ranks that register now, or under other addresses, are not seen."
        mend = "the store is in rank 0 or in the launcher: is that process well?"
        return Check("store", CheckState.WARNING, f"The store answered once: {silent[0]}.", why, mend)
    return Check("store", CheckState.OK, f"The store at {session.store.where} answers and its keys can be read.")


def _world(session: Session) -> Check:
    missing = _of(session, RankClass.NOT_REGISTERED)
    facts = {"world_size": session.world_size, "registered": len(session.ranks) - len(missing)}
    if missing:
        return Check(
            "world size",
            CheckState.PROBLEM,
            f"{ranks_told(missing, 'has', 'have')} not registered, of a world size of {session.world_size:,}.",
            "A rank without a debug server can't be asked where it is when the job hangs.",
            "call torch.distributed.debug.start_debug_server() on every rank, right after init_process_group()",
            missing,
            facts,
        )
    shared = RankSet(rank for rank, state in session.ranks.items() if state.address.shares is not None)
    if shared:
        return Check(
            "world size",
            CheckState.PROBLEM,
            f"{ranks_told(shared, 'has', 'have')} the address of another rank: at most one of them is there.",
            "Only one rank of each address can be asked.",
            "the hosts resolve their own name to one address (often 127.0.0.1 in /etc/hosts), or --map sends two hosts "
            "to one",
            shared,
            facts,
        )
    where = "registered" if session.store.where else "named"
    return Check(
        "world size",
        CheckState.OK,
        f"World size {session.world_size:,}; every rank that is asked is {where}.",
        facts=facts,
    )


def _names(session: Session) -> Check:
    unknown = _of(session, RankClass.NAME_UNKNOWN)
    asked = [state for state in session.ranks.values() if state.address.url]
    if not unknown:
        hosts = len({state.host for state in asked})
        return Check("names", CheckState.OK, f"Every host name resolves from here ({hosts:,}).", facts={"hosts": hosts})
    first = session.ranks[unknown.first or 0]
    return Check(
        "names",
        CheckState.PROBLEM,
        f"{ranks_told(unknown, 'is', 'are')} not asked: the name does not resolve from here or is no address "
        f"(rank {first.rank}: {first.host or first.reason}).",
        "These ranks can't be asked from here, whatever happens to them.",
        f"--map {first.host or 'HOST'}=ADDRESS, a line in /etc/hosts, or run xpudbg inside the cluster",
        unknown,
    )


def _answers(session: Session) -> list[Check]:
    """One check for each class of ranks that do not answer as they should."""
    alive = _of(session, RankClass.ALIVE)
    checks = [
        Check(
            f"answers: {kind.value}",
            CheckState.WARNING if kind is RankClass.GIL_HELD else CheckState.PROBLEM,
            f"{ranks_told(ranks)}: {said}.",
            "A rank that does not answer now will not answer when it is needed.",
            mend,
            ranks,
        )
        for kind, (said, mend) in _SILENT.items()
        if (ranks := _of(session, kind))
    ]
    if alive:
        checks.append(
            Check("answers", CheckState.OK, f"{ranks_told(alive, 'answers', 'answer')} as alive.", ranks=alive)
        )
    elif not checks:
        checks.append(Check("answers", CheckState.UNKNOWN, "No rank was asked to the end."))
    return checks


def _handlers(session: Session) -> Check:
    by_names: dict[tuple[str, ...], list[int]] = defaultdict(list)
    unheard: dict[int, str] = {}
    for rank in _of(session, RankClass.ALIVE, RankClass.GIL_HELD):
        names = handlers_of(session, rank)
        if names is not None:
            by_names[names].append(rank)
        elif why := handlers_unknown(session, rank):
            unheard[rank] = why
    kinds = sorted(((RankSet(ranks), names) for names, ranks in by_names.items()), key=lambda kind: -len(kind[0]))
    facts: dict[str, Any] = {"kinds": [{"ranks": list(ranks), "handlers": list(names)} for ranks, names in kinds]}
    silent = ""
    if unheard:
        facts["unheard"] = sorted(unheard)
        first = next(iter(unheard))
        they = "it has" if len(unheard) == 1 else "they have"
        silent = (
            f"{ranks_told(RankSet(unheard), 'does', 'do')} not say which handlers {they} "
            f"(rank {first}: {unheard[first]})"
        )
    if not kinds:
        said = f"{silent or 'No rank has said which handlers it has'}."
        return Check("handlers", CheckState.UNKNOWN, said, _UNEQUAL, ranks=RankSet(unheard), facts=facts)
    usual = set(kinds[0][1])
    if len(kinds) > 1:
        others = [
            f"{ranks_told(ranks)} {_difference(usual, set(names), one=len(ranks) == 1)}"
            for ranks, names in kinds[1 : 1 + _SHOWN]
        ]
        more = f" and {len(kinds) - 1 - _SHOWN} more kinds" if len(kinds) - 1 > _SHOWN else ""
        odd = RankSet(rank for ranks, _names in kinds[1:] for rank in ranks)
        return Check(
            "handlers",
            CheckState.WARNING,
            f"The ranks do not have the same handlers: compared with {len(kinds[0][0]):,} others, "
            f"{'; '.join(others)}{more}{'; ' if silent else ''}{silent}.",
            _UNEQUAL,
            "the same torch, and the same registrations of handlers, on every rank",
            odd | RankSet(unheard),
            facts,
        )
    lacking = [name for name in _USUAL if name not in usual]
    if lacking:
        return Check(
            "handlers",
            CheckState.PROBLEM,
            f"No rank has {', '.join(lacking)}.",
            "Without it, ranks can't be told to be alive or their stacks not be read.",
            "a newer torch on every rank",
            facts=facts,
        )
    if unheard:
        mend = "read the log of the rank; is it this job's own debug server that answers there?"
        return Check("handlers", CheckState.WARNING, f"{silent}.", _UNEQUAL, mend, RankSet(unheard), facts)
    said = f"Every rank heard ({len(kinds[0][0]):,}) has the same {len(usual)} handlers: {', '.join(sorted(usual))}."
    return Check("handlers", CheckState.OK, said, facts=facts)


def _difference(usual: set[str], names: set[str], *, one: bool) -> str:
    lacking, extra = sorted(usual - names), sorted(names - usual)
    parts = [f"{'lacks' if one else 'lack'} {', '.join(lacking[:_SHOWN])}"] if lacking else []
    parts += [f"{'has' if one else 'have'} {', '.join(extra[:_SHOWN])} besides"] if extra else []
    return " and ".join(parts)


def _times(session: Session) -> Check:
    times = {rank: state.ping_s for rank, state in session.ranks.items() if state.ping_s is not None}
    if not times:
        return Check("response times", CheckState.UNKNOWN, "No rank has answered a ping.")
    median, longest = statistics.median(times.values()), max(times.values())
    facts = {"median_s": round(median, 6), "longest_s": round(longest, 6)}
    limit = min(_SLOW_S, max(_SLOWER * median, _SLOWER_S))
    slow = RankSet(rank for rank, took in times.items() if took > limit)
    said = f"A ping takes {median * 1e3:.1f} ms (median), {longest * 1e3:.1f} ms at worst"
    if not slow:
        return Check("response times", CheckState.OK, f"{said}.", facts=facts)
    where = "look at the load of these hosts"
    if len(slow) > len(times) / 2:
        where = "look at the load of this machine and the way to the job (ping HOST): most ranks answer late"
    return Check(
        "response times",
        CheckState.WARNING,
        f"{said}; {ranks_told(slow, 'takes', 'take')} more than {limit * 1e3:.0f} ms.",
        "A host under load answers late; one look at the job takes as long, and an answer may miss its time limit.",
        f"{where}; --timeout SECONDS gives ranks more time",
        slow,
        facts,
    )


def _stuck(session: Session) -> Check:
    stuck = {rank: state.stuck for rank, state in session.ranks.items() if state.stuck}
    if not stuck:
        return Check("requests", CheckState.OK, "Every request was answered or ended; none is left on a rank.")
    rank = next(iter(stuck))
    return Check(
        "requests",
        CheckState.WARNING,
        f"{ranks_told(RankSet(stuck), 'has', 'have')} requests of xpudbg that are not answered "
        f"(rank {rank}: {', '.join(stuck[rank])}).",
        "Each keeps one of the 32 threads of the rank's debug server until it is answered.",
        "nothing: they are kept, not repeated, and end with the rank's answer",
        RankSet(stuck),
    )


def _connections(session: Session) -> Check:
    allowed, wanted = connections_allowed(), sum(1 for state in session.ranks.values() if state.address.url)
    facts = {"allowed": allowed, "ranks": wanted}
    if allowed >= wanted:
        return Check(
            "connections", CheckState.OK, f"This machine allows {allowed:,} connections at a time.", facts=facts
        )
    return Check(
        "connections",
        CheckState.WARNING,
        f"This machine allows {allowed:,} connections at a time; the job has {wanted:,} ranks.",
        "When many ranks do not answer, the others may not be asked.",
        f"ulimit -n {wanted + 512} (and the hard limit: ulimit -Hn)",
        facts=facts,
    )


def _of(session: Session, *kinds: RankClass) -> RankSet:
    wanted: Iterable[RankClass] = frozenset(kinds)
    return RankSet(rank for rank, state in session.ranks.items() if state.rank_class in wanted)
