"""Moving through a tree by the keys of the registry."""

from __future__ import annotations

from textual.app import App, ComposeResult

from xpudbg.tui.widgets.keyed_tree import KeyedTree, level


class Keys(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.shown: KeyedTree[int] = KeyedTree()

    def compose(self) -> ComposeResult:
        yield self.shown

    def action_perform(self, name: str) -> None:
        getattr(self.shown, f"do_{name}")()


async def test_keys() -> None:
    app = Keys()
    async with app.run_test(size=(40, 6)) as pilot:
        tree = app.shown
        for number in range(20):
            tree.root.add(f"node {number}", number).add_leaf("leaf", 100 + number)
        tree.focus()
        where = []
        for key in ("j", "down", "up", "G", "k", "g", "pagedown", "pageup", "l", "right", "h", "left", "up", "up"):
            await pilot.press(key)
            assert tree.cursor_node is not None
            where.append(tree.cursor_node.data)
        assert where == [0, 1, 0, 19, 18, 0, 5, 0, 0, 100, 0, 0, 0, 0]
        assert not tree.root.children[0].is_expanded
        tree.put_cursor(tree.root.children[4])
        assert tree.cursor_node is tree.root.children[4]
        assert level(tree.root.children[4].children[0]) == 1


async def test_an_empty_tree_stands_still() -> None:
    app = Keys()
    async with app.run_test(size=(40, 6)) as pilot:
        app.shown.focus()
        await pilot.press("j", "k", "g", "G", "h", "l", "pagedown")
        assert app.shown.cursor_node is None
