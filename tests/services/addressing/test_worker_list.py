from __future__ import annotations

import os
from pathlib import Path

import pytest

from xpudbg.services.addressing import worker_list
from xpudbg.services.addressing.addresses import TargetError
from xpudbg.services.addressing.worker_list import FILE_LIMIT, names_worker, numbered, read_worker_file


def _file(folder: Path, data: bytes | str) -> Path:
    path = folder / "ranks"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def _ranks(folder: Path, text: str) -> dict[int, str]:
    workers = read_worker_file(_file(folder, text))
    assert workers is not None
    return {worker.rank: worker.registered for worker in workers}


def test_one_address_a_line(tmp_path: Path) -> None:
    text = "# the job of tonight\n\nhttp://a:1\r\nb:2   # second\n  http://[::1]:3/handler/\n"
    assert _ranks(tmp_path, text) == {0: "http://a:1", 1: "http://b:2", 2: "http://[::1]:3"}


def test_ranks_may_be_named_and_count_on_from_there(tmp_path: Path) -> None:
    text = "rank4=http://a:1\nhttp://b:1\nRANK2 = c:1\nd:1\n"
    assert _ranks(tmp_path, text) == {2: "http://c:1", 3: "http://d:1", 4: "http://a:1", 5: "http://b:1"}


def test_a_byte_order_mark_is_no_part_of_the_first_address(tmp_path: Path) -> None:
    assert _ranks(tmp_path, "\ufeffa:1\n") == {0: "http://a:1"}


LOG = b"node-1:29500\n" + b"2025-09-23 06:55:05 [rank3]: Watchdog caught collective operation timeout\n" * 9
STACKS = b"rank0=http://node-1:1\n" + b'Thread 0x00007f (most recent call first):\n  File "t.py", line 1 in f\n' * 3


@pytest.mark.parametrize(
    "data",
    [
        LOG,
        STACKS,
        b"http://docs/of/the/job says:\n" + b"x\n" * 100_000,
        b"# a comment\n" * 1_000 + LOG * 1_000,
        b"",
        b"\n \n",
        b"\x80\x04\x95\x00\x00",
        b'{"entries": []}',
        b"[rank3]: something happened\n",
        b"hello\n",
        b"a: b: c\n",
        b"PK\x03\x04http://a:1",
    ],
)
def test_other_files_are_left_to_others(tmp_path: Path, data: bytes) -> None:
    assert read_worker_file(_file(tmp_path, data)) is None


def test_a_folder_is_left_to_others(tmp_path: Path) -> None:
    assert read_worker_file(tmp_path) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a:1\nb\n", "line 2 of .*port is missing"),
        ("# x\n\nhttp://a:0\n", "line 3 of .*port 0"),
        ("rank1=a:1\nrank1=b:1\n", "line 2 of .*rank 1 is named twice: http://a:1 and http://b:1"),
        ("a:1\nrank0=b:1\n", "rank 0 is named twice"),
        ("rank99999999999=a:1\n", "highest rank"),
        ("rank2000000=a:1\n", "highest rank"),
        ("a:1\n\x00\x01\n", "line 2"),
        ("a:1\n" + "b" * 10_000 + ":1\n", "line 2"),
        ("# nothing\n", "comments only"),
    ],
)
def test_mistakes_are_said_with_their_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(TargetError, match=says) as caught:
        read_worker_file(_file(tmp_path, text))
    assert caught.value.hint


def test_a_password_in_a_wrong_line_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(TargetError) as caught:
        read_worker_file(_file(tmp_path, "http://u:secret@h:0\n"))
    assert "secret" not in str(caught.value)


def test_a_list_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="larger than 8 MiB"):
        read_worker_file(_file(tmp_path, b"a:1\n" * (FILE_LIMIT // 4 + 1)))


def test_a_large_file_of_another_kind(tmp_path: Path) -> None:
    assert read_worker_file(_file(tmp_path, b"{" * (FILE_LIMIT + 1))) is None


def test_of_a_large_file_only_the_first_bytes_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def meaningful(data: bytes) -> list[tuple[int, str]]:
        seen.append(len(data))
        return lines_of(data)

    lines_of = worker_list._meaningful
    monkeypatch.setattr(worker_list, "_meaningful", meaningful)
    assert read_worker_file(_file(tmp_path, LOG * 10_000)) is None
    assert seen
    assert max(seen) <= 64 * 1024


def test_what_is_neither_file_nor_folder_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(TargetError, match="neither a file nor a folder"):
        read_worker_file(pipe)


def test_a_file_that_went_away(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="can't be read: No such file"):
        read_worker_file(tmp_path / "gone")


def test_nothing_at_all() -> None:
    with pytest.raises(TargetError, match="the command line names no worker"):
        numbered([], "the command line")


def test_password_stays_in_the_url_that_is_asked() -> None:
    (worker,) = numbered(["rank7=http://u:pw@h:5"], "the command line")
    assert (worker.rank, worker.registered, worker.url, worker.host) == (7, "http://h:5", "http://u:pw@h:5", "h")
    assert worker.error == ""


@pytest.mark.parametrize(
    ("text", "meant"), [("rank3=h:1", True), ("HTTP://h", True), ("h:1", False), ("rank=h:1", False), ("", False)]
)
def test_names_worker(text: str, meant: bool) -> None:
    assert names_worker(text) is meant
