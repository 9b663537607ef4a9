"""What there is of the flight recorders, in a line; or why there is nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ...services.cluster.probes import RECORDERS
from ...services.looks.recorders import DUMP_FILE
from ...services.ranksets import RankSet
from ...services.recorder_tables.browser import source_name
from ...services.session import Phase
from ..widgets.painted import styled
from ..wording import age, count
from .spots import Tab, find_group

if TYPE_CHECKING:
    from ...services.session import Session
    from ...services.snapshot import Snapshot
    from .view import RecorderView

__all__ = ["look_of", "recorder_line", "source_states", "why_nothing"]


def look_of(session: Session) -> Snapshot | None:
    """The closed look that the recorders shown are from."""
    if session.shown is not None:
        return session.shown.snapshot
    wanted = session.recorder.look_id
    return next((look for look in reversed(session.looks) if look.id == wanted), session.latest)


def source_states(session: Session, view: RecorderView) -> dict[str, str]:
    """Each recorder and what has come of it: `64 ranks`, `nothing recorded`, `not there`, `no dump came`."""
    shown = session.recorder.diagnoses
    if session.post_mortem:
        return {DUMP_FILE: _ranks(session, DUMP_FILE)} if DUMP_FILE in shown else {}
    look = look_of(session)
    if look is None:
        return {}
    came = view.answers(look)
    heard = came.get("handlers") or came.get("ping")
    states = {}
    for probe in RECORDERS:
        source = probe.source
        if source in shown:
            states[source] = _ranks(session, source)
        elif source not in came:  # ranks are asked for the recorders they have
            states[source] = "not there" if heard else "not asked"
        else:
            states[source] = "nothing recorded" if came[source] else "no dump came"
    return states


def _ranks(session: Session, source: str) -> str:
    dumps = session.recorder.diagnoses[source].analysis.job.dumps
    return count(sum(not dump.silent for dump in dumps), "rank")


def recorder_line(session: Session, view: RecorderView, now: int, width: int, *, busy: bool) -> Content:
    """The line under the tabs: what a jump has led to, how old it is, which recorders there are.

    Args:
        busy: rows are being ordered.
    """
    left = [styled(view.state.words, "bold $text-accent")] if view.state.words else []
    missing = _missing(view)
    if missing:
        left.append(styled(f"! {count(len(missing), 'rank')} missing: {missing}", "bold $text-error"))
        if session.selected is not None and session.selected in missing:
            ways = "m calls" if session.post_mortem else "m calls, 3 stack"
            left.append(Content.styled(f"of rank {session.selected}: {ways}", "$foreground-muted"))
    if busy:
        left.append(Content.styled("ordering the rows …", "$text-accent"))
    if view.diagnosis is not None:
        left += _age(session, now)
    source = view.source
    right = [
        styled(f"{source_name(name)} {said}", "bold" if name == source else "$foreground-muted")
        for name, said in source_states(session, view).items()
    ]
    between = Content.styled(" · ", "$foreground-muted")
    said, known = between.join(left), between.join(right)
    if said.cell_length + known.cell_length + 2 > width:
        short = [styled(source_name(source), "bold")] if source else []
        known = between.join(short)
    room = max(width - known.cell_length - 2, 0)
    said = said.truncate(room, ellipsis=True)
    return said.pad_right(max(width - said.cell_length - known.cell_length, 0)) + known


def _missing(view: RecorderView) -> RankSet:
    """Members that have not come to the call whose rows are shown: they have none."""
    tables, narrowed = view.tables(), view.state.narrowed
    if view.tab is not Tab.CALLS or tables is None or narrowed is None or narrowed.seq is None:
        return RankSet()
    assert narrowed.group is not None
    group = find_group(tables.diagnosis.analysis.job.groups, narrowed.group)
    return RankSet() if group is None else tables.members.missing_in(group, narrowed.seq, p2p=bool(narrowed.p2p))


def _age(session: Session, now: int) -> list[Content]:
    """Said only when it is not the newest look that the status line tells of, or a newer one is under way."""
    shown, latest = session.recorder.look_id, session.latest
    look = look_of(session)
    if look is None or session.shown is not None:
        return []
    old = f"of look {shown}, {age(now, look.taken_at)} ago"
    if session.under_way is not None and session.under_way.id != shown:
        return [Content.styled(f"{old}; look {session.under_way.id} is under way", "$text-warning")]
    if latest is not None and latest.id != shown:
        return [Content.styled(f"{old}; look {latest.id} brought none", "$text-warning")]
    return []


def why_nothing(session: Session, view: RecorderView) -> str:
    """Why there is no flight recorder to show, one plain line; empty when there is one."""
    recorder = session.recorder
    if recorder.diagnoses:
        return ""
    if not session.ranks:
        return session.failure or ("Opening the target …" if session.label else "Nothing is attached.")
    if session.reading_again:
        return f"{session.reading_again[:1].upper()}{session.reading_again[1:]} …"
    if not recorder.look_id:
        if session.shown is not None:
            return f"Look {session.shown.snapshot.id} brought no flight recorder."
        if session.under_way is None and session.phase is not Phase.OPEN:
            return "The target is being opened."
        if session.looks:
            return "The look that has ended brought no flight recorder."
        asked = session.under_way
        so_far = (
            f": {len(asked.told):,} of {count(len(asked.asked), 'rank')} answered so far" if asked is not None else ""
        )
        return f"The flight recorders come with the end of the first look{so_far}."
    if recorder.unreadable:
        rank, why = next(iter(recorder.unreadable.items()))
        more = f" (and {len(recorder.unreadable) - 1:,} more)" if len(recorder.unreadable) > 1 else ""
        return f"No dump can be used. Rank {rank}{more}: {why}"
    if session.post_mortem:
        return "The files hold no flight recorder dump with entries."
    states = source_states(session, view)
    said = ", ".join(f"{source_name(name)} {what}" for name, what in states.items())
    hint = " TORCH_FR_BUFFER_SIZE or TORCH_NCCL_TRACE_BUFFER_SIZE turns the recorder on." if said else ""
    return f"No rank has a flight recorder with entries: {said or 'no look has ended'}.{hint}"
