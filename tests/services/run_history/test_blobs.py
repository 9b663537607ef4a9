"""Arrays kept by content: once each, as they were, and gone only when nobody has them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from xpudbg.services.run_history.blobs import MAPPED_FROM, Blob, BlobFolder
from xpudbg.services.run_history.errors import NotKeptError

ARRAYS: dict[str, NDArray[Any]] = {
    "floats": np.array([[1, -0.0, np.nan], [np.inf, 5e-324, 2]], np.float64),
    "fortran": np.asfortranarray(np.arange(12, dtype=np.int16).reshape(3, 4)),
    "strided": np.arange(24, dtype=np.uint8).reshape(4, 6)[::2, ::-1],
    "scalar": np.array(7, np.int64),
    "empty": np.zeros((0, 3), np.float32),
    "bfloat16": np.array([1.5, -2, np.nan], ml_dtypes.bfloat16),
    "float8": np.array([[1.5, -2]], ml_dtypes.float8_e4m3fn),
    "complex": np.array([1 + 2j], np.complex64),
    "bool": np.array([True, False]),
    "raw": np.array([1, 2], np.uint16).view("V2"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_comes_back_as_it_was(tmp_path: Path, name: str) -> None:
    blobs = BlobFolder(tmp_path / "arrays")
    array = ARRAYS[name]
    back = blobs.get(blobs.put(array))
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tobytes() == array.tobytes()
    assert not back.flags.writeable


def test_large_arrays_are_mapped(tmp_path: Path) -> None:
    blobs = BlobFolder(tmp_path)
    array = np.arange(MAPPED_FROM // 8, dtype=np.int64)
    back = blobs.get(blobs.put(array))
    assert np.array_equal(back, array)
    assert not back.flags.owndata


def test_equal_arrays_are_one_file_and_others_are_others(tmp_path: Path) -> None:
    blobs = BlobFolder(tmp_path)
    ones = np.ones(8, np.float32)
    kept = [blobs.put(array) for array in (ones, ones.copy(), ones.reshape(2, 4), ones.view(np.int32))]
    assert kept[0] == kept[1]
    assert len({blob.hash for blob in kept}) == 3
    assert blobs.sizes() == {blob.hash: blob.size for blob in kept}
    assert not list(tmp_path.glob("*.part"))


def test_a_cut_off_file_is_said_and_written_anew(tmp_path: Path) -> None:
    blobs = BlobFolder(tmp_path)
    blob = blobs.put(np.arange(100))
    path = blobs.path(blob.hash)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(NotKeptError, match="cut off"):
        blobs.get(blob)
    assert np.array_equal(blobs.get(blobs.put(np.arange(100))), np.arange(100))


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "ab", "Z" * 40])
def test_a_damaged_name_reaches_no_other_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotKeptError, match="no hash"):
        BlobFolder(tmp_path).get(Blob(name, "int8", 10))


def test_objects_are_not_kept(tmp_path: Path) -> None:
    with pytest.raises(NotKeptError):
        BlobFolder(tmp_path).put(np.array([object()]))
    assert not list(tmp_path.iterdir())


def test_only_old_blobs_without_use_are_removed(tmp_path: Path) -> None:
    blobs = BlobFolder(tmp_path)
    used, old, young, again = (blobs.put(np.full(4, value)) for value in range(4))
    for blob in (used, old, again):
        os.utime(blobs.path(blob.hash), (0, 0))
    part = tmp_path / ".dead.part"
    part.write_bytes(b"left by a crash")
    os.utime(part, (0, 0))
    (tmp_path / "note.txt").write_text("not ours")
    os.utime(tmp_path / "note.txt", (0, 0))
    blobs.put(np.full(4, 3))  # a row for it may be on its way
    assert blobs.remove_all_but({used.hash}) == old.size + 15
    assert set(blobs.sizes()) == {used.hash, young.hash, again.hash}
    assert not part.exists()
    assert (tmp_path / "note.txt").exists()
