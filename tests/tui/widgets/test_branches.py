"""Lines of the tree as values."""

from __future__ import annotations

from textual.widgets import Tree

from xpudbg.services.ranksets import RankSet
from xpudbg.services.stacks.model import Frame, StackDump, StackSource, ThreadStack
from xpudbg.services.stacks.tree import StackNode, merge
from xpudbg.tui.widgets.branches import Branch, Opened, opened_below

A, B, C, D = (Frame(name) for name in "abcd")


def top() -> StackNode:
    stacks = {0: (C, B, A), 1: (D, B, A)}
    dumps = {r: StackDump(StackSource.FAULTHANDLER, (ThreadStack("1", fs),), 0) for r, fs in stacks.items()}
    return merge(dumps).root.children()[0]


def test_a_line_of_several_frames() -> None:
    branch = Branch(top().chain())
    assert branch.frames == branch.path == (A, B)
    assert branch.ranks == RankSet([0, 1])
    assert branch.can_open
    leaf = Branch(branch.last.children()[0].chain())
    assert leaf.path == (A, B, C)
    assert not leaf.can_open


def test_a_line_for_what_is_not_there_yet() -> None:
    branch = Branch(waiting=top().chain()[-1].children())
    assert branch.ranks == RankSet([0, 1])
    assert branch.frames == branch.path == ()
    assert not branch.can_open


def test_what_is_open() -> None:
    tree: Tree[Branch] = Tree("")
    branch = Branch(top().chain())
    first = tree.root.add("", branch)
    first.add("", Branch(branch.last.children()[0].chain()))
    assert opened_below(tree.root) == Opened()
    first._expanded = True
    opened = opened_below(tree.root)
    assert opened == {A: {B: {}}}
    assert opened.below((A,)) == {B: {}}
    assert opened.below((A, B)) == {}
    assert opened.below((A, C)) is None
