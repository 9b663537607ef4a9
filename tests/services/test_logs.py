"""The log: plain lines without passwords, bounded, and nothing without a file."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from xpudbg.services import logs

LOG = logging.getLogger("xpudbg.services.of_a_test")


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "x.log"
    logs.stop_logging()


def test_lines_are_plain_and_without_passwords(path: Path) -> None:
    logs.log_to(path)
    LOG.info("at %s: \x1b[31m%s", "http://me:secret@host:1", "x" * 10_000)
    LOG.debug("left out")
    text = path.read_text()
    assert "secret" not in text
    assert "\x1b" not in text
    assert "http://host:1: \\x1b[31mxxx" in text
    assert len(text) < logs.LINE_LIMIT + 200
    assert text.count("\n") == 1
    assert " INFO " in text
    assert "xpudbg.services.of_a_test: at" in text


def test_a_trace_is_there_and_a_long_message_is_cut(path: Path) -> None:
    logs.log_to(path, "error")
    try:
        raise ValueError("of http://me:secret@h/")
    except ValueError:
        LOG.exception("it failed")
    LOG.error("\n".join(map(str, range(1_000))))
    text = path.read_text()
    assert "ValueError: of http://h/" in text
    assert "Traceback" in text
    assert "lines left out" in text
    assert len(text.splitlines()) < logs.MOST_LINES + 30


def test_its_size_is_bounded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LOG_BYTES", 2_000)
    logs.log_to(path)
    for number in range(200):
        LOG.info("line %d", number)
    assert sorted(one.name for one in path.parent.iterdir()) == ["x.log", "x.log.1"]
    assert all(one.stat().st_size <= 2_000 for one in path.parent.iterdir())
    assert "line 199" in path.read_text()


def test_it_is_for_its_owner_and_appends(path: Path) -> None:
    for number in range(2):
        logs.log_to(path)
        LOG.info("start %d", number)
        logs.stop_logging()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_text().splitlines()) == 2


def test_without_a_file_nothing_is_written_anywhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert not logs.is_logging()
    LOG.error("to nobody")
    assert capsys.readouterr() == ("", "")


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="directory"):
        logs.log_to(tmp_path)
    assert not logs.is_logging()


def test_a_pipe_that_nobody_reads_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="No such device"):
        logs.log_to(path)
    assert not logs.is_logging()
