"""A case as a Python script that anybody can run: NumPy makes the inputs, no xpudbg and no server is needed.

The script states the operator, its attributes and what was recorded, runs the function where it is one of numpy or
torch and that is there, and prints how the outputs compare. Nothing of the case is ever part of its code: all text
stands in literals.
"""

from __future__ import annotations

import ast
import base64
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dispatch.inputs import Generated
from ..npz.dtypes import to_wire
from ..npz.errors import NpzError
from ..npz.files import write_npz
from ..plain_text import plain
from .template import BODY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from ..dispatch.case import Leaf, OpCase

__all__ = ["ReproError", "ReproScript", "repro_script", "write_repro"]

EMBEDDED_BYTES = 3 * 1024
"""Arrays up to this size stand in the script, larger ones in an archive beside it."""
_TOLERANCES = {"float16": (1e-3, 1e-3), "bfloat16": (8e-3, 8e-3), "complex32": (1e-3, 1e-3), "float32": (1e-5, 1e-6)}


class ReproError(Exception):
    """The case can't be told as a script; the message names the input."""


@dataclass(frozen=True, slots=True)
class ReproScript:
    """A script and what it reads."""

    text: str
    archive: str
    """Name of the archive that has to lie beside it."""
    arrays: dict[str, NDArray[Any]]
    """Of the archive; empty when it needs none."""


@dataclass(slots=True)
class _Arrays:
    """Turns arrays into expressions of the script."""

    kept: dict[str, NDArray[Any]] = field(default_factory=dict)

    def expression(self, name: str, leaf: Leaf, logical: str | None) -> str:
        if isinstance(leaf, Generated):
            logical = logical or leaf.dtype
            if _plain(logical) and logical == leaf.dtype:
                parts = (leaf.dtype, leaf.shape, leaf.distribution)
                params = ", ".join(_number(value) for value in leaf.params)
                return f"generated({', '.join(map(ascii, parts))}, [{params}], {leaf.seed})"
            leaf = leaf.make()
        try:
            wire = to_wire(name, leaf, logical)
        except NpzError as error:
            raise ReproError(str(error)) from error
        made = self._array(np.ascontiguousarray(wire.array).reshape(wire.array.shape))
        return made if _plain(wire.logical) else f"bits({wire.logical!r}, {made})"

    def _array(self, array: NDArray[Any]) -> str:
        if array.nbytes > EMBEDDED_BYTES:
            key = f"a{len(self.kept)}"
            self.kept[key] = array
            return f"stored({key!r})"
        text = base64.b64encode(array.tobytes()).decode()
        return f"embedded({array.dtype.str!r}, {array.shape!r}, {text!r})"


def repro_script(
    case: OpCase,
    *,
    api: str = "",
    expected: Mapping[str, tuple[NDArray[Any], str | None]] | None = None,
    recorded: str = "",
    archive: str = "repro.npz",
) -> ReproScript:
    """Tell a case as a script.

    Args:
        case: its generated inputs are made by the script, with the same values.
        api: what ran, where the case names only an operator.
        expected: outputs by name (`0`, `1`, `2.0`): (array, logical dtype or None).
        recorded: what came of the run, for people: the error, or the comparison's sentence.
        archive: name of the file beside it for large arrays.

    Raises:
        ReproError: an input or an expected output that can't be written.
    """
    arrays = _Arrays()
    inputs = [f"    {slot.name!a}: {_slot(arrays, slot)}," for slot in case.inputs]
    outputs = [
        f"    {name!a}: {arrays.expression(f'output {name}', array, logical)},"
        for name, (array, logical) in (expected or {}).items()
    ]
    rtol, atol = _tolerance(expected or {})
    attrs = json.dumps(dict(case.attrs), default=_json_value)
    title = plain(case.title, 200)
    lines = [
        _docstring(title, case, recorded, archive if arrays.kept else ""),
        "import base64, functools, importlib, inspect, json, os, sys",
        "",
        "import numpy as np",
        "",
        f"TITLE = {title!a}",
        f"API = {case.api or (api if case.spec is None else '')!a}",
        f"ATTRS = json.loads({attrs!a})",
        f"RECORDED = {plain(recorded)!a}",
        f"ARCHIVE = {archive!a}",
        f"RTOL, ATOL = {rtol!r}, {atol!r}",
        BODY.rpartition("\n\nif __name__")[0].rstrip("\n"),
        "",
        "",
        "INPUTS = {",
        *inputs,
        "}",
        "EXPECTED = {",
        *outputs,
        "}",
        "",
        "if __name__" + BODY.rpartition("\n\nif __name__")[2],
    ]
    text = "\n".join(lines)
    ast.parse(text)
    return ReproScript(text, archive, arrays.kept)


def write_repro(
    path: Path,
    case: OpCase,
    *,
    api: str = "",
    expected: Mapping[str, tuple[NDArray[Any], str | None]] | None = None,
    recorded: str = "",
) -> tuple[Path, ...]:
    """Write the script, and the archive it needs beside it.

    Returns:
        What was written, the script first.

    Raises:
        ReproError: it can't be told as a script.
        OSError: it can't be written.
    """
    beside = path.with_suffix(".npz")
    made = repro_script(case, api=api, expected=expected, recorded=recorded, archive=beside.name)
    if made.arrays:
        write_npz(beside, made.arrays.items())
    path.write_text(made.text, encoding="utf-8")
    return (path, beside) if made.arrays else (path,)


def _slot(arrays: _Arrays, slot: Any) -> str:
    if slot.value is None:
        return "None"
    leaves = [arrays.expression(slot.name, leaf, slot.logical_dtype) for leaf in slot.leaves]
    return f"[{', '.join(leaves)}]" if isinstance(slot.value, tuple) else leaves[0]


def _docstring(title: str, case: OpCase, recorded: str, archive: str) -> str:
    said = [f"Runs {title} alone, with the inputs of one recorded run. Needs NumPy, and PyTorch for its functions."]
    if case.spec is not None:
        said.append("It is a class of a file of its own, so only the inputs are made here.")
    if recorded:
        said.append(f"Recorded: {plain(recorded, 500)}")
    if archive:
        said.append(f"Large arrays are read from {archive}, which has to lie beside this file.")
    said.append("Exit codes: 0 as expected, 1 it fails or differs, 2 it can't be run here.")
    text = "\n\n".join(said).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{text}\n"""\n'


def _plain(logical: str) -> bool:
    """Whether NumPy has the dtype."""
    return logical not in ("bfloat16", "complex32") and not logical.startswith("float8")


def _number(value: float) -> str:
    return repr(value) if np.isfinite(value) else f"float({str(value)!r})"


def _tolerance(expected: Mapping[str, tuple[NDArray[Any], str | None]]) -> tuple[float, float]:
    """The loosest of the outputs' dtypes."""
    found = [_TOLERANCES.get(logical or array.dtype.name, (1e-7, 1e-9)) for array, logical in expected.values()]
    return max(found, default=(1e-5, 1e-6))


def _json_value(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else plain(repr(value), 200)
