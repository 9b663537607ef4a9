"""The operator server with a real PyTorch, which another interpreter may have."""

from __future__ import annotations

import json
from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

from tests.services.opserver.served import OpClient, op_server
from xpudbg.services.npz.dtypes import from_wire, to_wire
from xpudbg.services.opserver.settings import ServerSettings

pytestmark = pytest.mark.torch

X = np.arange(6.0).reshape(2, 3)


@pytest.fixture(scope="module")
def client(torch_python: str) -> Iterator[OpClient]:
    with op_server(ServerSettings(port=0, python=torch_python, allow_code=False)) as made:
        yield made


def test_torch_is_a_provider(client: OpClient) -> None:
    assert client.ask("GET", "/v1/heartbeat").json["providers"] == ["numpy", "torch"]


@pytest.mark.parametrize(
    ("headers", "api"),
    [
        ({"X_API": "torch.add"}, "torch.add"),
        ({"X_API": "torch.ops.aten.add"}, "torch.ops.aten.add"),
        ({"X_API": "torch.ops.aten.add.Tensor"}, "torch.ops.aten.add.Tensor"),
        ({"X_Op_Type": "aclnnAdd"}, "torch.add"),
        ({"X_Op_Name": "no_such", "X_Op_Type": "Add"}, "torch.add"),
    ],
)
def test_an_addition_by_each_of_its_names(client: OpClient, headers: dict[str, str], api: str) -> None:
    answer = client.run(X, X, X_Attrs='{"alpha": 2}', **headers)
    np.testing.assert_array_equal(answer.outputs[0], X * 3)
    assert answer.headers["X-API"] == api


def test_parameters_by_name_and_a_dtype_as_text(client: OpClient) -> None:
    attrs = json.dumps({"dim": 1, "dtype": "float32"})
    answer = client.run(X, X_API="torch.nn.functional.softmax", X_Attrs=attrs)
    assert answer.outputs[0].dtype == np.float32
    np.testing.assert_allclose(answer.outputs[0].sum(axis=1), 1, rtol=1e-6)


def test_several_outputs_are_slots(client: OpClient) -> None:
    answer = client.run(X, X_API="torch.max", X_Attrs='{"dim": 1}')
    assert [output.tolist() for output in answer.outputs] == [[2, 5], [2, 2]]
    assert [entry["dtype"] for entry in json.loads(answer.headers["X-Output-Schema"])] == ["float64", "int64"]


@pytest.mark.parametrize("logical", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"])
def test_bits_go_in_and_come_out(client: OpClient, logical: str) -> None:
    values = np.array([1.0, 2.0, 0.5], getattr(ml_dtypes, logical))
    wire = to_wire("x", values).array
    named = json.dumps([{"name": "x", "index": 0, "dtype": logical}])
    same = client.run(wire, X_API="torch.clone", X_Input_Schema=named)
    assert json.loads(same.headers["X-Output-Schema"]) == [{"index": 0, "dtype": logical}]
    assert from_wire(same.outputs[0], logical).tolist() == [1.0, 2.0, 0.5]
    assert same.outputs[0].dtype == wire.dtype
    named = json.dumps([{"name": "self", "index": 0, "dtype": logical}])
    attrs = '{"dtype": "float32"}'
    wide = client.run(wire, X_API="torch.ops.aten.to.dtype", X_Input_Schema=named, X_Attrs=attrs)
    assert wide.outputs[0].tolist() == [1.0, 2.0, 0.5]


def test_complex32(client: OpClient) -> None:
    pairs = np.array([[1, 2], [3, -4]], np.float16)
    named = json.dumps([{"name": "input", "index": 0, "dtype": "float16", "logical_dtype": "complex32"}])
    answer = client.run(pairs, X_API="torch.conj_physical", X_Input_Schema=named)
    assert json.loads(answer.headers["X-Output-Schema"]) == [{"index": 0, "dtype": "complex32"}]
    assert json.loads(answer.headers["X-Output-Shapes"]) == [[2, 2]]
    assert answer.outputs[0].tolist() == [[1, -2], [3, 4]]


def test_measuring_an_operator_that_writes_into_its_input_leaves_the_data(client: OpClient) -> None:
    named = json.dumps([{"name": "self", "index": 0}, {"name": "other", "index": 1}])
    answer = client.run(X, X, X_API="torch.ops.aten.add_", X_Mode="3", X_Input_Schema=named)
    np.testing.assert_array_equal(answer.outputs[0], X * 2)


@pytest.mark.parametrize(
    ("api", "attrs", "error"),
    [
        ("torch.add", {}, "RuntimeError: The size of tensor a (3) must match the size of tensor b (5)"),
        ("torch.add", {"alhpa": 2}, "TypeError: add() got an unexpected keyword argument 'alhpa'"),
        ("torch.nn.functional.linear", {"bias": 3}, "TypeError: torch.nn.functional.linear takes these inputs neither"),
        ("torch.to_sparse", {}, "AttributeError: module 'torch' has no attribute 'to_sparse'"),
    ],
)
def test_the_words_of_the_operator(client: OpClient, api: str, attrs: dict[str, int], error: str) -> None:
    answer = client.run(X, np.zeros((5, 5)), X_API=api, X_Attrs=json.dumps(attrs))
    assert answer.status == 500
    assert answer.error.startswith(error)


def test_a_result_that_can_not_travel(client: OpClient) -> None:
    answer = client.run(X, X_API="torch.ops.aten.to_sparse")
    assert (answer.status, "sparse" in answer.error) == (500, True)


@pytest.mark.parametrize(
    "api",
    [
        *("torch.load", "torch.save", "torch.from_file", "torch.frombuffer", "torch.compile", "torch.manual_seed"),
        *("torch.hub.load", "torch.jit.load", "torch.ops.load_library", "torch.set_num_threads", "torch.vmap"),
        *("torch.ops.aten.save", "torch.ops.aten.from_file", "torch.ops.aten.from_file.out", "torch.ops.aten.warn"),
        *("torch.ops.aten.format", "torch.ops.aten.manual_seed", "torch.ops.aten._print", "torch.functional.torch"),
        *("torch.nn.functional.boolean_dispatch", "torch.nn.functional.handle_torch_function"),
    ],
)
def test_functions_that_do_more_than_compute_are_not_served(client: OpClient, api: str) -> None:
    answer = client.run(X, X_API=api)
    assert (answer.status, "not served" in answer.error) == (403, True)
