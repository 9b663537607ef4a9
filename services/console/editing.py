"""The fields of a case as lines, each with what is typed to set it.

Beside what `dispatch.edits` takes, an array of a list is a field of its own: `input.tensors[0]`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..dispatch.case_file import parse_input
from ..dispatch.edits import edit, field_text, remove
from ..dispatch.errors import CaseError
from ..dispatch.inputs import GENERATED_FORM, Generated
from ..plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..dispatch.case import Leaf, OpCase, Slot
    from .case import ConsoleCase

__all__ = ["FieldLine", "field_lines", "reads_a_file", "set_field", "unset_field", "with_field_of"]

_ELEMENT = re.compile(r"input\.(?P<name>.+)\[(?P<at>[0-9]{1,6})\]")
ARRAY_FORMS = f"FILE.npy, FILE.npz:MEMBER, none, or {GENERATED_FORM}"
JSON_FORMS = 'as JSON: 2, 0.5, true, null, [1, 2], "text"; other text as it is'


@dataclass(frozen=True, slots=True)
class FieldLine:
    """One field."""

    field: str
    """As it is typed: `attr.dim`, `input.x`, `mode`."""
    value: str
    """As it is shown, one plain line."""
    typed: str
    """What would be typed to get this value; empty where nothing would (an array from a file)."""
    hint: str = ""
    """What can be typed."""
    before: str | None = None
    """The value as loaded, where the field has been edited; empty where it had none."""
    gone: bool = False
    """It has been taken out; the line says what it was."""

    @property
    def edited(self) -> bool:
        return self.before is not None


def field_lines(shown: ConsoleCase) -> list[FieldLine]:
    """All fields of a case in the order of the editor; those that were taken out at the end."""
    case = shown.case
    if case is None:
        return []
    differences = {difference.field: difference for difference in shown.edits}
    lines = [
        replace(line, before=differences[name].before or "") if (name := _owner(line.field)) in differences else line
        for line in _lines(case)
    ]
    gone = [
        FieldLine(one.field, one.before or "", "", before=one.before or "", gone=True)
        for one in differences.values()
        if one.after is None and one.field.partition(".")[0] in ("attr", "input")
    ]
    return [*lines, *gone]


def reads_a_file(field: str, text: str) -> bool:
    """Whether setting a field so may read a file, which is nothing for an event loop."""
    text = text.strip()
    return field.startswith("input.") and text.lower() != "none" and not ("[" in text and "]" in text)


def set_field(case: OpCase, field: str, text: str, folder: Path) -> OpCase:
    """The case with a field as typed.

    Args:
        folder: what file names are relative to.

    Raises:
        CaseError: it can't be that; the message says why.
    """
    element = _ELEMENT.fullmatch(field)
    slot = _list_slot(case, element["name"]) if element is not None else None
    if element is None or slot is None:
        return edit(case, f"{field}={text}", folder)
    at, leaves = int(element["at"]), list(slot.leaves)
    if at > len(leaves):
        raise CaseError(
            f"{field}: the list has {len(leaves)} arrays", hint=f"input.{slot.name}[{len(leaves)}] adds one"
        )
    if not text.strip():
        if at == len(leaves):
            raise CaseError(f"{field}: nothing is typed", hint=f"write {ARRAY_FORMS}")
        del leaves[at]
    else:
        made = parse_input(text.strip(), folder, f"{slot.name}[{at}]").value
        if made is None or isinstance(made, tuple):
            raise CaseError(f"{field}: a list holds arrays only", hint="leave it empty to take this one out")
        leaves[at : at + 1] = [made]
    changed = replace(slot, value=tuple(leaves))
    made_case = replace(case, inputs=tuple(changed if one is slot else one for one in case.inputs))
    made_case.check()
    return made_case


def unset_field(case: OpCase, field: str) -> OpCase:
    """The case without an attribute, an input, or an array of a list.

    Raises:
        CaseError: the field can't be left out.
    """
    element = _ELEMENT.fullmatch(field)
    slot = _list_slot(case, element["name"]) if element is not None else None
    if element is None or slot is None:
        return remove(case, field)
    leaves = [leaf for at, leaf in enumerate(slot.leaves) if at != int(element["at"])]
    changed = replace(slot, value=tuple(leaves))
    return replace(case, inputs=tuple(changed if one is slot else one for one in case.inputs))


def with_field_of(case: OpCase, other: OpCase, field: str) -> OpCase:
    """The case with an attribute or input as another case has it; an input in its place there."""
    kind, _, name = field.partition(".")
    if kind == "attr" and name in other.attrs:
        wanted = {**case.attrs, name: other.attrs[name]}
        order = [*(key for key in other.attrs if key in wanted), *(key for key in wanted if key not in other.attrs)]
        return replace(case, attrs={key: wanted[key] for key in order})
    slot = next((one for one in other.inputs if kind == "input" and one.name == name), None)
    if slot is None:
        return case
    before = {one.name for one in other.inputs[: other.inputs.index(slot)]}
    at = sum(1 for one in case.inputs if one.name in before)
    kept = [one for one in case.inputs if one.name != name]
    return replace(case, inputs=(*kept[:at], slot, *kept[at:]), param_order=case.param_order or other.param_order)


def _lines(case: OpCase) -> Iterator[FieldLine]:
    if case.spec is not None:
        yield FieldLine("spec", plain(f"{case.spec.file}:{case.spec.class_name}", 200), "", "set by the case file")
    else:
        for field, text, hint in (
            ("api", case.api, "dotted path of a function on the server, e.g. torch.add"),
            ("op", case.op_name, "snake name; the server finds its api, e.g. add, aclnnAdd"),
            ("op_type", case.op_type, "camel name, e.g. Add"),
        ):
            if text is not None or (field == "api" and case.op_name is None and case.op_type is None):
                yield FieldLine(field, plain(text or ""), text or "", hint)
    yield FieldLine("provider", plain(case.provider), case.provider, "framework on the server: torch, numpy, tf")
    for slot in case.inputs:
        yield from _input_lines(slot)
    for name, value in case.attrs.items():
        yield FieldLine(f"attr.{name}", field_text(value), _typed(value), JSON_FORMS)
    mode = field_text(case.mode)
    yield FieldLine("mode", mode, mode, "data, perf or data,perf")
    yield FieldLine("runtime", str(case.runtime), str(case.runtime), "1 to 100 runs of the profiler")


def _input_lines(slot: Slot) -> Iterator[FieldLine]:
    field = f"input.{slot.name}"
    if isinstance(slot.value, tuple):
        yield FieldLine(field, f"list of {len(slot.value)}", "", f"to make it one array: {ARRAY_FORMS}")
        for at, leaf in enumerate(slot.value):
            yield FieldLine(f"{field}[{at}]", _leaf_text(leaf), _leaf_typed(leaf), ARRAY_FORMS)
        return
    typed = "none" if slot.value is None else _leaf_typed(slot.value)
    yield FieldLine(field, field_text(slot), typed, ARRAY_FORMS)


def _leaf_text(leaf: Leaf) -> str:
    return str(leaf) if isinstance(leaf, Generated) else f"{leaf.dtype.name}[{','.join(map(str, leaf.shape))}] array"


def _leaf_typed(leaf: Leaf) -> str:
    return str(leaf) if isinstance(leaf, Generated) else ""


def _typed(value: object) -> str:
    """Text that reads back as the value: words as they are unless JSON would take them for something else."""
    if not isinstance(value, str):
        return json.dumps(value, default=str)
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return value
    return json.dumps(value)


def _list_slot(case: OpCase, name: str) -> Slot | None:
    return next((slot for slot in case.inputs if slot.name == name and isinstance(slot.value, tuple)), None)


def _owner(field: str) -> str:
    """The field that an array of a list belongs to."""
    element = _ELEMENT.fullmatch(field)
    return f"input.{element['name']}" if element is not None else field
