"""All looks in a line: what changed at each, which one is shown, when it was and what changed there in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message

from ..actions.registry import key_of
from ..look_words import COLOURS, SAME, clock_text, sign_of, words_of
from .painted import Painted, styled
from .text import cell_len, fit

if TYPE_CHECKING:
    from textual import events

    from ...services.session import Session
    from ...services.snapshot import Snapshot
    from ..app import XpudbgApp

__all__ = ["LEAST_HEIGHT", "LookStrip"]

LEAST_HEIGHT = 20
"""Rows of a terminal from which there is room for it."""
_WORDS = 44
"""Terminal cells that the words get before looks do."""
_ONE_OF_SEVERAL = 40
"""Terminal cells of what changed, where several things did."""


class LookStrip(Painted):
    """One line; there when there are two looks or more, and room. The newest look is at the right."""

    app: XpudbgApp

    class Chosen(Message):
        """A look was clicked."""

        def __init__(self, look_id: int) -> None:
            super().__init__()
            self.look_id = look_id

    def __init__(self) -> None:
        super().__init__()
        self._cells: list[tuple[int, int]] = []
        """Where each look ends, and its number."""

    def on_mount(self) -> None:
        self.display = self._has_room(self.app.session)  # at once, so that nothing below it moves afterwards

    def _has_room(self, session: Session) -> bool:
        return len(session.looks) > 1 and self.app.size.height >= LEAST_HEIGHT

    def show(self, session: Session, now: int, *, follows: bool = True) -> None:
        """
        Args:
            now: ns since the epoch.
            follows: whether the page shows the look that is shown, and not always the newest state.
        """
        self.display = self._has_room(session)
        if self.display:
            self.paint_with(lambda width: self._line(session, now, width, follows=follows))

    def _line(self, session: Session, now: int, width: int, *, follows: bool) -> Content:
        look = session.look
        if look is None:
            return Content("")
        cells = self._looks(session, look, max(width - _WORDS, width // 3))
        line = Content.assemble(cells, "  ", _words(session, look, now, follows=follows))
        return line.truncate(width, ellipsis=True)

    @property
    def _keys(self) -> str:
        """Before the looks: what goes through them."""
        return f"{key_of('previous_look')} {key_of('next_look')} "

    def _looks(self, session: Session, shown: Snapshot, room: int) -> Content:
        """The looks around the one shown, which stands in brackets, as many as there is room for; where some are left
        out there is a sign."""
        looks = session.looks
        most = max(room - cell_len(self._keys) - 4, 1)
        at = session.book.place(shown.id)
        begin = max(min(at - most // 2, len(looks) - most), 0)
        end = min(begin + most, len(looks))
        parts = [Content.styled(self._keys, "bold $accent"), Content.styled("‹" if begin else " ", "$foreground-muted")]
        self._cells, x = [], cell_len(self._keys) + 1
        for look in looks[begin:end]:
            change = session.book.change(look.id)
            sign = sign_of(change) if change is not None else SAME
            here = look is shown
            style = f"bold reverse {COLOURS[sign]}" if here else COLOURS[sign]
            parts.append(Content.styled(f"[{sign}]" if here else sign, style))
            x += 3 if here else 1
            self._cells.append((x, look.id))
        if end < len(looks):
            parts.append(Content.styled("›", "$foreground-muted"))
        return Content("").join(parts)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or offset.x < cell_len(self._keys):
            return
        for end, look_id in self._cells:
            if offset.x < end:
                self.post_message(self.Chosen(look_id))
                return


def _words(session: Session, look: Snapshot, now: int, *, follows: bool) -> Content:
    """The look that is shown, when it was, what changed there."""
    head = Content.styled(f"look {look.id} {clock_text(look.taken_at, now)}", "bold")
    if not follows and session.shown is not None:
        return head + Content.styled("  on the other pages; this one has the newest state", "$text-warning")
    if session.reading_again:
        return head + styled(f"  {session.reading_again.partition(': ')[2]} …", "$text-warning")
    change = session.book.change(look.id)
    first = look.id == session.looks[0].id
    said = words_of(change, first=first) if change is not None else []
    parts = [head, Content.styled("cancelled", "$text-warning")] if look.cancelled else [head]
    for sign, words in said:
        short = words if len(said) == 1 else fit(words, min(len(words), _ONE_OF_SEVERAL))
        parts.append(Content.assemble((sign, f"bold {COLOURS[sign]}"), styled(f" {short}")))
    return Content("  ").join(parts)
