"""Only what changes is sent, and what stands on the terminal is the same as if all of it were."""

from __future__ import annotations

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from xpudbg.tui.terminal.frame import Frame

SIZE = (24, 3)
CONSOLE = Console(color_system="truecolor", force_terminal=True)
PLAIN, BOLD, RED = Style(), Style(bold=True), Style(color="#ff0000")


class Terminal:
    """A terminal, what came to it, and what it would be if everything were sent."""

    def __init__(self) -> None:
        self.frame = Frame()
        self.bytes = 0
        self._screens = pyte.Screen(*SIZE), pyte.Screen(*SIZE)
        self._streams = [pyte.Stream(screen) for screen in self._screens]

    def paint(self, update: CompositorUpdate) -> int:
        """Bytes that an update takes."""
        sent = self.frame.only_new(update, SIZE).render_segments(CONSOLE)
        self._streams[0].feed(sent)
        self._streams[1].feed(update.render_segments(CONSOLE).replace("\n", ""))
        return len(sent)

    def is_right(self) -> bool:
        lines = range(SIZE[1])
        ours, whole = ([[screen.buffer[y][x] for x in range(SIZE[0])] for y in lines] for screen in self._screens)
        return ours == whole

    def scribble(self) -> None:
        """Something else writes on it."""
        for stream in self._streams:
            stream.feed("\x1b[2;3Hsomething else")


def strip(*parts: tuple[str, Style], width: int = SIZE[0]) -> Strip:
    made = Strip([Segment(text, style) for text, style in parts])
    return made.adjust_cell_length(width, PLAIN)


def lines(*strips: Strip, y: int = 0) -> LayoutUpdate:
    return LayoutUpdate([[one] for one in strips], Region(0, y, SIZE[0], len(strips)))


def chop(x: int, y: int, one: Strip) -> ChopsUpdate:
    """Part of one line."""
    end = x + one.cell_length
    chops: list[dict[int, Strip | None]] = [{} for _ in range(SIZE[1])]
    ends: list[list[int]] = [[] for _ in range(SIZE[1])]
    chops[y], ends[y] = {x: one}, [end]
    return ChopsUpdate(chops, [(y, x, end)], ends)


def test_the_same_again_sends_nothing() -> None:
    terminal = Terminal()
    once = lines(strip(("rank 3", BOLD), (" stopped", RED)), strip(("…", PLAIN)), strip(("節点", PLAIN)))
    assert terminal.paint(once) > 0
    again = lines(strip(("rank 3", Style(bold=True)), (" stopped", RED)), strip(("…", PLAIN)), strip(("節点", PLAIN)))
    assert terminal.paint(again) == 0
    assert terminal.paint(chop(0, 0, strip(("rank 3", BOLD), width=6))) == 0
    assert terminal.is_right()


def test_one_cell_that_changes_is_sent_alone() -> None:
    terminal = Terminal()
    terminal.paint(lines(*[strip(("look 1, 8 s ago", PLAIN))] * 3))
    assert terminal.paint(lines(*[strip(("look 1, 8 s ago", PLAIN))] * 2, strip(("look 1, 9 s ago", PLAIN)))) <= 12
    assert terminal.is_right()


def test_a_style_alone_is_a_change() -> None:
    terminal = Terminal()
    terminal.paint(lines(strip(("rank", PLAIN))))
    assert terminal.paint(lines(strip(("rank", BOLD)))) > 0
    assert terminal.is_right()


@pytest.mark.parametrize("again", [True, False])
def test_what_something_else_has_written_goes_when_all_is_sent_again(again: bool) -> None:
    terminal = Terminal()
    screen = lines(*[strip(("rank 3 stopped", RED))] * 3)
    terminal.paint(screen)
    terminal.scribble()
    if again:
        terminal.frame.forget()
    assert (terminal.paint(screen) > 0) is again
    assert terminal.is_right() is again


def test_a_line_whose_width_may_be_another_on_the_terminal_is_sent_whole() -> None:
    terminal = Terminal()
    terminal.paint(lines(strip(("🔎 one", PLAIN), ("two", BOLD))))
    sent = terminal.frame.only_new(lines(strip(("🔎 one", PLAIN), ("2wo", BOLD))), SIZE).render_segments(CONSOLE)
    assert "🔎" in sent
    sent = terminal.frame.only_new(lines(strip(("Q  one", PLAIN), ("2wo", BOLD))), SIZE).render_segments(CONSOLE)
    assert sent.startswith("\x1b[1;1HQ  one")


def test_what_lies_beyond_the_terminal_is_not_sent() -> None:
    terminal = Terminal()
    assert terminal.paint(lines(*[strip(("x" * 40, PLAIN), width=40)] * 5)) > 0
    assert terminal.frame.only_new(lines(strip(("x" * 24, PLAIN))), SIZE).render_segments(CONSOLE) == ""


def test_updates_of_other_kinds_are_left_as_they_are() -> None:
    other = CompositorUpdate()
    assert Frame().only_new(other, SIZE) is other


texts = st.text(st.sampled_from("ab  ▼…─節é"), min_size=1, max_size=10)
parts = st.lists(st.tuples(texts, st.sampled_from([PLAIN, BOLD, RED])), min_size=1, max_size=4)
whole = st.builds(lambda rows: lines(*(strip(*row) for row in rows)), st.lists(parts, min_size=3, max_size=3))
pieces = st.builds(
    lambda x, y, width, row: chop(x, y, strip(*row, width=min(width, SIZE[0] - x))),
    st.integers(0, 20),
    st.integers(0, 2),
    st.integers(1, 24),
    parts,
)


@given(whole, st.lists(st.one_of(whole, pieces), max_size=6))
def test_the_terminal_shows_what_it_would_if_all_were_sent(first: LayoutUpdate, more: list[CompositorUpdate]) -> None:
    terminal = Terminal()
    for update in (first, *more):
        terminal.paint(update)
    assert terminal.is_right()
