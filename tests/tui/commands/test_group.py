"""What is said of a first word that is nearly a command."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from xpudbg.tui.cli import main


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("reprot", "a.xpudbg"), "report"),
        (("reprot", "a.xpudbg", "--summary"), "report"),
        (("captur", "a.xpudbg", "-o", "b.xpudbg"), "capture"),
        (("/no/such/folder",), ""),
        (("head:1", "a.xpudbg"), ""),
        (("report", "--no-such"), ""),
    ],
    ids=["swapped", "option", "short", "path", "address", "command"],
)
def test_a_command_that_was_meant_is_named(words: tuple[str, ...], meant: str) -> None:
    done = CliRunner().invoke(main, list(words), env={"MASTER_ADDR": ""})
    assert done.exit_code == 2
    said = [line.strip() for line in done.stderr.splitlines() if "did you mean" in line]
    assert said == ([f"did you mean `xpudbg {meant}`?"] if meant else [])
