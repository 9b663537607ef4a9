"""One run, in this process: inputs, outputs, and what is refused. NumPy only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from xpudbg.services.npz.dtypes import to_wire
from xpudbg.services.opserver.child import Job, Reply, run
from xpudbg.services.opserver.run_error import RunError
from xpudbg.services.opserver.run_request import Mode, RunRequest, Slot

from .served import archive


def ran(*arrays: np.ndarray, slots: list[Slot] | None = None, body: bytes | None = None, **asked: Any) -> Reply:
    asked = {"provider": "numpy", "api": "numpy.add", "tenant": "t"} | asked
    if slots is None:
        slots = [Slot(f"x{at}", at, dtype=array.dtype.name) for at, array in enumerate(arrays)]
    request = RunRequest(slots=slots, input_count=sum(len(slot.leaves) for slot in slots), **asked)
    job = Job(request, Path("/nowhere"), allow_code=False, providers=["numpy"], total_bytes=1_000_000)
    return run(job, [archive(*arrays) if body is None else body])


X = np.arange(6.0).reshape(2, 3)


def test_a_reply_describes_its_outputs() -> None:
    reply = ran(X, X)
    assert reply.headers == {
        "X-Output-Count": "1",
        "X-Output-Shapes": "[[2, 3]]",
        "X-Output-Schema": '[{"index": 0, "dtype": "float64"}]',
        "X-API": "numpy.add",
    }
    assert reply.outputs is not None
    np.testing.assert_array_equal(reply.outputs[0], X + X)


def test_several_outputs_are_slots() -> None:
    reply = ran(X, api="numpy.linalg.svd")
    assert reply.headers["X-Output-Count"] == "3"
    assert json.loads(reply.headers["X-Output-Shapes"]) == [[2, 2], [2], [3, 3]]


def test_no_output_is_no_slot() -> None:
    reply = ran(np.zeros((0, 3)), api="numpy.split", attrs={"indices_or_sections": []})
    assert reply.headers["X-Output-Count"] == "1"
    reply = ran(X.copy(), np.array(1.0), api="numpy.copyto")
    assert json.loads(reply.headers["X-Output-Schema"]) == [{"index": None}]
    assert reply.outputs == []


def test_a_scalar_is_0_d() -> None:
    reply = ran(X, api="numpy.allclose", slots=[Slot("a", 0)], attrs={"b": 1})
    assert reply.outputs is not None
    assert reply.outputs[0].shape == ()
    assert reply.outputs[0].dtype == np.bool_


def test_a_tensor_list_is_a_list() -> None:
    reply = ran(
        X, X, api="numpy.concatenate", slots=[Slot("arrays", indices=[0, 1], dtype="float64")], attrs={"axis": 1}
    )
    assert reply.headers["X-Output-Shapes"] == "[[2, 6]]"


def test_the_same_result_whatever_the_memory_order() -> None:
    reply = ran(np.asfortranarray(X), X[:, ::-1])
    assert reply.outputs is not None
    np.testing.assert_array_equal(reply.outputs[0], X + X[:, ::-1])


def test_only_perf_has_no_data() -> None:
    reply = ran(X, X, mode=Mode.PERF)
    assert reply.outputs is None
    assert reply.headers["X-Output-Count"] == "0"
    assert json.loads(reply.headers["X-Perf"]) == {"device_us": "NA", "peak_memory_mb": "NA"}
    assert float(reply.headers["X-Wall-Us"]) > 0
    assert "X-Output-Schema" not in reply.headers


def test_measuring_does_not_change_the_data() -> None:
    reply = ran(X, X, np.zeros((2, 3)), mode=Mode.DATA | Mode.PERF, slots=[Slot("a", 0), Slot("b", 1), Slot("out", 2)])
    assert reply.outputs is not None
    np.testing.assert_array_equal(reply.outputs[0], X + X)
    assert "X-Perf" in reply.headers


def test_neither_data_nor_perf_runs_and_returns_nothing() -> None:
    assert ran(X, X, mode=0) == Reply({"X-Output-Count": "0", "X-API": "numpy.add"})
    with pytest.raises(ValueError, match="broadcast"):
        ran(X, np.zeros(5), mode=0)


@pytest.mark.parametrize("logical", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"])
def test_bits_are_computed_as_what_the_schema_names(logical: str) -> None:
    values = np.array([1.0, 2.0, 0.5], getattr(ml_dtypes, logical))
    wire = to_wire("x", values).array
    for bits in (wire, wire.view(f"V{wire.itemsize}"), wire.view(f"u{wire.itemsize}")):
        reply = ran(bits, slots=[Slot("a", 0, dtype=logical)], api="numpy.copy")
        assert reply.outputs is not None
        assert json.loads(reply.headers["X-Output-Schema"]) == [{"index": 0, "dtype": logical}]
        assert reply.outputs[0].tobytes() == values.tobytes()
        assert reply.outputs[0].dtype == wire.dtype
    widened = ran(wire, slots=[Slot("a", 0, dtype=logical)], api="numpy.asarray", attrs={"dtype": "float32"})
    assert widened.outputs is not None
    assert widened.outputs[0].tolist() == [1.0, 2.0, 0.5]


REFUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "raw bits without a name": ({"body": archive(np.zeros(2, "V2")), "slots": [Slot("a", 0)]}, 400, "2-byte raw"),
    "another dtype than named": ({"slots": [Slot("a", 0, dtype="int32")]}, 400, "says int32, .* holds float64"),
    "another width than named": ({"slots": [Slot("a", 0, dtype="bfloat16")]}, 400, "bfloat16"),
    "big-endian": ({"body": archive(np.zeros(2, ">f4")), "slots": [Slot("a", 0)]}, 400, "little-endian"),
    "dates": ({"body": archive(np.zeros(2, "M8[s]")), "slots": [Slot("a", 0)]}, 400, "datetime64"),
    "complex32": ({"slots": [Slot("a", 0, logical_dtype="complex32")]}, 400, "NumPy has no complex32"),
    "an input too few": ({"slots": [Slot("a", 0), Slot("b", 1)]}, 400, "is 2, but .* has no a1"),
    "an input too many": ({"slots": []}, 400, "is 0, but .* holds 1 arrays"),
    "no archive": ({"body": b"<html>", "slots": [Slot("a", 0)]}, 400, "archive: .*html"),
    "no body": ({"body": b"", "slots": [Slot("a", 0)]}, 400, "has no a0"),
    "a large archive": ({"body": archive(np.zeros(2_000_000, np.uint8))}, 400, "may have 1,000,000"),
    "another provider": ({"provider": "tf"}, 400, "provider 'tf' is not here; there are: numpy"),
    "a text for a result": ({"api": "numpy.array2string"}, 500, "output 0 is a str, which can't travel"),
    "objects for a result": (
        {"api": "numpy.full", "slots": [], "body": b"", "attrs": {"shape": 2, "fill_value": None}},
        500,
        "output 0: it holds Python objects",
    ),
    "spec mode": ({"spec_mode": True}, 403, "--allow-code"),
    "another function": ({"api": "os.system"}, 403, "not served"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_refused_is_said_with_the_reason(kind: str) -> None:
    asked, status, text = REFUSED[kind]
    asked = {"slots": [Slot("a", 0)], "api": "numpy.exp"} | asked
    with pytest.raises(RunError, match=text) as refused:
        ran(X, **asked)
    assert refused.value.status == status


def test_what_the_operator_raises_is_its_own() -> None:
    with pytest.raises(ValueError, match="could not be broadcast"):
        ran(X, np.zeros(5))
