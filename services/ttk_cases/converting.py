"""A row made into a case to run: generated inputs, names for the server to bind, attributes."""

from __future__ import annotations

import math
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from ..dispatch.case import Mode, OpCase, Slot
from ..dispatch.errors import CaseError
from ..dispatch.inputs import Generated, named_dtype
from ..plain_text import plain
from .columns import CaseKind
from .slots import Range

if TYPE_CHECKING:
    from .case import TTKCase
    from .slots import CaseSlot

__all__ = ["conversion_notes", "to_op_case"]

_WHOLE_LIMIT = 2**53
"""A generated whole number lies within this; beyond it floats, which describe the range, have gaps."""
_LAYOUT_COLUMNS = ("tensor_storage_shapes", "tensor_view_offsets", "tensor_view_strides", "input_ori_shapes")
_BINARY_COLUMNS = ("manual_input_binaries", "manual_golden_binaries", "manual_xpu_binaries")

_SECOND_NAMES = {"mm": "mat2", "bmm": "mat2", "mv": "vec", "dot": "tensor", "outer": "vec2", "ger": "vec2"}
_ALL_NAMES = {
    "addmm": ("input", "mat1", "mat2"),
    "where": ("condition", "input", "other"),
    "cat": ("tensors",),
    "concat": ("tensors",),
    "stack": ("tensors",),
    "pow": ("input", "exponent"),
}


def to_op_case(row: TTKCase, *, provider: str | None = None, mode: Mode = Mode.DATA, seed: int = 0) -> OpCase:
    """The case that runs a row.

    Args:
        row: as read from the file.
        provider: None: `tf` for an API of TensorFlow, else `torch`.
        mode: what the server should give back.
        seed: of the first array; each further one has the next.

    Returns:
        A checked case. Its inputs are drawn uniformly from the row's ranges, cut to what the dtype holds. Values differ
        from those that the test kit draws for the row.

    Raises:
        CaseError: the row can't be run as it is: a dtype that can't be sent, a range outside the dtype, mixed lists.
    """
    outputs = _pure_outputs(row)
    names = _names(row, outputs)
    inputs: list[Slot] = []
    out: list[Generated] = []
    seeds = count(seed)
    for number, slot in enumerate(row.inputs):
        if slot is None:
            if number not in outputs:
                inputs.append(Slot(names[number], None))
            continue
        leaves = [_leaf(slot, at, number, next(seeds)) for at in range(len(slot.shapes))]
        if number in outputs:
            out += leaves if not _is_aclnn(row) else []
            continue
        value = tuple(leaves) if slot.is_list else leaves[0]
        inputs.append(Slot(names[number], value, next((each for each in slot.formats if each), None)))
    if out:
        inputs.append(Slot("out", out[0] if len(out) == 1 else tuple(out)))
    dotted = row.kind is CaseKind.E2E and "." in row.target
    made = OpCase(
        op_name=None if dotted else row.target,
        api=row.target if dotted else None,
        provider=provider or ("tf" if row.target.startswith(("tf.", "tensorflow.")) else "torch"),
        attrs=dict(row.attrs),
        inputs=tuple(inputs),
        mode=mode,
    )
    made.check()
    return made


def conversion_notes(row: TTKCase) -> tuple[str, ...]:
    """What of the row the case does not carry, as sentences for people."""
    notes = []
    cut = [number for number, slot in enumerate(row.inputs) if slot is not None and _is_cut(slot)]
    if cut:
        notes.append(f"input {_listed(cut)}: the range is cut to what the dtype holds")
    always = [number for number, slot in enumerate(row.inputs) if slot and any(r and r.always for r in slot.ranges)]
    if always:
        notes.append(f"input {_listed(always)}: values that have to appear are not put among the drawn ones")
    layout = [column for column in _LAYOUT_COLUMNS if row.raw.get(column, "").strip() not in ("", "()", "None")]
    if layout:
        notes.append(f"{', '.join(layout)}: not sent; the server gets contiguous inputs of the shapes given")
    files = [column for column in _BINARY_COLUMNS if row.raw.get(column, "").strip() not in ("", "()", "None")]
    if files:
        notes.append(f"{', '.join(files)}: not read; the inputs are drawn")
    if _is_aclnn(row) and _pure_outputs(row):
        notes.append(f"input {_listed(_pure_outputs(row))}: is only written to, and left out")
    if row.golden_api and row.golden_api != "disable":
        notes.append(f"golden_api {plain(row.golden_api, 120)}: the row's own API is run")
    return tuple(notes)


