"""The left part of the top line: what goes first where there is little room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from tests.tui.scripted import NOW, job, look
from xpudbg.services.session import Session
from xpudbg.tui.widgets.breadcrumbs import breadcrumbs
from xpudbg.tui.widgets.status_bar import status_line

STEPS = ("4 recorder", "findings", "collectives", "calls of #311 of tp")


@pytest.mark.parametrize(
    ("room", "said"),
    [
        (100, "xpudbg  head-0:29500 › 4 recorder › findings › collectives › calls of #311 of tp  8 ranks  rank 3"),
        (90, "xpudbg  head-0:29500 › 4 recorder › findings › collectives › calls of #311 of tp  8 ranks"),
        (82, "head-0:29500 › 4 recorder › findings › collectives › calls of #311 of tp  8 ranks"),
        (75, "head-0:29500 › 4 recorder › findings › collectives › calls of #311 of tp"),
        (60, "head-0:29500 › 4 recorder › … › calls of #311 of tp"),
        (50, "head-0:295… › 4 recorder › … › calls of #311 of tp"),
        (40, "4 recorder › … › calls of #311 of tp"),
        (20, "4 recorder › … › ca…"),
        (10, "4 recorde…"),
        (0, ""),
    ],
)
def test_the_screen_stays_longest(room: int, said: str) -> None:
    assert breadcrumbs("head-0:29500", "8 ranks", STEPS, room, rank=3).plain == said


def test_without_steps_the_job_is_named() -> None:
    assert breadcrumbs("head-0:29500", "8 ranks", (), 40).plain == "xpudbg  head-0:29500  8 ranks"
    assert breadcrumbs("head-0:29500", "8 ranks", (), 24).plain == "xpudbg  head-0:29500"
    assert breadcrumbs("head-0:29500", "8 ranks", (), 12).plain == "xpudbg  hea…"


def test_an_insecure_connection_is_never_left_out() -> None:
    badge = Content.styled(" INSECURE ", "reverse")
    assert " INSECURE " in breadcrumbs("head-0:29500", "8 ranks", STEPS[:1], 24, badge=badge).plain


def test_text_from_outside_stays_text() -> None:
    made = breadcrumbs("[red]x", "", ("4 recorder", "calls of [/]\x1b[2J"), 80).plain
    assert "[red]x › 4 recorder › calls of [/]" in made
    assert made.isprintable()


@given(st.text(max_size=40), st.lists(st.text(min_size=1, max_size=20), max_size=6), st.integers(0, 120))
def test_it_never_takes_more_than_its_room(job_name: str, steps: list[str], room: int) -> None:
    made = breadcrumbs(job_name, "8 ranks", steps, room, rank=1)
    assert Content(made.plain).cell_length <= room


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_the_name_of_the_screen_is_readable_whatever_is_under_way(width: int) -> None:
    session = Session()
    for event in [*job(1024), *look(2, 1024, silent=range(0, 1000, 3), closed=False)]:
        session.apply(event)
    line = status_line(session, NOW, 5.0, width, steps=("3 stacks",))
    assert line.cell_length == width
    assert "3 stacks" in line.plain
