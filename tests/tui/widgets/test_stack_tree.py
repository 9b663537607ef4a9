"""The tree widget."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.tui.widgets.painting import Alone, line_texts
from xpudbg.services.ranksets import RankSet
from xpudbg.services.stacks.model import Frame, StackDump, StackSource, ThreadStack
from xpudbg.services.stacks.tree import MergedStacks, merge
from xpudbg.tui.widgets.branches import Branch
from xpudbg.tui.widgets.stack_tree import DEEPEST, PAGE, StackTree

Stacks = Mapping[int, tuple[Frame, ...]]
MAIN = Frame("main", "/main.py", 1)


def frames(names: str) -> tuple[Frame, ...]:
    """Outermost first, as one reads the tree; the values are innermost first."""
    return tuple(Frame(name, f"/{name}.py", 1) for name in names.split())[::-1]


def merged(stacks: Stacks) -> MergedStacks:
    return merge({r: StackDump(StackSource.FAULTHANDLER, (ThreadStack("1", fs),), 0) for r, fs in stacks.items()})


def standing(tree: StackTree) -> Branch | None:
    return tree.branch


def show(tree: StackTree, stacks: Stacks, matched: frozenset[Frame] = frozenset()) -> None:
    tree.show(merged(stacks).root, matched, lambda ranks: len(ranks))


def said(tree: StackTree) -> list[str]:
    lines = [text.lstrip(" ├└│▼▶").split("   ")[0].rstrip() for text in line_texts(tree)]
    return [line for line in lines if line]


JOB = {0: frames("a b c d"), 1: frames("a b c d"), 2: frames("a b x y"), 3: frames("a b x z")}


async def test_chains_share_a_line_and_little_is_open_at_once() -> None:
    tree = StackTree()
    async with Alone(tree).run_test(size=(100, 30)):
        show(tree, JOB)
        assert said(tree) == [
            "a > b  b.py:1  (2 frames)",
            "c > d  d.py:1  (2 frames)",
            "x  x.py:1",
            "y  y.py:1",
            "z  z.py:1",
        ]
        assert all(len(line) == 100 for line in line_texts(tree))


async def test_a_branch_is_made_when_it_is_opened_and_given_up_when_closed() -> None:
    tree = StackTree()
    async with Alone(tree).run_test(size=(100, 30)) as pilot:
        show(tree, JOB)
        tree.do_first()
        tree.turn()
        await pilot.pause()
        assert said(tree) == ["a > b  b.py:1  (2 frames)"]
        assert not tree.root.children[0].children
        tree.do_right()
        assert said(tree)[1:] == ["c > d  d.py:1  (2 frames)", "x  x.py:1"]
        tree.do_last()
        tree.do_right()
        assert said(tree)[-2:] == ["y  y.py:1", "z  z.py:1"]
        tree.do_right()
        assert tree.branch is not None
        assert tree.branch.path == frames("a b x y")[::-1]
        tree.do_left()
        tree.do_left()
        assert said(tree)[-1] == "x  x.py:1"


async def test_other_stacks_keep_what_is_open_and_the_cursor_even_when_chains_break() -> None:
    tree = StackTree()
    async with Alone(tree).run_test(size=(100, 30)) as pilot:
        show(tree, JOB)
        tree.go_to(frames("a b x z")[::-1])
        tree.do_up()
        tree.do_up()
        tree.turn()
        tree.turn()
        tree.go_to(frames("a b x z")[::-1])
        await pilot.pause()
        show(tree, {**JOB, 4: frames("a q"), 5: frames("q")})
        assert said(tree) == [
            "a  a.py:1",
            "b  b.py:1",
            "c > d  d.py:1  (2 frames)",
            "x  x.py:1",
            "y  y.py:1",
            "z  z.py:1",
            "q  q.py:1",
            "q  q.py:1",
        ]
        assert tree.branch is not None
        assert tree.branch.path == frames("a b x z")[::-1]
        show(tree, {0: frames("m")})
        assert said(tree) == ["m  m.py:1"]


async def test_only_a_persons_moves_are_told() -> None:
    tree = StackTree()
    app = Alone(tree)
    async with app.run_test(size=(100, 30)) as pilot:
        show(tree, JOB)
        tree.go_to(frames("a b x y")[::-1])
        await pilot.pause()
        assert not app.messages
        tree.do_down()
        await pilot.pause()
        tree.go_to(frames("a b c d")[::-1])
        await pilot.pause()
        tree.do_first()
        await pilot.pause()
        told = [message.branch.ranks for message in app.messages if isinstance(message, StackTree.Selected)]
        assert told == [RankSet([3]), RankSet([0, 1, 2, 3])]


async def test_going_into_the_middle_of_a_chain_and_where_there_is_nothing() -> None:
    tree = StackTree()
    async with Alone(tree).run_test(size=(100, 30)):
        show(tree, JOB)
        tree.go_to(frames("a b c")[::-1])
        assert tree.branch is not None
        assert tree.branch.path == frames("a b c d")[::-1]
        tree.go_to(frames("a b nothing")[::-1])
        assert tree.branch.path == frames("a b")[::-1]
        tree.go_to(frames("nothing")[::-1])
        assert tree.branch.path == frames("a b")[::-1]
        tree.go_to(())


async def test_many_branches_come_a_page_at_a_time() -> None:
    stacks = {rank: (Frame(f"f{rank}", "/f.py", rank), MAIN) for rank in range(3 * PAGE)}
    tree = StackTree()
    async with Alone(tree).run_test(size=(100, 30)) as pilot:
        show(tree, stacks)
        assert tree.last_line == PAGE + 1
        tree.do_last()
        assert standing(tree) is None
        assert "… 400 more; enter adds them" in "".join(line_texts(tree))
        tree.turn()
        await pilot.pause()
        assert tree.last_line == 2 * PAGE + 1
        assert tree.branch is not None
        tree.go_to((MAIN, Frame("f599", "/f.py", 599)))
        assert tree.branch.ranks == RankSet([599])
        tree.go_to((MAIN, Frame("f400", "/f.py", 400)))
        assert tree.branch.ranks == RankSet([400])


async def test_what_is_branched_very_deep_is_not_opened_to_the_end() -> None:
    deep = tuple(Frame("f", "/f.py", line) for line in range(1, 3 * DEEPEST))
    stacks = {rank: deep[-1 - rank :] for rank in range(len(deep))}
    tree = StackTree()
    app = Alone(tree)
    async with app.run_test(size=(100, 30)) as pilot:
        show(tree, stacks)
        tree.go_to(deep[::-1])
        await pilot.pause()
        assert tree.last_line == DEEPEST
        assert any(isinstance(message, StackTree.Refused) for message in app.messages)


async def test_what_is_found_looks_different() -> None:
    tree = StackTree()
    async with Alone(tree).run_test(size=(100, 30)) as pilot:
        show(tree, JOB)
        before = tree.render_line(1)
        show(tree, JOB, frozenset(frames("d")))
        await pilot.pause()
        after = tree.render_line(1)
        assert after.text == before.text
        assert list(after) != list(before)


@pytest.mark.parametrize("width", [20, 40, 90, 200])
async def test_it_fits_every_width(width: int) -> None:
    stacks = {0: (Frame("x" * 1200, "/a.py", 1), MAIN), 1: (Frame("[/b]\x1b", "/[link=x].py", 1), MAIN)}
    tree = StackTree()
    async with Alone(tree).run_test(size=(width, 12)):
        show(tree, stacks)
        assert all(len(line) == width for line in line_texts(tree))
        assert "\x1b" not in "".join(line_texts(tree))
