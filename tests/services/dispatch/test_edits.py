"""A case changed by typed lines, and the differences of two cases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from xpudbg.services.dispatch.case import Mode, OpCase, Slot, SpecSource
from xpudbg.services.dispatch.edits import Difference, changed, edit, field_text, remove
from xpudbg.services.dispatch.errors import CaseError
from xpudbg.services.dispatch.inputs import parse_generated

HERE = Path()
X = parse_generated("float32[4]:ones")
CASE = OpCase(
    api="torch.softmax",
    attrs={"dim": 1, "half": 0.5},
    inputs=(Slot("x", X, "ND"), Slot("w", None)),
    param_order=("x", "w", "dim"),
)


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("attr.dim=2", "attrs", {"dim": 2, "half": 0.5}),
        ("attr.name=a=b", "attrs", {"dim": 1, "half": 0.5, "name": "a=b"}),
        ("attr.dim=[1, null]", "attrs", {"dim": [1, None], "half": 0.5}),
        ("attr.dim=", "attrs", {"dim": "", "half": 0.5}),
        ("mode=data,perf", "mode", Mode.DATA | Mode.PERF),
        ("runtime=10", "runtime", 10),
        ("provider = numpy", "provider", "numpy"),
        ("api=torch.exp", "api", "torch.exp"),
        ("op=add", "op_name", "add"),
        ("op_type=Add", "op_type", "Add"),
    ],
)
def test_a_field_is_set(text: str, field: str, value: object) -> None:
    made = edit(CASE, text, HERE)
    assert getattr(made, field) == value
    assert replace(made, **{field: getattr(CASE, field)}) == CASE


def test_an_input_is_replaced_in_its_place_and_keeps_its_format(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(3))
    made = edit(CASE, "input.x=x.npy", tmp_path)
    assert [slot.name for slot in made.inputs] == ["x", "w"]
    assert made.inputs[0].format == "ND"
    assert isinstance(made.inputs[0].value, np.ndarray)
    assert edit(CASE, "input.x=none", HERE).inputs[0].value is None
    assert [slot.name for slot in edit(CASE, "input.y=int8[2]:zeros", HERE).inputs] == ["x", "w", "y"]
    assert edit(CASE, "format.x=NCHW", HERE).inputs[0].format == "NCHW"
    assert edit(CASE, "format.x=", HERE).inputs[0].format is None
    assert edit(CASE, "logical_dtype.x=bfloat16", HERE).inputs[0].logical_dtype == "bfloat16"


def test_an_api_takes_the_place_of_a_spec() -> None:
    spec = OpCase(op_name="my", spec=SpecSource(Path("ops.py"), "Op"))
    made = edit(spec, "api=torch.add", HERE)
    assert (made.api, made.spec) == ("torch.add", None)
    assert edit(spec, "api=", HERE).spec == spec.spec


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dim=1", "no such field"),
        ("attr.dim", "not a change"),
        ("=1", "not a change"),
        ("attr.=1", "no such field"),
        ("mode=fast", "not a mode"),
        ("runtime=0", "1 to 100"),
        ("runtime=ten", "not a number"),
        ("input.x=float32[4]:sine", "no such distribution"),
        ("input.x=missing.npy", "can't be read"),
        ("attr.x=1", "an input and an attribute"),
        ("api=add", "not a dotted path"),
        ("api=", "names no operator"),
        ("provider=", "provider"),
        ("format.z=ND", "no input"),
        ("spec.file=x", "no such field"),
    ],
)
def test_what_can_not_be_set_is_said(text: str, said: str) -> None:
    with pytest.raises(CaseError, match=said):
        edit(CASE, text, HERE)


def test_attributes_and_inputs_are_left_out() -> None:
    assert remove(CASE, "attr.dim").attrs == {"half": 0.5}
    made = remove(CASE, "input.w")
    assert [slot.name for slot in made.inputs] == ["x"]
    assert made.param_order == ("x", "dim")
    for field, said in (("attr.z", "no attribute"), ("input.z", "no input"), ("mode", "only"), ("attr.", "only")):
        with pytest.raises(CaseError, match=said):
            remove(CASE, field)


def test_the_differences_of_two_cases() -> None:
    other = replace(
        CASE,
        attrs={"dim": 2, "new": None},
        inputs=(Slot("w", np.zeros((2, 3), np.int8)), Slot("x", X, "NCHW"), Slot("z", (X, X))),
        mode=Mode.DATA | Mode.PERF,
    )
    assert changed(CASE, CASE) == []
    assert changed(CASE, other) == [
        Difference("mode", "data", "data,perf"),
        Difference("attr.dim", "1", "2"),
        Difference("attr.new", None, "null"),
        Difference("attr.half", "0.5", None),
        Difference("input.w", "none", "int8[2,3] array"),
        Difference("input.x", f"{X} ND", f"{X} NCHW"),
        Difference("input.z", None, f"[{X}, {X}]"),
    ]


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, True, False),
        (1, 1.0, False),
        ((1, 2), [1, 2], True),
        (float("nan"), float("nan"), True),
        (np.int64(3), 3, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
    ],
)
def test_attributes_are_compared_as_they_travel(one: Any, other: Any, equal: bool) -> None:
    cases = [OpCase(api="a.b", attrs={"v": value}) for value in (one, other)]
    assert (changed(*cases) == []) == equal


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (np.zeros(3), np.zeros(3), True),
        (np.zeros(3), -np.zeros(3), False),
        (np.array([np.nan]), np.array([np.nan]), True),
        (np.zeros(3), np.zeros((3, 1)), False),
        (np.zeros(2, np.int32), np.zeros(2, np.float32), False),
        (np.arange(6).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)), True),
        (np.zeros(3), (np.zeros(3),), False),
        (np.zeros(3), None, False),
        ((), None, False),
        (X, X.make(), False),
    ],
)
def test_inputs_are_compared_byte_by_byte(one: Any, other: Any, equal: bool) -> None:
    cases = [OpCase(api="a.b", inputs=(Slot("x", value),)) for value in (one, other)]
    assert (changed(*cases) == []) == equal


def test_text_of_a_field_is_plain_and_short() -> None:
    assert field_text("\x1b[31m") == "\\x1b[31m"
    assert len(field_text("x" * 10_000)) < 200
