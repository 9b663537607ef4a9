"""Where what a command has made goes, and what is said when it can't go there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from xpudbg.tui.commands.putting_out import UNREAD, put_out, write_besides

LINKS = Path(__file__).parents[3] / ".links"
ENV = os.environ | {"PYTHONPATH": str(LINKS)}
SCRIPT = "import sys; from xpudbg.tui.commands.putting_out import put_out; sys.exit(0 if put_out('x' * 100_000) else 4)"


def test_a_file_is_written_whatever_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a\x1b[31m.txt"
    file.write_text("before")
    assert put_out("é\ud800\n", file, "the result")
    assert file.read_bytes() == "é\\ud800\n".encode()
    assert capsys.readouterr() == ("", f"xpudbg: the result in {tmp_path}/a\\x1b[31m.txt\n")


def test_a_file_that_can_not_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not put_out("x", tmp_path)
    assert "xpudbg: the report could not be written: [Errno 21]" in capsys.readouterr().err


def test_what_the_writer_says_follows_the_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert write_besides("the trace", tmp_path / "t", lambda: ": 3 calls")
    assert capsys.readouterr().err == f"xpudbg: the trace in {tmp_path}/t: 3 calls\n"


def test_nobody_reads_any_more() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=LINKS, stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (4, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_a_full_disk_is_said() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=LINKS, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 4
    assert done.stderr.startswith("xpudbg: the report could not be written: [Errno 28]")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("config",), "the answer"),
        (("config", "--example"), "the answer"),
        (("demo", "--list"), "the answer"),
        (("completion", "bash"), "the answer"),
        (("runs",), "the answer"),
        (("--help",), "something"),
        (("--version",), "something"),
    ],
    ids=" ".join,
)
def test_no_command_ends_in_a_trace_on_a_full_disk(words: tuple[str, ...], what: str) -> None:
    with open("/dev/full", "w") as full:
        done = xpudbg(*words, stdout=full)
    assert done.returncode == UNREAD
    assert done.stderr.startswith(f"xpudbg: {what} could not be written: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [("config", "--keys"), ("runs",)], ids=" ".join)
def test_nor_where_standard_output_was_closed_before_it_began(words: tuple[str, ...]) -> None:
    command = " ".join((sys.executable, "-P", "-m", "xpudbg.tui.cli", *words, ">&-"))
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=LINKS, env=ENV, stderr=subprocess.PIPE, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (UNREAD, "")


def xpudbg(*words: str, stdout: IO[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "xpudbg.tui.cli", *words]
    return subprocess.run(command, env=ENV, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
