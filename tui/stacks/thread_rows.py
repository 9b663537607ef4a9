"""The stack of one rank as rows of a table: its main thread, the other threads folded, equal ones as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...services.stacks.boring import elide
from ...services.stacks.model import StackSource
from ...services.stacks.tree import MISSING_FRAMES
from ..widgets.table_layout import Cell, Column
from ..wording import count
from .frame_text import short_place

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ...services.ranksets import RankSet
    from ...services.stacks.model import Frame, StackDump, ThreadStack

__all__ = ["FrameRow", "StackRows", "ThreadGroup", "thread_groups"]


@dataclass(frozen=True, slots=True)
class ThreadGroup:
    """Threads of one rank with the same stack."""

    title: str
    """Which threads they are."""
    about: str
    """Their names and what they were seen doing."""
    key: tuple[Frame, ...]
    """The whole stack as it was dumped: what tells the group from others."""
    frames: tuple[Frame, ...]
    """As shown, innermost first."""
    left_out: int
    """Boring frames among `key` that are not in `frames`."""
    is_open: bool


@dataclass(frozen=True, slots=True)
class FrameRow:
    """One row: the title of a group, or one of its frames."""

    group: ThreadGroup
    number: int = -1
    """Place of the frame in the group, innermost 0; -1 for the title."""

    @property
    def frame(self) -> Frame | None:
        return self.group.frames[self.number] if self.number >= 0 else None

    def is_like(self, other: FrameRow) -> bool:
        """Whether it is the same line of the same stack."""
        return (self.group.key, self.number) == (other.group.key, other.number)


def thread_groups(
    dump: StackDump,
    shown: Collection[tuple[Frame, ...]],
    turned: Collection[tuple[Frame, ...]],
    *,
    show_boring: bool,
) -> list[ThreadGroup]:
    """The threads of a dump, the main one first and open.

    Args:
        dump: of one rank.
        shown: stacks of this rank as they were merged; one that a thread agrees with is taken, since its frames are
            written as those of other ranks.
        turned: groups (by `key`) that a person has opened or closed.
        show_boring: keep boring frames.
    """
    gathered: dict[tuple[Frame, ...], list[ThreadStack]] = {}
    for thread in dump.main_first():
        gathered.setdefault(thread.frames, []).append(thread)
    groups: list[ThreadGroup] = []
    for key, threads in gathered.items():
        frames = key if show_boring else elide(key).frames
        left_out = len(key) - len(frames)
        if threads[0].truncated:
            frames = (*frames, MISSING_FRAMES)
        frames = _as_merged(frames, shown)
        is_open = (not groups) != (key in turned)
        title, about = _title(threads, is_main=threads[0] is dump.main_thread)
        if dump.source is StackSource.RECORDER:
            title, about = "when the call was made", "recorded by the flight recorder"
        groups.append(ThreadGroup(title, about, key, frames, left_out, is_open))
    return groups


def _as_merged(frames: tuple[Frame, ...], shown: Collection[tuple[Frame, ...]]) -> tuple[Frame, ...]:
    if frames in shown:
        return frames
    lines = [(frame.name, frame.line) for frame in frames]
    alike = [one for one in shown if len(one) == len(frames) and [(f.name, f.line) for f in one] == lines]
    return alike[0] if len(alike) == 1 else frames


def _title(threads: Sequence[ThreadStack], *, is_main: bool) -> tuple[str, str]:
    first = threads[0]
    title = count(len(threads), "thread")
    if is_main:
        title = f"main thread and {len(threads) - 1:,}" if len(threads) > 1 else "main thread"
    words: list[str] = []
    names = dict.fromkeys(thread.name for thread in threads if thread.name)
    if names:
        words.append(", ".join(list(names)[:3]) + (", …" if len(names) > 3 else ""))
    elif len(threads) == 1 and first.id:
        words.append(first.id)
    states = dict.fromkeys(str(thread.state) for thread in threads if thread.state is not None)
    if states:
        words.append("/".join(states))
    if any(thread.holds_gil for thread in threads):
        words.append("holds the GIL")
    return title, ", ".join(words)


class StackRows:
    """A `TableSource` over the groups."""

    columns = (
        Column("frame", "frame", max_width=30, min_width=13),
        Column("ranks", "in", "right", max_width=7),
        Column("place", "place", max_width=400),
    )

    def __init__(
        self, groups: Sequence[ThreadGroup], having: Callable[[Frame], RankSet], matched: Collection[Frame] = ()
    ) -> None:
        """
        Args:
            groups: the threads of a rank.
            having: the ranks that have a frame.
            matched: frames that the filter's text occurs in.
        """
        self.groups = groups
        self._having = having
        self._matched = frozenset(matched)
        self.rows: list[FrameRow] = []
        for group in groups:
            self.rows.append(FrameRow(group))
            if group.is_open:
                self.rows += [FrameRow(group, number) for number in range(len(group.frames))]

    def cell(self, row: int, column: int) -> Cell:
        at = self.rows[row]
        frame = at.frame
        key = self.columns[column].key
        if frame is None:
            return _title_cell(at.group, key)
        match key:
            case "frame":
                return f"  {frame.function}", "table--match" if frame in self._matched else ""
            case "ranks":
                ranks = self._having(frame)
                return (f"{len(ranks):,}" if ranks else ""), "table--muted"
        return short_place(frame), "table--muted"


def _title_cell(group: ThreadGroup, key: str) -> Cell:
    match key:
        case "frame":
            return f"{'▼' if group.is_open else '▶'} {group.title}", "table--title"
        case "ranks":
            return "", ""
    hidden = f" and {group.left_out} boring" if group.left_out else ""
    words = [group.about] if group.about else []
    return ", ".join([*words, f"{count(len(group.frames), 'frame')}{hidden}"]), "table--muted"
