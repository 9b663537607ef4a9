from __future__ import annotations

import pytest

from xpudbg.services.stacks.model import Failure
from xpudbg.services.stacks.pyspy_errors import ADVICE, explain, starts_error


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("sh: 1: py-spy: not found", Failure.NOT_INSTALLED),
        ("bash: py-spy: command not found", Failure.NOT_INSTALLED),
        ("/bin/sh: py-spy: not found", Failure.NOT_INSTALLED),
        ("zsh:1: command not found: py-spy", Failure.NOT_INSTALLED),
        ("Failed to start py-spy, not installed?", Failure.NOT_INSTALLED),
        ("sh: 1: py-spy: Permission denied", Failure.OTHER),
        ("Permission Denied: Try running again with elevated permissions by going 'sudo !!'", Failure.PTRACE_FORBIDDEN),
        ("Error: Failed to suspend process\nReason: EPERM: Operation not permitted", Failure.PTRACE_FORBIDDEN),
        ("Error: x\n\nCaused by:\n    0: Permission denied (os error 13)", Failure.PTRACE_FORBIDDEN),
        ("Error: x\n\nCaused by:\n    0: No such file or directory (os error 2)", Failure.PROCESS_GONE),
        ("Error: Failed to open process 7\nCaused by:\n    No such process (os error 3)", Failure.PROCESS_GONE),
        ("Can't get native stack traces with the --nonblocking option.", Failure.NATIVE_NEEDS_BLOCKING),
        ("Error: Failed to find python version from target process", Failure.NOT_READABLE),
        ("Error: Failed to find a python interpreter in the .data section", Failure.NOT_READABLE),
        ("Error: the moon is full\n\nStack backtrace:\n   0: Permission denied", Failure.OTHER),
    ],
)
def test_each_failure_is_known_by_its_words(text: str, failure: Failure) -> None:
    lines = text.split("\n")
    assert starts_error(lines[0])
    found, line = explain(lines)
    assert found is failure
    assert "\n" not in line
    assert line == ADVICE.get(failure, line)


def test_an_unknown_failure_keeps_the_words_but_not_the_backtrace() -> None:
    found, line = explain(["Error: the moon is full", "", "Stack backtrace:", "   0: py_spy::main"])
    assert (found, line) == (Failure.OTHER, "py-spy failed: Error: the moon is full")
    assert len(explain(["Error: " + "x" * 10_000])[1]) < 300


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (Failure.NOT_INSTALLED, "pip install py-spy"),
        (Failure.PTRACE_FORBIDDEN, "SYS_PTRACE"),
        (Failure.PTRACE_FORBIDDEN, "kernel.yama.ptrace_scope"),
        (Failure.NATIVE_NEEDS_BLOCKING, "without nonblocking"),
    ],
)
def test_the_line_says_what_to_do(failure: Failure, words: str) -> None:
    assert words in ADVICE[failure]


@pytest.mark.parametrize("line", ["", "Process 7: python", "Thread 7 (idle)", "Warning: x", "[2026] WARN py_spy"])
def test_other_lines_start_no_error(line: str) -> None:
    assert not starts_error(line)
