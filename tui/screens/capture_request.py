"""Asks before ranks are profiled: which, for how long, what it costs them, what a rank that hangs gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...services.cluster.probes import TORCH_PROFILE
from ...services.profiles.orders import Capture
from ...services.ranksets import RankSet
from ...services.snapshot import RankClass
from ..actions.registry import key_of
from ..widgets.text import fit
from ..wording import count
from .line_request import LineChoice, LineRequest

if TYPE_CHECKING:
    from ...services.session import Session
    from .job import JobScreen

__all__ = ["LONGEST_S", "ask_for_capture", "duration_of", "who_can"]

LONGEST_S = 600.0
"""Seconds that one capture may last."""
USUAL_S = 3.0
_SILENT = frozenset(
    (
        RankClass.STOPPED,
        RankClass.GIL_HELD,
        RankClass.DEAD,
        RankClass.UNREACHABLE,
        RankClass.NAME_UNKNOWN,
        RankClass.NOT_REGISTERED,
        RankClass.FOREIGN_PORT,
    )
)
"""Classes that give no profile: asking them would only leave a request behind."""
_CHOICES = (
    LineChoice("1", "second: a step or some"),
    LineChoice("10", "seconds: some 10 MB to 100 MB from each rank"),
    LineChoice("30", "seconds: some 100 MB from each rank"),
)


def ask_for_capture(screen: JobScreen) -> None:
    """Ask for the seconds; what is typed begins the capture."""
    session = screen.session
    if screen.app.attachment.profiles.capturing is not None:
        screen.app.say(f"not now: a capture is under way; {key_of('cancel_capture')} ends it")
        return
    wanted = session.marked or RankSet([session.selected] if session.selected is not None else [])
    ranks = who_can(session, wanted)
    if not ranks:
        screen.app.say("not now: none of these ranks can be profiled: " + _why_left_out(session, wanted))
        return

    def take(text: str) -> str:
        seconds = duration_of(text)
        if seconds is None:
            return f"write seconds, from 0.1 to {LONGEST_S:g}"
        screen.app.attachment.profile(Capture(ranks, seconds))
        screen.app.say(f"the profiler runs on {_named(ranks)} for {seconds:g} s")
        return ""

    screen.app.push_screen(
        LineRequest("profile", _text(session, wanted, ranks), take, value=f"{USUAL_S:g}", choices=_CHOICES)
    )


def duration_of(text: str) -> float | None:
    """Seconds as typed; None when it is none, or too long or too short to be meant."""
    try:
        seconds = float(text.strip().removesuffix("s").strip())
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and 0.1 <= seconds <= LONGEST_S else None


def who_can(session: Session, wanted: RankSet) -> RankSet:
    """Those of the ranks that may be asked: not those known to give nothing, nor those that owe an earlier profile."""
    return RankSet(rank for rank in wanted if not _why_not(session, rank))


def _why_not(session: Session, rank: int) -> str:
    state = session.live.ranks.get(rank)  # whatever look is shown
    if state is None or not state.address.url:
        return "has no address"
    if TORCH_PROFILE.source in state.stuck:
        return "owes an earlier profile"
    return state.rank_class.value.replace("_", " ") if state.rank_class in _SILENT else ""


def _why_left_out(session: Session, wanted: RankSet) -> str:
    """`4-5 stopped, 7 owes an earlier profile`."""
    why: dict[str, list[int]] = {}
    for rank in wanted:
        reason = _why_not(session, rank)
        if reason:
            why.setdefault(reason, []).append(rank)
    return ", ".join(f"{_short(RankSet(ranks))} {reason}" for reason, ranks in why.items())


def _text(session: Session, wanted: RankSet, ranks: RankSet) -> str:
    left_out = _why_left_out(session, wanted)
    together = " at the same time" if len(ranks) > 1 else ""
    more = f"\n\nLeft out: {left_out}." if left_out else ""
    return (
        f"Run torch's profiler on {_named(ranks)}{together}, for how many seconds? Enter begins.{more}\n\n"
        "Meanwhile their steps are slower and their memory grows; then each writes its trace, holding its GIL, some "
        "seconds for 100 MB, and sends it to your disk. A rank that hangs gives nothing: it keeps the request and is "
        "not asked twice."
    )


def _named(ranks: RankSet) -> str:
    return f"rank {ranks.first}" if len(ranks) == 1 else f"{count(len(ranks), 'rank')} ({_short(ranks)})"


def _short(ranks: RankSet) -> str:
    return fit(str(ranks), min(len(str(ranks)), 60))
