"""Files on disk: the rule of folders, links, FIFOs and whatever else lies about; nothing waits, nothing raises."""

from __future__ import annotations

import os
import pickle
import socket
import tempfile
from pathlib import Path

import pytest

from tests.services.artifacts.packed import tar_of
from tests.services.artifacts.taking import reasons, taken
from xpudbg.services.artifacts.content import content
from xpudbg.services.artifacts.limits import Limits

DUMP = b'{"version": "2.10", "pg_config": {}, "entries": []}'


def names(intake_artifacts: object, below: Path) -> list[str]:
    return [one.name.removeprefix(f"{below}/") for one in intake_artifacts]  # type: ignore[attr-defined]


def make(folder: Path, *files: str, data: bytes = DUMP) -> None:
    for name in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


@pytest.mark.parametrize(
    ("own", "others_too"),
    [
        ("rank_0.json", False),
        ("stacks_20250923_065505.txt", True),  # its name alone says nothing, and there is nothing in it of use
        ("README.md", True),
        ("notes.txt", True),
    ],
)
def test_sub_folders_count_when_there_is_no_file_of_use(tmp_path: Path, own: str, others_too: bool) -> None:
    job = tmp_path / "job"
    make(job, own, data=DUMP if own.endswith(".json") else b"words")
    make(job, "deeper/rank_7.json")
    with taken(job, tmp_path) as intake:
        found = names(intake.artifacts, job)
        assert found == ([own, "deeper/rank_7.json"] if others_too else [own])
        assert bool(intake.notes) is not others_too
    with taken(job, tmp_path, recursive=True) as intake:
        assert names(intake.artifacts, job) == [own, "deeper/rank_7.json"]
        assert not intake.notes


@pytest.mark.parametrize(
    "data",
    [
        b"=== Rank 0: http://h:1/handler/dump_traceback? ===\nThread 0x1 (most recent call first):\n",
        b"PARTIAL DATA: 0/1 workers responded\n  Rank 0: gone\n\n"
        b"=== Rank 0: http://h:1/handler/pyspy_dump?nonblocking=1 ===\n",
        b"[rank0]:[E1] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=3)\n",
        b'{"schemaVersion": 1, "traceEvents": []}',
    ],
)
def test_content_makes_a_file_one_of_use(tmp_path: Path, data: bytes) -> None:
    job = tmp_path / "job"
    make(job, "what", data=data)
    make(job, "deeper/rank_7.json")
    with taken(job, tmp_path) as intake:
        assert names(intake.artifacts, job) == ["what"]


def test_an_archive_of_use_makes_a_folder_one_of_use_and_others_do_not(tmp_path: Path) -> None:
    job = tmp_path / "job"
    make(job, "deeper/rank_7.json")
    make(job, "all.tar", data=tar_of({"notes": b"words"}))
    with taken(job, tmp_path) as intake:
        assert names(intake.artifacts, job) == ["all.tar/notes", "deeper/rank_7.json"]
    make(job, "all.tar", data=tar_of({"rank_0": DUMP}))
    with taken(job, tmp_path) as intake:
        assert names(intake.artifacts, job) == ["all.tar/rank_0"]


def test_links_pipes_sockets_and_hidden_files(tmp_path: Path) -> None:
    job = tmp_path / "job"
    make(job, "rank_0.json", ".rank_9.json")
    make(tmp_path, "elsewhere/rank_5.json")
    (job / "rank_1.json").symlink_to("rank_0.json")
    (job / "rank_2.json").symlink_to("nothing")
    (job / "rank_3.json").symlink_to("rank_3.json")
    (job / "folder").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    os.mkfifo(job / "rank_4.json")
    os.mkfifo(job / "pipe")
    (job / "to_pipe").symlink_to("pipe")
    (job / "null").symlink_to("/dev/null")
    with tempfile.TemporaryDirectory() as short, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{short}/s")
        os.rename(f"{short}/s", job / "socket")
        with taken(job, tmp_path) as intake:
            assert names(intake.artifacts, job) == ["rank_0.json", "rank_1.json"]
            assert reasons(intake, job) == {
                ".rank_9.json": "a hidden file",
                "folder": "a link to a folder; not followed",
                "null": "a link to a character device; not opened",
                "pipe": "a FIFO; not opened",
                "rank_2.json": "a link to nothing",
                "rank_3.json": "a link that leads in a circle",
                "rank_4.json": "a FIFO; not opened",
                "socket": "a socket; not opened",
                "to_pipe": "a link to a FIFO; not opened",
            }
            partial = {refused.name.rpartition("/")[2] for refused in intake.refused if refused.partial}
            assert partial == {"rank_2.json", "rank_3.json", "rank_4.json"}


def test_paths_as_they_were_given(tmp_path: Path) -> None:
    job = tmp_path / "job"
    make(job, "rank_0.json", "rank_1.json", ".rank_2.json")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "dangling").symlink_to("nowhere")
    given = [job / "rank_1.json", job / ".rank_2.json", job, tmp_path / "fifo", tmp_path / "dangling", job / "gone"]
    with taken(given, tmp_path) as intake:
        # In the order given, each once; a file that is named counts also when it is hidden.
        assert names(intake.artifacts, job) == ["rank_1.json", ".rank_2.json", "rank_0.json"]
        assert {refused.name.rpartition("/")[2]: refused.reason for refused in intake.refused} == {
            ".rank_2.json": "a hidden file",
            "fifo": "a FIFO; not opened",
            "dangling": "a link to nothing",
            "gone": "does not exist",
        }
    with pytest.raises(FileNotFoundError, match="gone does not exist"), taken(job / "gone", tmp_path):
        pass


