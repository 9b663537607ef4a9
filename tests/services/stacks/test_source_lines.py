from __future__ import annotations

import os
from pathlib import Path

import pytest

from xpudbg.services.stacks.model import Frame
from xpudbg.services.stacks.source_lines import LARGEST_FILE, LINE_CUT, SourceError, SourceLines, read_source


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text("".join(f"line {number}\n" for number in range(1, 101)))
    return path


def refused(frame: Frame) -> str:
    with pytest.raises(SourceError) as caught:
        read_source(frame)
    return str(caught.value)


@pytest.mark.parametrize(("line", "first", "lines"), [(50, 48, 5), (1, 1, 3), (2, 1, 4), (100, 98, 4), (101, 99, 3)])
def test_the_lines_around(source: Path, line: int, first: int, lines: int) -> None:
    excerpt = read_source(Frame("f", str(source), line), around=2)
    assert (excerpt.path, excerpt.line, excerpt.first, len(excerpt.lines)) == (str(source), line, first, lines)
    assert excerpt.lines[0] == f"line {first}"


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (Frame("f", "/nowhere/a.py", 1), "no such file"),
        (Frame("f", "/nowhere/a.py"), "line"),
        (Frame("f", "/nowhere/a.py", 0), "line"),
        (Frame("f", "train.py", 1), "relative"),
        (Frame("f", "<string>", 1), "not come from a file"),
        (Frame("f", "", 1), "file"),
        (Frame("f", "/etc/passwd", 1), "not called like a source file"),
        (Frame("f", "/dev/zero", 1), "not called like a source file"),
        (Frame("f", "/a\0b.py", 1), "null"),
        (Frame("f", "/" + "a" * 5000 + ".py", 1), "name too long"),
    ],
)
def test_what_can_not_be_shown_says_why(frame: Frame, reason: str) -> None:
    assert reason in refused(frame).lower()


def test_a_line_beyond_the_end_means_another_version(source: Path) -> None:
    assert "another version" in refused(Frame("f", str(source), 102))


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    folder = tmp_path / "folder.py"
    folder.mkdir()
    assert "not a regular file" in refused(Frame("f", str(pipe), 1))
    assert "not a regular file" in refused(Frame("f", str(folder), 1))


def test_a_link_counts_as_what_it_leads_to(tmp_path: Path, source: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x\n")
    (tmp_path / "bad.py").symlink_to(secret)
    (tmp_path / "good.py").symlink_to(source)
    assert "not called like a source file" in refused(Frame("f", str(tmp_path / "bad.py"), 1))
    assert read_source(Frame("f", str(tmp_path / "good.py"), 1)).lines[0] == "line 1"


def test_binary_and_huge_files_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "b.py"
    binary.write_bytes(b"x = 1\n\0")
    assert "binary" in refused(Frame("f", str(binary), 1))
    huge = tmp_path / "h.py"
    with huge.open("wb") as opened:
        opened.truncate(LARGEST_FILE + 1)
    assert "larger" in refused(Frame("f", str(huge), 1))


def test_long_lines_are_cut_and_odd_bytes_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"\xef\xbb\xbfa\r\n\xff\r" + b"x" * 5000 + b"\nlast")
    excerpt = read_source(Frame("f", str(path), 1))
    assert excerpt.lines == ("a", "\\xff", "x" * LINE_CUT, "last")


def test_a_path_as_faulthandler_escapes_it(tmp_path: Path) -> None:
    path = tmp_path / "訓é.py"
    path.write_text("here\n")
    escaped = str(path).encode("ascii", "backslashreplace").decode()
    assert read_source(Frame("f", escaped, 1)).path == str(path)
    literal = tmp_path / "a\\xe9.py"
    literal.write_text("literal\n")
    assert read_source(Frame("f", str(literal), 1)).lines[0] == "literal"


def test_single_lines_are_read_once_and_from_a_limited_number_of_files(tmp_path: Path, source: Path) -> None:
    lines = SourceLines(files=2)
    assert lines(str(source), 7) == "line 7"
    source.write_text("changed\n")
    assert lines(str(source), 8) == "line 8"
    assert lines(str(source), 1000) is None
    assert lines(str(source), 0) is None
    assert lines("/nowhere/a.py", 1) is None
    third = tmp_path / "third.py"
    third.write_text("x\n")
    assert lines(str(third), 1) is None
