"""Keys as people write them."""

from __future__ import annotations

from xpudbg.tui.actions.registry import ACTIONS, by_name
from xpudbg.tui.keys.key_names import keys_shown


def test_what_an_input_takes_as_text_is_left_out_while_typing() -> None:
    assert keys_shown(by_name["quit"]) == ["q", "ctrl+q"]
    assert keys_shown(by_name["quit"], typing=True) == ["ctrl+q"]
    assert keys_shown(by_name["help"], typing=True) == []
    for action in ACTIONS:
        assert all(len(key) > 1 or key in "↑↓←→" for key in keys_shown(action, typing=True)), action.name
