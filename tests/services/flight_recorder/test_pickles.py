"""Pickles (protocol 2 and later) as plain data: what could run code or eat memory is refused unloaded."""

from __future__ import annotations

import os
import pickle
import struct
from collections import OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.flight_recorder.dump import DumpError
from xpudbg.services.flight_recorder.pickles import load_plain

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64) | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner) | st.tuples(inner, inner, inner, inner)
    ),
    max_leaves=40,
)


class Runs:
    """Makes a folder when it is loaded by a trusting reader."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("owned",)


@given(plain, st.integers(3, 5))
def test_plain_data_comes_back(value: object, protocol: int) -> None:
    assert load_plain(pickle.dumps(value, protocol)) == value


@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**63), 2**64) | st.text(), st.lists))
def test_the_protocol_of_torch_comes_back(value: object) -> None:
    assert load_plain(pickle.dumps(value, 2)) == value


def test_shared_objects_stay_shared() -> None:
    frame = {"name": "f"}
    loaded = load_plain(pickle.dumps([frame, frame], 2))
    assert isinstance(loaded, list)
    assert loaded[0] is loaded[1]


@pytest.mark.parametrize("protocol", range(6))
def test_code_is_never_run(protocol: int, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(str(tmp_path))
    hostile: object
    for hostile in (Runs(), [1, {"a": Runs()}], OrderedDict(), print, range(3), {1, 2}, frozenset("a")):
        with pytest.raises(DumpError, match=r"^a pickle that |^not a pickle"):
            load_plain(pickle.dumps(hostile, protocol))
    assert os.listdir() == []


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x02}r\xff\xff\xff\x7f.",  # a memo index of two thousand million
        b"\x80\x02}r\x00\x00\x10\x00.",
        b"\x80\x05\x96\xff\xff\xff\xff\xff\xff\xff\x7f.",  # a bytearray of 8 EiB
        b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7fa.",  # a text of 8 EiB
        b"\x80\x02\x8b" + struct.pack("<i", 100_000) + b"\x01" * 100_000 + b".",  # a number of 800,000 bits
        b"\x80\x02\x8a\xff" + b"\x01" * 255 + b".",
        b"\x80\x02Pabc\n.",  # a persistent id
        b"\x80\x02\x82\x01.",  # an extension code
        b"\x80\x05\x97.",  # an out-of-band buffer
        b"(dp2147483647\n.",
        b"\x80\x02\xff.",
    ],
)
def test_bombs_and_strange_opcodes_are_refused(data: bytes) -> None:
    with pytest.raises(DumpError):
        load_plain(data)


@pytest.mark.parametrize("data", [b"\x80\x02.", b"\x80\x02]a.", b"\x80\x02h\x05.", b"\x80\x02}]N}s.", b"\x80\x02(u."])
def test_nonsense_is_a_broken_pickle(data: bytes) -> None:
    with pytest.raises(DumpError, match="a broken pickle"):
        load_plain(data)


def test_every_cut_is_said_to_be_one() -> None:
    data = pickle.dumps({"a": [1, 300, 70_000, 2**40, 1.5, "x" * 300, ("b", None)]}, 2)
    for length in range(2, len(data)):
        with pytest.raises(DumpError, match=f"a pickle cut at byte {length}"):
            load_plain(data[:length])
