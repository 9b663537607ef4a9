"""Which look is meant by what is typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.scripted import NOW, SECOND, job, look
from xpudbg.services.session import Session
from xpudbg.tui.screens.look_request import look_of

DAY = 24 * 3600 * SECOND
MIDNIGHT = NOW // DAY * DAY


def looked(*at: int) -> Session:
    """A session with looks that began at these instants, ns since midnight."""
    session = Session()
    for event in job(1)[:2]:
        session.apply(event)
    for number, instant in enumerate(at, 1):
        for event in look(number, 1, at=MIDNIGHT + instant + 4 * SECOND):
            session.apply(event)
    return session


def at(hour: int, minute: int, second: int = 0) -> int:
    return (hour * 3600 + minute * 60 + second) * SECOND


@pytest.fixture(scope="module")
def three() -> Session:
    return looked(at(8, 0), at(8, 0, 30), at(8, 2))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2", 2),
        (" look 3 ", 3),
        ("8:00", 2),
        ("08:00:00", 1),
        ("8:00:29Z", 1),
        ("8:01", 2),
        ("23:59", None),
        ("9:00", 3),
    ],
)
def test_a_number_or_the_last_one_until_a_time(three: Session, text: str, found: int | None) -> None:
    meant = look_of(three, text)
    if found is None:  # more than half a day ahead is yesterday's evening
        assert meant == "no look was taken until 23:59:59Z; the first is look 1"
    else:
        assert not isinstance(meant, str)
        assert meant.id == found


def test_an_evening_after_midnight_is_yesterday_s() -> None:
    session = looked(-at(0, 10), at(0, 5))
    meant = look_of(session, "23:55")
    assert not isinstance(meant, str)
    assert meant.id == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("9", "there is no look 9: 1 to 3 are kept"),
        ("7:59", "no look was taken until 07:59:59Z; the first is look 1"),
        ("24:00", "there is no such time of day: 24:00"),
        ("yesterday", "that is neither the number of a look nor a time as 12:03 or 12:03:10"),
        ("", "that is neither the number of a look nor a time as 12:03 or 12:03:10"),
    ],
)
def test_what_is_meant_by_nothing_says_why(three: Session, text: str, why: str) -> None:
    assert look_of(three, text) == why


@given(text=st.text(max_size=12))
def test_any_text_is_a_look_or_a_reason(three: Session, text: str) -> None:
    meant = look_of(three, text)
    assert meant if isinstance(meant, str) else meant in three.looks
    assert look_of(Session(), text) == "no look has ended yet"


def test_without_a_known_time_only_numbers_are_of_use() -> None:
    session = looked(2**70)
    assert look_of(session, "12:03") == "it is not known when the newest look was taken: give a number"
    assert not isinstance(look_of(session, "1"), str)
