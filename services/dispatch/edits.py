"""A case changed by a typed line, and how two cases differ.

attr.dim=1              an attribute, as JSON or text; attr.dim= makes it empty text
input.x=float32[4]:ones an input, as on the command line: a file, a generated one, none
provider=numpy  mode=data,perf  runtime=10  api=torch.add  op=add  op_type=Add
format.x=NCHW  logical_dtype.x=bfloat16
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..addressing.endpoints import quoted
from ..plain_text import plain
from .case import Mode, OpCase, Slot, parse_mode
from .case_file import parse_attribute, parse_input
from .errors import CaseError
from .inputs import Generated

if TYPE_CHECKING:
    from pathlib import Path

    from .case import Leaf

__all__ = ["Difference", "changed", "edit", "field_text", "remove"]

FIELDS_HINT = (
    "there are: attr.NAME, input.NAME, format.NAME, logical_dtype.NAME, provider, mode, runtime, api, op, op_type"
)
_TEXT_LIMIT = 120
_BLOCK = 1 << 20
"""Bytes of two arrays that are compared at a time."""
_NAMED = ("attr", "input", "format", "logical_dtype")
_PLAIN = {"provider": "provider", "api": "api", "op": "op_name", "op_type": "op_type"}


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that two cases do not have in common."""

    field: str
    """As it is typed: `attr.dim`, `input.x`, `mode`."""
    before: str | None
    """As text; None where the first case has no such field."""
    after: str | None


def edit(case: OpCase, text: str, folder: Path) -> OpCase:
    """The case with one field set from `FIELD=VALUE`.

    Args:
        folder: what file names are relative to.

    Raises:
        CaseError: no such field, or a value that it can't have; the message says which.
    """
    field, equals, value = text.partition("=")
    field = field.strip()
    kind, dot, name = field.partition(".")
    if not equals or not field:
        raise CaseError(f"{quoted(text)}: not a change", hint="write FIELD=VALUE, e.g. attr.dim=1")
    if dot and name and kind in _NAMED:
        return _edit_named(case, kind, name, value, folder)
    value = value.strip()
    if field == "mode":
        return _checked(replace(case, mode=parse_mode(value)))
    if field == "runtime":
        if not (value.isascii() and value.isdecimal() and len(value) < 10):
            raise CaseError(f"runtime {quoted(value)}: not a number of repetitions")
        return _checked(replace(case, runtime=int(value)))
    if field not in _PLAIN:
        raise CaseError(f"{quoted(field)}: a case has no such field", hint=FIELDS_HINT)
    if field == "provider":
        return _checked(replace(case, provider=value))
    if field == "api":
        return _checked(replace(case, api=value or None, spec=None if value else case.spec))
    return _checked(replace(case, **{_PLAIN[field]: value or None}))  # type: ignore[arg-type]


def remove(case: OpCase, field: str) -> OpCase:
    """The case without an attribute or an input.

    Raises:
        CaseError: it has none of that name, or the field can't be left out.
    """
    kind, _, name = field.partition(".")
    if kind == "attr" and name in case.attrs:
        return replace(case, attrs={key: value for key, value in case.attrs.items() if key != name})
    if kind == "input" and any(slot.name == name for slot in case.inputs):
        order = case.param_order
        return replace(
            case,
            inputs=tuple(slot for slot in case.inputs if slot.name != name),
            param_order=None if order is None else tuple(one for one in order if one != name),
        )
    if kind in ("attr", "input") and name:
        raise _unknown(case, kind, name)
    raise CaseError(f"{quoted(field)}: only attributes and inputs can be left out", hint="attr.NAME or input.NAME")


def changed(case: OpCase, other: OpCase) -> list[Difference]:
    """The fields in which two cases differ: those of the operator first, then attributes, then inputs, each in the
    order of `other`, what only `case` has at the end. Arrays differ when a byte does."""
    before, after = _fields(case), _fields(other)
    found = []
    for field in dict.fromkeys((*after, *before)):
        one, two = before.get(field), after.get(field)
        if one is None or two is None or not _same(one, two):
            found.append(Difference(field, _text(one), _text(two)))
    rank = {"attr": 1, "input": 2}
    found.sort(key=lambda difference: rank.get(difference.field.partition(".")[0], 0))
    return found


