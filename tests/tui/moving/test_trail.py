"""Where Esc and `-` lead."""

from __future__ import annotations

from xpudbg.tui.moving.trail import Place, Trail

HERE, THERE, ELSEWHERE = Place("overview", 1), Place("ranks", 2), Place("stacks", 3)


def test_back_follows_the_way() -> None:
    trail = Trail()
    trail.leave(HERE)
    trail.leave(THERE)
    assert trail.back(ELSEWHERE) == THERE
    assert trail.back(THERE) == HERE
    assert trail.back(HERE) is None


def test_last_goes_to_and_fro() -> None:
    trail = Trail()
    assert trail.last(HERE) is None
    trail.leave(HERE)
    assert trail.last(THERE) == HERE
    assert trail.last(HERE) == THERE


def test_last_after_back_returns() -> None:
    trail = Trail()
    trail.leave(HERE)
    assert trail.back(THERE) == HERE
    assert trail.last(HERE) == THERE


def test_cleared_there_is_no_way() -> None:
    trail = Trail()
    trail.leave(HERE)
    trail.clear()
    assert trail.back(THERE) is None
    assert trail.last(THERE) is None
