"""What changed since the last look, the fewest ranks first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from ...services.looks.class_changes import Change, class_changes
from ..ranks.classes import appearance
from .painted import Painted
from .text import fit

if TYPE_CHECKING:
    from ...services.session import Session

__all__ = ["ChangesPane", "change_lines"]

RANKS_WIDTH = 24
"""Terminal cells of a rank set; longer ones are cut."""


class ChangesPane(Painted):
    """One line for each way ranks went."""

    def show(self, session: Session) -> None:
        self.paint_with(lambda width: Content("\n").join(change_lines(session, width, self.size.height)))


def change_lines(session: Session, width: int, height: int) -> list[Content]:
    """What changed from the closed look before to what is shown, in `height` lines."""
    before = session.look_before
    if not session.ranks:
        return []
    if before is None:
        return [Content.styled("no earlier look to compare", "$foreground-muted")]
    since = before.id
    changes = class_changes(before.ranks, session.ranks)
    if not changes:
        return [Content.styled(f"no rank changed since look {since}", "$foreground-muted")]
    if height <= 1:
        more = f", and {len(changes) - 1} more" if len(changes) > 1 else ""
        said = Content.assemble((f"since look {since}: ", "$foreground-muted"), _said(changes[0]), more)
        return [said.truncate(width, ellipsis=True)]
    lines = [Content.styled(f"changed since look {since}", "$foreground-muted")]
    room = max(height - 2, 1)
    lines += [_said(change).truncate(width, ellipsis=True) for change in changes[:room]]
    if len(changes) > room:
        lines.append(Content.styled(f"and {len(changes) - room} more", "$foreground-muted"))
    return lines


def _said(change: Change) -> Content:
    after = appearance(change.after)
    before = appearance(change.before).label if change.before is not None else "not there"
    word = "rank" if len(change.ranks) == 1 else "ranks"
    ranks = str(change.ranks)
    return Content.assemble(
        (f"{word} {fit(ranks, min(len(ranks), RANKS_WIDTH))} ", "bold"),
        (before, "$foreground-muted"),
        " → ",
        (f"{after.sign} {after.label}", after.colour),
    )
