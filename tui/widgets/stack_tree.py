"""The merged stacks as a tree: branches are made when opened, frames that only lead to one another share a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual.message import Message

from ..actions.registry import key_of
from ..stacks.frame_text import short_place
from .branches import Branch, Opened, opened_below
from .keyed_tree import KeyedTree, level
from .tree_label import LabelStyles, branch_label

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.widgets import Tree
    from textual.widgets.tree import TreeNode

    from ...services.ranksets import RankSet
    from ...services.stacks.model import Frame
    from ...services.stacks.tree import StackNode

__all__ = ["DEEPEST", "LIVE_LIMIT", "PAGE", "StackTree"]

LIVE_LIMIT = 1_900
"""Lines that may be there at once."""
PAGE = 200
"""Branches of one line that are added at a time."""
DEEPEST = 200
"""Branchings below one another that are shown: the widget goes down them one call in the other."""
FIRST_OPENED = 24
"""Lines that are opened before a person does it."""
NARROWEST = 30
"""Terminal cells that a line has at least; more than fits scrolls sideways."""


class StackTree(KeyedTree[Branch]):
    """The tree widget. What is open stays open and the cursor on its frame when other stacks are shown."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"stacks--muted", "stacks--match", "stacks--ranks"}

    class Selected(Message):
        """A person moved the cursor to another line."""

        def __init__(self, branch: Branch) -> None:
            super().__init__()
            self.branch = branch

    class Refused(Message):
        """A line cannot be opened."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: StackNode | None = None
        self._matched: frozenset[Frame] = frozenset()
        self._hosts: Callable[[RankSet], int] = len
        self._told: TreeNode[Branch] | None = None
        """Where the cursor was put without a person's doing."""
        self._touched = False
        """Whether a person has opened or closed anything."""

    # what it shows --------------------------------------------------------------------------------------------

    def show(self, root: StackNode, matched: frozenset[Frame], hosts: Callable[[RankSet], int]) -> None:
        """Show the stacks below `root`.

        Args:
            matched: frames that are searched for.
            hosts: the number of hosts of some ranks.
        """
        same = self._shown is not None and self._shown.classes == root.classes
        if same and matched == self._matched:
            return
        self._matched, self._hosts = matched, hosts
        if same:
            self.notify_style_update()  # the lines are the same, their looks are not
            return
        opened = opened_below(self.root) if self._touched else None
        path, scroll = self.branch.path if self.branch is not None else (), self.scroll_offset
        self._shown, self._told = root, None
        self.cursor_line = -1
        self.clear()
        self.root.expand()
        self._add(self.root, root.children())
        if opened is None:
            self._open_first()
        else:
            self._open_again(opened)
        if path:
            self.go_to(path)
            self.scroll_to(y=scroll.y, animate=False, force=True, immediate=True)
        elif self.root.children:
            self._tell(self.root.children[0])

    def _add(self, node: TreeNode[Branch], branches: Sequence[StackNode]) -> None:
        for one in branches[:PAGE]:
            branch = Branch(one.chain())
            node.add("", branch, allow_expand=branch.can_open)
        if len(branches) > PAGE:
            node.add("", Branch(waiting=tuple(branches[PAGE:])), allow_expand=False)

    def _fill(self, node: TreeNode[Branch]) -> bool:
        """Give a line its branches. False when there are too many already."""
        if node.children or node.data is None or not node.allow_expand:
            return True
        if self._is_full or level(node) >= DEEPEST:
            return False
        self._add(node, node.data.last.children())
        return True

    @property
    def _is_full(self) -> bool:
        return len(self._tree_nodes) > LIVE_LIMIT - PAGE

    def _open(self, node: TreeNode[Branch]) -> None:
        if not self._fill(node):
            self.post_message(self.Refused("too many branches are open; close some, or filter"))
        elif node.allow_expand and not node.is_expanded:
            node.expand()

    def _open_first(self) -> None:
        """The uppermost branches, as far as they fit on a screen."""
        waiting = list(self.root.children)
        lines = len(waiting)
        for node in waiting:
            if node.data is not None and node.allow_expand:
                more = len(node.data.last.children())
                if lines + more <= FIRST_OPENED or lines == 1:
                    self._open(node)
                    lines += more
                    waiting += node.children

    def _open_again(self, opened: Opened) -> None:
        waiting = [(self.root, opened)]
        while waiting:
            above, here = waiting.pop()
            for child in above.children:
                below = here.below(child.data.frames) if child.data is not None and child.data.chain else None
                if below is not None:
                    self._open(child)
                    waiting.append((child, below))

    # the cursor -----------------------------------------------------------------------------------------------

    @property
    def branch(self) -> Branch | None:
        """The line the cursor is on; None when that stands for branches that are not there yet."""
        node = self.cursor_node
        return node.data if node is not None and node.data is not None and node.data.chain else None

    def go_to(self, path: Sequence[Frame]) -> None:
        """Put the cursor on the line with the last frame of `path` (outermost first), opening what leads there, as
        far as there is such a path. No `Selected` is sent."""
        node, done = self.root, 0
        while done < len(path):
            found = self._child(node, path[done])
            if found is None or found.data is None:
                break
            node = found
            frames = found.data.frames
            end = done + len(frames)
            if tuple(path[done:end]) != frames:
                break
            done = end
            if done < len(path):
                self._open(node)
        if node is not self.root:
            self._tell(node)

    def _child(self, node: TreeNode[Branch], frame: Frame) -> TreeNode[Branch] | None:
        for child in node.children:
            if child.data is not None and child.data.chain and child.data.frames[0] == frame:
                return child
        rest = node.children[-1] if node.children else None
        if rest is None or rest.data is None or all(one.frame != frame for one in rest.data.waiting):
            return None
        return self._child(node, frame) if self._add_rest(rest, first=frame) else None

    def _tell(self, node: TreeNode[Branch]) -> None:
        if node is not self.cursor_node:
            self._told = node
        self.put_cursor(node)

    def on_tree_node_highlighted(self, message: Tree.NodeHighlighted[Branch]) -> None:
        message.stop()
        if message.node is not self.cursor_node:
            return
        told, self._told = self._told, None
        if message.node is not told and self.branch is not None:
            self.post_message(self.Selected(self.branch))

    # opening and closing --------------------------------------------------------------------------------------

    def turn(self) -> None:
        node = self.cursor_node
        if node is None or node.data is None:
            return
        self._touched = True
        if node.data.waiting:
            line = self.cursor_line
            self._add_rest(node)
            self.cursor_line = line
        elif node.is_expanded:
            node.collapse()
        else:
            self._open(node)

    def _add_rest(self, node: TreeNode[Branch], first: Frame | None = None) -> bool:
        """Replace the line of the branches that are not there yet by the next of them, first the one for `first`."""
        above = node.parent
        if above is None or node.data is None:
            return False
        if self._is_full:
            self.post_message(self.Refused("too many branches are there; filter, or close some"))
            return False
        waiting = sorted(node.data.waiting, key=lambda one: one.frame != first)
        node.remove()
        self._add(above, waiting)
        return True

    def on_tree_node_expanded(self, message: Tree.NodeExpanded[Branch]) -> None:
        """When the mouse opens a line, its branches are not there yet."""
        message.stop()
        node = message.node
        if node.allow_expand and node.data is not None and not node.children:
            self._touched = True
            if not self._fill(node):
                node.collapse()

    def on_tree_node_collapsed(self, message: Tree.NodeCollapsed[Branch]) -> None:
        """What is closed is given up, so that few lines live."""
        message.stop()
        self._touched = True
        if not message.node.is_expanded and not message.node.is_root:
            message.node.remove_children()

    # painting -------------------------------------------------------------------------------------------------

    def get_label_width(self, node: TreeNode[Branch]) -> int:
        return max(self.scrollable_content_region.width - level(node) * self.guide_depth, NARROWEST)

    def render_label(self, node: TreeNode[Branch], _base_style: Style, style: Style) -> Text:
        sign = ("▼ " if node.is_expanded else "▶ ") if node.allow_expand else "  "
        toggle = Style(meta={"toggle": True}) if node.allow_expand else Style()
        branch = node.data
        if branch is None:
            return Text("", end="")
        names = ("muted", "match", "ranks")
        at_cursor = node is self.cursor_node
        muted, match, ranks = (
            style if at_cursor else self.get_component_rich_style(f"stacks--{name}") for name in names
        )
        said = [frame.name for frame in branch.frames] or [
            f"… {len(branch.waiting):,} more; {key_of('open')} adds them"
        ]
        label = branch_label(
            said,
            short_place(branch.frames[-1]) if branch.chain else "",
            branch.ranks,
            self._hosts(branch.ranks),
            self.get_label_width(node) - len(sign),
            LabelStyles(style, muted, match, ranks),
            threads=branch.last.threads if branch.chain else 0,
            matching=not self._matched.isdisjoint(branch.frames),
        )
        return Text.assemble((sign, style + toggle), label, no_wrap=True, end="")
