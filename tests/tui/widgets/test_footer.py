"""The footer keeps what matters when it is narrow."""

from __future__ import annotations

from itertools import pairwise

from xpudbg.tui.actions.registry import ACTIONS, Scope, keys_shown
from xpudbg.tui.widgets.footer import chosen

SCOPES = (Scope.OVERVIEW, Scope.JOB, Scope.GRID, Scope.APP)


def test_it_fits_and_keeps_the_most_important() -> None:
    fitting = chosen(SCOPES, {}, 78)
    names = {action.name for action in fitting}
    assert {"help", "quit", "look", "filter", "enter"} <= names
    said = [f"{action.footer_keys or keys_shown(action)[0]} {action.label}" for action in fitting]
    assert len("  ".join(said)) <= 78
    left_out = [action for action in chosen(SCOPES, {}, 1000) if action not in fitting]
    assert max(action.importance for action in left_out) <= min(action.importance for action in fitting)


def test_the_order_is_that_of_the_registry() -> None:
    places = [ACTIONS.index(action) for action in chosen(SCOPES, {}, 200)]
    assert all(a < b for a, b in pairwise(places))


def test_where_one_is_already_is_left_out() -> None:
    assert "ranks" in {action.name for action in chosen(SCOPES, {}, 1000, "overview")}
    assert "overview" not in {action.name for action in chosen(SCOPES, {}, 1000, "overview")}


def test_no_room_no_keys() -> None:
    assert chosen(SCOPES, {}, 3) == []
