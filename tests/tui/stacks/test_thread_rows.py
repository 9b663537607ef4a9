"""The threads of a rank as rows."""

from __future__ import annotations

from xpudbg.services.ranksets import RankSet
from xpudbg.services.stacks.model import Frame, StackDump, StackSource, ThreadStack, ThreadState
from xpudbg.services.stacks.tree import MISSING_FRAMES
from xpudbg.tui.stacks.thread_rows import StackRows, thread_groups

WAIT = (
    Frame("all_reduce", "/venv/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", 3252),
    Frame("wrapper", "/venv/lib/python3.11/site-packages/torch/distributed/c10d_logger.py", 83),
    Frame("<module>", "/job/main.py", 9),
)
PIN = (Frame("pin", "/job/pin.py", 1),)
READ = (Frame("read", "/job/read.py", 2),)


def dump(*threads: ThreadStack) -> StackDump:
    return StackDump(StackSource.PYSPY, threads, len(threads) - 1)


SEVERAL = dump(
    ThreadStack("1", PIN, "pin-0", ThreadState.IDLE),
    ThreadStack("2", READ),
    ThreadStack("3", PIN, "pin-1", ThreadState.ACTIVE),
    ThreadStack("4", WAIT, "MainThread", ThreadState.ACTIVE, holds_gil=True),
)


def test_the_main_thread_is_first_and_open_and_equal_ones_are_one() -> None:
    groups = thread_groups(SEVERAL, (), (), show_boring=False)
    assert [(one.title, one.about, one.is_open) for one in groups] == [
        ("main thread", "MainThread, active, holds the GIL", True),
        ("2 threads", "pin-0, pin-1, idle/active", False),
        ("1 thread", "2", False),
    ]
    assert [frame.name for frame in groups[0].frames] == ["all_reduce", "<module>"]
    assert groups[0].left_out == 1
    assert groups[0].key == WAIT


def test_boring_frames_and_turned_threads() -> None:
    groups = thread_groups(SEVERAL, (), {WAIT, READ}, show_boring=True)
    assert [one.is_open for one in groups] == [False, False, True]
    assert groups[0].frames == WAIT


def test_frames_are_written_as_those_of_other_ranks_where_they_are_known() -> None:
    short = (Frame("Loader.read", "read.py", 2),)
    (group,) = thread_groups(dump(ThreadStack("1", short)), [READ, PIN], (), show_boring=False)
    assert group.frames == READ
    assert group.key == short
    (group,) = thread_groups(dump(ThreadStack("1", short)), [PIN], (), show_boring=False)
    assert group.frames == short


def test_missing_outer_frames_are_told() -> None:
    (group,) = thread_groups(dump(ThreadStack("1", READ, truncated=True)), (), (), show_boring=False)
    assert group.frames == (*READ, MISSING_FRAMES)


def test_a_thread_at_the_main_threads_place_is_counted_with_it() -> None:
    groups = thread_groups(dump(ThreadStack("1", WAIT), ThreadStack("2", WAIT)), (), (), show_boring=False)
    assert [one.title for one in groups] == ["main thread and 1"]


def test_rows_and_cells() -> None:
    groups = thread_groups(SEVERAL, (), (), show_boring=False)
    rows = StackRows(groups, lambda frame: RankSet([0, 1]) if frame in WAIT else RankSet(), [WAIT[0]])
    said = [[rows.cell(row, column)[0] for column in range(3)] for row in range(len(rows.rows))]
    assert said == [
        ["▼ main thread", "", "MainThread, active, holds the GIL, 2 frames and 1 boring"],
        ["  all_reduce", "2", "distributed_c10d.py:3252"],
        ["  <module>", "2", "main.py:9"],
        ["▶ 2 threads", "", "pin-0, pin-1, idle/active, 1 frame"],
        ["▶ 1 thread", "", "2, 1 frame"],
    ]
    assert rows.cell(1, 0)[1] == "table--match"
    assert rows.rows[1].frame is WAIT[0]
    assert rows.rows[0].frame is None
    assert rows.rows[1].is_like(rows.rows[1])
    assert not rows.rows[1].is_like(rows.rows[2])
