"""The story of an operator that fails and of one that is wrong, in a real terminal, on the demo's real op server."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .terminal import Terminal

pytestmark = pytest.mark.terminal

PROGRAM = str(Path(sys.executable).with_name("xpudbg"))
SHIFT_TAB = "\x1b[Z"
DOWN = "\x1b[B"


def demo(tmp_path: Path) -> Terminal:
    """`xpudbg demo`; what it keeps goes to a folder of the test's own."""
    kept = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path), "XPUDBG_HISTORY": str(tmp_path / "runs")}
    return Terminal([PROGRAM, "demo", "--scenario", "stopped", "--ranks", "8"], cwd=tmp_path, environment=kept)


def to_dispatch(terminal: Terminal) -> None:
    terminal.wait_for(r"demo of 8 ranks.*look 1", within=60)
    terminal.press("8")
    terminal.wait_for(r"! wrong\s+running_total", within=60)


def test_a_failing_op_is_edited_until_it_passes_and_the_history_stays(tmp_path: Path) -> None:
    with demo(tmp_path) as terminal:
        to_dispatch(terminal)
        terminal.wait_for(r"x failed\s+join_shards", within=30)
        terminal.wait_for(r"FAILED\s+numpy\.concatenate", within=30)

        terminal.press("r")
        terminal.wait_for(r"FAILED\s+numpy\.concatenate on \S+\s+run #4", within=30)
        terminal.wait_for(r"AxisError .* axis 2 is out of bounds for array of dimension 2", within=30)

        terminal.press("\r" + DOWN * 5 + "\r1\r")
        terminal.wait_for(r"attr\.axis \*\s+1\s", within=30)
        terminal.press("r")
        terminal.wait_for(r"PASSES\s+numpy\.concatenate on \S+\s+run #5", within=30)
        terminal.wait_for(r"run #4, failed.*attr\.axis: 2 -> 1", within=30)
        terminal.wait_for(r"o passed\s+join_shards", within=30)

        terminal.press("q")
        assert terminal.wait_for_exit(within=30) == 0
        assert terminal.left_behind() == []
    with demo(tmp_path) as terminal:
        to_dispatch(terminal)
        terminal.wait_for(r"! wrong\s+running_total[^\n]*\n[^\n]*o passed\s+join_shards", within=30)
        terminal.press("g" + DOWN + SHIFT_TAB)
        terminal.wait_for(r"\[runs 3\]", within=30)
        rest = r"\s+\d[^\n]* ago[^\n]*"
        terminal.wait_for(rf"o passed{rest}attr\.axis=1[^\n]*\n[^\n]*x failed{rest}\n[^\n]*x failed{rest}", within=30)
        terminal.press("\r")
        terminal.wait_for(r"PASSES\s+numpy\.concatenate on \S+\s+run #5", within=30)
        terminal.press("q")
        assert terminal.wait_for_exit(within=30) == 0


def test_the_worst_element_of_a_wrong_op_is_found(tmp_path: Path) -> None:
    with demo(tmp_path) as terminal:
        to_dispatch(terminal)
        terminal.wait_for(r"x failed\s+join_shards[^\n]*\n[^\n]*! wrong\s+running_total", within=30)
        terminal.press("gn")
        terminal.wait_for(r"WRONG\s+numpy\.cumsum", within=30)
        row = terminal.wait_for(r"\[3, 1969\]\s+(\S+)\s+(\S+)\s", within=30)
        assert (row[1], row[2]) == ("958.5", "970.156949")
        terminal.press("\t\t\r")
        element = terminal.wait_for(r"\[3, 1969\]\s+958\.5 actual", within=30)
        assert element
        terminal.press("q")
        assert terminal.wait_for_exit(within=30) == 0
