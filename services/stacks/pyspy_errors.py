"""What py-spy says when it gives no stack, explained in one line with what to do."""

from __future__ import annotations

import re

from .model import Failure

__all__ = ["ADVICE", "explain", "starts_error"]

ADVICE: dict[Failure, str] = {
    Failure.NOT_INSTALLED: "py-spy is not installed on this rank: run `pip install py-spy` in the job's environment",
    Failure.PTRACE_FORBIDDEN: (
        "py-spy may not look into the process (ptrace is forbidden): the container needs the capability SYS_PTRACE "
        "(docker --cap-add SYS_PTRACE; Kubernetes securityContext.capabilities.add), "
        "the host kernel.yama.ptrace_scope=0, "
        "or py-spy root's rights"
    ),
    Failure.PROCESS_GONE: "py-spy found no such process: it has ended, or lies in another PID namespace",
    Failure.NATIVE_NEEDS_BLOCKING: (
        "py-spy can't show native frames without pausing the process: ask for native without nonblocking"
    ),
    Failure.NOT_READABLE: (
        "py-spy can't read this process: it is no Python, or a Python newer than this py-spy; "
        "run `pip install -U py-spy` in the job's environment"
    ),
}
"""The line for each failure that is known."""

_SHELL = re.compile(r"py-spy: (?:command )?not found|not installed|command not found: py-spy", re.IGNORECASE)
_STARTS = re.compile(
    r"Error: |Permission Denied|Caused by:|Failed to |Can't get native|(?:/\S*/)?\w*sh: ", re.IGNORECASE
)
_KNOWN: tuple[tuple[re.Pattern[str], Failure], ...] = (
    (_SHELL, Failure.NOT_INSTALLED),
    (re.compile(r"py-spy: Permission denied"), Failure.OTHER),  # the shell's word: the program may not be executed
    (re.compile(r"native stack traces with the --nonblocking"), Failure.NATIVE_NEEDS_BLOCKING),
    (
        re.compile(
            r"permission denied|operation not permitted|os error (?:1|13)\)|\bEPERM\b|\bEACCES\b", re.IGNORECASE
        ),
        Failure.PTRACE_FORBIDDEN,
    ),
    (
        re.compile(r"no such process|no such file or directory|os error (?:2|3)\)|\bESRCH\b|process is running|ended"),
        Failure.PROCESS_GONE,
    ),
    (
        re.compile(r"find python version|python interpreter|python version|interpreter address", re.IGNORECASE),
        Failure.NOT_READABLE,
    ),
)
_SHOWN = 200


def starts_error(line: str) -> bool:
    """Whether an error message begins with this line."""
    return _STARTS.match(line) is not None or _SHELL.search(line) is not None


def explain(lines: list[str]) -> tuple[Failure, str]:
    """The failure and one plain line for it; unknown ones keep the words of py-spy."""
    said = "\n".join(lines).partition("Stack backtrace:")[0]
    failure = next((failure for pattern, failure in _KNOWN if pattern.search(said)), Failure.OTHER)
    if failure in ADVICE:
        return failure, ADVICE[failure]
    words = [line.strip() for line in said.split("\n") if line.strip()]
    return failure, f"py-spy failed: {' '.join(words)[:_SHOWN]}"
