"""npz read as a stream: whatever wrote it, whatever is wrong with it."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from xpudbg.services.npz import zip_records as records
from xpudbg.services.npz.dtypes import LOGICAL_DTYPES, from_wire, numpy_dtype, to_wire
from xpudbg.services.npz.errors import ArrayRefusedError, NpzError, NpzLimitError, NpzTruncatedError
from xpudbg.services.npz.reader import NpzLimits, NpzReader, read_npz_chunks
from xpudbg.services.npz.writer import NpzWriter

if TYPE_CHECKING:
    from collections.abc import Iterator


class OneWay(io.RawIOBase):
    """A file that can't be seeked, so that a zip writer puts sizes and checksums behind the members."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.data += data
        return len(data)


def saved(arrays: dict[str, np.ndarray], packed: bool = False, one_way: bool = False) -> bytes:
    """What NumPy itself writes."""
    target = OneWay() if one_way else io.BytesIO()
    save: Any = np.savez_compressed if packed else np.savez
    save(target, **arrays)
    return bytes(target.data) if isinstance(target, OneWay) else target.getvalue()


def zipped(content: bytes, method: int = zipfile.ZIP_STORED, name: str = "x") -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        archive.writestr(f"{name}.npy", content)
    return target.getvalue()


def npy(header: str, values: bytes = b"", version: int = 1) -> bytes:
    text = header.encode()
    size = struct.pack("<H" if version == 1 else "<L", len(text))
    return b"\x93NUMPY" + bytes((version, 0)) + size + text + values


def header(descr: str = "'<f4'", shape: str = "(2,)", order: str = "False") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


def split(data: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


MIXED: dict[str, np.ndarray] = {
    "scalar": np.array(3.5),
    "empty": np.empty((0, 3), np.float32),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(3, 2)),
    "bigend": np.array([1.0, 2.5], ">f4"),
    "reversed": np.arange(5)[::-1],
    "flag": np.array([True, False]),
    "big": np.array([2**53 + 1, -(2**63)]),
    "most": np.array([2**64 - 1], np.uint64),
    "when": np.array(["2026-01-01", "NaT"], "M8[ns]"),
    "odd": np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324]),
    "out/層.0": np.ones((1, 2)),
}


@pytest.mark.parametrize("packed", [False, True], ids=["stored", "deflated"])
@pytest.mark.parametrize("one_way", [False, True], ids=["sizes ahead", "sizes behind"])
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_what_numpy_writes_is_read_whatever_the_pieces(packed: bool, one_way: bool, size: int) -> None:
    read = read_npz_chunks(split(saved(MIXED, packed, one_way), size))
    assert list(read) == list(MIXED)
    for name, array in MIXED.items():
        assert read[name].dtype == array.dtype
        assert read[name].shape == array.shape
        assert read[name].tobytes() == array.tobytes()
    assert read["fortran"].flags.f_contiguous
    assert not read["fortran"].flags.c_contiguous


def test_bits_without_a_name_stay_raw() -> None:
    values = {name: np.ones(3, getattr(ml_dtypes, name)) for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2")}
    read = read_npz_chunks([saved(values)])
    assert [array.dtype.str for array in read.values()] == ["|V2", "|V1", "|V1"]
    for name, array in values.items():
        assert from_wire(read[name], name).tobytes() == array.tobytes()
        assert from_wire(read[name], name).dtype == array.dtype


def shapes() -> st.SearchStrategy[tuple[int, ...]]:
    return arrays_of.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)


@st.composite
def operands(draw: st.DrawFn) -> tuple[str, np.ndarray]:
    logical = draw(st.sampled_from(LOGICAL_DTYPES))
    dtype = numpy_dtype(logical)
    shape = draw(shapes()) + ((2,) if logical == "complex32" else ())
    count = int(np.prod(shape, dtype=int)) * dtype.itemsize
    raw = np.frombuffer(draw(st.binary(min_size=count, max_size=count)), np.uint8)
    array = (raw & 1).astype(dtype) if logical == "bool" else raw.view(dtype)
    array = array.reshape(shape)
    match draw(st.sampled_from("CFRTW")):
        case "F":
            array = np.asfortranarray(array)
        case "R" if array.ndim and logical != "complex32":
            array = array[::-1]
        case "T" if logical != "complex32":
            array = array.T
        case "W" if array.ndim:
            array = np.repeat(array, 2, axis=0)[::2]
    return logical, array


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(operands(), max_size=4), st.sampled_from(["never", "auto", "always"]), st.integers(1, 300))
def test_any_operand_goes_round_unchanged(given_: list[tuple[str, np.ndarray]], deflate: str, size: int) -> None:
    wires = [to_wire(f"a{index}", array, logical) for index, (logical, array) in enumerate(given_)]
    writer = NpzWriter([(wire.name, wire.array) for wire in wires], deflate=deflate)  # type: ignore[arg-type]
    data = b"".join(writer)
    assert len(data) == writer.content_length
    read = read_npz_chunks(split(data, size))
    with np.load(io.BytesIO(data), allow_pickle=False) as theirs:
        assert theirs.files == list(read)
        for (logical, array), (name, member) in zip(given_, read.items(), strict=True):
            back = from_wire(member, logical)
            assert (back.dtype, back.shape) == (array.dtype, array.shape)
            assert back.tobytes() == array.tobytes() == theirs[name].tobytes()
            assert member.flags.f_contiguous == theirs[name].flags.f_contiguous


