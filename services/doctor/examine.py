"""All checks of a job, and what has to be asked for them besides a look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..cluster.handler_calls import handlers_of
from ..cluster.probes import PYSPY, Probe
from ..ranksets import RankSet
from ..snapshot import Outcome, RankClass
from ..stacks import pyspy
from ..stacks.pyspy_errors import ADVICE
from .check import Check, CheckState, ranks_told
from .reach_checks import reach_checks
from .recorder_checks import FRAMES, FramesSeen, recorder_checks

if TYPE_CHECKING:
    from ..session import Session
    from ..snapshot import RankReply

__all__ = ["examine", "frozen", "requests"]

_REASONS = 6
"""Different reasons why py-spy gives no stack that a sentence names."""
_READ = 256 * 1024
"""Bytes of a py-spy answer that are looked at."""


def frozen(session: Session) -> Session:
    """A copy that another thread may examine while the session goes on; of the newest state, whatever look is shown."""
    return session.frozen()


def requests(session: Session, py_spy_ranks: int = 1, *, one_each: bool = False) -> list[tuple[RankSet, Probe]]:
    """What to ask besides the look: py-spy of some ranks, each on another host as far as there are, and the frames of
    one rank. Nothing when no rank is alive.

    Args:
        one_each: py-spy of one rank of each host, in place of a number.
    """
    made: list[tuple[RankSet, Probe]] = []
    for probe, count in ((PYSPY, py_spy_ranks), (FRAMES, 1)):
        able = [rank for rank in _alive(session) if probe.source in (handlers_of(session, rank) or ())]
        firsts = {session.ranks[rank].host: rank for rank in reversed(able)}  # the first rank of each host
        able.sort(key=lambda rank: (firsts[session.ranks[rank].host] != rank, rank))
        chosen = able[: len(firsts) if one_each and probe is PYSPY else count]
        if chosen:
            made.append((RankSet(chosen), probe))
    return made


def examine(session: Session, frames: FramesSeen | None = None) -> tuple[Check, ...]:
    """The checks of a session that has taken a look.

    Args:
        frames: what a dump with frames holds, where one was asked for (`requests`).
    """
    if session.failure:
        return (
            Check(
                "target",
                CheckState.PROBLEM,
                f"{session.label} can't be read: {session.failure}.",
                "Nothing can be known of the job from here.",
                session.hint,
            ),
        )
    if session.latest is None:
        return (Check("target", CheckState.UNKNOWN, "No look at the job has ended."),)
    if not session.asks:  # what a bundle kept of how ranks were reached says nothing of now
        return tuple(recorder_checks(session, frames))
    return (*reach_checks(session), *recorder_checks(session, frames), _py_spy(session))


def _py_spy(session: Session) -> Check:
    """Whether py-spy is there and may look, by what it said on the ranks that were asked."""
    why = "Only py-spy shows where a rank is whose GIL is held."
    replies = [reply for (_rank, source), reply in session.asked.items() if source == PYSPY.source]
    if not replies:
        able = [rank for rank in _alive(session) if PYSPY.source in (handlers_of(session, rank) or ())]
        said = "No rank has answered for it." if able else "No rank that answers has a handler for py-spy."
        return Check("py-spy", CheckState.UNKNOWN, said, why)
    bad: dict[tuple[str, str], list[int]] = {}
    for reply in replies:
        reason = _refused(reply)
        if reason is not None:
            bad.setdefault(reason, []).append(reply.rank)
    asked = RankSet(reply.rank for reply in replies)
    untold = "; the other ranks were not asked" if len(asked) < len(_alive(session)) else ""
    facts = {"asked": list(asked)}
    if not bad:
        return Check(
            "py-spy", CheckState.OK, f"py-spy is there and may look on {ranks_told(asked)}{untold}.", facts=facts
        )
    without = RankSet(rank for ranks in bad.values() for rank in ranks)
    reasons = [f"{ranks_told(RankSet(ranks))}: {said}" for (said, _mend), ranks in bad.items()]
    more = f"; and {len(reasons) - _REASONS} more reasons" if len(reasons) > _REASONS else ""
    good = f"; it may look on {ranks_told(asked - without)}" if asked - without else ""
    return Check(
        "py-spy",
        CheckState.WARNING,
        f"py-spy gives no stack on {'; '.join(reasons[:_REASONS])}{more}{good}{untold}.",
        why,
        "; ".join(dict.fromkeys(mend for _said, mend in bad if mend)),
        without,
        facts,
    )


def _refused(reply: RankReply) -> tuple[str, str] | None:
    """Why an answer has no stack, and how that is mended; None when it has one."""
    try:
        dump = pyspy.parse(reply.body.read(_READ), complete=False)
    except OSError as error:
        return f"its answer is no longer there ({error.strerror or error})", ""
    if reply.outcome is Outcome.OK and dump.threads:
        return None
    if dump.failure in ADVICE:
        said, _colon, mend = ADVICE[dump.failure].partition(": ")
        return said, mend
    return (dump.error if dump.failure is not None else "") or reply.error or "its answer has no stack", ""


def _alive(session: Session) -> RankSet:
    return RankSet(rank for rank, state in session.ranks.items() if state.rank_class is RankClass.ALIVE)
