"""A case as it goes over the wire: headers and the arrays' archive. Source: protocol of ops-test-kit, f480a3d8."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..addressing.endpoints import quoted
from ..npz.dtypes import WireArray, feature_needed, to_wire
from ..npz.errors import NpzError
from ..npz.writer import NpzWriter
from .case import Mode
from .errors import CaseError
from .inputs import Generated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .case import Leaf, OpCase, Slot

__all__ = ["HEADER_LIMIT", "WireInputs", "run_headers", "wire_inputs"]

HEADER_LIMIT = 65_536
"""Bytes of one header line that a server reads; beyond it answers 431 with a page."""


@dataclass(frozen=True, slots=True)
class WireInputs:
    """The inputs of a case, ready to be sent as often as needed."""

    archive: NpzWriter | None
    """None when there is no array."""
    length: int
    """Bytes of the body."""
    count: int
    """Arrays in it."""
    schema: str
    """JSON of X-Input-Schema."""
    features: frozenset[str]
    """What the server must announce so that the inputs mean to it what they mean here."""
    newer: tuple[str, ...]
    """What only newer servers act on; older ones ignore it silently."""
    notes: tuple[str, ...]


def wire_inputs(case: OpCase) -> WireInputs:
    """Make the generated inputs, bring all into their wire form and plan the archive.

    Reads every array once: call it in a thread.

    Raises:
        CaseError: an input that can't be sent; nothing has been.
    """
    arrays: list[WireArray] = []
    try:
        slots = [_slot(slot, arrays) for slot in case.inputs]
        archive = NpzWriter((f"a{index}", made.array) for index, made in enumerate(arrays)) if arrays else None
    except NpzError as error:
        raise CaseError(str(error)) from error
    except MemoryError as error:
        raise CaseError(f"{case.title}: no memory for its inputs: {error}") from error
    newer = ["complex32 inputs"] if any(made.logical == "complex32" for made in arrays) else []
    if any(slot.format for slot in case.inputs):
        newer.append("formats")
    if case.param_order is not None:
        newer.append("the parameter order")
    return WireInputs(
        archive=archive,
        length=archive.content_length if archive is not None else 0,
        count=len(arrays),
        schema=_json(slots),
        features=frozenset(needed for made in arrays if (needed := feature_needed(made.logical)) is not None),
        newer=tuple(newer),
        notes=tuple(f"input {made.name}: {made.note}" for made in arrays if made.note),
    )


def run_headers(case: OpCase, inputs: WireInputs, tenant: str, module: str | None = None) -> dict[str, str]:
    """Headers of POST /v1/run.

    Args:
        module: name by which the server imports the spec, in spec mode.

    Raises:
        CaseError: an attribute that JSON can't carry, or a line longer than HEADER_LIMIT.
    """
    made = {
        "X-Tenant-ID": tenant,
        "X-Execution-Type": "spec" if case.spec is not None else "api",
        "X-Provider": case.provider,
        "X-Mode": str(int(case.mode)),
        "X-Attrs": _json(_plain_attrs(case.attrs)),
        "X-Input-Schema": inputs.schema,
        "X-Input-Count": str(inputs.count),
        "Content-Type": "application/octet-stream",
        "Content-Length": str(inputs.length),
    }
    if case.mode & Mode.PERF:
        made["X-Runtime"] = str(case.runtime)
    optional = {"X-API": case.api, "X-Op-Name": case.op_name, "X-Op-Type": case.op_type}
    made.update({name: text for name, text in optional.items() if text is not None})
    if case.spec is not None and module is not None:
        made |= {"X-Spec-Module": module, "X-Spec-Class": case.spec.class_name}
    if case.param_order is not None:
        made["X-Param-Order"] = _json(list(case.param_order))
    for name, text in made.items():
        size = len(name) + len(text) + 4
        if size > HEADER_LIMIT:
            raise CaseError(
                f"{case.title}: the header {name} would be {size:,} bytes long; a server reads {HEADER_LIMIT:,}",
                hint=_shorter(name),
            )
    return made


def _shorter(name: str) -> str:
    if name == "X-Input-Schema":
        return "about 600 inputs fit; shorten their names, or stack arrays of one shape into one input"
    return "pass large attributes as inputs"


def _slot(slot: Slot, arrays: list[WireArray]) -> dict[str, Any]:
    """The schema entry of a slot; its arrays are appended."""
    entry: dict[str, Any] = {"name": slot.name}
    first = len(arrays)
    arrays.extend(_wire(slot, leaf) for leaf in slot.leaves)
    made = arrays[first:]
    if isinstance(slot.value, tuple):
        entry["indices"] = list(range(first, len(arrays)))
    else:
        entry["index"] = first if made else None
    entry["dtype"] = made[0].schema_dtype if made else None
    entry["format"] = slot.format
    entry["logical_dtype"] = made[0].logical if made and made[0].logical == "complex32" else slot.logical_dtype
    return entry


def _wire(slot: Slot, leaf: Leaf) -> WireArray:
    logical = slot.logical_dtype
    if isinstance(leaf, Generated):
        return to_wire(slot.name, leaf.make(), logical or leaf.dtype)
    return to_wire(slot.name, leaf, logical)


def _plain_attrs(attrs: Mapping[str, Any]) -> dict[str, Any]:
    return {_key(name): _plain_value(value, name) for name, value in attrs.items()}


def _key(name: object) -> str:
    if not isinstance(name, str):
        raise CaseError(f"attribute {quoted(str(name))}: its name is {type(name).__name__}, not text")
    return name


def _plain_value(value: object, name: str, depth: int = 0) -> Any:
    """A value as JSON has it: numpy scalars as Python's, tuples as lists."""
    if depth > 50:
        raise CaseError(f"attribute {quoted(name)}: nested too deeply")
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain_value(one, name, depth + 1) for one in value]
    if isinstance(value, dict):
        return {_key(key): _plain_value(one, name, depth + 1) for key, one in value.items()}
    raise CaseError(
        f"attribute {quoted(name)}: {type(value).__name__} can't be sent",
        hint="numbers, text, true, false, null, lists and objects of them can; send arrays as inputs",
    )


def _json(value: object) -> str:
    """ASCII JSON in one line; NaN and Infinity as the server's parser takes them."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True)
