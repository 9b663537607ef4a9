"""Calls a handler of the selected rank: which one is typed or chosen, then a question, then its answer is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.suggester import SuggestFromList

from ...services.cluster.handler_calls import KNOWN, CallError, answer_text, handlers_of, parse_call
from ...services.cluster.probes import HANDLERS
from ...services.ranksets import RankSet
from ..widgets.text import plain
from ..wording import duration
from .answer import AnswerScreen
from .line_request import LineChoice, LineRequest
from .question import QuestionScreen

if TYPE_CHECKING:
    from ...services.cluster.handler_calls import HandlerCall
    from ...services.snapshot import RankReply
    from .job import JobScreen

__all__ = ["CallUnderWay", "ask_for_handler", "tell_handlers"]


@dataclass(frozen=True, slots=True)
class CallUnderWay:
    """A call without an answer yet."""

    rank: int
    call: HandlerCall
    before: RankReply | None
    """What the handler had answered before."""


def ask_for_handler(screen: JobScreen) -> None:
    """Let a person choose a handler of the selected rank, and agree; then call it."""
    app, session = screen.app, screen.session
    rank = session.selected
    state = session.live.ranks.get(rank) if rank is not None else None
    if rank is None or state is None or not state.address.url:
        app.say("not now: no address of the selected rank is known")
        return
    names = handlers_of(session, rank)
    if names is None and (rank, HANDLERS.source) not in app.attachment.asking:
        app.attachment.ask(RankSet([rank]), HANDLERS)
    mine = sum(name not in KNOWN for name in names or ())
    said = (
        f"Rank {rank} ({state.host}) has {len(names)} handlers; {mine or 'none'} of them the job's own."
        if names is not None
        else f"Which handlers rank {rank} has is not known; it has been asked, so try again, or type a name."
    )
    own = sorted(names or (), key=lambda name: (name in KNOWN, name))
    choices = [LineChoice(name, KNOWN.get(name, "the job's own")) for name in own]

    def refused(text: str) -> str:
        try:
            call = parse_call(text)
        except CallError as error:
            return str(error)
        now = session.live.ranks.get(rank, state)
        out = call.source in now.stuck or any(
            one.rank == rank and one.call.source == call.source for one in app.attachment.calls
        )
        return f"rank {rank} has not answered {call.name} yet; only one call of it is out at a time" if out else ""

    def typed(text: str | None) -> None:
        if text is not None:
            _question(screen, rank, parse_call(text))

    about = f"{said}\n\nname, or name?key=value&key=value"
    request = LineRequest("call a handler", about, refused, choices=choices, suggester=SuggestFromList(own))
    app.push_screen(request, typed)


def _question(screen: JobScreen, rank: int, call: HandlerCall) -> None:
    app = screen.app

    def go(agreed: bool | None) -> None:
        if agreed:
            before = screen.session.asked.get((rank, call.source))
            app.attachment.calls.append(CallUnderWay(rank, call, before))
            app.attachment.ask(RankSet([rank]), call.probe)
            app.say(f"called {call.shown} of rank {rank}")

    about = KNOWN.get(call.name)
    effect = (
        f"torch's own: {about}."
        if about is not None
        else "It is a handler of the job's own: what it does is not known here, it can do anything."
    )
    question = (
        f"Call {plain(call.shown, 300)} of rank {rank}?\n\n{effect}\nA call that the rank does not answer keeps one of "
        "the threads of its debug server until it does."
    )
    app.push_screen(QuestionScreen("call a handler", question), go)


def tell_handlers(screen: JobScreen) -> None:
    """Show an answer that has come, once nothing else lies over the screen."""
    app = screen.app
    calls = app.attachment.calls
    if app.screen is not screen:
        return
    for one in calls:
        reply = screen.session.asked.get((one.rank, one.call.source))
        if reply is None or reply is one.before:
            continue
        calls.remove(one)
        app.attachment.answered(one.call.source)
        try:
            text = answer_text(reply)
        except OSError as error:
            text = f"The answer is no longer there: {error.strerror or error}"
        size = f"{reply.body.size:,} bytes" if not reply.error else reply.outcome.value
        title = f"{one.call.shown} of rank {one.rank}  {size}  after {duration(reply.took_s)}"
        app.push_screen(AnswerScreen(title, text))
        return
