"""Arrays from and to files."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import pytest

from xpudbg.services.npz.errors import ArrayRefusedError, NpzError, NpzLimitError, NpzTruncatedError
from xpudbg.services.npz.files import read_npy, read_npz, write_npz
from xpudbg.services.npz.reader import NpzLimits

if TYPE_CHECKING:
    from pathlib import Path


def test_an_archive_is_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    write_npz(path, [("a", np.arange(3))])
    write_npz(path, [("b/c", np.arange(4.0))])
    assert read_npz(path)["b/c"].tolist() == [0, 1, 2, 3]
    assert read_npz(path.read_bytes())["b/c"].tolist() == [0, 1, 2, 3]
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.npz"]


def test_a_refused_archive_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    path.write_text("old")
    with pytest.raises(ArrayRefusedError):
        write_npz(path, [("a", np.array(["text"]))])
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "notzip.npz"
    path.write_text("<html>")
    with pytest.raises(NpzError, match=r"notzip\.npz: is no npz archive"):
        read_npz(path)


@pytest.mark.parametrize("array", [np.float32(1), np.empty((0, 2)), np.asfortranarray(np.ones((3, 2))), np.arange(999)])
def test_a_single_array_is_read(array: np.ndarray, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", array)
    read = read_npy(tmp_path / "x.npy")
    assert (read.dtype, read.shape) == (array.dtype, array.shape)
    assert read.tobytes() == np.asarray(array).tobytes()


def test_a_single_array_that_is_wrong_is_refused() -> None:
    target = io.BytesIO()
    np.save(target, np.arange(9))
    whole = target.getvalue()
    for end in range(len(whole)):
        with pytest.raises(NpzTruncatedError):
            read_npy(whole[:end])
    with pytest.raises(NpzError, match="goes on after its values"):
        read_npy(whole + b"x")
    with pytest.raises(NpzLimitError, match="72 bytes"):
        read_npy(whole, NpzLimits(total_bytes=71))
    with pytest.raises(NpzError, match="no array"):
        read_npy(b"hello world, this is text")
