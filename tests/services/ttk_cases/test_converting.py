"""Rows made into cases to run."""

from __future__ import annotations

import numpy as np
import pytest

from xpudbg.services.dispatch.case import Mode, OpCase
from xpudbg.services.dispatch.errors import CaseError
from xpudbg.services.dispatch.inputs import Generated
from xpudbg.services.ttk_cases.case import TTKCase
from xpudbg.services.ttk_cases.converting import conversion_notes, to_op_case
from xpudbg.services.ttk_cases.reading import read_case_bytes

from .case_files import E2E_ROWS, KERNEL_ROWS, csv_bytes, e2e_row


def row(**cells: str) -> TTKCase:
    found = read_case_bytes(csv_bytes([e2e_row(**cells)]), "cases.csv")
    assert found.problems == ()
    return found.cases[0]


def inputs(case: OpCase) -> dict[str, object]:
    """Slots as texts: an array, a list of them, or None."""
    shown: dict[str, object] = {}
    for slot in case.inputs:
        listed = isinstance(slot.value, tuple)
        shown[slot.name] = [str(leaf) for leaf in slot.leaves] if listed else slot.value and str(slot.value)
    return shown


def test_rows_of_an_api() -> None:
    cases = {case.name: to_op_case(case) for case in read_case_bytes(csv_bytes(E2E_ROWS), "cases.csv").cases}
    assert (cases["scaled"].api, cases["scaled"].op_name, cases["scaled"].attrs) == ("torch.sub", None, {"alpha": 0.5})
    assert inputs(cases["scaled"]) == {
        "x1": "float32[8,16]:uniform(-2,2):seed=0",
        "x2": "float32[8,16]:uniform(-1,1):seed=1",
    }
    assert inputs(cases["list"]) == {
        "x": [
            "float16[4,5]:uniform(-2,2):seed=0",
            "float16[2,5]:uniform(-2,2):seed=1",
            "float16[1,5]:uniform(-2,2):seed=2",
        ]
    }
    assert inputs(cases["out"]) == {
        "input": "float32[6,7]:uniform(-2,2):seed=0",
        "other": "float32[7,3]:uniform(-2,2):seed=1",
        "out": "float32[6,3]:uniform(-2,2):seed=2",
    }
    assert inputs(cases["in_place"]) == {"x": "float32[5]:uniform(-2,2):seed=0"}
    assert inputs(cases["no_axes"])["x1"] == "int64[]:randint(1,10):seed=0"


def test_rows_of_an_operator() -> None:
    mul, reduce = (to_op_case(case) for case in read_case_bytes(csv_bytes(KERNEL_ROWS), "cases.csv").cases)
    assert (mul.api, mul.op_name, [slot.format for slot in mul.inputs]) == (None, "mul", ["ND", "ND"])
    assert inputs(mul) == {"x1": "float16[64,128]:uniform(-1,65504):seed=0", "x2": "float16[1]:constant(0):seed=1"}
    assert inputs(reduce)["x2"] is None


def test_options() -> None:
    made = to_op_case(row(), provider="mine", mode=Mode.PERF, seed=7)
    assert (made.provider, made.mode, inputs(made)["x"]) == ("mine", Mode.PERF, "float32[2]:uniform(-2,2):seed=7")
    assert to_op_case(row(api="tf.math.abs")).provider == "tf"


@pytest.mark.parametrize(("api", "name"), [("torch.mm", "mat2"), ("torch.pow", "exponent"), ("torch.add", "other")])
def test_with_an_output_the_names_are_the_functions_own(api: str, name: str) -> None:
    made = to_op_case(row(api=api, shapes="((2,2),(2,2),(2,2))", output_tensor_indexes="(2,)"))
    assert [slot.name for slot in made.inputs] == ["input", name, "out"]


def test_outputs_of_an_aclnn_function_are_left_out() -> None:
    case = row(api="aclnnCat", shapes="(((3,3),(3,2)),(3,5))", output_tensor_indexes="(1,)")
    made = to_op_case(case)
    assert (made.api, made.op_name, [slot.name for slot in made.inputs]) == (None, "aclnnCat", ["x1"])
    assert conversion_notes(case) == ("input 1: is only written to, and left out",)
    in_place = row(api="aclnnInplaceFill", output_tensor_indexes="(0,)")
    assert len(to_op_case(in_place).inputs) == 1


RANGES = [
    ("bool", "", "randint(0,2)"),
    ("uint8", "", "randint(0,3)"),
    ("int8", "((-1000,1000),)", "randint(-128,128)"),
    ("int32", "((0.5,2.5),)", "randint(1,3)"),
    ("int64", "((-inf,inf),)", f"randint(-{2**53},{2**53})"),
    ("float64", "((-inf,inf),)", "uniform(-8.9884656743115785e+307,8.9884656743115785e+307)"),
    ("bfloat16", "((0,inf),)", "uniform(0,3.3895313892515355e+38)"),
    ("float8_e4m3fn", "((-inf,inf),)", "uniform(-448,448)"),
    ("complex64", "((0,1),)", "uniform(0,1)"),
    ("c32", "((0,1),)", "uniform(0,1)"),
    ("float16", "((3,3),)", "constant(3)"),
]


@pytest.mark.parametrize(("dtype", "ranges", "drawn"), RANGES)
def test_ranges_lie_within_the_dtype(dtype: str, ranges: str, drawn: str) -> None:
    made = to_op_case(row(shapes="((4,),)", tensor_dtypes=f"('{dtype}',)", input_data_ranges=ranges))
    (slot,) = made.inputs
    assert isinstance(slot.value, Generated)
    assert str(slot.value).split(":")[1] == drawn
    with np.errstate(all="raise"):
        values = slot.value.make()
    if values.dtype.kind != "c":
        assert np.isfinite(values.astype(np.float64)).all()


def test_what_can_not_be_run() -> None:
    with pytest.raises(CaseError, match="no int8 lies between 300 and 400"):
        to_op_case(row(tensor_dtypes="('int8',)", input_data_ranges="((300,400),)"))
    with pytest.raises(CaseError, match="no dtype called 'hifloat8'"):
        to_op_case(row(tensor_dtypes="('hifloat8',)"))
    with pytest.raises(CaseError, match="a list of float16, float32"):
        to_op_case(row(shapes="(((2,),(2,)),)", tensor_dtypes="(('float16','float32'),)"))
    with pytest.raises(CaseError, match="is an input and an attribute"):
        to_op_case(row(attributes="{'x': 1}"))


def test_what_a_case_does_not_carry_is_said() -> None:
    case = row(
        tensor_dtypes="('int8',)",
        input_data_ranges="((-1000,5,0),)",
        tensor_view_strides="((2,),)",
        manual_input_binaries="('a.bin',)",
        golden_api="torch.nn.functional.conv2d",
    )
    assert conversion_notes(case) == (
        "input 0: the range is cut to what the dtype holds",
        "input 0: values that have to appear are not put among the drawn ones",
        "tensor_view_strides: not sent; the server gets contiguous inputs of the shapes given",
        "manual_input_binaries: not read; the inputs are drawn",
        "golden_api torch.nn.functional.conv2d: the row's own API is run",
    )
    assert conversion_notes(row(input_data_ranges="((-inf,inf),)", tensor_view_strides="()")) == ()
