"""The pane of one frame."""

from __future__ import annotations

import pytest

from xpudbg.services.ranksets import RankSet
from xpudbg.services.stacks.model import Frame
from xpudbg.services.stacks.source_lines import SourceExcerpt
from xpudbg.tui.widgets.frame_pane import FrameFacts, frame_lines

FRAME = Frame("step", "/job/train.py", 30)
SOURCE = SourceExcerpt("/job/train.py", 18, tuple(f"x{number} = 1" for number in range(18, 43)), 30)


def lines(facts: FrameFacts, width: int = 60, height: int = 30) -> list[str]:
    made = frame_lines(facts, lambda ranks: 1 + len(ranks) // 8, width, height)
    assert all(line.cell_length <= width for line in made)
    return [line.plain.rstrip() for line in made]


def test_who_has_it_and_who_lacks_it() -> None:
    facts = FrameFacts(FRAME, RankSet(range(63)), RankSet([63]), RankSet([70, 71]))
    assert lines(facts) == [
        "step",
        "/job/train.py:30",
        "has it   63 ranks 0-62  8 hosts",
        "lacks it 1 rank 63  1 host",
        "no stack 2 ranks 70-71  1 host",
    ]
    assert lines(FrameFacts(FRAME, RankSet([1]), RankSet()))[-1] == "lacks it nobody"
    assert lines(FrameFacts(FRAME))[-1] == "not among the merged stacks"


@pytest.mark.parametrize("height", [5, 8, 12, 29, 60])
def test_the_source_gets_the_room_that_is_left(height: int) -> None:
    said = lines(FrameFacts(FRAME, RankSet([0]), RankSet(), source=SOURCE), height=height)
    assert len(said) == min(height, 4 + 25)
    assert "→ 30  x30 = 1" in said


def test_why_there_is_no_source() -> None:
    said = lines(FrameFacts(FRAME, RankSet([0]), RankSet(), source="there is no such file here"))
    assert said[-1] == "source   not shown: there is no such file here"


def test_no_frame() -> None:
    assert lines(FrameFacts(None, call="not in a call"), width=18) == ["call     not in a", "         call"]
    assert lines(FrameFacts(None)) == []


def test_hostile_and_long_text() -> None:
    bad = SourceExcerpt("/x.py", 1, ("\x1b[2J[/red]\tx", "y" * 1000), 1)
    said = lines(FrameFacts(Frame("n" * 1200 + "\u202e", "/[link].py", 1), RankSet([0]), source=bad), width=40)
    assert said[:3] == ["n" * 40, "n" * 40, "n" * 39 + "…"]
    assert "→ 1  \\x1b[2J[/red]" in "\n".join(said)
