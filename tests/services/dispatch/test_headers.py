"""A case as headers and archive, against the protocol."""

from __future__ import annotations

import io
import json
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from xpudbg.services.dispatch.case import Mode, OpCase, Slot
from xpudbg.services.dispatch.errors import CaseError
from xpudbg.services.dispatch.headers import HEADER_LIMIT, run_headers, wire_inputs
from xpudbg.services.dispatch.inputs import parse_generated

x = np.arange(6, dtype=np.float32).reshape(2, 3)


def members(case: OpCase) -> dict[str, np.ndarray]:
    inputs = wire_inputs(case)
    assert inputs.archive is not None
    data = b"".join(inputs.archive)
    assert len(data) == inputs.length
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        return dict(archive)


def test_slots_become_indices_in_order() -> None:
    case = OpCase(
        api="torch.cat",
        inputs=(
            Slot("none", None),
            Slot("x", x, "ND"),
            Slot("many", (x, x + 1)),
            Slot("empty", ()),
            Slot("made", parse_generated("bfloat16[2]:ones")),
        ),
    )
    inputs = wire_inputs(case)
    nothing = {"dtype": None, "format": None, "logical_dtype": None}
    assert json.loads(inputs.schema) == [
        {"name": "none", "index": None} | nothing,
        {"name": "x", "index": 0, "dtype": "float32", "format": "ND", "logical_dtype": None},
        {"name": "many", "indices": [1, 2], "dtype": "float32", "format": None, "logical_dtype": None},
        {"name": "empty", "indices": []} | nothing,
        {"name": "made", "index": 3, "dtype": "bfloat16", "format": None, "logical_dtype": None},
    ]
    assert inputs.count == 4
    assert inputs.newer == ("formats",)
    sent = members(case)
    assert list(sent) == ["a0", "a1", "a2", "a3"]
    assert np.array_equal(sent["a2"], x + 1)
    assert sent["a3"].view(np.int16).tolist() == np.ones(2, ml_dtypes.bfloat16).view(np.int16).tolist()


def test_no_inputs_is_no_body() -> None:
    inputs = wire_inputs(OpCase(api="torch.rand"))
    headers = run_headers(OpCase(api="torch.rand"), inputs, "t")
    assert (inputs.archive, headers["X-Input-Count"], headers["Content-Length"]) == (None, "0", "0")


def test_headers_of_every_mode() -> None:
    case = OpCase(
        op_name="add",
        op_type="Add",
        api="torch.add",
        inputs=(Slot("x", x),),
        mode=Mode.DATA | Mode.PERF,
        runtime=9,
        param_order=("x", "y"),
        attrs={"dim": np.int64(1), "shape": (2, np.float32(0.5)), "deep": {"a": None}},
    )
    headers = run_headers(case, wire_inputs(case), "tenant")
    assert headers["X-Mode"] == "3"
    assert headers["X-Runtime"] == "9"
    assert headers["X-Execution-Type"] == "api"
    assert (headers["X-API"], headers["X-Op-Name"], headers["X-Op-Type"]) == ("torch.add", "add", "Add")
    assert json.loads(headers["X-Attrs"]) == {"dim": 1, "shape": [2, 0.5], "deep": {"a": None}}
    assert json.loads(headers["X-Param-Order"]) == ["x", "y"]
    assert "X-Spec-Module" not in headers


def test_headers_stay_on_one_line_and_ascii() -> None:
    case = OpCase(api="torch.add", inputs=(Slot("é\r\nX-Evil: 1", x),), attrs={"ü\n": "\r\n\u2028"})
    for name, text in run_headers(case, wire_inputs(case), "t").items():
        assert text.isascii(), name
        assert text.isprintable(), name


@pytest.mark.parametrize(
    ("attrs", "says"),
    [
        ({"a": {1, 2}}, "set can't be sent"),
        ({"a": x}, "ndarray can't be sent"),
        ({"a": {1: 2}}, "its name is int"),
        ({"a": 1j}, "complex can't be sent"),
        ({"a": "z" * HEADER_LIMIT}, "X-Attrs would be 65,5"),
    ],
)
def test_attributes_that_can_not_travel(attrs: dict[str, Any], says: str) -> None:
    case = OpCase(api="torch.add", attrs=attrs)
    with pytest.raises(CaseError, match=says):
        run_headers(case, wire_inputs(case), "t")


def test_attributes_nested_in_a_circle() -> None:
    circle: list[Any] = []
    circle.append(circle)
    case = OpCase(api="torch.add", attrs={"a": circle})
    with pytest.raises(CaseError, match="too deeply"):
        run_headers(case, wire_inputs(case), "t")


def test_too_many_slots_for_a_line() -> None:
    case = OpCase(api="torch.cat", inputs=tuple(Slot(f"input{at}", x) for at in range(900)))
    with pytest.raises(CaseError, match="X-Input-Schema would be") as refused:
        run_headers(case, wire_inputs(case), "t")
    assert "600" in refused.value.hint


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.array([object()]), "objects"),
        (np.array(["a"]), "text"),
        (np.zeros(2, [("a", "i4")]), "structured"),
        (np.zeros(2, np.longdouble), "differs from machine"),
        (np.zeros(2, ml_dtypes.int4), "int4"),
        (np.zeros(2, "V2"), "dtype unknown"),
    ],
    ids=["object", "text", "structured", "longdouble", "int4", "raw"],
)
def test_arrays_that_can_not_travel_are_named(array: np.ndarray, says: str) -> None:
    with pytest.raises(CaseError, match=f"input weird.*{says}"):
        wire_inputs(OpCase(api="torch.add", inputs=(Slot("weird", array),)))


def test_big_endian_is_converted_and_said() -> None:
    case = OpCase(api="torch.add", inputs=(Slot("x", x.astype(">f4")),))
    assert wire_inputs(case).notes == ("input x: converted from big-endian",)
    assert np.array_equal(members(case)["a0"], x)


def test_what_a_server_must_announce() -> None:
    float8 = OpCase(api="torch.add", inputs=(Slot("x", np.zeros(2, ml_dtypes.float8_e4m3fn)),))
    assert wire_inputs(float8).features == {"float8_inputs"}
    halves = OpCase(api="torch.add", inputs=(Slot("x", np.zeros((3, 2), np.float16), None, "complex32"),))
    assert wire_inputs(halves).newer == ("complex32 inputs",)
    assert json.loads(wire_inputs(halves).schema)[0]["logical_dtype"] == "complex32"