GOOD = saved({"first": np.arange(3.0), "big": np.arange(40.0)})


@pytest.mark.parametrize("packed", [False, True], ids=["stored", "deflated"])
@pytest.mark.parametrize("one_way", [False, True], ids=["sizes ahead", "sizes behind"])
def test_every_cut_is_found(packed: bool, one_way: bool) -> None:
    data = saved({"first": np.arange(3.0), "big": np.arange(40.0)}, packed, one_way)
    for end in range(len(data)):
        with pytest.raises(NpzTruncatedError):
            read_npz_chunks([data[:end]])


def test_a_cut_is_said_with_its_member() -> None:
    with pytest.raises(NpzTruncatedError, match="ends too early, in member big"):
        read_npz_chunks([GOOD[:500]])
    with pytest.raises(NpzTruncatedError, match="in its list of members"):
        read_npz_chunks([GOOD[:-30]])


def test_every_flipped_bit_of_the_values_is_found() -> None:
    start = GOOD.index(np.arange(3.0).tobytes())
    for at in range(start, start + 24):
        damaged = bytearray(GOOD)
        damaged[at] ^= 1
        with pytest.raises(NpzError, match="member first is damaged: its checksum is wrong"):
            read_npz_chunks([damaged])


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_a_damaged_byte_gives_the_arrays_or_a_typed_error(at: int, change: int) -> None:
    damaged = bytearray(GOOD)
    damaged[at] ^= change
    try:
        read = read_npz_chunks([damaged])
    except NpzError:
        return
    assert [array.tolist() for array in read.values()] == [np.arange(3.0).tolist(), np.arange(40.0).tolist()]


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_typed_error(data: bytes) -> None:
    with pytest.raises(NpzError):
        read_npz_chunks([data])
    with pytest.raises(NpzError):
        read_npz_chunks([GOOD[:31], data])


