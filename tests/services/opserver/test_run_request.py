"""Headers of a run."""

from __future__ import annotations

import json

import pytest

from xpudbg.services.opserver.run_error import RunError
from xpudbg.services.opserver.run_request import Mode, RunRequest, read_headers, valid_tenant

TWO = json.dumps([{"name": "a", "index": 0}, {"name": "b", "indices": [1, 2], "dtype": "float32"}, {"name": "c"}])


def read(**headers: str) -> RunRequest:
    return read_headers({"X-Tenant-ID": "t"} | {name.replace("_", "-"): value for name, value in headers.items()})


def test_everything_is_read_and_survives_json() -> None:
    request = read(
        X_API="torch.add",
        X_Attrs='{"alpha": NaN, "dims": [1, 2]}',
        X_Input_Schema=TWO,
        X_Input_Count="3",
        X_Mode="3",
        X_Runtime="7",
        X_Param_Order='["b", "a"]',
        X_Op_Name="add",
    )
    assert [slot.leaves for slot in request.slots] == [[0], [1, 2], []]
    assert (request.mode, request.runtime, request.param_order) == (Mode.DATA | Mode.PERF, 7, ["b", "a"])
    assert RunRequest.from_json(json.loads(json.dumps(request.to_json()))).slots == request.slots


def test_defaults() -> None:
    request = read()
    assert (request.provider, request.spec_mode, request.mode, request.runtime) == ("torch", False, Mode.DATA, 3)
    assert (request.attrs, request.slots, request.input_count) == ({}, [], 0)


@pytest.mark.parametrize(
    ("given", "mode"), [("1", 1), ("2", 2), ("3", 3), ("data", 1), ("perf", 2), ("data_perf", 3), ("0", 0), ("4", 0)]
)
def test_modes(given: str, mode: int) -> None:
    assert read(X_Mode=given).mode == mode


@pytest.mark.parametrize(("given", "runtime"), [("0", 1), ("-5", 1), ("100", 100), ("101", 100)])
def test_repetitions_are_clamped(given: str, runtime: int) -> None:
    assert read(X_Runtime=given).runtime == runtime


@pytest.mark.parametrize(
    ("provider", "api", "wanted"),
    [("np", "", "numpy"), ("tensorflow", "", "tf"), ("", "numpy.add", "numpy"), ("", "os.x", "torch"), ("x", "", "x")],
)
def test_provider(provider: str, api: str, wanted: str) -> None:
    assert read(X_Provider=provider, X_API=api).provider == wanted


@pytest.mark.parametrize(
    ("tenant", "valid"),
    [
        *(("a.B_c-9", True), ("x" * 64, True), ("x" * 65, False), ("", False), (".", False), ("..", False)),
        *(("...", False), (".a", True), ("a/b", False), ("a b", False), ("é", False), ("a\n", False), (None, False)),
    ],
)
def test_tenant_ids(tenant: str | None, valid: bool) -> None:
    assert valid_tenant(tenant) is valid


REFUSED = {
    "bad tenant": ({"X-Tenant-ID": ".."}, "invalid or missing tenant_id"),
    "no count": ({"X-Input-Count": "two"}, r"Invalid X-Input-Count \(not integer\)"),
    "negative count": ({"X-Input-Count": "-1"}, "0 to 4096"),
    "huge count": ({"X-Input-Count": "4097"}, "0 to 4096"),
    "schema": ({"X-Input-Schema": "[{]"}, "Invalid X-Input-Schema JSON"),
    "deep schema": ({"X-Input-Schema": "[" * 30_000}, "Invalid X-Input-Schema JSON"),
    "schema no list": ({"X-Input-Schema": "{}"}, "not a JSON list"),
    "entry": ({"X-Input-Schema": "[1]"}, "entry 0 is no object with a name"),
    "index": ({"X-Input-Schema": '[{"name": "a", "index": true}]'}, "entry 0: index"),
    "indices": ({"X-Input-Schema": '[{"name": "a", "indices": [-1]}]'}, "entry 0: indices"),
    "dtype": ({"X-Input-Schema": '[{"name": "a", "dtype": 1}]'}, "entry 0: dtype"),
    "same name": ({"X-Input-Schema": '[{"name": "a"}, {"name": "a"}]'}, "two entries are called 'a'"),
    "count without schema": ({"X-Input-Count": "1"}, r"X-Input-Count is 1, but X-Input-Schema names the inputs \[\]"),
    "count of slots": ({"X-Input-Schema": TWO, "X-Input-Count": "2"}, r"is 2, but .* \[0, 1, 2\]"),
    "same leaf": ({"X-Input-Schema": '[{"name": "a", "indices": [0, 0]}]', "X-Input-Count": "2"}, r"\[0, 0\]"),
    "attrs": ({"X-Attrs": "{'a': 1}"}, "Invalid X-Attrs JSON"),
    "attrs list": ({"X-Attrs": "[]"}, "not a JSON object"),
    "order": ({"X-Param-Order": "[1]"}, "X-Param-Order"),
    "mode": ({"X-Mode": "fast"}, "X-Mode 'fast'"),
    "negative mode": ({"X-Mode": "-1"}, "X-Mode"),
    "runtime": ({"X-Runtime": "many"}, "X-Runtime"),
    "type": ({"X-Execution-Type": "SPEC"}, "api, spec"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_malformed_is_refused_and_not_ignored(kind: str) -> None:
    headers, text = REFUSED[kind]
    with pytest.raises(RunError, match=text) as refused:
        read_headers({"X-Tenant-ID": "t"} | headers)
    assert refused.value.status == 400


def test_inputs_to_be_regenerated_are_asked_for() -> None:
    recipes = {"X_Input_Recipes": "[]", "X_Input_Schema": '[{"name": "a", "index": 0}]', "X_Input_Count": "1"}
    with pytest.raises(RunError, match="zero-upload regeneration mismatch") as refused:
        read(Content_Length="0", **recipes)
    assert refused.value.status == 409
    assert read(Content_Length="99", **recipes).input_count == 1
