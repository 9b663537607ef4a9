"""The keys of a store as a tree: branches are made when opened, values come for the lines that are seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual.message import Message

from ..actions.registry import key_of
from .keyed_tree import KeyedTree, level
from .store_label import StoreStyles, store_label

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.widgets import Tree
    from textual.widgets.tree import TreeNode

    from ...services.store_browse.key_tree import KeyBranch
    from ...services.store_browse.values import StoreValue

__all__ = ["PAGE", "KeyLine", "StoreTree"]

LIVE_LIMIT = 4_000
"""Lines that may be there at once."""
PAGE = 500
"""Lines of one branch that are added at a time."""
FIRST_OPENED = 24
"""Lines that are opened before a person does it."""
NARROWEST = 30


@dataclass(frozen=True, slots=True)
class KeyLine:
    """One line: a branch, or what stands for those that are not there yet."""

    branch: KeyBranch | None = None
    waiting: tuple[KeyBranch, ...] = ()


class StoreTree(KeyedTree[KeyLine]):
    """The tree widget. What is open stays open and the cursor on its key when the keys are listed anew."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"store--branch", "store--muted", "store--trouble"}

    class Moved(Message):
        """Other lines are seen, or the cursor is on another one."""

    class Refused(Message):
        """A line cannot be opened."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: KeyBranch | None = None
        self._value: Callable[[bytes], StoreValue | None] = lambda _key: None
        self._painted: object = None
        self._opened: set[bytes] = set()
        self._touched = False
        """Whether a person has opened or closed anything."""

    # what it shows --------------------------------------------------------------------------------------------

    def show(
        self, root: KeyBranch, value: Callable[[bytes], StoreValue | None], version: object, *, open_all: bool = False
    ) -> None:
        """Show the keys below `root`.

        Args:
            value: the value of a key as far as it has been read.
            version: what the values are of; when it is another one, the lines are painted anew.
            open_all: open as much as there is room for, as for the hits of a search.
        """
        self._value = value
        if root is self._shown:
            if version != self._painted:
                self._painted = version
                self.notify_style_update()
            return
        at, scroll = self.cursor_prefix, self.scroll_offset
        self._shown, self._painted = root, version
        self.cursor_line = -1
        self.clear()
        self.root.expand()
        self._add(self.root, root.children())
        if open_all or not self._touched:
            self._open_first(LIVE_LIMIT // 4 if open_all else FIRST_OPENED)
        else:
            self._open_again()
        if at and self.go_to(at):
            self.scroll_to(y=scroll.y, animate=False, force=True, immediate=True)
        elif self.root.children:
            self.put_cursor(self.root.children[0])
        self.post_message(self.Moved())

    def _add(self, node: TreeNode[KeyLine], branches: Sequence[KeyBranch]) -> None:
        for branch in branches[:PAGE]:
            node.add("", KeyLine(branch), allow_expand=not branch.leaf)
        if len(branches) > PAGE:
            node.add("", KeyLine(waiting=tuple(branches[PAGE:])), allow_expand=False)

    def _open(self, node: TreeNode[KeyLine]) -> bool:
        if node.data is None or node.data.branch is None or not node.allow_expand:
            return True
        if not node.children:
            if len(self._tree_nodes) > LIVE_LIMIT - PAGE:
                return False
            self._add(node, node.data.branch.children())
        self._opened.add(node.data.branch.prefix)
        node.expand()
        return True

    def _open_first(self, lines_wanted: int) -> None:
        waiting = list(self.root.children)
        lines = len(waiting)
        for node in waiting:
            if node.data is None or node.data.branch is None or not node.allow_expand:
                continue
            more = min(len(node.data.branch.children()), PAGE)
            if (lines + more <= lines_wanted or lines == 1) and self._open(node):
                lines += more
                waiting += node.children

    def _open_again(self) -> None:
        waiting = list(self.root.children)
        for node in waiting:
            if node.data is not None and node.data.branch is not None and node.data.branch.prefix in self._opened:
                self._open(node)
                waiting += node.children

    # the cursor -----------------------------------------------------------------------------------------------

    @property
    def branch(self) -> KeyBranch | None:
        """The branch or key of the cursor."""
        node = self.cursor_node
        return node.data.branch if node is not None and node.data is not None else None

    @property
    def cursor_prefix(self) -> bytes:
        branch = self.branch
        return branch.prefix if branch is not None else b""

    def go_to(self, prefix: bytes) -> bool:
        """Put the cursor on a key or branch, opening what leads there; False when it is not there."""
        node, found = self.root, True
        while found:
            found = False
            for child in node.children:
                data = child.data
                if data is None or data.branch is None:
                    continue
                if data.branch.prefix == prefix:
                    self.put_cursor(child)
                    return True
                if _holds(data.branch, prefix) and self._open(child):
                    node, found = child, True
                    break
            found = found or self._add_up_to(node, prefix)
        return False

    def _add_up_to(self, node: TreeNode[KeyLine], prefix: bytes) -> bool:
        """Add the branches below a line up to the page of this key; False when it is not among them, or too far."""
        last = node.children[-1] if node.children else None
        waiting = last.data.waiting if last is not None and last.data is not None else ()
        at = next((at for at, one in enumerate(waiting) if _holds(one, prefix)), None)
        if last is None or at is None or len(self._tree_nodes) + at > LIVE_LIMIT - PAGE:
            return False
        last.remove()
        pages = at // PAGE * PAGE
        for branch in waiting[:pages]:
            node.add("", KeyLine(branch), allow_expand=not branch.leaf)
        self._add(node, waiting[pages:])
        return True

    def in_view(self) -> list[bytes]:
        """The keys whose lines are seen, that of the cursor first."""
        at = self.branch
        keys = [at.prefix] if at is not None and at.leaf else []
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        for line in range(top, min(top + height, self.last_line + 1)):
            node = self.get_node_at_line(line)
            branch = node.data.branch if node is not None and node.data is not None else None
            if branch is not None and branch.leaf and branch is not at:
                keys.append(branch.prefix)
        return keys

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.Moved())

    def on_resize(self) -> None:
        self.post_message(self.Moved())

    def on_tree_node_highlighted(self, message: Tree.NodeHighlighted[KeyLine]) -> None:
        message.stop()
        self.post_message(self.Moved())

    # opening and closing --------------------------------------------------------------------------------------

    def turn(self) -> None:
        node = self.cursor_node
        if node is None or node.data is None:
            return
        self._touched = True
        if node.data.waiting:
            self._add_rest(node)
        elif node.is_expanded and node.allow_expand:
            node.collapse()
        elif not self._open(node):
            self.post_message(self.Refused("too many lines are open; close some, or filter"))
        self.post_message(self.Moved())

    def _add_rest(self, node: TreeNode[KeyLine]) -> None:
        """Replace the line of the branches that are not there yet by the next of them."""
        above, line = node.parent, self.cursor_line
        if above is None or node.data is None:
            return
        if len(self._tree_nodes) > LIVE_LIMIT - PAGE:
            self.post_message(self.Refused("too many lines are there; filter, or close some"))
            return
        waiting = node.data.waiting
        node.remove()
        self._add(above, waiting)
        self.cursor_line = line

    def on_tree_node_expanded(self, message: Tree.NodeExpanded[KeyLine]) -> None:
        """When the mouse opens a line, its branches are not there yet."""
        message.stop()
        node = message.node
        if node.allow_expand and node.data is not None and not node.children:
            self._touched = True
            if not self._open(node):
                node.collapse()
                self.post_message(self.Refused("too many lines are open; close some, or filter"))
        self.post_message(self.Moved())

    def on_tree_node_collapsed(self, message: Tree.NodeCollapsed[KeyLine]) -> None:
        """What is closed is given up, so that few lines live."""
        message.stop()
        node = message.node
        if node.is_expanded or node.is_root or node.data is None or node.data.branch is None:
            return
        self._touched = True
        closed = node.data.branch.prefix
        self._opened = {prefix for prefix in self._opened if not prefix.startswith(closed)}
        node.remove_children()
        self.post_message(self.Moved())

    # painting -------------------------------------------------------------------------------------------------

    def get_label_width(self, node: TreeNode[KeyLine]) -> int:
        return max(self.scrollable_content_region.width - level(node) * self.guide_depth, NARROWEST)

    def render_label(self, node: TreeNode[KeyLine], _base_style: Style, style: Style) -> Text:
        sign = ("▼ " if node.is_expanded else "▶ ") if node.allow_expand else "  "
        toggle = Style(meta={"toggle": True}) if node.allow_expand else Style()
        line = node.data
        if line is None:
            return Text("", end="")
        width = self.get_label_width(node) - len(sign)
        if line.branch is None:
            return Text.assemble(
                (sign, style), (f"… {len(line.waiting):,} more; {key_of('turn_key')} adds them", style), end=""
            )
        at_cursor = node is self.cursor_node
        branch, muted, trouble = (
            style if at_cursor else self.get_component_rich_style(f"store--{name}")
            for name in ("branch", "muted", "trouble")
        )
        whole = self.scrollable_content_region.width
        name_width = max(int(whole * (0.45 if whole < 100 else 0.35)) - level(node) * self.guide_depth - len(sign), 12)
        styles = StoreStyles(style, branch, muted, trouble)
        value = self._value(line.branch.prefix) if line.branch.leaf else None
        label = store_label(line.branch, value, width, name_width, styles)
        return Text.assemble((sign, style + toggle), label, no_wrap=True, end="")


def _holds(branch: KeyBranch, prefix: bytes) -> bool:
    return branch.prefix == prefix or (not branch.leaf and prefix.startswith(branch.prefix))
