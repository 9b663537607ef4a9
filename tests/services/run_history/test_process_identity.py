"""A process is told from another one that has its number later."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from xpudbg.services.run_history import process_identity
from xpudbg.services.run_history.process_identity import is_gone, own_identity, started


def test_this_process_is_there() -> None:
    pid, began, place = own_identity()
    assert pid == os.getpid()
    assert began
    assert is_gone(pid, began, place) is False
    assert is_gone(pid, f"{began}1", place) is True
    assert is_gone(pid, began, f"{place} elsewhere") is None
    assert is_gone(pid, "", place) is None


def test_a_process_that_ended_is_gone_even_before_it_is_waited_for() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    began = started(child.pid)
    assert began is not None
    assert is_gone(child.pid, began, process_identity.here()) is False
    assert child.stdin is not None
    child.stdin.close()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert is_gone(child.pid, began, process_identity.here()) is True
    child.wait()
    assert is_gone(child.pid, began, process_identity.here()) is True


@pytest.mark.skipif(not os.path.exists("/bin/ps"), reason="there is no ps")
def test_ps_tells_where_there_is_no_proc() -> None:
    assert process_identity._started_by_ps(os.getpid())
    assert process_identity._started_by_ps(2**22 + 1) is None
