"""The fields of a case as lines, and what is typed for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.services.console.console_cases import console_case, op_case
from xpudbg.services.console.editing import field_lines, reads_a_file, set_field, unset_field, with_field_of
from xpudbg.services.dispatch.case import Slot
from xpudbg.services.dispatch.errors import CaseError

HERE = Path()


def test_each_field_is_a_line_and_each_array_of_a_list() -> None:
    lines = field_lines(console_case())
    assert [(line.field, line.value) for line in lines] == [
        ("api", "numpy.concatenate"),
        ("provider", "numpy"),
        ("input.arrays", "list of 2"),
        ("input.arrays[0]", "float32[4,8]:uniform(-1,1):seed=1"),
        ("input.arrays[1]", "float32[4,8]:uniform(-1,1):seed=2"),
        ("attr.axis", "2"),
        ("mode", "data"),
        ("runtime", "3"),
    ]


def test_edited_fields_say_what_they_were_and_taken_out_ones_stay_in_sight() -> None:
    made = console_case()
    case = set_field(op_case(), "input.arrays[1]", "float32[4,8]:ones", HERE)
    case = unset_field(set_field(case, "attr.out", "null", HERE), "attr.axis")
    lines = {line.field: line for line in field_lines(made.edited(case))}
    assert lines["input.arrays[1]"].edited
    assert lines["attr.out"].before == ""
    assert (lines["attr.axis"].gone, lines["attr.axis"].before) == (True, "2")
    assert not lines["api"].edited


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("attr.axis", "1"),
        ("attr.axis", "[1, 2]"),
        ("attr.axis", '"2"'),
        ("attr.axis", "tanh"),
        ("mode", "data,perf"),
        ("runtime", "10"),
        ("provider", "torch"),
        ("api", "numpy.stack"),
        ("input.x", "float16[2,3]:normal(0,2):seed=9"),
        ("input.x", "none"),
        ("input.arrays[0]", "float32[4,8]:constant(1):seed=0"),
    ],
)
def test_what_is_typed_reads_back_as_it_is_shown_in_the_entry(field: str, text: str) -> None:
    once = set_field(op_case(), field, text, HERE)
    typed = next(line.typed for line in field_lines(console_case(case=once)) if line.field == field)
    again = set_field(once, field, typed, HERE)
    assert [line.value for line in field_lines(console_case(case=again))] == [
        line.value for line in field_lines(console_case(case=once))
    ]


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("mode", "both", "not a mode"),
        ("runtime", "0", "1 to 100"),
        ("attr.arrays", "1", "is an input and an attribute"),
        ("input.arrays[0]", "none", "a list holds arrays only"),
        ("input.arrays[0]", "int8[4,8]", "a list of"),
        ("input.arrays[9]", "float32[1]", "the list has 2 arrays"),
        ("input.arrays[2]", "", "nothing is typed"),
        ("input.x", "float32[-1]", "not a generated input"),
        ("input.x", "float32[2]:weird", "no such distribution"),
    ],
)
def test_what_can_not_be_is_refused_with_a_reason(field: str, text: str, message: str) -> None:
    with pytest.raises(CaseError, match=message):
        set_field(op_case(), field, text, HERE)


def test_a_list_grows_and_shrinks() -> None:
    longer = set_field(op_case(), "input.arrays[2]", "float32[4,8]:zeros", HERE)
    assert len(longer.inputs[0].leaves) == 3
    assert len(set_field(longer, "input.arrays[2]", "", HERE).inputs[0].leaves) == 2
    assert len(unset_field(longer, "input.arrays[0]").inputs[0].leaves) == 2


def test_a_field_that_was_taken_out_comes_back_to_its_place() -> None:
    whole = op_case(inputs=(Slot("a", None), Slot("b", None), Slot("c", None)), attrs={"x": 1, "y": 2})
    without = unset_field(unset_field(whole, "input.b"), "attr.x")
    back = with_field_of(with_field_of(without, whole, "input.b"), whole, "attr.x")
    assert [slot.name for slot in back.inputs] == ["a", "b", "c"]
    assert list(back.attrs) == ["x", "y"]
    assert with_field_of(whole, whole, "attr.z") is whole


def test_arrays_of_files_are_shown_by_dtype_and_shape() -> None:
    made = console_case(case=op_case(inputs=(Slot("x", np.zeros((2, 3), np.int8)),)))
    line = next(line for line in field_lines(made) if line.field == "input.x")
    assert (line.value, line.typed) == ("int8[2,3] array", "")


@pytest.mark.parametrize(
    ("field", "text", "reads"),
    [
        ("input.x", "x.npy", True),
        ("input.x", " NONE ", False),
        ("input.x", "float32[4]:ones", False),
        ("attr.x", "x.npy", False),
    ],
)
def test_files_are_told_from_other_values(field: str, text: str, reads: bool) -> None:
    assert reads_a_file(field, text) is reads
