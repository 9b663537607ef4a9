"""Which earlier look a look is compared with."""

from __future__ import annotations

from xpudbg.services.judging.history import APART_S, History

S = 1_000_000_000


def test_looks_too_close_together_are_not_compared() -> None:
    history: History[str] = History()
    assert history.before(10 * S) is None
    history.add(10 * S, "first")
    assert history.before(10 * S + S // 10) is None
    assert history.before(10 * S + int(APART_S * S)) == "first"


def test_of_several_the_newest_that_is_far_enough_counts() -> None:
    history: History[str] = History()
    for tenth in range(30):
        history.add(10 * S + tenth * S // 10, str(tenth))
    assert history.before(10 * S + 29 * S // 10) == "19"
    assert history.before(20 * S) == "29"
    assert len(history._past) <= 12
