"""A tree that is moved through by the keys of the registry and goes where it is told at once, without animation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from textual.widgets import Tree

from ..actions.registry import Scope, bindings
from ..moving.jump_labels import Spot

if TYPE_CHECKING:
    from textual.widgets.tree import TreeNode

__all__ = ["KeyedTree", "level"]

Data = TypeVar("Data")


class KeyedTree(Tree[Data], inherit_bindings=False):
    """Base of trees; its root is not shown."""

    BINDINGS = bindings(Scope.TREE)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", id=id)
        self.show_root = False
        self.guide_depth = 2
        self.auto_expand = False
        self.root.expand()

    def turn(self) -> None:
        """Open or close the line of the cursor."""
        node = self.cursor_node
        if node is not None and node.allow_expand:
            node.toggle()

    def jump_spots(self) -> list[Spot]:
        """The lines that are seen."""
        top = int(self.scroll_offset.y)
        seen = range(top, min(top + self.scrollable_content_region.height, self.last_line + 1))
        nodes = [(line - top, self.get_node_at_line(line)) for line in seen]
        return [Spot(0, y, partial(self.put_cursor, node)) for y, node in nodes if node is not None]

    def do_up(self) -> None:
        self._go(self.cursor_line - 1)

    def do_down(self) -> None:
        self._go(self.cursor_line + 1)

    def do_left(self) -> None:
        """Close the line; closed already, to the one it belongs to."""
        node = self.cursor_node
        if node is None:
            return
        if node.is_expanded and node.allow_expand:
            self.turn()
        elif node.parent is not None and not node.parent.is_root:
            self.put_cursor(node.parent)

    def do_right(self) -> None:
        """Open the line; open already, to the first below."""
        node = self.cursor_node
        if node is None:
            return
        if node.allow_expand and not node.is_expanded:
            self.turn()
        elif node.children and node.is_expanded:
            self.put_cursor(node.children[0])

    def do_page_up(self) -> None:
        self._go(self.cursor_line - self._page)

    def do_page_down(self) -> None:
        self._go(self.cursor_line + self._page)

    def do_first(self) -> None:
        self._go(0)

    def do_last(self) -> None:
        self._go(self.last_line)

    @property
    def _page(self) -> int:
        return max(self.scrollable_content_region.height - 1, 1)

    def _go(self, line: int) -> None:
        if self.last_line >= 0:
            self.cursor_line = max(line, 0)
            self.scroll_to_line(self.cursor_line, animate=False)

    def put_cursor(self, node: TreeNode[Data]) -> None:
        """Stand on a line that is there."""
        self.get_node_at_line(0)  # lays the lines out; before that a new node has none
        self.move_cursor(node)


def level(node: TreeNode[Data]) -> int:
    """Lines above it that it belongs to."""
    above, number = node.parent, 0
    while above is not None and above.parent is not None:
        above, number = above.parent, number + 1
    return number
