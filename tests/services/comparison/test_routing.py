"""Which standard judges which output."""

from __future__ import annotations

from typing import Any

import pytest

from xpudbg.services.comparison.errors import ComparisonError
from xpudbg.services.comparison.routing import choose_standard, standard_named

BY_DTYPE = [
    ("float32", None, None, "mixed"),
    ("float16", "close", None, "close"),
    ("float32", "cosine", {"standard": "stat_rel_err"}, "cosine"),
    ("float32", None, {"standard": "stat_rel_err"}, "stat_rel_err"),
    ("float32", "", {"standard": "MIX_TOLERANCE"}, "mixed"),
    ("float8_e4m3fn", None, None, "mixed"),
    ("int32", "close", None, "binary"),
    ("uint8", None, None, "binary"),
    ("bool", "mixed", None, "binary"),
    ("int4", None, None, "binary"),
    ("float4_e2m1fn", "close", None, "binary"),
    ("float8_e8m0fnu", "close", None, "binary"),
    ("complex64", "mixed", None, "close"),
    ("complex32", None, {"standard": "binary_equal"}, "binary"),
    ("hifloat8", "close", None, "requant"),
    ("hifloat8", "bin", None, "binary"),
    ("int8", None, {"standard": "quant"}, "quant"),
    ("int8", "close", {"standard": "quant"}, "quant"),
    ("int8", "binary", {"standard": "quant"}, "binary"),
]


@pytest.mark.parametrize(("dtype", "requested", "declared", "name"), BY_DTYPE)
def test_the_standard_of_an_output(dtype: str, requested: str | None, declared: dict[str, Any], name: str) -> None:
    assert choose_standard(dtype, requested=requested, declared=declared).name == name


LIMITS = [
    ("mixed", "float16", {"rtol": 2**-9, "atol": 2**-9, "max_abs_error_limit": 0.1, "required_matched_ratio": 0.99}),
    ("mix_tolerance", "bfloat16", {"rtol": 2**-6, "atol": 2**-6, "max_abs_error_limit": 1}),
    ("mixed", "float32", {"rtol": 2**-10, "atol": 2**-16, "max_abs_error_limit": 0.01}),
    ("mixed", "float8_e4m3fn", {"rtol": 2**-2, "atol": 2**-4, "max_abs_error_limit": 1}),
    ("mixed", "float8_e5m2", {"rtol": 2**-1, "atol": 2**-3, "max_abs_error_limit": 0.1}),
    ("mixed", "float64", {"rtol": 2**-10, "atol": 2**-16, "max_abs_error_limit": 0.01}),
    ("stat_rel_err", "float16", {"threshold": 2**-10}),
    ("stat_rel_err", "bfloat16", {"threshold": 2**-7}),
    ("stat_rel_err", "float8_e5m2", {"threshold": 2**-2}),
    ("stat_rel_err", "float64", {"threshold": 2**-13}),
    ("close", "bfloat16", {"rtol": 1e-3, "ptol": 1e-3, "atol": 1e-8}),
    ("isclose", "float32", {"rtol": 1e-4, "ptol": 1e-4, "atol": 1e-8}),
    ("cosine", "float32", {"rtol": 0.01}),
    ("requant", "int8", {"ptol": 1e-3}),
    ("quant", "int8", {"ptol": 0}),
    ("cross_check", "float16", {"small_value": 2**-11, "small_value_atol": 2**-16, "mare_ratio": 5, "rmse_ratio": 1.5}),
    ("cross_check", "bfloat16", {"small_value": 2**-8, "small_value_atol": 2**-16, "mere_ratio": 1.5}),
    ("cross_check", "float32", {"small_value": 2**-14, "small_value_atol": 2**-30}),
]


@pytest.mark.parametrize(("name", "dtype", "limits"), LIMITS)
def test_the_limits_of_a_dtype(name: str, dtype: str, limits: dict[str, float]) -> None:
    made = standard_named(name, dtype)
    assert {key: getattr(made, key) for key in limits} == limits


@pytest.mark.parametrize(("level", "ratios"), [("L0", (10, 2, 2)), ("L1", (5, 1.5, 1.5)), ("L2", (2, 1.2, 1.2))])
def test_levels_of_cross_check(level: str, ratios: tuple[float, ...]) -> None:
    made = standard_named("cross_check", "float32", {"level": level, "rmse_ratio": 7})
    assert (getattr(made, "mare_ratio"), getattr(made, "mere_ratio"), getattr(made, "rmse_ratio")) == (*ratios[:2], 7)  # noqa: B009


def test_what_is_declared_belongs_to_the_standard_declared() -> None:
    declared = {"standard": "stat_rel_err", "threshold": 0.5}
    half = standard_named("stat_rel_err", "float32", {"threshold": 0.5})
    assert choose_standard("float32", declared=declared) == half
    assert choose_standard("float32", requested="mixed", declared=declared) == standard_named("mixed", "float32")


def test_limits_of_the_row_count_for_close_and_cosine() -> None:
    row = {"rtol": 0.25, "ptol": 0.5, "atol": None}
    close = {"rtol": 0.25, "ptol": 0.5}
    assert choose_standard("float32", requested="close", row=row) == standard_named("close", "float32", close)
    cosine = standard_named("cosine", "float32", {"rtol": 0.25})
    assert choose_standard("float32", requested="cosine", row=row) == cosine
    assert choose_standard("float32", row=row) == standard_named("mixed", "float32")


REFUSED = [
    ("nearly", "float32", None, "no standard 'nearly'"),
    ("mixed", "float32", {"limit": 1}, "has no limit 'limit'; it has: rtol"),
    ("binary", "float32", {"rtol": 1}, "it has: none"),
    ("close", "float32", {"rtol": "much"}, "rtol has to be a number"),
    ("close", "float32", {"rtol": float("nan")}, "rtol has to be a number"),
    ("close", "float32", {"rtol": True}, "rtol has to be a number"),
    ("cross_check", "float32", {"level": "L9"}, "no level 'L9'"),
    ("cross_check", "int8", None, "no limits for int8"),
]


@pytest.mark.parametrize(("name", "dtype", "overrides", "text"), REFUSED)
def test_what_does_not_exist_is_refused(name: str, dtype: str, overrides: dict[str, Any], text: str) -> None:
    with pytest.raises(ComparisonError, match=text):
        standard_named(name, dtype, overrides)


def test_quant_is_for_what_was_quantised() -> None:
    with pytest.raises(ComparisonError, match="int4 and int8 only"):
        choose_standard("int32", declared={"standard": "quant"})
    with pytest.raises(ComparisonError, match="no input is a floating-point one"):
        choose_standard("int8", declared={"standard": "quant"}, input_dtypes=["int8", "int32"])
    assert choose_standard("int8", declared={"standard": "quant"}, input_dtypes=["bfloat16", "int32"]).name == "quant"
