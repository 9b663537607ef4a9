"""Why something cannot be done now, in words; empty when it can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.session import Phase

if TYPE_CHECKING:
    from ...services.session import Session

__all__ = [
    "POST_MORTEM",
    "REPLAYED",
    "UNCHANGING",
    "can_ask",
    "can_look",
    "can_watch",
    "counters_there",
    "has_findings",
    "job_behind",
    "look_under_way",
    "needs_closed_look",
    "needs_counters",
    "needs_earlier_look",
    "needs_looks",
    "needs_marks",
    "needs_progress",
    "needs_ranks",
    "needs_recorder",
    "needs_rows",
    "needs_stacks",
    "needs_target",
    "needs_torchcomms",
    "needs_unused",
    "takes_looks",
]

POST_MORTEM = "this is a post mortem, there is nothing to ask"
"""Why what needs a living job cannot be done on files."""
REPLAYED = "this is a bundle, there is nothing to ask"
"""The same for looks that were captured."""
UNCHANGING = "a bundle does not change, and all of its looks are here"
"""Why captured looks are not read again."""


def needs_target(session: Session) -> str:
    """Why not without a target; empty where there is one."""
    return "" if session.phase is not Phase.IDLE else "nothing is attached"


def needs_ranks(session: Session) -> str:
    """Why not as long as no rank is known."""
    return "" if session.ranks else f"no rank is known{' yet' if session.asks else ''}"


def needs_rows(session: Session) -> str:
    """For what works on rows of any kind: keys are listed before a rank is known, traces open without a job."""
    there = session.phase is Phase.IDLE or session.store.listing is not None
    return "" if there else needs_ranks(session)


def can_look(session: Session) -> str:
    """Why no look can be taken now."""
    if session.under_way is not None:
        return f"look {session.under_way.id} is still under way"
    if session.replayed and session.phase is Phase.OPEN and session.shown is None:
        return UNCHANGING
    return "the target is being opened" if session.phase is Phase.OPENING else needs_target(session)


def takes_looks(session: Session) -> str:
    """Why no look can ever be taken of this target."""
    return _asks_nobody(session) or needs_target(session)


def can_ask(session: Session) -> str:
    """Why no rank can be asked."""
    return _asks_nobody(session) or needs_ranks(session)


def can_watch(session: Session) -> str:
    """Why the job can't be watched."""
    if reason := takes_looks(session):
        return reason
    if session.phase is Phase.OPEN:
        return ""
    return "the target is being opened" if session.phase is Phase.OPENING else "the target could not be opened"


def needs_closed_look(session: Session) -> str:
    """Why not before a look has ended."""
    return needs_target(session) or ("" if session.looks else "no look has ended yet")


def _asks_nobody(session: Session) -> str:
    """Why no rank can be asked whatever is done; empty for a living job."""
    if session.asks:
        return ""
    return REPLAYED if session.replayed else POST_MORTEM


def needs_earlier_look(session: Session) -> str:
    """Why there is no other look to go to."""
    if len(session.looks) > 1:
        return ""
    return "there is only one look" if session.looks else needs_target(session) or "no look has ended yet"


def look_under_way(session: Session) -> str:
    """Why there is no look to end."""
    if reason := _asks_nobody(session):
        return reason
    return "" if session.under_way is not None else "no look is under way"


def needs_stacks(session: Session) -> str:
    """Why there are no stacks."""
    if session.stacks.dumps:
        return ""
    if session.recorded_stacks is not None:
        return "" if session.recorded_stacks.dumps else "these dumps have no stacks"
    return "" if session.stacks.look_id else session.reading_again or "there are no stacks yet"


def needs_progress(session: Session) -> str:
    """Why there is no progress matrix."""
    look = session.recorder
    if look.progress:
        return ""
    if not look.look_id:
        return session.reading_again or "no flight recorder has been read yet"
    if look.unreadable:
        rank, why = next(iter(look.unreadable.items()))
        return f"no flight recorder can be read; rank {rank}: {why}"
    return "no flight recorder has recorded a call"


def needs_recorder(session: Session) -> str:
    """Why there is no flight recorder."""
    return "" if session.recorder.diagnoses else session.reading_again or "there is no flight recorder yet"


def counters_there(session: Session) -> str:
    """Why there can be no wait counters."""
    there = not session.post_mortem or session.counters.look_id
    return "" if there else "these files hold no wait counters"


def needs_counters(session: Session) -> str:
    """Why there are no wait counters yet."""
    if len(session.counters.table.ranks):
        return ""
    return counters_there(session) or session.reading_again or "no rank has given wait counters yet"


def has_findings(session: Session) -> str:
    """Why there is no finding to show."""
    return "" if session.ranks and session.verdict.findings else "there is no finding"


def needs_torchcomms(session: Session) -> str:
    """Why no rank can be asked by the handlers of torchcomms."""
    if reason := _asks_nobody(session):
        return reason
    there = any(state.health is not None for state in session.ranks.values())
    return "" if there else "no rank has the handlers of torchcomms"


def job_behind(session: Session) -> str:
    """Why there is no job to go back to."""
    return "" if session.phase is not Phase.IDLE else "there is no job to go back to; ctrl+q quits"


def needs_looks(session: Session) -> str:
    """Why not before a look has ended or failed."""
    return needs_target(session) or ("" if session.looks or session.failure else "no look has ended yet")


def needs_unused(session: Session) -> str:
    """Why there is no list of files that could not be used."""
    if session.unused:
        return ""
    return needs_target(session) or ("every file could be used" if session.post_mortem else "the target is no file")


def needs_marks(session: Session) -> str:
    """Why not without marks."""
    return "" if session.marked else "no rank is marked"
