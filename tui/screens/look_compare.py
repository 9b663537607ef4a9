"""What is different between two looks, over the screen it was opened from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen

from ...services.looks.difference.difference import difference
from ...services.looks.difference.rendering import difference_lines, render_text
from ..actions.registry import Scope, bindings
from ..widgets.footer import KeyFooter
from ..widgets.painted import styled
from ..widgets.raw_text import RawText
from .answer import fit_to_text, text_width
from .handing_over import HandsOver

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ...services.looks.record import LookRecord
    from ...services.session import Session
    from ..app import XpudbgApp

__all__ = ["LookCompareScreen", "compare_looks"]

_Pair = tuple[int, int]
"""Numbers of the two looks."""


class Compared(Message):
    """The difference is there."""

    def __init__(self, pair: _Pair, shown: str, whole: str) -> None:
        super().__init__()
        self.pair = pair
        self.shown = shown
        self.whole = whole
        """With lines as long as they are, for the clipboard."""


class LookCompareScreen(HandsOver, ModalScreen[None]):
    """Two looks of the session; they are compared beside the screen."""

    app: XpudbgApp
    BINDINGS = bindings(Scope.COMPARISON)
    SCOPES = (Scope.COMPARISON, Scope.TEXT)

    def __init__(self, before: int, after: int, *, oldest: bool = False) -> None:
        """
        Args:
            before, after: numbers of the two looks.
            oldest: the first of them is the one that was shown, as there is none before it.
        """
        super().__init__()
        self._pair: _Pair = (before, after)
        self._oldest = before if oldest else None
        self._text = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="answer"):
            yield RawText(id="answer-text")
            yield KeyFooter(self.SCOPES)

    def on_mount(self) -> None:
        self.query_one(KeyFooter).show(self.app.session)
        self.set_focus(self.query_one(RawText).log_widget)
        self._compare()

    def on_resize(self) -> None:
        self._compare()

    def _compare(self) -> None:
        before, after = (self.app.session.book.get(look_id) for look_id in self._pair)
        if before is None or after is None:
            self._show("one of the looks is not kept any more", "")
            return
        pair, width = self._pair, max(text_width(self), 40)

        def work() -> None:
            self.post_message(_compared(pair, before, after, width))

        self.run_worker(work, group="compare", thread=True, exclusive=True)

    def on_compared(self, message: Compared) -> None:
        if message.pair == self._pair:
            self._text = message.whole
            self._show("", message.shown)

    def _show(self, trouble: str, text: str) -> None:
        before, after = self._pair
        title = f"what changed  A: look {before}  B: look {after}{f': {trouble}' if trouble else self._about(before)}"
        self.query_one(RawText).show(styled(title), lambda: text, self._pair, text)
        fit_to_text(self)

    def _about(self, before: int) -> str:
        """Why the look that was shown is the first of the two and not the second."""
        if before != self._oldest or self.app.session.book.before(before) is not None:
            return ""
        return f"  (there is no look before {before})"

    def _change(self, before: int, after: int) -> None:
        self._pair = (before, after)
        self._compare()

    def do_compare_with_earlier(self) -> None:
        self._step(-1)

    def do_compare_with_later(self) -> None:
        self._step(1)

    def _step(self, step: int) -> None:
        book = self.app.session.book
        before, after = self._pair
        found = book.before(before) if step < 0 else book.after(before)
        if found is not None and found.snapshot.id == after:
            found = None
        if found is None:
            self.app.say("this is the oldest look that is kept" if step < 0 else "the two looks follow each other")
        else:
            self._change(found.snapshot.id, after)

    def do_compare_newest(self) -> None:
        session = self.app.session
        before, after = self._pair
        newest, shown = session.latest, session.look
        if newest is None or shown is None:
            return
        wanted = newest.id if after != newest.id else shown.id
        if wanted <= before:
            self.app.say(f"look {wanted} is not later than look {before}")
        else:
            self._change(before, wanted)

    def do_close_comparison(self) -> None:
        self.dismiss(None)

    def do_copy_comparison(self) -> None:
        self.do_copy()

    def text_to_copy(self) -> tuple[str, str]:
        return self._text, "the comparison"


def compare_looks(session: Session) -> LookCompareScreen | None:
    """The look shown against the one before it; the oldest one against the next. None when there is only one."""
    look = session.look
    if look is None:
        return None
    before = session.book.before(look.id)
    if before is not None:
        return LookCompareScreen(before.snapshot.id, look.id)
    after = session.book.after(look.id)
    return None if after is None else LookCompareScreen(look.id, after.snapshot.id, oldest=True)


def _compared(pair: _Pair, before: LookRecord, after: LookRecord, width: int) -> Compared:
    made = difference(before, after)
    return Compared(pair, "\n".join(difference_lines(made, width)), render_text(made))
