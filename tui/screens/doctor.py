"""The doctor over the screen it was opened from: whether the job can be debugged when it hangs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen

from ...services.cluster.probes import PYSPY
from ...services.doctor.examine import examine, frozen, requests
from ...services.doctor.recorder_checks import FRAMES, read_frames
from ...services.doctor.rendering import render_text, summary
from ...services.ranksets import RankSet
from ..actions.registry import Scope, bindings
from ..widgets.footer import KeyFooter
from ..widgets.painted import styled
from ..widgets.raw_text import RawText
from ..wording import count
from .answer import fit_to_text
from .handing_over import HandsOver

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ...services.cluster.probes import Probe
    from ...services.doctor.check import Check
    from ...services.session import Session
    from ..app import XpudbgApp

__all__ = ["DoctorScreen"]

_EVERY_S = 0.5
"""Seconds between two looks whether there is anything new."""
_NARROWEST = 40
"""Terminal cells to which the text is wrapped at least."""


class Examined(Message):
    """The checks are there."""

    def __init__(self, checks: tuple[Check, ...], text: str) -> None:
        super().__init__()
        self.checks = checks
        self.text = text


class DoctorScreen(HandsOver, ModalScreen[None]):
    """Examines what is known, beside the screen; again when a look has closed or an answer has come."""

    app: XpudbgApp
    BINDINGS = bindings(Scope.DOCTOR)
    SCOPES = (Scope.DOCTOR, Scope.TEXT)

    def __init__(self) -> None:
        super().__init__()
        self._examined: object = None
        """What the checks shown, or under way, were made from."""
        self._busy = False
        self._text = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="answer"):
            yield RawText(id="answer-text")
            yield KeyFooter(self.SCOPES)

    def on_mount(self) -> None:
        raw = self.query_one(RawText)
        raw.show(styled("doctor: examining …"), lambda: "", self, None)
        self.query_one(KeyFooter).show(self.app.session)
        self.set_focus(raw.log_widget)
        session = self.app.session
        for ranks, probe in requests(frozen(session)) if session.asks else ():
            self._ask(ranks, probe)
        self.call_after_refresh(self._examine_if_new)
        self.set_interval(_EVERY_S, self._examine_if_new)

    def on_resize(self) -> None:
        self._examined = None

    def _ask(self, ranks: RankSet, probe: Probe) -> RankSet:
        """Ask those that have not been asked yet."""
        attachment, session = self.app.attachment, self.app.session
        new = RankSet(
            rank
            for rank in ranks
            if (rank, probe.source) not in session.asked and (rank, probe.source) not in attachment.asking
        )
        if new:
            attachment.ask(new, probe)
        return new

    def _examine_if_new(self) -> None:
        session = self.app.session
        answers = {key: reply for key, reply in session.asked.items() if key[1] in (PYSPY.source, FRAMES.source)}
        width = self.query_one(RawText).log_widget.scrollable_content_region.width
        key = (session.latest, session.failure, answers, width)
        if self._busy or not width or key == self._examined:
            return
        self._busy, self._examined = True, key
        frozen_session, width = frozen(session), max(width, _NARROWEST)

        def work() -> None:
            self.post_message(_examined(frozen_session, width))

        self.run_worker(work, group="doctor", thread=True)

    def on_examined(self, message: Examined) -> None:
        self._busy, self._text = False, message.text
        look = self.app.session.latest
        head = f"doctor{f'  look {look.id}' if look is not None else ''}: {summary(message.checks)}"
        self.query_one(RawText).show(styled(head), lambda: message.text, self, message.text)
        fit_to_text(self)

    def do_close_doctor(self) -> None:
        self.dismiss(None)

    def do_copy_doctor(self) -> None:
        self.do_copy()

    def text_to_copy(self) -> tuple[str, str]:
        return self._text, "the doctor's checks"

    def do_doctor_py_spy(self) -> None:
        """One rank of each host, or the marked ranks."""
        session = frozen(self.app.session)  # whatever look is shown, the ranks as they are now are asked
        wanted = session.marked or next(
            (ranks for ranks, probe in requests(session, one_each=True) if probe is PYSPY), RankSet()
        )
        asked = self._ask(
            RankSet(rank for rank in wanted & session.all_ranks if session.ranks[rank].address.url), PYSPY
        )
        self.app.say(
            f"asked {count(len(asked), 'rank')} for py-spy" if asked else "not now: these ranks have been asked"
        )


def _examined(session: Session, width: int) -> Examined:
    replies = [reply for (_rank, source), reply in session.asked.items() if source == FRAMES.source]
    frames = read_frames(replies[0]) if replies else None
    checks = examine(session, frames)
    text = render_text(session, checks, width).partition("\n\n")[2]  # its first line is the title here
    return Examined(checks, text)
