"""npz as a stream: NumPy reads it, its length is known ahead, memory stays constant."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
import zlib

import ml_dtypes
import numpy as np
import pytest

from xpudbg.services.npz import zip_records as records
from xpudbg.services.npz.errors import ArrayRefusedError, NpzError
from xpudbg.services.npz.reader import read_npz_chunks
from xpudbg.services.npz.writer import CHUNK, NpzWriter

RANDOM = np.random.Generator(np.random.PCG64(7))
NOISE = RANDOM.integers(0, 256, 3 * CHUNK + 5, np.uint8)


def written(*arrays: np.ndarray, **options: str) -> bytes:
    writer = NpzWriter([(f"a{index}", array) for index, array in enumerate(arrays)], **options)  # type: ignore[arg-type]
    length = writer.content_length
    data = b"".join(writer)
    assert len(data) == length
    return data


ARRAYS: dict[str, np.ndarray] = {
    "0-d": np.array(3.5),
    "empty": np.empty((0, 3), np.float32),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(3, 2)),
    "reversed": np.arange(5)[::-1],
    "transposed": np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2),
    "broadcast": np.broadcast_to(np.float32(2), (300, 400)),
    "beyond 2**53": np.array([2**53 + 1, -(2**63)]),
    "bool": np.array([True, False]),
    "complex": np.array([1 + 2j], np.complex64),
    "raw bits": np.zeros(3, "V2"),
    "big-endian": np.array([1.0], ">f4"),
    "several pieces": NOISE,
    "several pieces, strided": NOISE[::-2],
}


@pytest.mark.parametrize("name", ARRAYS)
def test_numpy_reads_what_is_written(name: str) -> None:
    array = ARRAYS[name]
    with np.load(io.BytesIO(written(array)), allow_pickle=False) as archive:
        back = archive["a0"]
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()
    assert back.flags.f_contiguous or not array.flags.f_contiguous


def test_an_archive_of_nothing_is_the_empty_zip() -> None:
    assert written() == records.END_SIGNATURE + bytes(18)


def test_noise_is_stored_and_zeros_are_deflated() -> None:
    zeros = np.zeros(1_000_000, np.float32)
    data = written(NOISE, zeros, np.zeros(10))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        methods = [member.compress_type for member in archive.infolist()]
    assert methods == [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED]
    assert len(data) < NOISE.nbytes + 50_000
    assert len(written(zeros, deflate="never")) > zeros.nbytes


def test_what_deflating_makes_no_smaller_is_stored() -> None:
    data = written(NOISE, deflate="always")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.infolist()[0].compress_type == zipfile.ZIP_STORED


def test_what_packs_to_much_is_packed_twice_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.npz.writer._KEPT_PACKED", 1000)
    array = (NOISE % 3).astype(np.int32)
    writer = NpzWriter([("a0", array)])
    first, second = b"".join(writer), b"".join(writer)
    assert first == second
    assert len(first) == writer.content_length < array.nbytes // 4
    np.testing.assert_array_equal(read_npz_chunks([first])["a0"], array)
    array[:] = 0
    with pytest.raises(NpzError, match="changed while it was sent"):
        b"".join(writer)


def test_stored_pieces_are_views_of_the_arrays_and_bounded() -> None:
    pieces = list(NpzWriter([("a0", NOISE), ("a1", np.asfortranarray(NOISE[:-1].reshape(2, -1)))]))
    assert max(map(len, pieces)) <= CHUNK
    views = [piece for piece in pieces if isinstance(piece, memoryview)]
    assert sum(map(len, views)) == 2 * NOISE.nbytes - 1
    assert sum(np.shares_memory(np.frombuffer(view, np.uint8), NOISE) for view in views) == 4


@pytest.mark.parametrize("step", [1, -1])
def test_extra_memory_does_not_grow_with_the_arrays(step: int) -> None:
    array = np.zeros(16 * 1024 * 1024, np.uint8)[::step]
    for deflate in ("never", "always"):
        writer = NpzWriter([("a0", array)], deflate=deflate)
        tracemalloc.start()
        try:
            for _piece in writer:
                pass
            assert tracemalloc.get_traced_memory()[1] < 2 * 1024 * 1024
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize(
    "array",
    [np.array(["a"]), np.array([None]), np.zeros(1, "f4,i2"), np.zeros(1, ml_dtypes.bfloat16), np.zeros(1, "V3")],
    ids=["text", "objects", "structured", "bfloat16", "3 raw bytes"],
)
def test_arrays_that_are_not_plain_numbers_are_refused(array: np.ndarray) -> None:
    with pytest.raises(ArrayRefusedError, match=r"weight.*can't be written"):
        NpzWriter([("weight", array)])


def test_a_name_given_twice_is_refused() -> None:
    with pytest.raises(NpzError, match="twice"):
        NpzWriter([("a", np.zeros(1)), ("a", np.zeros(1))])


def test_sizes_beyond_32_bits_are_in_the_zip64_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an array of 5 GiB in one byte of memory, whose values are left out."""
    wide = np.broadcast_to(np.uint8(1), (5 * 1024**3,))
    writer = NpzWriter([("a0", wide), ("a1", np.zeros(1))], deflate="never")
    monkeypatch.setattr(zlib, "crc32", lambda data, start=0: 0)
    monkeypatch.setattr("xpudbg.services.npz.writer._content", lambda member: iter((member.header,)))
    data = b"".join(writer)
    assert writer.content_length == len(data) + 5 * 1024**3 + 8
    local = records.LOCAL.unpack_from(data)
    assert local[7:9] == (records.U32, records.U32)
    assert records.zip64_extra(data[30 + local[9] : 30 + local[9] + local[10]]) == [5 * 1024**3 + 128] * 2
    central = [at for at in range(len(data)) if data.startswith(records.CENTRAL_SIGNATURE, at)]
    second = records.CENTRAL.unpack_from(data, central[1])
    assert second[16] == records.U32
    assert records.zip64_extra(data[central[1] + 46 + second[10] :][: second[11]]) == [
        5 * 1024**3 + 128 + 30 + len("a0.npy") + 20
    ]
    end64 = data.index(records.END64_SIGNATURE)
    assert records.END64.unpack_from(data, end64)[6:8] == (2, 2)
    assert records.END64_LOCATOR.unpack_from(data, end64 + records.END64.size)[2] > 5 * 1024**3
