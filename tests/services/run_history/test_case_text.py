"""A case goes to JSON and back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.services.run_history.made_runs import case
from xpudbg.services.dispatch.case import Mode, OpCase, Slot, SpecSource
from xpudbg.services.dispatch.inputs import parse_generated
from xpudbg.services.run_history.blobs import BlobFolder
from xpudbg.services.run_history.case_text import blobs_in, case_to_json, json_to_case
from xpudbg.services.run_history.errors import HistoryError, NotKeptError


def there_and_back(of: OpCase, folder: Path) -> OpCase:
    blobs = BlobFolder(folder)
    text = json.dumps(case_to_json(of, lambda _name, array: blobs.put(array)))
    return json_to_case(json.loads(text), blobs.get)


def test_every_part_comes_back(tmp_path: Path) -> None:
    made = OpCase(
        op_name="add",
        op_type="Add",
        spec=SpecSource(tmp_path / "ops.py", "A.B", "pack.ops", (tmp_path,)),
        provider="numpy",
        attrs={"alpha": 2, "names": ["a", None], "nan": float("nan"), "deep": {"x": 1.5, "on": True}},
        inputs=(
            Slot("x", parse_generated("complex32[4]:normal:seed=3"), "ND", "complex32"),
            Slot("y", None),
            Slot("z", (np.arange(3, dtype=np.int8), np.ones((2, 2), np.int8))),
            Slot("w", np.array(3, np.float32)),
            Slot("empty", ()),
        ),
        param_order=("z", "x"),
        mode=Mode.DATA | Mode.PERF,
        runtime=7,
    )
    back = there_and_back(made, tmp_path)
    assert np.isnan(back.attrs["nan"])
    assert {**back.attrs, "nan": 0} == {**made.attrs, "nan": 0}
    for name in ("op_name", "op_type", "api", "spec", "provider", "inputs", "param_order", "mode", "runtime"):
        assert getattr(back, name) == getattr(made, name), name
    assert back.inputs[0].value == made.inputs[0].value
    assert back.inputs[1].value is None
    assert back.inputs[4].value == ()
    for (name, one), (other_name, other) in zip(list(back.leaves())[1:], list(made.leaves())[1:], strict=True):
        assert name == other_name
        assert isinstance(one, np.ndarray)
        assert isinstance(other, np.ndarray)
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


attrs = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=5,
    ),
    max_size=4,
)


@given(attrs)
def test_any_attributes_come_back(given_attrs: dict[str, object]) -> None:
    made = OpCase(api="torch.add", attrs=given_attrs)
    text = json.dumps(case_to_json(made, lambda _name, _array: ""))
    assert json_to_case(json.loads(text), lambda _blob, _name: np.zeros(1)).attrs == given_attrs


def test_an_input_that_was_not_kept_is_named() -> None:
    said = case_to_json(case(np.zeros(3)), lambda _name, _array: "larger than 1 MiB")
    assert said["inputs"][0]["leaves"] == [{"missing": "larger than 1 MiB", "dtype": "float64", "shape": [3]}]
    assert blobs_in(said) == []
    with pytest.raises(NotKeptError, match="x1 was not kept: larger than 1 MiB") as caught:
        json_to_case(said, lambda _blob, _name: np.zeros(1))
    assert "input.x1" in caught.value.hint


@pytest.mark.parametrize("said", [{}, {"version": 2}, {"version": 1}, {"version": 1, "inputs": 3, "provider": 1}])
def test_what_is_no_case_is_said(said: dict[str, object]) -> None:
    with pytest.raises(HistoryError):
        json_to_case(said, lambda _blob, _name: np.zeros(1))


def test_what_json_can_not_carry_is_text_and_numpy_numbers_are_numbers() -> None:
    said = case_to_json(OpCase(api="a.b", attrs={"n": np.int64(3), "o": {1, 2}, "t": (1, 2)}), lambda _n, _a: "")
    assert said["attrs"] == {"n": 3, "o": "{1, 2}", "t": [1, 2]}
