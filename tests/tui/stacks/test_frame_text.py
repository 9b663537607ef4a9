"""Frames in words."""

from __future__ import annotations

from xpudbg.services.stacks.model import Frame
from xpudbg.tui.stacks.frame_text import caller_of, copied, frame_line, short_place

STEP = Frame("Trainer.step", "/job/a b/train.py", 12)
NATIVE = Frame("ncclGroupEnd", library="libnccl.so.2")


def test_places_without_folders() -> None:
    assert short_place(STEP) == "train.py:12"
    assert short_place(Frame("f", "C:\\job\\x.py", 3)) == "x.py:3"
    assert short_place(NATIVE) == "libnccl.so.2"
    assert short_place(Frame("f")) == ""


def test_lines() -> None:
    assert frame_line(STEP) == "Trainer.step train.py:12"
    assert frame_line(Frame("f")) == "f"


def test_the_users_frame_comes_before_what_it_is_in() -> None:
    assert caller_of((NATIVE, STEP), STEP) == "Trainer.step train.py:12 > ncclGroupEnd"
    assert caller_of((STEP,), STEP) == "Trainer.step train.py:12"
    assert caller_of((NATIVE, STEP), None) == "ncclGroupEnd libnccl.so.2"
    assert caller_of((), None) == ""


def test_copies_are_whole_and_can_be_encoded() -> None:
    long = Frame("x" * 1200, "/a\x1b[2J.py", 1)
    assert copied((long, NATIVE)) == f"{'x' * 1200} (/a\x1b[2J.py:1)\nncclGroupEnd (libnccl.so.2)\n"
    assert copied((Frame("\ud800"),)) == "\\ud800\n"
