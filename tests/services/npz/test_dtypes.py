"""Logical dtypes and their wire forms."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from xpudbg.services.npz.dtypes import (
    FLOAT8_FEATURE,
    LOGICAL_DTYPES,
    RAW_BITS,
    feature_needed,
    from_wire,
    logical_dtype,
    numpy_dtype,
    to_wire,
)
from xpudbg.services.npz.errors import ArrayRefusedError


@pytest.mark.parametrize("logical", LOGICAL_DTYPES)
def test_every_logical_dtype_goes_to_the_wire_and_back(logical: str) -> None:
    array = np.arange(6).reshape(3, 2).astype(numpy_dtype(logical))
    wire = to_wire("x", array, logical)
    assert wire.logical == logical
    assert wire.array.dtype == RAW_BITS.get(logical, array.dtype)
    assert np.shares_memory(wire.array, array)
    back = from_wire(wire.array, logical)
    assert back.dtype == array.dtype
    assert back.tobytes() == array.tobytes()


def test_the_schema_of_complex32_says_float16() -> None:
    assert to_wire("x", np.zeros((4, 2), np.float16), "complex32").schema_dtype == "float16"
    assert to_wire("x", np.zeros(4, ml_dtypes.bfloat16)).schema_dtype == "bfloat16"


def test_an_array_says_its_own_dtype() -> None:
    assert logical_dtype(np.zeros(1, ml_dtypes.float8_e8m0fnu)) == "float8_e8m0fnu"
    assert logical_dtype(np.zeros(1, ">i4")) == "int32"
    assert logical_dtype(np.zeros(1, "V2")) is None
    assert to_wire("x", np.zeros(1, ml_dtypes.float8_e5m2)).logical == "float8_e5m2"


def test_big_endian_is_converted_and_said() -> None:
    wire = to_wire("x", np.array([1.0, 2.5], ">f4"))
    assert wire.array.dtype.str == "<f4"
    assert wire.array.tolist() == [1.0, 2.5]
    assert wire.note == "converted from big-endian"
    assert to_wire("x", np.zeros(1, "<f4")).note == ""


@pytest.mark.parametrize("bits", ["int16", "uint16", "V2"])
def test_bits_of_bfloat16_are_taken_when_declared(bits: str) -> None:
    array = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    assert to_wire("x", array.view(bits), "bfloat16").array.tobytes() == array.tobytes()


REFUSED = {
    "text": (np.array(["a"]), "text"),
    "objects": (np.array([None]), "Python objects"),
    "structured": (np.zeros(2, "f4,i2"), "structured"),
    "long double": (np.zeros(2, np.longdouble), "float128|float64"),
    "int4": (np.zeros(2, ml_dtypes.int4), "int4"),
    "float8 without a torch name": (np.zeros(2, ml_dtypes.float8_e3m4), "float8_e3m4"),
    "dates": (np.zeros(2, "M8[s]"), "int64"),
    "raw": (np.zeros(2, "V2"), "2-byte raw, its dtype unknown"),
    "masked": (np.ma.zeros(2), "mask"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_the_protocol_cannot_carry_is_refused_by_name_and_reason(kind: str) -> None:
    array, reason = REFUSED[kind]
    with pytest.raises(ArrayRefusedError, match=rf"input weight.*({reason})") as refused:
        to_wire("weight", array)
    assert refused.value.member == "weight"


@pytest.mark.parametrize(
    ("array", "declared"),
    [
        (np.zeros(2, np.float16), "bfloat16"),
        (np.zeros(2, np.int32), "bfloat16"),
        (np.zeros(2, np.int16), "float8_e5m2"),
        (np.zeros(2, ml_dtypes.float8_e5m2), "float8_e4m3fn"),
        (np.zeros(3, np.float16), "complex32"),
        (np.float16(1.0), "complex32"),
        (np.zeros((3, 2), np.float32), "complex32"),
        (np.zeros(2, np.float32), "float64"),
        (np.zeros(2, np.float32), "float7"),
        (np.zeros(2, ml_dtypes.bfloat16), "int16"),
    ],
)
def test_a_declaration_that_the_array_contradicts_is_refused(array: np.ndarray, declared: str) -> None:
    with pytest.raises(ArrayRefusedError, match=declared):
        to_wire("x", np.asarray(array), declared)


def test_a_member_that_is_not_what_is_said_of_it_is_refused() -> None:
    for array, said in ((np.zeros(2, np.float32), "bfloat16"), (np.zeros(2, np.float32), "int32")):
        with pytest.raises(ArrayRefusedError, match=f"a3: said to be {said}"):
            from_wire(array, said, "a3")


def test_only_float8_needs_a_server_that_announces_it() -> None:
    assert {logical for logical in LOGICAL_DTYPES if feature_needed(logical) == FLOAT8_FEATURE} == {
        name for name in LOGICAL_DTYPES if name.startswith("float8")
    }


def test_a_scale_of_the_other_spelling_is_the_same_dtype() -> None:
    assert numpy_dtype("float8_e8m0") == np.dtype(ml_dtypes.float8_e8m0fnu)
