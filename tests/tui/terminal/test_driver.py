"""Writing on a terminal that can be gone."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

import pytest
from textual.drivers._writer_thread import MAX_QUEUED_WRITES, WriterThread
from textual.drivers.linux_driver import LinuxDriver

from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.engine import Engine
from xpudbg.tui.app import XpudbgApp
from xpudbg.tui.terminal.driver import LossyOutput, TerminalDriver

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def closed_terminal() -> Iterator[io.TextIOWrapper]:
    """The program's end of a terminal whose other end is closed: each write fails."""
    ours, program = os.openpty()
    os.close(ours)
    with io.FileIO(program, "w", closefd=False) as raw:
        yield io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
    os.close(program)


def test_any_number_of_writes_passes_where_the_terminal_is_closed(closed_terminal: io.TextIOWrapper) -> None:
    """The queue of Textual's thread is emptied although nothing is written; the thread ends when told."""
    with pytest.raises(OSError, match="Input/output error"):
        closed_terminal.write("x")
    writer = WriterThread(LossyOutput(closed_terminal))  # type: ignore[arg-type]
    writer.start()
    for _ in range(3 * MAX_QUEUED_WRITES):
        writer._queue.put("frame", timeout=10)  # what `write` does, and raises where that would stand still
    writer._queue.put(None, timeout=10)
    writer.join(10)
    assert not writer.is_alive()


def test_a_terminal_that_is_there_gets_everything() -> None:
    terminal = io.StringIO()
    output = LossyOutput(terminal)
    assert output.write("one ") == 4
    assert output.write("two") == 3
    output.flush()
    assert terminal.getvalue() == "one two"


def test_what_comes_after_a_failed_flush_is_dropped() -> None:
    class Closed(io.StringIO):
        def flush(self) -> None:
            raise OSError(5, "Input/output error")

    terminal = Closed()
    output = LossyOutput(terminal)
    output.write("one")
    output.flush()
    assert output.write("two") == 3
    assert terminal.getvalue() == "one"


@pytest.mark.parametrize(
    ("chosen", "taken"),
    [
        ("textual.drivers.linux_driver:LinuxDriver", TerminalDriver),
        ("textual.drivers.headless_driver:HeadlessDriver", None),
    ],
)
def test_the_application_draws_by_it_unless_told_otherwise(
    chosen: str, taken: type[LinuxDriver] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textual.constants.DRIVER", chosen)
    driver = XpudbgApp(Engine(), None, AttachOptions()).driver_class
    assert driver is taken if taken is not None else not issubclass(driver, LinuxDriver)
