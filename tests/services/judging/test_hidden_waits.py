"""Waits that only a line of the source tells."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.tui.stack_scripts import TRAIN, WAIT, stack_job, traceback
from xpudbg.services.judging import hidden_waits
from xpudbg.services.judging.hidden_waits import HiddenWaits
from xpudbg.services.looks.stacks import StackLook
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session

LINES = {
    1: "work.wait()",
    2: "time.sleep(5)",
    3: 'value = store.get("key")',
    4: "loss.item()",
    5: "dist.irecv(x, 2).wait()",
}


def source_line(_file: str, line: int) -> str | None:
    return LINES.get(line)


def stacks() -> StackLook:
    """Rank r is at line r of the user's code; 0 waits in a collective that Python shows."""
    session = Session()
    texts = {0: traceback(WAIT)} | {rank: traceback((f"exchange /job/pipe.py:{rank}", *TRAIN)) for rank in range(1, 6)}
    for event in stack_job(7, texts, {6: "dead"}):
        session.apply(event)
    return session.stacks


def test_waits_for_others_are_told_from_sleep_and_from_the_device() -> None:
    waits = HiddenWaits(source_line)
    assert waits.among(stacks(), range(7)) == RankSet([1, 3, 5])
    assert waits.among(stacks(), [2, 5]) == RankSet([5])
    waits.close()


def test_a_file_system_that_hangs_holds_up_one_look_and_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hidden_waits, "PATIENCE_S", 0.01)
    released, asked = threading.Event(), []

    def hangs(_file: str, line: int) -> str | None:
        asked.append(line)
        released.wait()
        return LINES[line]

    with ThreadPoolExecutor(1) as reader:
        waits = HiddenWaits(hangs, reader)
        assert waits.among(stacks(), [1]) == RankSet()
        assert waits.among(stacks(), [3]) == RankSet()
        released.set()
    assert asked == [1]


def test_without_suspects_nothing_is_read() -> None:
    def never(_file: str, _line: int) -> str | None:
        raise AssertionError("read")

    assert HiddenWaits(never).among(stacks(), []) == RankSet()
    assert HiddenWaits(never).among(StackLook(look_id=0), [1]) == RankSet()
