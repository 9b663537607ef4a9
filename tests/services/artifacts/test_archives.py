"""Archives from anybody: what can be read is read, everything else gets its reason, no byte lands on a path."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.services.artifacts.packed import tar_of, tar_record, zip_of, zip_with_flags
from tests.services.artifacts.taking import reasons, taken
from xpudbg.services.artifacts.content import content
from xpudbg.services.artifacts.intake import Intake
from xpudbg.services.artifacts.limits import Limits

DUMP = b'{"version": "2.10", "pg_config": {}, "entries": []}'
STAMP = 1_758_610_505_000_000_000
FILES = {"run/rank_0.json": DUMP, "run/rank_1.json": DUMP * 3000, "run/README": b"words"}
PACKERS: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "tar": tar_of,
    "tar.gz": lambda files: tar_of(files, "gz"),
    "tar.bz2": lambda files: tar_of(files, "bz2"),
    "tar.xz": lambda files: tar_of(files, "xz"),
    "zip": zip_of,
    "stored zip": lambda files: zip_of(files, zipfile.ZIP_STORED),
    "streamed zip": lambda files: zip_of(files, streamed=True),
}


def put(tmp_path: Path, data: bytes, name: str = "given") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def contents(intake: Intake, path: Path) -> dict[str, bytes]:
    return {one.name.removeprefix(f"{path}/"): content(one).data for one in intake.artifacts}


@pytest.mark.parametrize("form", PACKERS)
def test_members_by_content_whatever_the_name(tmp_path: Path, form: str) -> None:
    path = put(tmp_path, PACKERS[form](FILES))
    with taken(path, tmp_path) as intake:
        assert contents(intake, path) == FILES
        assert intake.refused == ()
        assert {abs(one.modified_at - STAMP) <= 2_000_000_000 for one in intake.artifacts} == {True}
        assert {one.path for one in intake.artifacts} == {None}


@pytest.mark.parametrize("form", PACKERS)
def test_every_cut_gives_what_came_before(tmp_path: Path, form: str) -> None:
    whole = PACKERS[form](FILES)
    seen = set()
    for length in sorted({*range(0, len(whole), max(len(whole) // 40, 1)), len(whole) - 1}):
        path = put(tmp_path, whole[:length])
        with taken(path, tmp_path) as intake:
            found = contents(intake, path)
            for name, data in found.items():
                assert FILES.get(name, data).startswith(data) or name == "given"
            if intake.artifacts and set(found) < set(FILES):
                assert any(refused.partial for refused in intake.refused)
            seen.add(len(set(found) & set(FILES)))
    assert {0, len(FILES)} & seen
    assert len(seen) > 1 or form in ("tar.bz2", "tar.xz")  # there all of it is one block


@pytest.mark.parametrize("kind", ["tar", "zip"])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("/etc/rank_1", "its name is an absolute path"),
        ("../rank_1", "its name leads upwards (..)"),
        ("a/../../rank_1", "its name leads upwards (..)"),
        ("C:/rank_1", "its name is an absolute path"),
        ("x" * 2_000, "a name of 2,000 characters"),
        ("..", "its name leads upwards (..)"),
    ],
)
def test_names_that_lead_out_are_refused(tmp_path: Path, kind: str, name: str, reason: str) -> None:
    if kind == "tar":
        long = tar_record("././@LongLink", name.encode() + b"\0", tarfile.GNUTYPE_LONGNAME)
        data = tar_of([long, tar_record("short", DUMP), tar_record("rank_0", DUMP)])
    else:
        data = zip_of({name: DUMP, "rank_0": DUMP})
    path = put(tmp_path, data)
    with taken(path, tmp_path) as intake:
        assert list(contents(intake, path)) == ["rank_0"]
        assert [refused.reason for refused in intake.refused] == [f"{reason}; not read"]
        assert intake.refused[0].partial


def test_what_is_no_file_in_a_tar(tmp_path: Path) -> None:
    kinds = {
        "link_rank_1": (tarfile.SYMTYPE, "a symbolic link; not followed"),
        "hard_rank_2": (tarfile.LNKTYPE, "a hard link; not followed"),
        "char": (tarfile.CHRTYPE, "a character device; not unpacked"),
        "block": (tarfile.BLKTYPE, "a block device; not unpacked"),
        "fifo": (tarfile.FIFOTYPE, "a FIFO; not unpacked"),
        "sparse": (tarfile.GNUTYPE_SPARSE, "a sparse file; not unpacked"),
        "odd": (b"Z", "a member of an unknown type; not unpacked"),
    }
    records = [tar_record(name, kind=kind) for name, (kind, _) in kinds.items()]
    path = put(tmp_path, tar_of([*records, tar_record("folder", kind=tarfile.DIRTYPE), tar_record("rank_0", DUMP)]))
    with taken(path, tmp_path) as intake:
        assert reasons(intake, path) == {name: reason for name, (_, reason) in kinds.items()}
        assert list(contents(intake, path)) == ["rank_0"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (zip_with_flags(b"rank_0", DUMP, flags=1), "encrypted; unpack it with its password first"),
        (
            zip_with_flags(b"rank_0", DUMP, method=93),
            "compressed with zstd, which is not read here; unpack it first",
        ),
        (
            zip_with_flags(b"rank_0", DUMP, method=77),
            "compressed with method 77, which is not read here; unpack it first",
        ),
        (zip_with_flags(b"rank_0", b"/etc/passwd", mode=0o120777), "a symbolic link; not followed"),
        (zip_with_flags(b"rank_0", b"", mode=0o010644), "a FIFO; not unpacked"),
        (zip_with_flags(b"rank_0", DUMP, crc=7), "damaged: its checksum is wrong; not read"),
    ],
)
def test_what_is_not_read_of_a_zip(tmp_path: Path, data: bytes, reason: str) -> None:
    path = put(tmp_path, data)
    with taken(path, tmp_path) as intake:
        assert intake.artifacts == ()
        assert [(refused.reason, refused.partial) for refused in intake.refused] == [(reason, True)]


def test_members_that_share_bytes_are_refused(tmp_path: Path) -> None:
    honest = zip_of({"rank_0": DUMP, "rank_1": DUMP}, zipfile.ZIP_STORED)
    second = honest.rindex(b"PK\1\2")
    path = put(tmp_path, honest[: second + 42] + b"\0\0\0\0" + honest[second + 46 :])  # both lie at the start
    with taken(path, tmp_path) as intake:
        assert list(contents(intake, path)) == ["rank_0"]
        assert reasons(intake, path) == {"rank_1": "it shares bytes with another member; not unpacked"}


def test_archives_within_archives_one_level_deep(tmp_path: Path) -> None:
    innermost = zip_of({"rank_3": DUMP})
    inner = tar_of({"rank_1": DUMP, "b/innermost.zip": innermost, "b/rank_2": DUMP}, "gz")
    path = put(tmp_path, zip_of({"node-1/inner.tgz": inner, "node-2/rank_0": DUMP}))
    with taken(path, tmp_path) as intake:
        assert list(contents(intake, path)) == ["node-1/inner.tgz/rank_1", "node-2/rank_0"]
        assert reasons(intake, path) == {
            "node-1/inner.tgz/b/innermost.zip": "an archive within an archive within an archive; unpack it first"
        }
        assert intake.notes == (f"{path}: 1 files in sub-folders left aside (-r takes them too)",)


def test_the_rule_of_folders_holds_in_archives(tmp_path: Path) -> None:
    files = {
        "case/README": b"words",
        "case/rank_0.json": DUMP,
        "case/pickles/rank_0": DUMP,
        "case/pickles/rank_1": DUMP,
    }
    path = put(tmp_path, tar_of(files))
    with taken(path, tmp_path) as intake:
        assert list(contents(intake, path)) == ["case/README", "case/rank_0.json"]
        assert intake.notes == (f"{path}: 2 files in sub-folders left aside (-r takes them too)",)
    with taken(path, tmp_path, recursive=True) as intake:
        assert list(contents(intake, path)) == list(files)  # a folder's own files first


def test_of_a_name_that_comes_twice_the_later_counts(tmp_path: Path) -> None:
    path = put(tmp_path, tar_of([tar_record("rank_0", b"{}"), tar_record("./rank_0", DUMP)]))
    with taken(path, tmp_path) as intake:
        assert contents(intake, path) == {"rank_0": DUMP}
        assert reasons(intake, path) == {"rank_0": "the archive has this name twice; the later one is read"}
        assert not intake.refused[0].partial


def test_names_with_controls_are_made_plain(tmp_path: Path) -> None:
    path = put(tmp_path, tar_of({"a\x1b]0;x\x07\n_rank_4": DUMP}))
    with taken(path, tmp_path) as intake:
        (artifact,) = intake.artifacts
        assert artifact.file_name == "a\\x1b]0;x\\x07\\n_rank_4"


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(members=2), "more than 2 members; the rest is not read"),
        (Limits(kept_bytes=100), "more than 100 bytes to keep; the rest is not read"),
        (Limits(unpacked_bytes=4_000), "more than 4,000 bytes unpacked; the rest is not read"),
        (Limits(free_bytes=1 << 60), "bytes would stay free on the disk"),
    ],
)
@pytest.mark.parametrize("form", ["tar.gz", "zip"])
def test_limits_end_an_archive_and_are_said(tmp_path: Path, form: str, limits: Limits, reason: str) -> None:
    files = {f"rank_{rank}": b"Thread 0x1 (most recent call first):\n" * 40 for rank in range(4)}
    path = put(tmp_path, PACKERS[form](files))
    with taken(path, tmp_path, limits=limits) as intake:
        assert len(intake.artifacts) < 4
        (refused,) = intake.refused
        assert (refused.name, refused.partial) == (str(path), True)
        assert reason in refused.reason


@pytest.mark.parametrize("form", ["tar", "tar.gz", "zip"])
def test_a_member_that_is_too_large_is_left_out_and_the_others_count(tmp_path: Path, form: str) -> None:
    path = put(tmp_path, PACKERS[form]({"rank_0": DUMP, "rank_1": DUMP * 5000, "rank_2": DUMP}))
    with taken(path, tmp_path, limits=Limits(member_bytes=100_000)) as intake:
        assert list(contents(intake, path)) == ["rank_0", "rank_2"]
        assert reasons(intake, path) == {"rank_1": "more than 100,000 bytes; not read"}


@pytest.mark.parametrize("form", ["tar.gz", "tar.bz2", "tar.xz", "zip"])
def test_a_bomb_is_stopped_by_what_comes_out(tmp_path: Path, form: str) -> None:
    path = put(tmp_path, PACKERS[form]({"rank_0": DUMP, "rank_1": b" " * 3_000_000}))
    limits = Limits(ratio=50, ratio_from=100_000)
    with taken(path, tmp_path, limits=limits) as intake:
        assert list(contents(intake, path))[:1] in (["rank_0"], [])
        assert sum(one.body.size for one in intake.artifacts) < 2_500_000
        assert any("expands more than 50 times" in refused.reason for refused in intake.refused)


@pytest.mark.parametrize("claimed", [5_000, 1 << 40, (1 << 63) - 1])
def test_a_size_that_a_tar_only_claims(tmp_path: Path, claimed: int) -> None:
    path = put(tmp_path, tar_record("rank_0", DUMP) + tar_record("rank_1", DUMP, size=claimed))
    with taken(path, tmp_path) as intake:
        found = contents(intake, path)
        assert found["rank_0"] == DUMP
        assert found["rank_1"].startswith(DUMP)
        assert len(found["rank_1"]) == 512
        assert [refused.partial for refused in intake.refused] == [True] * len(intake.refused)
        assert intake.refused


def test_extended_headers_are_bounded(tmp_path: Path) -> None:
    for kind in (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME):
        path = put(tmp_path, tar_record("rank_0", DUMP) + tar_record("x", DUMP, kind, size=1 << 33))
        with taken(path, tmp_path) as intake:
            assert list(contents(intake, path)) == ["rank_0"]
            assert "an extended header of 8,589,934,592 bytes" in intake.refused[0].reason


def test_a_tar_as_pax_and_gnu_write_it_with_long_names(tmp_path: Path) -> None:
    long = "d" * 200 + "/ünïcode/rank_5"
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w", format=form) as archive:
            info = tarfile.TarInfo(long)
            info.size, info.mtime = len(DUMP), 1_758_610_505.25
            archive.addfile(info, io.BytesIO(DUMP))
        path = put(tmp_path, made.getvalue())
        with taken(path, tmp_path) as intake:
            assert contents(intake, path) == {long: DUMP}
            assert intake.artifacts[0].modified_at // 1_000_000_000 == 1_758_610_505


def test_what_is_certainly_none_of_a_jobs_files_is_not_kept(tmp_path: Path) -> None:
    weights = b"\x93NUMPY\x01\x00" + bytes(range(256)) * 40
    path = put(tmp_path, tar_of({"model.bin": weights, "rank_0": DUMP}, "gz"))
    with taken(path, tmp_path) as intake:
        assert list(contents(intake, path)) == ["rank_0"]
        assert [(one.reason, one.partial) for one in intake.refused] == [("binary data of an unknown kind", False)]


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"m/data.pkl": b"\x80\x02}", "m/version": b"3", "m/data/0": b"\0" * 99}, "a checkpoint of torch.save"),
        ({"a.npy": b"\x93NUMPY"}, "arrays of numpy"),
        ({"[Content_Types].xml": b"<x/>"}, "a document of an office program"),
        ({"META-INF/MANIFEST.MF": b""}, "a package of a program"),
    ],
)
def test_zips_that_are_something_else(tmp_path: Path, members: dict[str, bytes], reason: str) -> None:
    path = put(tmp_path, zip_of(members))
    with taken(path, tmp_path) as intake:
        assert intake.artifacts == ()
        assert [(one.reason, one.partial) for one in intake.refused] == [(f"{reason}; not unpacked", False)]


@pytest.mark.parametrize(("pack", "name"), [(bz2.compress, "rank_3.json.bz2"), (lzma.compress, "rank_3.json.xz")])
def test_a_single_file_under_bzip2_or_xz(tmp_path: Path, pack: Callable[[bytes], bytes], name: str) -> None:
    path = put(tmp_path, pack(DUMP), name)
    with taken(path, tmp_path) as intake:
        (artifact,) = intake.artifacts
        assert (artifact.file_name, content(artifact).data) == ("rank_3.json", DUMP)


def test_a_single_file_under_gzip_stays_as_it_is(tmp_path: Path) -> None:
    path = put(tmp_path, gzip.compress(DUMP), "rank_3.json.gz")
    with taken(path, tmp_path) as intake:
        (artifact,) = intake.artifacts
        assert (artifact.path, artifact.body.size) == (path, path.stat().st_size)
        assert content(artifact).data == DUMP


@pytest.mark.parametrize("cut", [0, 1, 40])
def test_a_bundle_is_not_unpacked(tmp_path: Path, cut: int) -> None:
    meta = b'{"schema": "xpudbg.bundle/1", "version": "0"}'
    data = zip_of({"meta.json": meta, "bodies/0": b"x" * 500}, zipfile.ZIP_STORED)
    path = put(tmp_path, data[: len(data) - cut * 10], "x.xpudbg")
    with taken(path, tmp_path) as intake:
        assert [one.path for one in intake.artifacts] == [path]
    path = put(tmp_path, zip_of({"meta.json": b'{"schema": "other"}', "rank_0": DUMP}), "other.zip")
    with taken(path, tmp_path) as intake:
        assert [one.file_name for one in intake.artifacts] == ["meta.json", "rank_0"]


def test_members_of_a_tar_on_disk_are_not_copied(tmp_path: Path) -> None:
    path = put(tmp_path, tar_of({"rank_0": DUMP * 5000}))
    with taken(path, tmp_path, limits=Limits(kept_bytes=10)) as intake:
        assert [one.body.path for one in intake.artifacts] == [path]
        assert content(intake.artifacts[0]).data == DUMP * 5000


def test_many_small_members_do_not_stay_in_memory(tmp_path: Path) -> None:
    files = {f"rank_{rank}.txt": b"Thread %d\n" % rank + b"x" * 50_000 for rank in range(400)}
    path = put(tmp_path, tar_of(files, "gz"))
    with taken(path, tmp_path) as intake:
        assert sum(one.body.size for one in intake.artifacts if one.body.inline is not None) < 17 << 20
        assert contents(intake, path) == files


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_bytes_turned_over_never_raise(tmp_path: Path, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(sorted(PACKERS)))
    packed = bytearray(PACKERS[form]({"a/rank_0": DUMP, "b.txt": b"words" * 50, "a/rank_1": DUMP}))
    for _ in range(data.draw(st.integers(1, 6))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    path = put(tmp_path, bytes(packed))
    with taken(path, tmp_path) as intake:
        for artifact in intake.artifacts:
            content(artifact)
        assert all(refused.reason for refused in intake.refused)
