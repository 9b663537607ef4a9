"""Bundles are zip files that any program reads, whose members stand complete in the file at every moment."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.services.bundle.making import CREATED, one_look, opened, whole, written
from xpudbg.services.bundle import members
from xpudbg.services.bundle.errors import BundleError
from xpudbg.services.bundle.members import Member
from xpudbg.services.bundle.walk import is_bundle
from xpudbg.services.bundle.writer import BundleWriter


def test_zipfile_reads_it_and_the_manifest_names_all_of_it(tmp_path: Path) -> None:
    path = whole(tmp_path / "a.xpudbg")
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert names[0] == "meta.json"
        assert names[-1] == "manifest.json"
        assert len(names) == len(set(names))
        assert archive.getinfo("meta.json").compress_type == zipfile.ZIP_STORED
        assert archive.infolist()[3].date_time[0] >= 2023
        listed = json.loads(archive.read("manifest.json"))["members"]
        assert set(listed) == set(names) - {"manifest.json"}
        for name, one in listed.items():
            data = archive.read(name)
            assert (len(data), hashlib.sha256(data).hexdigest()) == (one["size"], one["sha256"])
            if name.startswith("bodies/"):
                assert name == f"bodies/{one['sha256']}"


@pytest.mark.skipif(shutil.which("unzip") is None, reason="there is no unzip here")
def test_unzip_reads_it(tmp_path: Path) -> None:
    path = whole(tmp_path / "a.xpudbg")
    done = subprocess.run(["unzip", "-t", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_equal_bodies_stand_there_once_and_what_is_packed_is_stored(tmp_path: Path) -> None:
    with BundleWriter(tmp_path / "a.xpudbg") as writer:
        writer.add("meta.json", b"{}")
        text, packed = b"the same words " * 1000, b"\x1f\x8b" + bytes(5000)
        assert writer.body(text) == writer.body(bytes(text)) == hashlib.sha256(text).hexdigest()
        noise = os.urandom(600_000)
        for data in (packed, noise, b"short"):
            writer.body(data)
        writer.finish()
    with zipfile.ZipFile(tmp_path / "a.xpudbg") as archive:
        kinds = {archive.read(info): info.compress_type for info in archive.infolist() if "bodies" in info.filename}
    assert kinds == {
        text: zipfile.ZIP_DEFLATED,
        packed: zipfile.ZIP_STORED,
        noise: zipfile.ZIP_STORED,
        b"short": zipfile.ZIP_STORED,
    }


def test_a_file_that_is_there_is_left_alone_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "a.xpudbg"
    path.write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        BundleWriter(path)
    assert path.read_bytes() == b"mine"
    with path.open("rb") as reader:
        BundleWriter(path, force=True).close()
        assert reader.read() == b"mine", "who reads the old file is not disturbed"
    assert path.read_bytes() == b""


@pytest.mark.parametrize("force", [False, True])
def test_what_is_no_file_is_never_replaced(force: bool, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="wants a regular file"):
        BundleWriter(path, force=force)
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_each_member_is_one_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    write = os.writev

    def counted(file: int, pieces: list[memoryview]) -> int:
        calls.append(sum(map(len, pieces)))
        return write(file, pieces)

    monkeypatch.setattr(os, "writev", counted)
    with BundleWriter(tmp_path / "a.xpudbg") as writer:
        writer.add("meta.json", b"{}")
        writer.body(b"x" * 300_000)
        before = writer.size
    assert len(calls) == 2
    assert sum(calls) == before


def test_what_could_not_be_written_whole_leaves_nothing_and_the_next_one_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write = tmp_path / "a.xpudbg", os.writev
    with BundleWriter(path) as writer:
        writer.add("meta.json", b"{}")
        size, room = writer.size, [20]

        def full(file: int, pieces: list[memoryview]) -> int:
            if not room:
                raise OSError(28, "No space left on device")
            return write(file, [pieces[0][: room.pop()]])

        monkeypatch.setattr(os, "writev", full)
        with pytest.raises(OSError, match="No space"):
            writer.body(b"y" * 1000)
        assert path.stat().st_size == writer.size == size
        monkeypatch.setattr(os, "writev", write)
        writer.body(b"z" * 1000)
        writer.finish()
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert len(archive.namelist()) == 3


def test_on_a_disk_that_is_full_from_the_start_no_empty_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A watch would take empty files for its newest ones, and remove whole ones for them."""

    def full(file: int, pieces: list[bytes]) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "writev", full)
    with pytest.raises(OSError, match="No space"):
        whole(tmp_path / "a.xpudbg", looks=1)
    assert os.listdir(tmp_path) == []


def test_a_short_write_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.writev
    monkeypatch.setattr(os, "writev", lambda file, pieces: write(file, [pieces[0][:7]]))
    whole(tmp_path / "a.xpudbg", looks=1)
    with zipfile.ZipFile(tmp_path / "a.xpudbg") as archive:
        assert archive.testzip() is None


def test_numbers_beyond_32_bits_are_read_by_zipfile(tmp_path: Path) -> None:
    """The list of a bundle whose last member begins beyond 4 GiB, in a file with a hole."""
    path = tmp_path / "a.xpudbg"
    stamp = members.dos_time(CREATED)
    first = Member("meta.json", False, 0, 0, 0, stamp, 0)
    far = Member("store.json", False, 0x3610A686, 5, 5, stamp, 5 << 30)
    with path.open("wb") as file:
        file.write(members.local_record(first))
        file.seek(far.offset)
        file.write(members.local_record(far) + b"hello")
        file.write(members.directory([first, far], far.end))
    with zipfile.ZipFile(path) as archive:
        assert archive.read("store.json") == b"hello"


def test_70_000_members(tmp_path: Path) -> None:
    with BundleWriter(tmp_path / "a.xpudbg") as writer:
        for number in range(70_000):
            writer.add(f"m{number}", b"")
        writer.finish()
    with zipfile.ZipFile(tmp_path / "a.xpudbg") as archive:
        assert len(archive.namelist()) == 70_001


def test_a_bundle_is_full_at_its_limit_and_has_room_for_its_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members, "MOST_MEMBERS", 3)
    with BundleWriter(tmp_path / "a.xpudbg") as writer:
        writer.add("meta.json", b"{}")
        writer.body(b"one")
        with pytest.raises(BundleError, match="as many as it may"):
            writer.body(b"two")
        writer.finish()
    assert len(zipfile.ZipFile(tmp_path / "a.xpudbg").namelist()) == 3


def test_what_begins_as_a_bundle(tmp_path: Path) -> None:
    path = tmp_path / "a.xpudbg"
    written(path, [opened(), *one_look(closed=False)], finish=False)
    assert is_bundle(path)
    assert is_bundle(whole(tmp_path / "b"))
    for name, data in (("c", b""), ("d", b"PK\x03\x04"), ("e", b"{}")):
        (tmp_path / name).write_bytes(data)
        assert not is_bundle(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "f", "w") as archive:
        archive.writestr("meta.json", '{"schema":"something else"}')
    assert not is_bundle(tmp_path / "f")
    os.mkfifo(tmp_path / "pipe")
    for odd in (tmp_path, tmp_path / "pipe", tmp_path / "nowhere"):
        assert not is_bundle(odd)
