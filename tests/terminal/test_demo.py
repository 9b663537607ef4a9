"""The installed program on the demo job, in a real terminal: read it, walk it by keys, leave it."""

from __future__ import annotations

import os
import select
import signal
import sys
from pathlib import Path

import pytest

from .terminal import Terminal

pytestmark = pytest.mark.terminal

PROGRAM = str(Path(sys.executable).with_name("xpudbg"))
PROCESSES_ARE_TOLD = Path("/proc/self/stat").exists()


@pytest.fixture
def demo(tmp_path: Path) -> Terminal:
    """`xpudbg demo` with one stopped rank of eight; its state folder is one of the test's own."""
    command = [PROGRAM, "demo", "--scenario", "stopped", "--ranks", "8"]
    return Terminal(command, cwd=tmp_path, environment={"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)})


def children_of(pid: int) -> list[int]:
    """Process ids of the direct children of a process (Linux)."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # ended while we looked
        if int(after_name[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def test_a_demo_from_its_start_to_its_end(demo: Terminal) -> None:
    """The stopped rank is found, another size shows the same; the terminal comes back, and the job ends too."""
    with demo as terminal:
        terminal.wait_for(r"HANG\s+Rank 4 \(.*\) is stopped", within=60)
        terminal.wait_for(r"look 1, \d+ s ago", within=60)
        terminal.resize(80, 24)
        terminal.wait_for(r"HANG\s+Rank 4[^\n]{0,60}\n", within=30)
        assert max(map(len, terminal.text.splitlines())) <= 80
        terminal.resize(120, 36)
        terminal.press("2")
        terminal.wait_for(r"4\s+S stopped (.|\n)*no answer after", within=30)
        children = children_of(terminal.pid)
        assert children or not PROCESSES_ARE_TOLD, "the demo job is a child process"
        terminal.press("q")
        assert terminal.wait_for_exit(within=30) == 0
        assert terminal.used_alternate_screen()
        assert terminal.left_behind() == []
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signals_end_it_and_the_terminal_comes_back(demo: Terminal, number: signal.Signals, code: int) -> None:
    with demo as terminal:
        terminal.wait_for("is stopped", within=60)
        os.kill(terminal.pid, number)
        assert terminal.wait_for_exit(within=30) == code
        assert terminal.used_alternate_screen()
        assert terminal.left_behind() == []


def test_ctrl_c_twice_ends_it(demo: Terminal) -> None:
    with demo as terminal:
        terminal.wait_for("is stopped", within=60)
        terminal.press("\x03")
        terminal.wait_for("q quits", within=30)
        terminal.press("\x03\x03")
        assert terminal.wait_for_exit(within=30) == 0
        assert terminal.left_behind() == []


@pytest.mark.skipif(not PROCESSES_ARE_TOLD, reason="reads /proc")
def test_it_ends_when_its_terminal_is_gone(demo: Terminal) -> None:
    with demo as terminal:
        terminal.wait_for("is stopped", within=60)
        children = children_of(terminal.pid)
        terminal.hang_up()
        assert terminal.wait_for_end(within=30)
    assert children
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


@pytest.mark.skipif(not PROCESSES_ARE_TOLD, reason="reads /proc")
def test_it_ends_when_its_terminal_is_gone_and_no_signal_says_so(tmp_path: Path) -> None:
    """As below a shell that outlives the connection: the signal goes to the leader of the session only."""
    command = ["/bin/sh", "-c", f"trap '' HUP; '{PROGRAM}' demo --scenario stopped --ranks 8; read wait"]
    with Terminal(command, cwd=tmp_path, environment={"XDG_STATE_HOME": str(tmp_path)}) as terminal:
        terminal.wait_for("is stopped", within=60)
        [program] = children_of(terminal.pid)
        watched = os.pidfd_open(program)
        terminal.hang_up()
        ended = bool(select.select([watched], [], [], 30)[0])
        os.close(watched)
        if not ended:
            os.kill(program, signal.SIGKILL)
        assert ended


@pytest.mark.skipif(not PROCESSES_ARE_TOLD, reason="reads /proc")
def test_being_stopped_and_continued_leaves_one_reader_of_the_keys(demo: Terminal) -> None:
    """As by `kill -STOP` and `fg`: it draws anew, takes keys, and leaves the terminal as it was."""
    with demo as terminal:
        terminal.wait_for(r"look 1, \d+ s ago", within=60)
        threads = Path(f"/proc/{terminal.pid}/task")
        before = len(list(threads.iterdir()))
        terminal.clear()
        os.kill(terminal.pid, signal.SIGSTOP)
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.wait_for("is stopped", within=30)
        assert len(list(threads.iterdir())) == before
        terminal.press("q")
        assert terminal.wait_for_exit(within=30) == 0
        assert terminal.left_behind() == []


@pytest.mark.skipif(not PROCESSES_ARE_TOLD, reason="reads /proc")
def test_the_demo_ends_when_the_program_is_killed(tmp_path: Path) -> None:
    """Its connections stay open at ranks that stand still; they hold nothing up."""
    command = [PROGRAM, "demo", "--scenario", "mixed", "--ranks", "8"]
    with Terminal(command, cwd=tmp_path, environment={"XDG_STATE_HOME": str(tmp_path)}) as terminal:
        terminal.wait_for(r"look 1, [2-9] s ago|look 2", within=60)
        children = children_of(terminal.pid)
        assert children
        watched = [os.pidfd_open(child) for child in children]
        os.kill(terminal.pid, signal.SIGKILL)
        for child in watched:
            assert select.select([child], [], [], 30)[0]
            os.close(child)
