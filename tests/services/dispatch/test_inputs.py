"""Inputs made from a text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xpudbg.services.dispatch.errors import CaseError
from xpudbg.services.dispatch.inputs import DISTRIBUTIONS, Generated, parse_generated


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("float32[4,8]:uniform(-1,1):seed=7", "float32[4,8]:uniform(-1,1):seed=7"),
        ("float32[4, 8]", "float32[4,8]:uniform(-1,1):seed=0"),
        ("float16[]:normal", "float16[]:normal(0,1):seed=0"),
        ("int64[3]", "int64[3]:randint(0,10):seed=0"),
        ("bool[3]", "bool[3]:randint(0,2):seed=0"),
        ("bfloat16[2,]:zeros", "bfloat16[2]:zeros:seed=0"),
        ("float64[0,3]:constant(2.5):seed=18446744", "float64[0,3]:constant(2.5):seed=18446744"),
        ("uint8[5]:arange(250)", None),
        ("float8_e4m3fn[2]:ones()", "float8_e4m3fn[2]:ones:seed=0"),
        ("complex64[2]:normal(1,2)", "complex64[2]:normal(1,2):seed=0"),
    ],
)
def test_text_is_read_and_written_back(text: str, canonical: str | None) -> None:
    if canonical is None:
        with pytest.raises(CaseError):
            parse_generated(text)
        return
    assert str(parse_generated(text)) == canonical
    assert parse_generated(canonical) == parse_generated(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("float32", "not a generated input"),
        ("float32[4", "not a generated input"),
        ("float32[-4]", "not a generated input"),
        ("float32[4]:uniform(1)", "takes 2 numbers"),
        ("float32[4]:uniform(a,b)", "takes 2 numbers"),
        ("float32[4]:cauchy(0,1)", "no such distribution"),
        ("float32[4]:seed=-1", "not a generated input"),
        ("float31[4]", "no dtype called"),
        ("object[4]", "no dtype called"),
        ("int32[4]:uniform(0,1)", "no whole numbers"),
        ("int32[4]:randint(5,5)", "low < high"),
        ("int64[4]:randint(0,1e300)", "2\\*\\*53"),
        ("float64[100000000,100000000]", "too many to generate"),
        ("float32[1,,2]", "no list of sizes"),
        (f"float32[{'9' * 5000}]", "no list of sizes"),
    ],
)
def test_what_is_no_input_is_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(CaseError, match=says):
        parse_generated(text)


def test_the_values_of_a_text_never_change() -> None:
    uniform = parse_generated("float32[2,2]:uniform(-1,1):seed=7").make()
    assert uniform.dtype == np.float32
    assert [float(value).hex() for value in uniform.reshape(-1)] == [
        float(value).hex() for value in (-1 + 2 * np.random.Generator(np.random.PCG64(7)).random(4)).astype(np.float32)
    ]
    assert uniform.reshape(-1).tolist() == pytest.approx([0.2501909, 0.7944277, 0.5513714, -0.5495856], abs=1e-6)
    assert parse_generated("int64[6]:randint(0,10):seed=7").make().tolist() == [9, 6, 6, 8, 5, 7]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("int32[4]:arange(3,2)", [3, 5, 7, 9]),
        ("float32[3]:arange(0,0.5)", [0, 0.5, 1]),
        ("float64[2,2]:constant(2.5)", [[2.5, 2.5], [2.5, 2.5]]),
        ("bool[2]:ones", [True, True]),
        ("int8[]:zeros", 0),
        ("float32[0,3]:normal", np.zeros((0, 3)).tolist()),
    ],
)
def test_simple_distributions(text: str, values: object) -> None:
    assert parse_generated(text).make().tolist() == values


def test_inputs_of_other_names_differ() -> None:
    assert parse_generated("float32[2]").seed == 0
    assert parse_generated("float32[2]", "x") == parse_generated("float32[2]", "x")
    assert parse_generated("float32[2]", "x").seed != parse_generated("float32[2]", "y").seed
    assert parse_generated("float32[2]:seed=7", "x").seed == parse_generated("float32[2]:seed=7", "y").seed == 7


def test_complex32_is_pairs_of_halves() -> None:
    made = parse_generated("complex32[3]:uniform(0,1)").make()
    assert (made.dtype.name, made.shape) == ("float16", (3, 2))


def test_values_that_do_not_fit_a_whole_dtype_are_refused() -> None:
    with pytest.raises(CaseError, match="do not fit uint8"):
        parse_generated("uint8[5]:arange(253,1)").make()
    with pytest.raises(CaseError, match="do not fit int8"):
        parse_generated("int8[2]:constant(1.5)").make()


def test_blocks_join_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [parse_generated(f"float64[100]:{name}:seed=3").make() for name in DISTRIBUTIONS]
    monkeypatch.setattr("xpudbg.services.dispatch.inputs.BLOCK", 7)
    for name, expected in zip(DISTRIBUTIONS, whole, strict=True):
        assert np.array_equal(parse_generated(f"float64[100]:{name}:seed=3").make(), expected), name


@given(
    st.sampled_from(["float16", "float32", "float64", "bfloat16", "complex64"]),
    st.lists(st.integers(0, 5), max_size=4),
    st.sampled_from(["uniform", "normal"]),
    st.tuples(st.floats(-100, 0), st.floats(0.5, 100)),
    st.integers(0, 2**40),
)
def test_any_description_survives_its_text(
    dtype: str, shape: list[int], name: str, params: tuple[float, float], seed: int
) -> None:
    described = Generated(dtype, tuple(shape), name, params, seed)
    assert parse_generated(str(described)) == described
    assert described.make().shape == tuple(shape)
    assert described.make().tobytes() == described.make().tobytes()
