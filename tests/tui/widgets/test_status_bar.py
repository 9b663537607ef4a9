"""The top line."""

from __future__ import annotations

import pytest

from tests.tui.scripted import NOW, SECOND, job, look, opened
from xpudbg.services import events
from xpudbg.services.session import Session
from xpudbg.tui.widgets.status_bar import status_line


def session_after(said: list[events.Event]) -> Session:
    session = Session()
    for event in said:
        session.apply(event)
    return session


@pytest.mark.parametrize("width", [20, 40, 80, 120, 250])
def test_it_takes_exactly_the_width(width: int) -> None:
    said = [events.TargetOpening("s" * 100), opened(2000), *look(1, 2000, silent=range(0, 80, 2), closed=False)]
    assert status_line(session_after(said), NOW, 5.0, width).cell_length == width


def test_it_says_what_is_still_out() -> None:
    said = [*job(1024), *look(2, 1024, silent=[3, 77, 78, 79], closed=False)]
    line = status_line(session_after(said), NOW, None, 120).plain
    assert "look 2: 1,020 of 1,024, still out: 3,77-79" in line
    assert "1,024 ranks" in line
    assert "refresh off" in line


def test_a_look_that_comes_by_itself_is_said_without_an_interval() -> None:
    session = session_after(job(4))
    assert status_line(session, NOW, None, 80, again=True).plain.endswith(" · looks again")
    assert status_line(session, NOW, None, 80).plain.endswith(" · refresh off")
    assert status_line(session, NOW, 5.0, 80, again=True).plain.endswith(" · every 5 s")


def colour_of_age(seconds: int, refresh_s: float | None) -> str:
    line = status_line(session_after(job(4)), NOW + (seconds - 4) * SECOND, refresh_s, 80)
    start = line.plain.index("look 1")
    return next((str(style) for first, last, style in line.spans if first <= start < last), "")


def test_an_old_look_stands_out() -> None:
    assert "ago" in status_line(session_after(job(4)), NOW, None, 80).plain
    assert colour_of_age(4, None) == "$foreground-muted"
    assert colour_of_age(20, 30.0) == "$foreground-muted"
    assert colour_of_age(20, 5.0) == ""
    assert colour_of_age(70, 30.0) == "bold $text-warning"


def test_unchecked_certificates_and_parts_of_a_job_are_said() -> None:
    opening = opened(4)
    insecure = events.TargetOpened(opening.label, 16, opening.addresses, secure="insecure")
    line = status_line(session_after([insecure, *look(1, 4)]), NOW, 2.0, 100).plain
    assert " INSECURE " in line
    assert "4 of 16 ranks" in line
    assert "every 2 s" in line


def test_nothing_attached() -> None:
    assert "no target" in status_line(Session(), NOW, None, 80).plain