def _pure_outputs(row: TTKCase) -> tuple[int, ...]:
    """Inputs that the operator only writes to."""
    in_place = row.target.endswith("_") or (_is_aclnn(row) and "inplace" in row.target.lower())
    return () if in_place else row.output_indexes


def _is_aclnn(row: TTKCase) -> bool:
    return row.kind is CaseKind.E2E and "." not in row.target


def _names(row: TTKCase, outputs: tuple[int, ...]) -> list[str]:
    """A name for each input. With `out=` a function is called by keyword, so the names have to be its own."""
    total = len(row.inputs)
    plain_names = ["x"] if total == 1 else [f"x{number + 1}" for number in range(total)]
    if not outputs or _is_aclnn(row):
        return plain_names
    function = row.target.rpartition(".")[2]
    given = total - len(outputs)
    known = _ALL_NAMES.get(function, ("input", _SECOND_NAMES.get(function, "other")))
    if given > len(known):
        return plain_names
    names = iter(known)
    return ["" if number in outputs else next(names) for number in range(total)]


def _leaf(slot: CaseSlot, at: int, number: int, seed: int) -> Generated:
    dtype, shape = slot.dtypes[at], slot.shapes[at]
    kind = named_dtype(dtype).kind
    asked = slot.ranges[at] or Range()
    low, high = _cut(dtype, asked)
    if not low <= high:
        raise CaseError(
            f"input {number}: no {plain(dtype, 60)} lies between {asked.low} and {asked.high}",
            hint="change input_data_ranges of the row",
        )
    if kind in "biu":
        if low == high:
            return Generated(dtype, shape, "constant", (low,), seed)
        return Generated(dtype, shape, "randint", (low, high + 1), seed)
    if low == high:
        return Generated(dtype, shape, "constant", (low,), seed)
    return Generated(dtype, shape, "uniform", (low, high), seed)


def _cut(dtype: str, asked: Range) -> tuple[float, float]:
    """The range's ends within the dtype's; for whole numbers on whole numbers."""
    least, most = _bounds(dtype)
    low, high = max(float(asked.low), least), min(float(asked.high), most)
    if named_dtype(dtype).kind in "biu":
        return (float(math.ceil(low)), float(math.floor(high))) if low <= high else (low, high)
    return low, high


def _is_cut(slot: CaseSlot) -> bool:
    for dtype, asked in zip(slot.dtypes, slot.ranges, strict=True):
        if asked is None:
            continue
        least, most = _bounds(dtype)
        if (asked.low < least and asked.low != -math.inf) or (asked.high > most and asked.high != math.inf):
            return True
    return False


def _bounds(dtype: str) -> tuple[float, float]:
    held = named_dtype(dtype)
    match held.kind:
        case "b":
            return 0.0, 1.0
        case "i" | "u":
            info = np.iinfo(held)
            return float(max(int(info.min), -_WHOLE_LIMIT)), float(min(int(info.max), _WHOLE_LIMIT - 1))
        case "f" | "c":
            most = float(np.finfo(held).max)
            # The distance between the ends has to be a float64 as well.
            return (-most / 2, most / 2) if most > 1e300 else (-most, most)
    import ml_dtypes

    limits = ml_dtypes.finfo(held)  # type: ignore[no-untyped-call]
    return float(limits.min), float(limits.max)


def _listed(numbers: tuple[int, ...] | list[int]) -> str:
    return ", ".join(map(str, numbers))