LIES = {
    "a shape beyond what is stored": (npy(header(shape="(1099511627776,)"), bytes(16)), NpzError, "8?.*asks for"),
    "a shape beyond counting": (npy(header(shape="(1000000000000000000, 1000)")), NpzError, "asks for"),
    "a shape beyond 64 bits": (npy(header(shape="(99999999999999999999,)")), NpzLimitError, "larger than any"),
    "a huge shape with a zero": (npy(header(shape="(4611686018427387904, 4, 0)")), NpzLimitError, "larger than any"),
    "a negative shape": (npy(header(shape="(-1,)")), NpzError, "shape"),
    "too many axes": (npy(header(shape=f"({'1,' * 65})")), NpzLimitError, "65 axes"),
    "fewer values": (npy(header(), bytes(4)), NpzError, "holds 4 bytes of values; its header asks for 8"),
    "more values": (npy(header(), bytes(12)), NpzError, "holds 12 bytes of values; its header asks for 8"),
    "objects": (npy(header("'|O'")), ArrayRefusedError, "Python objects"),
    "text": (npy(header("'<U8'"), bytes(64)), ArrayRefusedError, "text"),
    "structured": (npy(header("[('a', '<f4')]"), bytes(8)), ArrayRefusedError, "structured"),
    "a long double": (npy(header("'<f16'"), bytes(32)), ArrayRefusedError, "f16"),
    "an unknown dtype": (npy(header("'<x4'"), bytes(8)), NpzError, "dtype"),
    "code for a header": (npy("__import__('os').system('true')"), NpzError, "no dictionary"),
    "code in a header": (npy(header(order="exit()"), bytes(8)), NpzError, "fortran_order"),
    "a deep header": (npy("{" + "(" * 5000 + "}"), NpzError, "can't be read"),
    "a long header": (npy(header() + " " * 20_000, version=2), NpzLimitError, "header is"),
    "a key twice": (npy("{'shape': (), 'shape': ()}"), NpzError, "can't be read"),
    "a missing key": (npy("{'descr': '<f4', 'shape': ()}"), NpzError, "no fortran_order"),
    "another version": (npy(header(), bytes(8)).replace(b"Y\x01", b"Y\x09"), NpzError, "9.0"),
    "no array": (b"not an array at all", NpzError, "no array"),
    "nothing": (b"", NpzError, "no array"),
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflated"])
def test_a_member_that_lies_is_refused(lie: str, method: int) -> None:
    content, kind, text = LIES[lie]
    with pytest.raises(kind, match=f"member x .*{text}") as refused:
        read_npz_chunks([zipped(content, method)])
    assert refused.value.member == "x"


def test_memory_is_not_taken_on_a_header_alone() -> None:
    claims = zipped(npy(header(shape="(200000000,)"), bytes(16)), zipfile.ZIP_DEFLATED)
    tracemalloc.start()
    try:
        with pytest.raises(NpzError):
            read_npz_chunks([claims])
        assert tracemalloc.get_traced_memory()[1] < 1024 * 1024
    finally:
        tracemalloc.stop()


def test_the_unpacked_size_is_capped_and_the_cap_can_be_set() -> None:
    zeros = saved(dict.fromkeys("xy", np.zeros(1_000_000, np.uint8)), packed=True)
    assert read_npz_chunks([zeros], NpzLimits(total_bytes=2_000_000))["y"].sum() == 0
    with pytest.raises(
        NpzLimitError, match="member y asks for 1,000,000 bytes; all members together may have 1,999,999"
    ):
        read_npz_chunks([zeros], NpzLimits(total_bytes=1_999_999))
    with pytest.raises(NpzLimitError, match="more than 1 members"):
        read_npz_chunks([zeros], NpzLimits(members=1))


def test_reading_needs_little_beside_the_arrays() -> None:
    data = saved({"x": np.zeros(16 * 1024 * 1024, np.uint8)}, packed=True)
    tracemalloc.start()
    try:
        reader = NpzReader()
        for piece in split(data, 4096):
            reader.feed(piece)
        assert reader.finish()["x"].nbytes == 16 * 1024 * 1024
        assert tracemalloc.get_traced_memory()[1] < 17 * 1024 * 1024 + 512 * 1024
    finally:
        tracemalloc.stop()


def twice() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("a.npy", npy(header(), bytes(8)))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.npy", npy(header(), bytes(8)))
    return target.getvalue()


def named(name: str, flags: int = 0, method: int = 0) -> bytes:
    data = bytearray(zipped(npy(header(), bytes(8))))
    data[6] |= flags
    data[8] = method
    return bytes(data).replace(b"x.npy", name.encode())


def test_archives_that_are_none_are_said_to_be_so() -> None:
    with pytest.raises(NpzError, match="is no npz archive: it starts with b'<html><body>503"):
        read_npz_chunks([b"<html><body>503 Service Unavailable</body></html>"])
    with pytest.raises(NpzError, match="member a is there twice"):
        read_npz_chunks([twice()])
    with pytest.raises(NpzError, match=r"member x.txt is no array"):
        read_npz_chunks([zipped(b"hello").replace(b"x.npy", b"x.txt")])
    with pytest.raises(NpzError, match="member x is encrypted"):
        read_npz_chunks([named("x.npy", flags=1)])
    with pytest.raises(NpzError, match="member x is packed by method 99"):
        read_npz_chunks([named("x.npy", method=99)])
    with pytest.raises(NpzError, match="goes on after its end"):
        read_npz_chunks([GOOD, b"x"])
    with pytest.raises(NpzError, match="something else than a member after first"):
        read_npz_chunks([GOOD[: GOOD.index(b"PK\x03\x04", 4)], b"what is this"])


def test_a_list_that_is_not_of_these_members_is_refused() -> None:
    other = bytearray(GOOD)
    other[GOOD.rindex(b"first.npy")] = ord("g")
    with pytest.raises(NpzError, match="lists a member girst"):
        read_npz_chunks([other])
    only = GOOD[: GOOD.index(b"PK\x01\x02")] + saved({})
    with pytest.raises(NpzError, match="does not list its member first"):
        read_npz_chunks([only])


def test_names_are_shown_plain() -> None:
    with pytest.raises(NpzError, match=r"member \\x1b\[2J holds") as refused:
        read_npz_chunks([zipped(npy(header("'|O'")), name="\x1b[2J")])
    assert "\x1b" not in str(refused.value)


def test_nothing_of_a_piece_is_kept() -> None:
    reader = NpzReader()
    buffer = bytearray(16)
    for piece in split(GOOD, 16):
        buffer[: len(piece)] = piece
        reader.feed(memoryview(buffer)[: len(piece)])
        buffer[:] = bytes(16)
    assert reader.finish()["big"].tolist() == np.arange(40.0).tolist()


def test_the_wide_end_of_an_archive_of_many_members_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "U16", 8)  # instead of 65,535
    data = b"".join(NpzWriter([(f"a{index}", np.array(index)) for index in range(9)]))
    assert records.END64_SIGNATURE in data
    assert [int(array) for array in read_npz_chunks(split(data, 11)).values()] == list(range(9))


def test_memory_that_can_not_be_had_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(np, "empty", none)
    with pytest.raises(NpzLimitError, match="member first asks for 24 bytes, which this process can't have"):
        read_npz_chunks([GOOD])
