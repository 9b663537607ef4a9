"""Two outputs compared: each standard against itself written down plainly, dtypes, shapes, what is said."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from xpudbg.services.comparison.compare import compare
from xpudbg.services.comparison.cosine import Cosine
from xpudbg.services.comparison.errors import ComparisonError
from xpudbg.services.comparison.standards import Close, Mixed, StatRelErr

from .oracles import (
    absolute_errors,
    finite_pairs,
    float_pairs,
    passes_binary,
    passes_mixed,
    passes_stat_rel_err,
    small_blocks,
)

quick = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
Pair = tuple[NDArray[Any], NDArray[Any]]


@pytest.fixture(autouse=True)
def blocks_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(monkeypatch, 3)


@quick
@given(float_pairs())
def test_mixed_is_what_it_says(pair: Pair) -> None:
    found = compare(*pair, Mixed(rtol=2**-10, atol=2**-16, max_abs_error_limit=0.01))
    assert found.passed == passes_mixed(*pair, 2**-10, 2**-16, 0.01)
    assert found.passed == all(each.within for each in found.measures)
    assert bool(found.reason) != found.passed


@quick
@given(float_pairs())
def test_close_is_what_numpy_calls_close(pair: Pair) -> None:
    actual, expected = (each.astype(np.float64) for each in pair)
    with np.errstate(invalid="ignore"):
        apart = ~np.isclose(actual, expected, rtol=1e-3, atol=1e-8, equal_nan=True)
    found = compare(*pair, Close(rtol=1e-3, ptol=0.25))
    assert found.bad == apart.sum()
    assert found.passed == (apart.mean() <= 0.25)


@quick
@given(float_pairs(), st.sampled_from((2**-13, 2**-4, 10.0)))
def test_stat_rel_err_is_what_it_says(pair: Pair, threshold: float) -> None:
    assert compare(*pair, StatRelErr(threshold)).passed == passes_stat_rel_err(*pair, threshold)


@quick
@given(float_pairs())
def test_binary_is_equality_of_bytes_but_for_nan(pair: Pair) -> None:
    assert compare(*pair, "binary").passed == passes_binary(*pair)


@quick
@given(float_pairs(), st.sampled_from((0.5, 0.01, 0.0)))
def test_cosine_is_the_angle(pair: Pair, rtol: float) -> None:
    found = compare(*pair, Cosine(rtol))
    finite = finite_pairs(*pair)
    a, e = np.array([one for one, _ in finite]), np.array([other for _, other in finite])
    distance = found.measures[1].value
    if np.array_equal(a, e):
        assert distance == 0.0
    elif not (a.any() and e.any()):
        assert distance == 1.0
    else:
        assert distance == pytest.approx(1 - a @ e / (np.linalg.norm(a) * np.linalg.norm(e)), abs=1e-12)
    assert found.passed == (distance <= rtol and math.inf not in absolute_errors(*pair))
    assert found.matched_ratio is None


@quick
@given(float_pairs(), st.integers(0, 5))
def test_counts_worst_elements_and_histogram(pair: Pair, k: int) -> None:
    actual, expected = pair
    found = compare(actual, expected, Cosine(), k=k)
    errors = absolute_errors(actual, expected)
    order = sorted((place for place, error in enumerate(errors) if error > 0), key=lambda at: (-errors[at], at))
    indexes = [tuple(int(part) for part in np.unravel_index(at, actual.shape)) for at in order[:k]]
    assert [each.index for each in found.worst] == (indexes if actual.shape else [() for _ in indexes])
    assert [each.error for each in found.worst] == [errors[at] for at in order[:k]]
    for each in found.worst:
        assert repr(each.actual) == repr(float(actual[each.index]))
        assert repr(each.expected) == repr(float(expected[each.index]))
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    assert found.nan_mismatches == np.count_nonzero(np.isnan(a) ^ np.isnan(e))
    assert found.nan_mismatches + found.inf_mismatches == errors.count(math.inf) == found.histogram.infinite
    assert found.histogram.zeros == errors.count(0.0)
    assert found.histogram.zeros + found.histogram.infinite + sum(found.histogram.counts) == actual.size
    for place, count in enumerate(found.histogram.counts):
        power = found.histogram.lowest + place
        low = 0.0 if power == -64 else 2.0**power  # the outermost bins hold what lies beyond as well
        high = math.inf if power == 64 else 2.0 ** (power + 1)
        assert count == sum(low <= error < high and error > 0 for error in errors)
    finite = [abs(one - other) for one, other in finite_pairs(actual, expected)]
    assert found.max_absolute == max(finite, default=0.0)
    assert found.mean_absolute == pytest.approx(math.fsum(finite) / len(finite) if finite else 0.0)


WHOLE = ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "bool")


@st.composite
def whole_pairs(draw: st.DrawFn) -> Pair:
    size = draw(st.integers(1, 9))
    arrays = []
    for _ in range(2):
        dtype = np.dtype(draw(st.sampled_from(WHOLE)))
        bits = 8 * dtype.itemsize
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype.kind == "i" else (0, 2**bits - 1)
        high = 1 if dtype == np.bool_ else high
        edges = [value for value in (low, low + 1, 0, 1, high - 1, high) if low <= value <= high]
        values = st.one_of(st.sampled_from(edges), st.integers(low, high))
        arrays.append(np.array(draw(st.lists(values, min_size=size, max_size=size)), dtype))
    return arrays[0], arrays[1]


@quick
@given(whole_pairs())
def test_whole_numbers_of_any_width_are_compared_exactly(pair: Pair) -> None:
    actual, expected = pair
    differences = [abs(int(a) - int(e)) for a, e in zip(actual.tolist(), expected.tolist(), strict=True)]
    found = compare(actual, expected)
    assert found.standard == "binary"
    assert found.bad == sum(difference > 0 for difference in differences)
    assert found.max_absolute == pytest.approx(float(min(max(differences), 2**64 - 1)), rel=1e-15)
    assert compare(actual, expected, "quant").bad == sum(difference > 1 for difference in differences)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_whole_numbers_beyond_2_53_are_not_rounded(dtype: str) -> None:
    found = compare(np.array([2**53 + 1, 5], dtype), np.array([2**53, 5], dtype))
    assert not found.passed
    assert (found.worst[0].actual, found.worst[0].expected, found.worst[0].error) == (2**53 + 1, 2**53, 1.0)
    assert "9007199254740993 instead of 9007199254740992" in found.sentence


def test_a_difference_of_8_bit_codes_does_not_wrap() -> None:
    actual, expected = np.array([127], np.int8), np.array([-128], np.int8)
    assert compare(actual, expected, "requant").worst[0].error == 255
    assert not compare(actual, expected, "requant").passed


@pytest.mark.parametrize(
    ("codes", "passed"),
    [((0x38, 0x39), True), ((0x38, 0x3A), False), ((0x7F, 0xFF), True), ((0x7F, 0x38), False), ((0x7E, 0x7F), True)],
    ids=["one step", "two steps", "both NaN", "NaN and 1", "largest and NaN"],
)
def test_requant_counts_steps_of_the_code(codes: tuple[int, int], passed: bool) -> None:
    actual, expected = (np.array([code], np.uint8).view(ml_dtypes.float8_e4m3fn) for code in codes)
    assert compare(actual, expected, "requant").passed == passed


def test_hifloat8_is_compared_by_its_code() -> None:
    codes = np.arange(0, 100, dtype=np.uint8)
    found = compare(codes, codes + 1, logical="hifloat8")
    assert (found.standard, found.passed, found.actual_dtype) == ("requant", True, "hifloat8")
    assert not compare(codes, codes + 2, logical="hifloat8").passed


def test_requant_of_unsigned_numbers_is_by_value() -> None:
    assert compare(np.array([127], np.uint8), np.array([128], np.uint8), "requant").passed


@pytest.mark.parametrize("raw", ["int16", "uint16", "V2"])
def test_bits_of_bfloat16_are_read_as_such(raw: str) -> None:
    values = np.array([1.0, -2.0, 3.5], ml_dtypes.bfloat16)
    found = compare(values.view(raw), values.astype(np.float32), logical="bfloat16")
    assert found.passed
    assert (found.actual_dtype, found.expected_dtype, found.dtypes_differ) == ("bfloat16", "float32", True)
    assert "it is bfloat16, compared with float32" in found.sentence
    assert found.measures[1].limit == 1.0, "the limits are those of the output's dtype"


def test_complex32_is_pairs_of_float16() -> None:
    pairs = np.array([[[1, 2], [3, 4]], [[5, 6], [7, np.nan]]], np.float16)
    other = pairs.copy()
    other[1, 0, 1] = 7
    found = compare(pairs, other, logical="complex32")
    assert (found.standard, found.elements, found.actual_shape, found.bad) == ("close", 4, (2, 2), 1)
    assert found.worst[0].index == (1, 0)
    assert found.worst[0].actual == 5 + 6j
    assert found.max_absolute == 1.0


def test_complex_numbers_by_magnitude_of_the_difference() -> None:
    actual, expected = np.array([3 + 4j, 1j], np.complex64), np.array([0j, 1j], np.complex64)
    assert compare(actual, expected, "close").max_absolute == 5.0
    assert compare(actual, actual, "binary").passed
    minus_zero = np.array([complex(0.0, -0.0)])
    assert not compare(minus_zero, np.zeros(1, np.complex128), "binary").passed


def test_small_integers_of_ml_dtypes() -> None:
    actual = np.array([-8, 7, 0], ml_dtypes.int4)
    assert compare(actual, actual).standard == "binary"
    assert compare(actual, np.array([7, 7, 0], np.int8)).worst[0].error == 15


@pytest.mark.parametrize("order", ["both", "one", "strided", "big-endian"])
def test_memory_order_changes_nothing(order: str) -> None:
    rng = np.random.default_rng(1)
    expected = rng.normal(size=(5, 4, 3)).astype(np.float32)
    actual = expected.copy()
    actual[4, 1, 2] += 9
    actual[0, 3, 1] += 9.5
    want = compare(actual, expected)
    match order:
        case "both":
            actual, expected = np.asfortranarray(actual), np.asfortranarray(expected)
        case "one":
            actual = np.asfortranarray(actual)
        case "strided":
            wide = np.zeros((5, 8, 3), np.float32)
            wide[:, ::2] = actual
            actual = wide[:, ::2]
        case "big-endian":
            actual = actual.astype(">f4")
    found = compare(actual, expected)
    assert [each.index for each in found.worst] == [each.index for each in want.worst] == [(0, 3, 1), (4, 1, 2)]
    assert found == want


def test_an_array_mapped_from_a_file(tmp_path: Any) -> None:
    values = np.arange(20, dtype=np.float32).reshape(4, 5)
    np.save(tmp_path / "a.npy", values)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert compare(mapped, values).passed


def test_who_watches_can_end_it() -> None:
    seen: list[int] = []
    compare(np.zeros(7), np.zeros(7), watch=seen.append)
    assert seen == [3, 6, 7]

    def stop(done: int) -> None:
        raise InterruptedError(done)

    with pytest.raises(InterruptedError, match="3"):
        compare(np.zeros(7), np.zeros(7), watch=stop)


def test_errors_of_a_worst_element() -> None:
    wrong = compare(np.array([2**63 - 1, 7]), np.array([-(2**63), 5])).worst
    assert [each.absolute for each in wrong] == [2.0**64, 2.0]
    assert wrong[1].relative == pytest.approx(0.4)
    special = compare(np.array([np.nan, 1.0]), np.array([1.0, np.inf])).worst
    assert [(each.absolute, each.relative) for each in special] == [(math.inf, math.inf)] * 2


def test_no_elements_and_no_axes() -> None:
    empty = np.zeros((0, 3), np.float32)
    assert compare(empty, empty).passed
    assert compare(empty, empty).matched_ratio == 1.0
    one_empty = compare(empty, np.zeros(1, np.float32))
    assert not one_empty.passed
    assert one_empty.reason == "0 elements (shape (0, 3)), 1 expected (shape (1,))"
    scalar = compare(np.array(1.0), np.array(2.0))
    assert scalar.worst[0].index == ()
    assert "worst: 1 instead of 2" in scalar.sentence


def test_other_shapes_of_one_size_are_compared_and_told() -> None:
    found = compare(np.arange(6.0).reshape(2, 3), np.arange(6.0))
    assert found.passed
    assert found.shapes_differ
    assert found.sentence.endswith("its shape is (2, 3), (6,) is expected")
    column_order = compare(np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(6.0))
    assert column_order == found


def test_a_float_and_a_whole_number_can_not_be_equal_bit_by_bit() -> None:
    found = compare(np.zeros(2, np.float32), np.zeros(2, np.int32), "binary")
    assert not found.passed
    assert found.sentence == "fails binary: float32 and int32 can't be the same bit by bit"


def test_differences_beyond_float64_are_infinite_and_no_mismatch() -> None:
    found = compare(np.array([1.7e308]), np.array([-1.7e308]))
    assert (found.passed, found.inf_mismatches, found.max_absolute) == (False, 0, math.inf)


def test_cosine_of_huge_and_tiny_numbers() -> None:
    # Squared, these are beyond float64; the second block raises the scale of the first.
    actual = np.array([1e-200, 0, 0, 3e200, 4e200])
    assert compare(actual, 2 * actual, "cosine").measures[1].value == pytest.approx(0.0, abs=1e-12)
    assert compare(actual, actual[::-1].copy(), "cosine").measures[1].value == pytest.approx(1.0)


@pytest.mark.parametrize(
    "array",
    [np.array(["a"]), np.array([None]), np.zeros(1, "M8[s]"), np.zeros(1, "i4,f4"), np.zeros(1, "V2")],
    ids=["text", "object", "date", "record", "raw"],
)
def test_what_holds_no_numbers_is_refused(array: NDArray[Any]) -> None:
    with pytest.raises(ComparisonError, match="only numbers and truth values"):
        compare(array, array)


@pytest.mark.parametrize(
    ("array", "logical"),
    [(np.zeros(2, np.float32), "bfloat16"), (np.zeros(3, np.float16), "complex32"), (np.zeros(2, "i2"), "hifloat8")],
)
def test_a_dtype_that_the_array_can_not_hold_is_refused(array: NDArray[Any], logical: str) -> None:
    with pytest.raises(ComparisonError, match=logical):
        compare(array, array, logical=logical)


def test_a_masked_array_is_refused() -> None:
    masked = np.ma.masked_array(np.zeros(2), [True, False])
    with pytest.raises(ComparisonError, match="mask"):
        compare(masked, masked)
