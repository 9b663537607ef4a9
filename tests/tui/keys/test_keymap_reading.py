"""Keys from the settings: who gets which, and what is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.tui.actions.registry import ACTIONS, Scope, actions_in, by_name
from xpudbg.tui.keys.keymap import FIXED, Keymap
from xpudbg.tui.keys.keymap_reading import read_keymap
from xpudbg.tui.moving.places import PLACES


def told(**wanted: str | tuple[str, ...]) -> list[str]:
    lines = {f"keys.{name}": number for number, name in enumerate(wanted, 1)}
    return [str(problem) for problem in read_keymap(wanted, lines)[1]]


def made(**wanted: str | tuple[str, ...]) -> Keymap:
    lines = {f"keys.{name}": number for number, name in enumerate(wanted, 1)}
    return read_keymap(wanted, lines)[0]


@pytest.mark.parametrize("scope", Scope)
def test_no_scope_has_a_key_twice(scope: Scope) -> None:
    keys = [key for action in actions_in((scope,)) for key in action.keys]
    assert sorted(keys) == sorted(set(keys))


def test_every_scope_is_at_some_place() -> None:
    assert {scope for place in PLACES for scope in place} == set(Scope)


def test_an_action_gets_the_keys_that_are_free() -> None:
    keymap = made(look=("F5", "r"), unmark_all="f6")
    assert keymap.keys(by_name["look"]) == ("f5", "r")
    assert keymap.keys(by_name["unmark_all"]) == ("f6",)
    assert keymap.keys(by_name["copy"]) == by_name["copy"].keys
    assert keymap.for_textual() == {"look": "f5,r", "unmark_all": "f6"}


def test_two_actions_may_change_places() -> None:
    keymap = made(look="y", copy="r")
    assert (keymap.keys(by_name["look"]), keymap.keys(by_name["copy"])) == (("y",), ("r",))
    assert told(look="y", copy="r") == []


def test_the_later_one_loses_and_both_lines_are_told() -> None:
    keymap = made(look="f5", copy="f5")
    assert keymap.keys(by_name["look"]) == ("f5",)
    assert keymap.keys(by_name["copy"]) == by_name["copy"].keys
    assert told(look="f5", copy="f5") == [
        "line 2: keys.copy: f5 is the key of look already (line 1; job screens), which keeps it"
    ]


def test_one_whose_keys_are_as_ever_keeps_them() -> None:
    assert told(look="y") == [
        "line 1: keys.look: y is the key of copy already (by default; job screens), which keeps it"
    ]
    assert made(look=("y", "f5")).keys(by_name["look"]) == ("f5",)


def test_at_different_places_a_key_may_do_different_things() -> None:
    assert told(sort_progress="f5", sort="f5") == []


def test_who_loses_all_goes_back_to_keys_that_nobody_took() -> None:
    keymap = made(look="y", copy="f5", refresh="f5")
    assert keymap.keys(by_name["refresh"]) == by_name["refresh"].keys
    keymap = made(copy="r", look="y", refresh="f5", quit="f5")
    assert keymap.keys(by_name["quit"]) == by_name["quit"].keys
    lost = made(refresh="r", look="f5", copy="f5")
    assert lost.keys(by_name["refresh"]) == ("r",)


def test_none_is_the_palette_only() -> None:
    keymap = made(mark=())
    assert keymap.keys(by_name["mark"]) == ()
    assert keymap.for_textual() == {"mark": "unbound_mark"}


@pytest.mark.parametrize("key", FIXED)
def test_fixed_keys_stay(key: str) -> None:
    assert f"{key} can't be changed" in told(look=key)[0]
    keymap = made(quit="f9", palette="f10")
    assert keymap.keys(by_name["quit"]) == ("f9", "ctrl+q")
    assert keymap.keys(by_name["palette"]) == ("f10", "ctrl+p")
    assert "ctrl+c can't be changed" in told(interrupt="f9")[0]


@pytest.mark.parametrize(
    ("name", "keys", "said"),
    [
        ("lok", "f5", "there is no such action; did you mean look?"),
        ("look", "foo", "'foo' is no key"),
        ("look", "hyperx+a", "'hyperx' is none of"),
        ("look", "ctrl+i", "terminals send ctrl+i as tab"),
        ("look", tuple(f"f{number}" for number in range(1, 12)), "more than 8 keys"),
    ],
)
def test_what_is_no_key_is_told(name: str, keys: str | tuple[str, ...], said: str) -> None:
    assert said in told(**{name: keys})[0]


NAMES = [action.name for action in ACTIONS]
KEYS = st.lists(st.sampled_from(["a", "r", "y", "q", "f5", "f6", "esc", "enter", "/", "ctrl+q"]), max_size=3)


@given(st.dictionaries(st.sampled_from(NAMES), KEYS.map(tuple), max_size=8))
def test_whatever_is_wanted_no_key_means_two_things_at_one_place(wanted: dict[str, tuple[str, ...]]) -> None:
    keymap, _ = read_keymap(wanted, {f"keys.{name}": line for line, name in enumerate(wanted)})
    for place in PLACES:
        keys = [key for action in actions_in(place) for key in keymap.keys(action)]
        assert sorted(keys) == sorted(set(keys)), place
