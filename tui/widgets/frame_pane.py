"""One frame: which ranks have it and which lack it, and its source where that can be read here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from ...services.ranksets import RankSet
from ..wording import count
from .painted import Painted, hanging, styled
from .text import fit

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...services.stacks.model import Frame
    from ...services.stacks.source_lines import SourceExcerpt

__all__ = ["FrameFacts", "FramePane", "frame_lines"]

NOBODY = RankSet()
INDENT = 9
NAME_LINES = 3
"""Lines of a function name; C++ has long ones."""


@dataclass(frozen=True, slots=True)
class FrameFacts:
    """What is known of a frame."""

    frame: Frame | None
    having: RankSet = NOBODY
    lacking: RankSet = NOBODY
    without: RankSet = NOBODY
    """Ranks without a stack: nobody knows."""
    source: SourceExcerpt | str | None = None
    """The lines, why there are none, or None while they are being read."""
    call: str = ""
    """Which call the selected rank is inside by its flight recorder, and who else; empty where no dump was read."""


class FramePane(Painted):
    """As many source lines as there is room for."""

    def show(self, facts: FrameFacts, hosts: Callable[[RankSet], int]) -> None:
        """
        Args:
            hosts: the number of hosts of some ranks.
        """
        self.paint_with(lambda width: Content("\n").join(frame_lines(facts, hosts, width, self.size.height)))


def frame_lines(facts: FrameFacts, hosts: Callable[[RankSet], int], width: int, height: int) -> list[Content]:
    """The lines of the pane.

    Args:
        height: lines there are; the source gets what the rest leaves.
    """
    frame = facts.frame
    if frame is None:
        return _call(facts.call, width)[:height]  # why there is none stands in the table of frames
    name = styled(frame.function, "bold").wrap(width)
    if len(name) > NAME_LINES:
        name[NAME_LINES - 1 :] = [name[NAME_LINES - 1].truncate(width - 1) + "…"]
    lines = [
        *name,
        styled(frame.location or "no file is known", "$foreground-muted").truncate(width, ellipsis=True),
    ]
    lines += _call(facts.call, width)
    if facts.having:
        lines += _ranks("has it", facts.having, hosts, width)
        lines += _ranks("lacks it", facts.lacking, hosts, width)
    else:
        lines.append(Content.styled("not among the merged stacks", "$foreground-muted"))
    if facts.without:
        lines += _ranks("no stack", facts.without, hosts, width)
    lines = [line.truncate(width, ellipsis=True) for line in lines]
    room = height - len(lines)
    if room > 0 and facts.source is not None:
        lines += _source(facts.source, width, room)
    return lines


def _call(said: str, width: int) -> list[Content]:
    return hanging(Content.styled("call", "$foreground-muted"), styled(said, ""), width, INDENT) if said else []


def _ranks(label: str, ranks: RankSet, hosts: Callable[[RankSet], int], width: int) -> list[Content]:
    if ranks:
        number, of_hosts, named = count(len(ranks), "rank"), f"  {count(hosts(ranks), 'host')}", str(ranks)
        room = width - INDENT - len(number) - len(of_hosts) - 1
        named = fit(named, min(len(named), max(room, 4)))
        said = Content.assemble((number, "bold"), f" {named}", (of_hosts, "$foreground-muted"))
    else:
        said = Content.styled("nobody", "$foreground-muted")
    return hanging(Content.styled(label, "$foreground-muted"), said, width, INDENT)


def _source(source: SourceExcerpt | str, width: int, room: int) -> list[Content]:
    if isinstance(source, str):
        label, said = Content.styled("source", "$foreground-muted"), styled(f"not shown: {source}", "$foreground-muted")
        return hanging(label, said, width, INDENT)[:room]
    at = source.line - source.first
    top = max(min(at - room // 2, len(source.lines) - room), 0)
    digits = len(str(source.first + len(source.lines)))
    lines = []
    for number, text in enumerate(source.lines[top : top + room], source.first + top):
        here = number == source.line
        sign = "→" if here else " "
        line = styled(f"{sign} {number:>{digits}}  {text.expandtabs(4)}", "bold $text-accent" if here else "")
        lines.append(line.truncate(width, ellipsis=True))
    return lines
