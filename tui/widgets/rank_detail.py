"""Everything that is known of the selected rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from textual.content import Content

from ...services.snapshot import RankClass
from ..ranks.classes import appearance, label_of
from ..stacks.frame_text import frame_line
from ..wording import age, milliseconds
from .painted import Painted, hanging, styled
from .text import fit

if TYPE_CHECKING:
    from ...services.snapshot import RankState
    from ...services.stacks.model import Frame

__all__ = ["RankDetail", "detail_lines"]

Facts: TypeAlias = Sequence[tuple[str, str]]
"""Labels and texts; one without a text is left out."""

INDENT = 10
TOP = 3
"""Frames that are shown, one below the other."""
TOP_IN_LINE = 6
"""Frames that are named in one line."""
SAID = 120
"""Terminal cells of what a health check says."""
WIDE = 70
"""Terminal cells from which the facts stand side by side."""


class RankDetail(Painted):
    """A pane of labels and values."""

    def show(
        self,
        state: RankState | None,
        *,
        marked: bool,
        now: int,
        frames: Sequence[Frame] = (),
        recorded: Facts = (),
    ) -> None:
        """
        Args:
            state: the row of the rank table, None when no rank is selected.
            marked: whether the rank has a mark.
            now: ns since the epoch.
            frames: of its main thread, innermost first, boring ones left out.
            recorded: what the flight recorders say of it, labels and values.
        """
        self.paint_with(lambda width: Content("\n").join(detail_lines(state, marked, now, width, frames, recorded)))


def detail_lines(
    state: RankState | None,
    marked: bool,
    now: int,
    width: int,
    frames: Sequence[Frame] = (),
    recorded: Facts = (),
) -> list[Content]:
    """The lines of the pane, class and reason first; where it is wide, a few lines say it all. None without a rank."""
    if state is None:
        return []
    look = appearance(state.rank_class)
    since = f" for {age(now, state.since)}" if state.since is not None else ""
    kind = Content.assemble((f"{look.sign} {label_of(state)}", f"bold {look.colour}"), since)
    mark = ("  * marked", "$text-accent") if marked else ""
    name = Content.assemble((f"rank {state.rank}", "bold"), mark, "  ", styled(state.host))
    heard = f"{age(now, state.seen_at)} ago" if state.seen_at is not None else _never(state)
    reason = "" if state.address.file else state.reason
    ping = f"{milliseconds(state.ping_s)} ms" if state.ping_s is not None else ""
    health = ""
    if state.health is not None:
        said = str(state.health)
        health = f"{age(now, state.health.at)} ago: {fit(said, min(len(said), SAID))}"
    facts = [("heard", heard), ("ping", ping), ("unanswered", ", ".join(state.stuck)), ("health", health)]
    places = [
        ("address", state.address.registered or "not registered"),
        ("", state.address.error),
        ("asked at", _other_url(state)),
    ]
    if state.address.file:
        facts, places = [("file", state.address.file)], []
    facts = [*recorded, *facts]
    if width >= WIDE:
        lines = [Content("   ").join([name, kind]), *([styled(reason)] if reason else [])]
        if frames:
            above = " < ".join(frame.name for frame in frames[1:TOP_IN_LINE])
            said = f"{frame_line(frames[0])} < {above}" if above else frame_line(frames[0])
            lines.append(_in_one_line([("in", said)]))
        lines += [_in_one_line(facts), *([_in_one_line(places)] if places else [])]
        return [line.truncate(width, ellipsis=True) for line in lines]
    lines = [name.truncate(width, ellipsis=True), kind, *(styled(reason).wrap(width) if reason else [])]
    tops = [("in" if number == 0 else "", frame_line(frame)) for number, frame in enumerate(frames[:TOP])]
    for label, value in (*tops, *facts, *places):
        if value:
            shown = Content.styled(fit(label, INDENT), "$foreground-muted")
            lines += hanging(shown, styled(value), width, INDENT + 1)
    return lines


def _never(state: RankState) -> str:
    """A rank may answer, and none of its answers be of use."""
    answers = (RankClass.SERVER_ERROR, RankClass.FOREIGN_PORT)
    return "nothing of use so far" if state.rank_class in answers else "never"


def _in_one_line(facts: Sequence[tuple[str, str]]) -> Content:
    parts = [
        Content.assemble((f"{label} " if label else "", "$foreground-muted"), styled(value))
        for label, value in facts
        if value
    ]
    return Content("   ").join(parts)


def _other_url(state: RankState) -> str:
    """Where the rank is asked when that is not where it registered; never a URL that may carry a password."""
    url = state.address.url
    return url if url != state.address.registered and "@" not in url else ""
