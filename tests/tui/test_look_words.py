"""What changed at a look in one sign and in words; when it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.services.looks.test_changes import LATE
from tests.tui.scripted import NOW, SECOND
from xpudbg.services.looks.changes import LookChange
from xpudbg.services.looks.class_changes import Change
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankClass
from xpudbg.tui.look_words import clock_text, sign_of, words_of

NOTHING = LookChange(2)
DEAD = Change(RankClass.ALIVE, RankClass.DEAD, RankSet([1]))
MANY = Change(RankClass.ALIVE, RankClass.STOPPED, RankSet(range(10, 30)))


@pytest.mark.parametrize(
    ("change", "sign", "words"),
    [
        (NOTHING, "·", ["· nothing changed"]),
        (replace(NOTHING, moved=RankSet([3])), ">", ["> rank 3 moved"]),
        (replace(NOTHING, moved=RankSet.full(4)), ">", ["> ranks 0-3 moved"]),
        (replace(NOTHING, classes=(DEAD,)), "*", ["* rank 1 changed class"]),
        (replace(NOTHING, classes=(DEAD, MANY)), "*", ["* 21 ranks changed class"]),
        (replace(NOTHING, gone=(LATE,)), "-", ["- Rank 3 has not joined"]),
        (replace(NOTHING, came=(LATE, LATE, LATE)), "+", ["+ Rank 3 has not joined (and 2 more)"]),
        (
            LookChange(2, (LATE,), (LATE,), (DEAD,), RankSet([0, 1])),
            "+",
            ["+ Rank 3 has not joined", "- Rank 3 has not joined", "* rank 1 changed class", "> ranks 0-1 moved"],
        ),
        (replace(NOTHING, came=(replace(LATE, text="x\x1b[31m\ny"),)), "+", [r"+ x\x1b[31m\ny"]),
    ],
    ids=["nothing", "one moved", "some moved", "class", "classes", "gone", "came", "all", "hostile"],
)
def test_signs_and_words(change: LookChange, sign: str, words: list[str]) -> None:
    assert sign_of(change) == sign
    assert [" ".join(said) for said in words_of(change, first=False)] == words


def test_the_first_look_is_compared_with_nothing() -> None:
    assert words_of(NOTHING, first=True) == [("·", "nothing to compare it with")]


def test_the_date_stands_there_where_it_is_another_day() -> None:
    assert clock_text(NOW, NOW + 60 * SECOND) == "08:53:20Z"
    assert clock_text(NOW, NOW + 24 * 3600 * SECOND) == "2025-10-09 08:53:20Z"
    assert clock_text(2**63 - 1, NOW) == "2262-04-11 23:47:16Z"


@pytest.mark.parametrize("instant", [-1, 2**63, 10**40])
def test_an_instant_that_is_none_is_said_to_be_unknown(instant: int) -> None:
    assert clock_text(instant, NOW) == "at no known time"
