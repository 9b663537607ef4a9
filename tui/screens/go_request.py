"""Where a person wants to go, typed in a line; and going there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.suggester import SuggestFromList

from ...services import events
from ..actions.registry import by_name, keys_shown
from ..dispatch.destinations import cases_called
from ..dispatch.view import Tab
from ..moving.going import (
    Marking,
    ToCall,
    ToCase,
    ToFinding,
    ToGroup,
    ToKey,
    ToLook,
    ToRank,
    ToRun,
    ToScreen,
    destination,
    known_words,
)
from .line_request import LineChoice, LineRequest

if TYPE_CHECKING:
    from ...services.console.console import Console
    from ...services.session import Session
    from ..moving.going import Destination
    from .job import JobScreen

__all__ = ["ask_where_to", "go", "screen_names"]

SCREENS = ("overview", "ranks", "stacks", "recorder", "counters", "profiler", "store", "dispatch")
"""Those with a key, which are modes and names of actions."""
OTHER_NAMES = {"flight recorder": "recorder", "wait counters": "counters"}
FORMS = (
    "a rank: 12 · a finding: f2 · a look: look 3, look 12:03\n"
    "a screen: stacks, screen 3 · a group: group tp\n"
    "a call: #311, tp #311 · a key of the store: key debug_server/\n"
    "a case: case softmax · one of its runs: run 7\n"
    "mark 0-7,12 marks ranks"
)
LISTED = 6
"""Findings, or cases, that can be chosen from a list; others are typed."""


def screen_names() -> dict[str, str]:
    """Mode by what a screen may be called: its name, its key."""
    keys = {key: mode for mode in SCREENS for key in keys_shown(by_name[mode])}
    return {**{mode: mode for mode in SCREENS}, **OTHER_NAMES, **keys}


def ask_where_to(screen: JobScreen) -> None:
    """Let a person type a place, and go there."""
    names, console = screen_names(), screen.app.attachment.console

    def refused(text: str) -> str:
        found = destination(screen.session, text, names, console) or ""
        return found if isinstance(found, str) else _why_not(screen, found)

    def typed(text: str | None) -> None:
        found = destination(screen.session, text, names, console) if text is not None else ""
        if not isinstance(found, str):
            go(screen, found)

    suggester = SuggestFromList(list(known_words(screen.session, names, console)), case_sensitive=False)
    choices = _cases(console) if screen.MODE == "dispatch" else _findings(screen.session)
    screen.app.push_screen(LineRequest("Go to", FORMS, refused, choices=choices, suggester=suggester), typed)


def _findings(session: Session) -> list[LineChoice]:
    findings = session.verdict.findings[:LISTED]
    return [LineChoice(f"f{number}", finding.text) for number, finding in enumerate(findings, 1)]


def _cases(console: Console) -> list[LineChoice]:
    return [LineChoice(words, operator) for words, operator in cases_called(console, LISTED)]


def _why_not(screen: JobScreen, place: Destination) -> str:
    mode = "store" if isinstance(place, ToKey) else place.mode if isinstance(place, ToScreen) else None
    return by_name[mode].why_not(screen.session) if mode is not None else ""


def go(screen: JobScreen, place: Destination) -> None:
    """Go to a place from a screen."""
    app = screen.app
    match place:
        case ToRank():
            _select(screen, place.rank)
        case Marking():
            app.attachment.change(events.RanksMarked(place.ranks))
            if place.ranks.first is not None:
                _select(screen, place.ranks.first)
            screen.show_all()
        case ToFinding():
            finding = app.view.findings.choose(place.number)
            if finding is not None and finding.culprits.first in screen.session.ranks:
                screen.select(finding.culprits.first)
            _show(screen, "overview")
        case ToLook():
            screen.show_look(place.look_id)
        case ToScreen():
            app.go_to(place.mode)
        case ToGroup():
            app.view.recorder.jump_to_group(place.group, place.source, outside=screen.MODE != "recorder")
            _show(screen, "recorder")
        case ToCall():
            app.view.recorder.jump_to_collective(
                place.group, place.seq, p2p=place.p2p, source=place.source, outside=screen.MODE != "recorder"
            )
            _show(screen, "recorder")
            if place.beside:
                app.say(place.beside)
        case ToKey():
            app.attachment.store.gone_to = place.keys
            _show(screen, "store")
        case ToCase():
            _to_case(screen, place.case_id, place.beside)
        case ToRun():
            _to_case(screen, place.case_id)
            app.desk.view.choose_run(place.key)
            app.desk.view.gone_to = Tab.RESULT
            _show(screen, "dispatch")


def _to_case(screen: JobScreen, case_id: str, beside: str = "") -> None:
    app, view = screen.app, screen.app.desk.view
    view.stand_on(case_id)
    view.gone_to = Tab.CASES
    _show(screen, "dispatch")
    hidden = "" if case_id in view.order() else "the filter does not show it"
    if said := "; ".join(filter(None, (beside, hidden))):
        app.say(said)


def _select(screen: JobScreen, rank: int) -> None:
    """Select a rank where it is; where no rank can be seen, in the table of ranks."""
    app = screen.app
    screen.select(rank)
    if screen.MODE == "dispatch":
        app.go_to("ranks")
    if app.view.filter and rank not in app.view.shown():
        app.say(f"rank {rank} is selected; the filter does not show it")


def _show(screen: JobScreen, mode: str) -> None:
    """To a screen that has been told what to show; on that very screen, show it."""
    if mode == screen.MODE:
        screen.show_all()
        widget = screen.main_widget()
        screen.set_focus(widget if widget.focusable else None)
    else:
        screen.app.go_to(mode)