def test_what_may_not_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = tmp_path / "job"
    make(job, "rank_0.json", "rank_1.json", "rank_2.json", "closed/rank_3.json")
    open_really, list_really = os.open, os.scandir

    def opened(path: Path, *args: int, **more: int) -> int:
        if path.name == "rank_1.json":
            raise PermissionError(13, "Permission denied")
        if path.name == "rank_2.json":
            raise FileNotFoundError(2, "No such file or directory")  # it vanished after the folder was listed
        return open_really(path, *args, **more)

    def listed(path: Path) -> object:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied")
        return list_really(path)

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "scandir", listed)
    with taken(job, tmp_path, recursive=True) as intake:
        monkeypatch.undo()
        assert names(intake.artifacts, job) == ["rank_0.json"]
        assert reasons(intake, job) == {
            "rank_1.json": "cannot be read: Permission denied",
            "rank_2.json": "gone since it was found",
            "closed": "the folder cannot be listed: Permission denied",
        }
        assert all(refused.partial for refused in intake.refused)


def test_a_file_that_grows_shrinks_or_becomes_a_pipe_after_it_was_found(tmp_path: Path) -> None:
    job = tmp_path / "job"
    make(job, "rank_0.log", "rank_1.log", "rank_2.log", data=b"Thread 0x1 (most recent call first):\n" * 9)
    with taken(job, tmp_path) as intake:
        grows, shrinks, pipe = intake.artifacts
        whole = (job / "rank_0.log").read_bytes()
        with (job / "rank_0.log").open("ab") as file:
            file.write(b"more")
        (job / "rank_1.log").write_bytes(whole[:10])
        (job / "rank_2.log").unlink()
        os.mkfifo(job / "rank_2.log")
        assert (content(grows).data, content(grows).cut) == (whole, False)
        cut = content(shrinks)
        assert (cut.data, cut.cut) == (whole[:10], True)
        assert cut.why == f"{len(whole) - 10} bytes fewer than when it was found: it was cut or overwritten meanwhile"
        with pytest.raises(OSError, match="not a regular file"):
            content(pipe)
        (job / "rank_2.log").unlink()
        with pytest.raises(FileNotFoundError):
            content(pipe)


def test_ten_thousand_files_are_listed_once_and_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = tmp_path / "job"
    job.mkdir()
    for rank in range(10_000):
        (job / f"nccl_trace_rank_{rank}").touch()
    counts = {"open": 0, "scandir": 0, "stat": 0}
    for name in counts:
        really = getattr(os, name)

        def counted(*args: object, _name: str = name, _really: object = really, **more: object) -> object:
            counts[_name] += 1
            return _really(*args, **more)  # type: ignore[operator]

        monkeypatch.setattr(os, name, counted)
    with taken(job, tmp_path) as intake:
        monkeypatch.undo()
        assert len(intake.artifacts) == 10_000
    assert counts["open"] == 10_000
    assert counts["scandir"] == 1
    assert counts["stat"] <= 4


def test_too_many_files_and_too_deep_folders_are_said(tmp_path: Path) -> None:
    job = tmp_path / "job"
    make(job, *(f"rank_{rank}.json" for rank in range(5)), "a/b/c/rank_9.json")
    with taken(job, tmp_path, limits=Limits(files=3)) as intake:
        assert names(intake.artifacts, job) == ["rank_0.json", "rank_1.json", "rank_2.json"]
        assert intake.refused[-1].reason == "more than 3 files; the rest is not looked at"
    with taken(job, tmp_path, recursive=True, limits=Limits(depth=1)) as intake:
        assert len(intake.artifacts) == 5
        assert reasons(intake, job) == {"a": "more than 1 folders deep; not gone through"}


def test_names_are_made_plain_and_artifacts_go_to_other_processes(tmp_path: Path) -> None:
    job = tmp_path / "job"
    make(job, "evil\x1b[31m\n_rank_3.json")
    with taken(job, tmp_path) as intake:
        (artifact,) = intake.artifacts
        assert artifact.file_name == "evil\\x1b[31m\\n_rank_3.json"
        there = pickle.loads(pickle.dumps(artifact))
        assert there == artifact
        assert content(there).data == DUMP


def test_nothing_on_disk_is_touched(tmp_path: Path) -> None:
    job = tmp_path / "job"
    make(job, "rank_0.json", "deeper/rank_1.json")
    make(job, "all.tgz", data=tar_of({"rank_2": DUMP, "x/rank_3": DUMP}, "gz"))
    before = {path: path.stat().st_mtime_ns for path in job.rglob("*")}
    with taken(job, tmp_path, recursive=True) as intake:
        assert len(intake.artifacts) == 4
        assert {path: path.stat().st_mtime_ns for path in job.rglob("*")} == before
