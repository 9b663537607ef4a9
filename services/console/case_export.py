"""A case written as TOML, as `dispatch.case_file` reads it; arrays go into .npy files beside it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dispatch.edits import field_text
from ..dispatch.errors import CaseError
from ..dispatch.inputs import Generated
from ..plain_text import plain

if TYPE_CHECKING:
    from pathlib import Path

    from ..dispatch.case import Leaf, OpCase, Slot

__all__ = ["case_as_toml", "write_case"]


def write_case(path: Path, case: OpCase) -> list[Path]:
    """Write the case and its arrays. What is there already is left alone.

    Returns:
        The files that were written, the case first.

    Raises:
        CaseError: the case has what TOML can't hold, or no file can be called so.
        FileExistsError: one of the files is there already; those before it have been written.
        OSError: one can't be written.
    """
    try:
        os.fsencode(path)
        text, arrays = case_as_toml(case, path.stem, path.parent)
        content = text.encode()
    except UnicodeEncodeError as error:
        raise CaseError("a text of it, or the name of the file, is no Unicode", hint="change it") from error
    if "\0" in str(path):
        raise CaseError("no file can have such a name")
    with path.open("xb") as file:
        file.write(content)
    written = [path]
    for name, array in arrays.items():
        beside = path.parent / name
        with beside.open("xb") as file:
            np.lib.format.write_array(file, _storable(array), allow_pickle=False)
        written.append(beside)
    return written


def case_as_toml(case: OpCase, stem: str, folder: Path) -> tuple[str, dict[str, np.ndarray[Any, Any]]]:
    """The text of the file, and the arrays by the names of their files.

    Args:
        stem: what the names of the arrays begin with.
        folder: where the file will be; the files of a spec are named from there.

    Raises:
        CaseError: an attribute is null, or a list of arrays is nested, which TOML has no word for.
    """
    lines: list[str] = []
    for key, value in (("op", case.op_name), ("op_type", case.op_type), ("api", case.api)):
        if value is not None:
            lines.append(f"{key} = {_string(value)}")
    lines.append(f"provider = {_string(case.provider)}")
    lines.append(f"mode = {_string(field_text(case.mode))}")
    lines.append(f"runtime = {case.runtime}")
    if case.param_order is not None:
        lines.append(f"param_order = {_value(list(case.param_order))}")
    if case.spec is not None:
        spec = case.spec
        lines += ["", "[spec]", f"file = {_string(os.path.relpath(spec.file, folder))}"]
        lines.append(f"class = {_string(spec.class_name)}")
        if spec.module is not None:
            lines.append(f"module = {_string(spec.module)}")
        if spec.roots:
            lines.append(f"roots = {_value([os.path.relpath(root, folder) for root in spec.roots])}")
    if case.attrs:
        lines += ["", "[attrs]", *(f"{_string(name)} = {_value(value)}" for name, value in case.attrs.items())]
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    for slot in case.inputs:
        lines += ["", "[[inputs]]", f"name = {_string(slot.name)}", *_slot(slot, stem, arrays)]
    return "\n".join(lines) + "\n", arrays


def _slot(slot: Slot, stem: str, arrays: dict[str, np.ndarray[Any, Any]]) -> list[str]:
    lines = []
    if slot.value is None:
        lines.append("none = true")
    elif isinstance(slot.value, tuple):
        leaves = [_leaf(leaf, slot, f"{stem}.{slot.name}.{at}", arrays) for at, leaf in enumerate(slot.value)]
        inline = [
            "{ " + ", ".join(f"{key} = {_string(value)}" for key, value in leaf.items()) + " }" for leaf in leaves
        ]
        lines.append(f"list = [{', '.join(inline)}]")
    else:
        leaf = _leaf(slot.value, slot, f"{stem}.{slot.name}", arrays)
        lines += [f"{key} = {_string(value)}" for key, value in leaf.items()]
    if slot.format is not None:
        lines.append(f"format = {_string(slot.format)}")
    return lines


def _leaf(leaf: Leaf, slot: Slot, name: str, arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, str]:
    if isinstance(leaf, Generated):
        return {"generate": str(leaf)}
    file = "".join(each if each.isalnum() or each in "._-" else "_" for each in plain(name, 120)) + ".npy"
    while file in arrays:
        file = f"_{file}"
    arrays[file] = leaf
    said = {"file": file}
    dtype = slot.logical_dtype or (leaf.dtype.name if leaf.dtype.isbuiltin != 1 else None)
    return said if dtype is None else {**said, "dtype": dtype}


def _storable(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """bfloat16 and float8 as their bits; .npy has no word for them."""
    return array if array.dtype.isbuiltin == 1 else np.ascontiguousarray(array).view(f"V{array.dtype.itemsize}")


def _string(text: str) -> str:
    """A basic string; JSON's escapes are TOML's, except for DEL and lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise CaseError(f"{plain(text, 60)!r} is not Unicode text; TOML can't hold it") from error
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise CaseError(f"the attribute {value} has more than 64 bits; TOML can't hold it")
        return str(value)
    if isinstance(value, float):
        return "nan" if value != value else repr(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_string(str(key))} = {_value(one)}" for key, one in value.items()) + " }"
    raise CaseError(f"an attribute is {plain(repr(value), 40)}; TOML can't hold it", hint="take it out")
