"""Another program in this terminal, the pager or the editor, while the screen is put aside."""

from __future__ import annotations

import signal
import subprocess
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import App

__all__ = ["OutsideError", "run_outside"]


class OutsideError(Exception):
    """The program could not do its work; the message is one plain line."""


def run_outside(app: App[int], command: Sequence[str]) -> None:
    """Give the terminal to a program, without a shell, and come back when it ends.

    Keys that send signals reach both programs; they are the other one's meanwhile.

    Raises:
        OutsideError: it cannot be started, it failed, or the terminal cannot be given away (in a browser).
    """
    try:
        with app.suspend(), _keys_are_the_others():
            ended = subprocess.run(command, check=False)  # noqa: S603 - the person's own program
    except SuspendNotSupported:
        raise OutsideError("this terminal cannot be given to another program") from None
    except OSError as error:
        raise OutsideError(f"{command[0]} cannot be started: {error.strerror}") from None
    if ended.returncode > 0:
        raise OutsideError(f"{command[0]} ended with status {ended.returncode}")


@contextmanager
def _keys_are_the_others() -> Iterator[None]:
    """ctrl+c and ctrl+\\ do not end this program. A handler, and not SIG_IGN, which the other one would inherit."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _nothing) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _nothing(_number: int, _frame: object) -> None:
    pass
