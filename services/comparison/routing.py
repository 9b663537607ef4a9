"""Which standard judges an output, with which limits: by name, by what an operator's test declares, by dtype.

Source: the defaults and the order of precedence of the operator test kit hicann/ops-test-kit, commit f480a3d8 and
later.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ..plain_text import plain
from .cosine import Cosine
from .cross_check import LEVELS, SMALL_VALUES, CrossCheck
from .errors import ComparisonError
from .standards import BinaryEqual, Close, Mixed, Quant, Requant, StatRelErr

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .judging import Standard

__all__ = ["DEFAULT_STANDARD", "STANDARDS", "choose_standard", "standard_named"]

DEFAULT_STANDARD = "mixed"
_KINDS: dict[str, type[Any]] = {
    kind.name: kind for kind in (Mixed, StatRelErr, Close, Cosine, BinaryEqual, Requant, Quant, CrossCheck)
}
_ALIASES = {"mix_tolerance": "mixed", "isclose": "close", "binary_equal": "binary", "bin": "binary"}
STANDARDS = tuple(_KINDS)
"""Names of all standards."""

_MIXED = {
    "float16": (2.0**-9, 2.0**-9, 0.1),
    "bfloat16": (2.0**-6, 2.0**-6, 1.0),
    "float32": (2.0**-10, 2.0**-16, 0.01),
    "float8_e4m3fn": (2.0**-2, 2.0**-4, 1.0),
    "float8_e5m2": (2.0**-1, 2.0**-3, 0.1),
}
"""Dtype to rtol, atol and the limit of the largest absolute error; other dtypes as float32."""
_RELATIVE = {
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "float32": 2.0**-13,
    "float8_e4m3fn": 2.0**-3,
    "float8_e5m2": 2.0**-2,
}
"""Dtype to the threshold of stat_rel_err; other dtypes as float32."""
_COARSE = ("float16", "bfloat16", "complex32")
"""Dtypes for which `close` allows 1e-3 rather than 1e-4."""
_EXACT = ("float4", "int4", "uint4", "int2", "uint2", "float8_e8m0")
_QUANTISED = ("int4", "int8")


def standard_named(name: str, dtype: str, overrides: Mapping[str, Any] | None = None) -> Standard:
    """A standard by its name, with the limits that hold for a dtype.

    Args:
        name: one of `STANDARDS`, or mix_tolerance, isclose, binary_equal, bin.
        dtype: logical dtype of the output.
        overrides: limits to use instead, named as the standard's fields; for cross_check also `level` (L0, L1, L2).

    Raises:
        ComparisonError: there is no such standard or limit, a limit is no number, or cross_check has none
            for the dtype.
    """
    word = name.lower()
    kind = _KINDS.get(_ALIASES.get(word, word))
    if kind is None:
        raise ComparisonError(f"there is no standard {plain(name, 60)!r}; there are: {', '.join(STANDARDS)}")
    given = {key: value for key, value in (overrides or {}).items() if value is not None}
    limits = _defaults(kind, dtype, given.pop("level", None) if kind is CrossCheck else None)
    known = [field.name for field in fields(kind)]
    for key, value in given.items():
        if key not in known:
            listed = ", ".join(known) or "none"
            raise ComparisonError(f"{kind.name} has no limit {plain(key, 60)!r}; it has: {listed}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            raise ComparisonError(f"{kind.name}: {key} has to be a number of at least 0, not {plain(repr(value), 60)}")
        limits[key] = float(value)
    made: Standard = kind(**limits)
    return made


def choose_standard(
    dtype: str,
    *,
    requested: str | None = None,
    declared: Mapping[str, Any] | None = None,
    row: Mapping[str, float | None] | None = None,
    input_dtypes: Iterable[str] | None = None,
) -> Standard:
    """The standard that judges one output.

    Whole numbers, truth values, 4-bit dtypes and float8_e8m0 are compared exactly whatever is asked for; hifloat8 by
    its code; complex numbers by `close` or `binary`. For the rest `requested` wins over `declared`, that over the
    default.

    Args:
        dtype: logical dtype of the output as it came.
        requested: what the person asked for.
        declared: what the operator's test says for this dtype: `standard` and limits of it.
        row: limits of the case's row: rtol, ptol, atol; used by `close`, and rtol by `cosine`.
        input_dtypes: dtypes of the operator's inputs; None: not known. Checked for `quant`.

    Raises:
        ComparisonError: `quant` is declared for an output that is not quantised, or what `standard_named` raises.
    """
    said = dict(declared or {})
    declared_name = _canonical(said.pop("standard", None))
    asked = _canonical(requested)
    if declared_name == "quant":
        _check_quantised(dtype, input_dtypes)
        name = asked if asked in ("binary", "requant", "quant") else "quant"
    elif dtype == "bool" or dtype.startswith(("int", "uint")) or dtype.startswith(_EXACT):
        name = "binary"
    elif dtype.startswith("complex"):
        name = "binary" if (asked or declared_name) == "binary" else "close"
    elif dtype == "hifloat8":
        name = "binary" if (asked or declared_name) == "binary" else "requant"
    else:
        name = asked or declared_name or DEFAULT_STANDARD
    overrides = said if name == declared_name else {}
    if row and name in ("close", "cosine"):
        taken = ("rtol", "ptol", "atol") if name == "close" else ("rtol",)
        overrides = {key: row.get(key) for key in taken} | overrides
    return standard_named(name, dtype, overrides)


def _canonical(name: object) -> str | None:
    if name is None or name == "":
        return None
    if not isinstance(name, str):
        raise ComparisonError(f"the name of a standard has to be a text, not {plain(repr(name), 60)}")
    return _ALIASES.get(name.lower(), name.lower())


def _defaults(kind: type[Any], dtype: str, level: object) -> dict[str, float]:
    if kind is Mixed:
        rtol, atol, limit = _MIXED.get(dtype, _MIXED["float32"])
        return {"rtol": rtol, "atol": atol, "max_abs_error_limit": limit}
    if kind is StatRelErr:
        return {"threshold": _RELATIVE.get(dtype, _RELATIVE["float32"])}
    if kind is Close:
        each = 1e-3 if dtype in _COARSE else 1e-4
        return {"rtol": each, "ptol": each}
    if kind is CrossCheck:
        if dtype not in SMALL_VALUES:
            raise ComparisonError(
                f"cross_check has no limits for {plain(dtype, 60)}, only for {', '.join(SMALL_VALUES)}"
            )
        if level is not None and level not in LEVELS:
            raise ComparisonError(f"cross_check has no level {plain(repr(level), 60)}; there are: {', '.join(LEVELS)}")
        ratios = dict(zip(("mare_ratio", "mere_ratio", "rmse_ratio"), LEVELS[str(level or "L1")], strict=True))
        small_value, small_value_atol = SMALL_VALUES[dtype]
        return {"small_value": small_value, "small_value_atol": small_value_atol} | ratios
    return {}


def _check_quantised(dtype: str, input_dtypes: Iterable[str] | None) -> None:
    if dtype not in _QUANTISED:
        raise ComparisonError(f"quant is declared for an output of {plain(dtype, 60)}; it holds for int4 and int8 only")
    given = list(input_dtypes) if input_dtypes is not None else None
    if given and not any("float" in each for each in given):
        raise ComparisonError(
            f"quant is declared, but no input is a floating-point one ({plain(', '.join(given), 200)}): "
            "whole numbers that were never rounded have to be equal"
        )
