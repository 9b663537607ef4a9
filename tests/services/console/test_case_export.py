"""Cases written as TOML are read back as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.services.console.console_cases import op_case
from xpudbg.services.console.case_export import case_as_toml, write_case
from xpudbg.services.dispatch.case import Mode, OpCase, Slot, SpecSource
from xpudbg.services.dispatch.case_file import read_case
from xpudbg.services.dispatch.edits import changed
from xpudbg.services.dispatch.errors import CaseError
from xpudbg.services.dispatch.inputs import Generated

HOSTILE = 'a"b\\c\n\x1b[31m\x7f]節'

CASES = {
    "a list of generated arrays": op_case(),
    "attributes of every kind": op_case(
        attrs={"a": 1, "b": 2.5, "c": True, "d": "t", "e": [1, [2.0]], "f": {"g h": -1}, "i": float("inf"), "j": 1e300}
    ),
    "hostile texts": op_case(attrs={HOSTILE: HOSTILE}, inputs=(Slot("x.y", None),)),
    "an op by name": OpCase(op_name="add", mode=Mode.DATA | Mode.PERF, runtime=7, param_order=("x", "alpha")),
    "a format": OpCase(op_type="Add", inputs=(Slot("x", Generated("bfloat16", (2,), "ones", ()), "NCHW"),)),
    "arrays": op_case(inputs=(Slot("x", np.arange(6, dtype=np.int16).reshape(2, 3)), Slot("y/../z", np.array(2.0)))),
    "bfloat16": op_case(inputs=(Slot("x", np.ones((2, 2), ml_dtypes.bfloat16), None, "bfloat16"),)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_case_survives(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    written = write_case(tmp_path / "case.toml", case)
    assert all(path.parent == tmp_path for path in written)
    again = read_case(tmp_path / "case.toml")
    assert [(one.field, one.before, one.after) for one in changed(case, again)] == []
    assert again.param_order == case.param_order


def test_files_of_a_spec_are_named_from_the_new_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    case = OpCase(op_name="x", spec=SpecSource(tmp_path / "ops.py", "MyOp", None, (tmp_path / "lib",)))
    text, _ = case_as_toml(case, "case", tmp_path / "sub")
    assert 'file = "../ops.py"' in text
    assert 'roots = ["../lib"]' in text


def test_what_is_there_already_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "case.toml").write_text("mine")
    with pytest.raises(FileExistsError):
        write_case(tmp_path / "case.toml", op_case())
    assert (tmp_path / "case.toml").read_text() == "mine"


@pytest.mark.parametrize("name", ["a\0.toml", "a\ud800.toml"], ids=["nul", "surrogate"])
def test_what_no_file_can_be_called_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="name"):
        write_case(tmp_path / name, op_case())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [None, [None], 2**63, "\ud800"], ids=["null", "null inside", "65 bits", "surrogate"])
def test_what_toml_has_no_word_for_is_refused(value: Any, tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="TOML can't hold it"):
        write_case(tmp_path / "case.toml", op_case(attrs={"a": value}))
    assert not list(tmp_path.iterdir())
