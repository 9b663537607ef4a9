"""Finding frames and who has them."""

from __future__ import annotations

from xpudbg.services.filters.expressions import compiled
from xpudbg.services.ranksets import RankSet
from xpudbg.services.stacks.model import Frame, StackDump, StackSource, ThreadStack
from xpudbg.services.stacks.tree import merge
from xpudbg.tui.stacks.frame_index import FrameIndex

MAIN = Frame("<module>", "/job/main.py", 9)
LOAD = Frame("Load_[/rank0]", "/job/data.py", 3)
CLEAR = Frame("x\x1b[2J", "/job/x.py", 4)


def index() -> FrameIndex:
    stacks = {0: (LOAD, MAIN), 1: (MAIN,), 2: (CLEAR, LOAD, LOAD, MAIN)}
    dumps = {
        rank: StackDump(StackSource.FAULTHANDLER, (ThreadStack("1", frames),), 0) for rank, frames in stacks.items()
    }
    return FrameIndex(merge(dumps))


def test_frames_are_found_by_function_file_and_line() -> None:
    found = index()
    assert found.frames("[/RANK0]") == {LOAD}
    assert found.frames("job/data.py:3") == {LOAD}
    assert found.frames("job") == {MAIN, LOAD, CLEAR}
    assert not found.frames("zzz")
    assert found.frames_of_any(["data", "main.py"]) == {MAIN, LOAD}
    assert found.frames_of_any([]) == frozenset()


def test_text_is_found_as_it_came_and_as_it_is_shown() -> None:
    assert index().frames("\x1b[2j") == {CLEAR}
    assert index().frames("\\x1b[2j") == {CLEAR}


def test_ranks() -> None:
    found = index()
    assert found.ranks("data.py") == RankSet([0, 2])
    assert found.ranks("DATA.py") == RankSet([0, 2])
    assert found.ranks("zzz") == RankSet()
    assert found.ranks(compiled(r"data\.py:\d")) == RankSet([0, 2])
    assert found.frames_of_any([compiled("^load_"), "main.py"]) == {LOAD, MAIN}
    assert found.having(LOAD) == RankSet([0, 2])
    assert found.having(MAIN) == RankSet([0, 1, 2])
    assert found.having(Frame("other")) == RankSet()