def field_text(value: object) -> str:
    """A field's value as a person reads it in one line: an attribute, a slot, or a word."""
    if isinstance(value, Slot):
        if value.value is None:
            return "none"
        leaves = ", ".join(_leaf_text(leaf) for leaf in value.leaves)
        text = f"[{leaves}]" if isinstance(value.value, tuple) else leaves
        said = [word for word in (value.logical_dtype, value.format) if word]
        return plain(f"{text} {' '.join(said)}".rstrip(), _TEXT_LIMIT)
    if isinstance(value, Mode):
        return ",".join(str(mode.name).lower() for mode in value)
    return plain(value if isinstance(value, str) else _json(value), _TEXT_LIMIT)


def _edit_named(case: OpCase, kind: str, name: str, value: str, folder: Path) -> OpCase:
    if kind == "attr":
        _, parsed = parse_attribute(f"{name}={value}")
        return _checked(replace(case, attrs={**case.attrs, name: parsed}))
    places = [at for at, slot in enumerate(case.inputs) if slot.name == name]
    if kind == "input":
        made = parse_input(value.strip(), folder, name)
        if not places:
            return _checked(replace(case, inputs=(*case.inputs, made)))
        made = replace(made, format=case.inputs[places[0]].format)
    elif not places:
        raise _unknown(case, "input", name)
    elif kind == "format":
        made = replace(case.inputs[places[0]], format=value.strip() or None)
    else:
        made = replace(case.inputs[places[0]], logical_dtype=value.strip() or None)
    return _checked(replace(case, inputs=tuple(made if slot.name == name else slot for slot in case.inputs)))


def _checked(case: OpCase) -> OpCase:
    case.check()
    return case


def _unknown(case: OpCase, kind: str, name: str) -> CaseError:
    names = list(case.attrs) if kind == "attr" else [slot.name for slot in case.inputs]
    what = "attribute" if kind == "attr" else "input"
    known = ", ".join(f"{kind}.{one}" for one in names)
    return CaseError(f"the case has no {what} {quoted(name)}", hint=f"it has {known}" if known else "it has none")


def _fields(case: OpCase) -> dict[str, tuple[Any]]:
    """Every field that is set, as it is typed; each value in a tuple, so that an absent one differs from None."""
    said: dict[str, tuple[Any]] = {
        "op": (case.op_name,),
        "op_type": (case.op_type,),
        "api": (case.api,),
        "spec": (None if case.spec is None else f"{case.spec.file}:{case.spec.class_name}",),
        "provider": (case.provider,),
        "mode": (case.mode,),
        "runtime": (case.runtime,),
    }
    said = {field: value for field, value in said.items() if value[0] is not None}
    said |= {f"attr.{name}": (value,) for name, value in case.attrs.items()}
    return said | {f"input.{slot.name}": (slot,) for slot in case.inputs}


def _same(one: tuple[Any], other: tuple[Any]) -> bool:
    first, second = one[0], other[0]
    if not (isinstance(first, Slot) and isinstance(second, Slot)):
        return _json(first) == _json(second)  # as on the wire: 1, 1.0, true are three values, NaN is NaN
    if first != second or isinstance(first.value, tuple) != isinstance(second.value, tuple):
        return False
    leaves = (first.leaves, second.leaves)
    if (first.value is None) != (second.value is None) or len(leaves[0]) != len(leaves[1]):
        return False
    return all(_same_leaf(a, b) for a, b in zip(*leaves, strict=True))


def _same_leaf(one: Leaf, other: Leaf) -> bool:
    if isinstance(one, Generated) or isinstance(other, Generated):
        return one == other if isinstance(one, Generated) and isinstance(other, Generated) else False
    if one is other:
        return True
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        return False
    step = max(_BLOCK // max(one.dtype.itemsize, 1), 1)
    return all(
        one.flat[at : at + step].tobytes() == other.flat[at : at + step].tobytes() for at in range(0, one.size, step)
    )


def _leaf_text(leaf: Leaf) -> str:
    if isinstance(leaf, Generated):
        return str(leaf)
    return f"{leaf.dtype.name}[{','.join(map(str, leaf.shape))}] array"


def _text(field: tuple[Any] | None) -> str | None:
    return None if field is None else field_text(field[0])


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=_plain_value)


def _plain_value(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else repr(value)
