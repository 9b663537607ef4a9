"""A person's own command that is run when a watch rings: without a shell, with a time limit, its failure told."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
from typing import TYPE_CHECKING

from ..plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import IO

__all__ = ["HookError", "parse_hook", "run_hook"]

TAIL = 300
"""Bytes of what a hook says on standard error that are told when it fails."""


class HookError(Exception):
    """The hook did not do what it should; the message is one plain line."""


def parse_hook(text: str) -> tuple[str, ...]:
    """The words of a command; quotes hold words together, nothing else means anything.

    Raises:
        HookError: there is no command in it, or a quote is open.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise HookError(f"the hook can't be read: {error}") from error
    if not words:
        raise HookError("the hook is empty: name a command")
    return words


def run_hook(words: Sequence[str], facts: Mapping[str, str], limit_s: float) -> None:
    """Run it to its end. Its standard output goes nowhere, so that the log stays a log.

    Args:
        words: the command and its arguments.
        facts: added to its environment; texts of ranks in them have to be plain already.
        limit_s: seconds after which it is killed with all that it has started.

    Raises:
        HookError: it can't be started, fails, or takes too long.
    """
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(  # noqa: S603  # a person's own command, never text of a rank
                list(words),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                env={**os.environ, **facts},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise HookError(f"the hook can't be started: {plain(words[0])}: {plain(reason)}") from error
        try:
            code = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise HookError(f"the hook was killed: it took more than {limit_s:g} s") from None
        if code:
            how = f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
            words_said = _tail(said)
            raise HookError(f"the hook {how}" + (f": {words_said}" if words_said else ""))


def _tail(said: IO[bytes]) -> str:
    size = said.seek(0, os.SEEK_END)
    said.seek(max(size - TAIL, 0))
    return plain(said.read(TAIL).decode("utf-8", errors="replace").strip())
