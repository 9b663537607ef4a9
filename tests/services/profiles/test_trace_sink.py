"""A trace on its way to the disk, and a disk that takes none of it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from xpudbg.services.profiles.saved import ABOUT, remove_empty
from xpudbg.services.profiles.trace_sink import TraceSink


def test_what_comes_is_packed_and_named_when_it_is_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "rank-00000.json.gz"
    sink = TraceSink(path)
    for piece in (b'{"traceEvents"', b":[]}"):
        sink.write(piece)
    assert not path.exists()
    assert sink.finish().size == 18
    assert sink.keep()
    assert gzip.decompress(path.read_bytes()) == b'{"traceEvents":[]}'


@pytest.mark.parametrize("device", [Path("/dev/full")])
def test_a_full_disk_keeps_no_empty_file(tmp_path: Path, device: Path) -> None:
    if not device.exists():
        pytest.skip("no device that is always full")
    path = tmp_path / "rank-00000.json.gz"
    sink = TraceSink(path)
    (tmp_path / "rank-00000.json.gz.part").symlink_to(device)
    sink.write(b'{"traceEvents":[]}')
    with pytest.raises(OSError, match="No space left"):
        sink.finish()
    sink.finish()
    assert not sink.keep()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_capture_that_did_not_begin_goes(tmp_path: Path) -> None:
    empty, kept = tmp_path / "empty", tmp_path / "kept"
    for folder in (empty, kept):
        folder.mkdir()
        (folder / ABOUT).touch()
    (kept / "rank-00000.json.gz").touch()
    remove_empty(empty)
    remove_empty(kept)
    remove_empty(tmp_path / "none")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert len(list(kept.iterdir())) == 2
