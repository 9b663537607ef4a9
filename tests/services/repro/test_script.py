"""Reproducing scripts, run by a clean interpreter that has NumPy and no xpudbg."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from xpudbg.services.dispatch.case import OpCase, Slot, SpecSource
from xpudbg.services.dispatch.inputs import Generated, parse_generated
from xpudbg.services.repro.script import EMBEDDED_BYTES, ReproError, repro_script, write_repro


def done(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-W", "error", str(path)], capture_output=True, text=True, timeout=60, cwd=path.parent
    )


def values_in(text: str, **inside: Any) -> dict[str, Any]:
    """The inputs that a script makes, without running the operator."""
    space: dict[str, Any] = {"__name__": "repro", "__file__": "repro.py", **inside}
    exec(compile(text, "repro", "exec"), space)
    made: dict[str, Any] = space["INPUTS"]
    return made


@pytest.mark.parametrize(
    "text",
    [
        "float32[3,5]:uniform(-1,1):seed=7",
        "float64[4]:normal(2,0.5):seed=1",
        "float16[9]:uniform(-1e5,1e5)",
        "complex64[5]:normal:seed=4",
        "int8[7]:randint(-5,5):seed=2",
        "bool[9]:randint",
        "uint64[3]:arange(9007199254740990,1)",
        "float32[6]:arange(0.5,0.25)",
        "float32[2]:constant(nan)",
        "float32[2]:constant(-inf)",
        "int64[]:ones",
        "float32[0,3]:zeros",
        "bfloat16[5]:normal",
        "float8_e4m3fn[5]:uniform",
        "complex32[3]:normal",
        "float32[1100000]:normal:seed=3",
    ],
)
def test_generated_inputs_have_the_same_values(text: str) -> None:
    wanted = parse_generated(text)
    logical = "complex32" if text.startswith("complex32") else None
    script = repro_script(OpCase(api="numpy.add", inputs=(Slot("x", wanted, None, logical),)))
    got = values_in(script.text)["x"]
    array = getattr(got, "array", got)
    assert array.tobytes() == wanted.make().tobytes()
    assert array.shape == wanted.make().shape
    assert getattr(got, "logical", array.dtype.name) == wanted.dtype


def test_it_runs_alone_and_says_that_all_is_as_expected(tmp_path: Path) -> None:
    x = np.random.default_rng(1).standard_normal((40, 50)).astype(np.float32)
    y = parse_generated("float32[40,50]:uniform:seed=9")
    case = OpCase(api="numpy.add", inputs=(Slot("x1", x), Slot("x2", y)))
    expected = {"0": (x + y.make(), None)}
    written = write_repro(tmp_path / "repro.py", case, expected=expected, recorded="it was wrong on npu")
    assert [path.name for path in written] == ["repro.py", "repro.npz"]
    ran = done(written[0])
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "recorded: it was wrong on npu" in ran.stdout
    assert "output 0: float32[40, 50], as expected" in ran.stdout

    off = expected["0"][0].copy()
    off[3, 7] += 1
    write_repro(tmp_path / "repro.py", case, expected={"0": (off, None)})
    ran = done(written[0])
    assert ran.returncode == 1
    assert "DIFFERS" in ran.stdout
    assert "1 of 2,000 elements" in ran.stdout
    assert "first at [3, 7]" in ran.stdout


def test_a_failing_call_fails_in_the_same_words(tmp_path: Path) -> None:
    lists = (np.ones((2, 3)), np.ones((4, 5)))
    case = OpCase(api="numpy.concatenate", attrs={"axis": 0}, inputs=(Slot("arrays", lists),))
    (path,) = write_repro(tmp_path / "r.py", case, recorded="ValueError: dimensions must match")
    ran = done(path)
    assert ran.returncode == 1
    assert "here it fails: ValueError: all the input array dimensions" in ran.stdout


def test_bfloat16_is_compared_by_its_values(tmp_path: Path) -> None:
    x = np.array([1.5, -2, 0.25], ml_dtypes.bfloat16)
    case = OpCase(api="numpy.negative", inputs=(Slot("x", x),))
    (path,) = write_repro(tmp_path / "r.py", case, expected={"0": (-x, None)})
    ran = done(path)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout


@pytest.mark.parametrize(
    "case",
    [
        OpCase(op_name="my_op", inputs=(Slot("x", np.ones(3)), Slot("w", None))),
        OpCase(op_name="my_op", spec=SpecSource(Path("ops.py"), "Op")),
        OpCase(api="os.getcwd"),
        OpCase(api="numpy.no_such_function"),
    ],
    ids=["op name", "spec", "other module", "not there"],
)
def test_what_can_not_run_here_says_so(tmp_path: Path, case: OpCase) -> None:
    (path,) = write_repro(tmp_path / "r.py", case)
    ran = done(path)
    assert (ran.returncode, ran.stderr) == (2, ""), ran.stdout
    assert "here" in ran.stdout


@pytest.mark.parametrize("text", ['"""', "'''", "\\", "\n import os", "\x1b[2J", "é\u202e", '"', "{}", "%s"])
def test_no_text_of_a_case_becomes_code(text: str) -> None:
    case = OpCase(op_name=text, attrs={text: text}, inputs=(Slot(text, np.ones(2)),))
    script = repro_script(case, recorded=text, api=text)
    tree = ast.parse(script.text)
    plain = ast.parse(repro_script(OpCase(op_name="a", inputs=(Slot("x", np.ones(2)),))).text)
    assert [type(node) for node in ast.walk(tree)] == [type(node) for node in ast.walk(plain)]
    assert "\x1b" not in script.text
    assert list(values_in(script.text)) == [text]


def test_the_api_that_ran_is_taken_where_the_case_names_none() -> None:
    assert "API = 'numpy.add'" in repro_script(OpCase(op_name="add"), api="numpy.add").text


def test_large_arrays_lie_beside_small_ones_inside() -> None:
    small, large = np.zeros(EMBEDDED_BYTES, np.uint8), np.zeros(EMBEDDED_BYTES + 1, np.uint8)
    script = repro_script(OpCase(api="numpy.add", inputs=(Slot("x", small), Slot("y", large))))
    assert list(script.arrays) == ["a0"]
    assert script.arrays["a0"] is large or np.array_equal(script.arrays["a0"], large)
    assert "repro.npz, which has to lie beside" in script.text


def test_objects_can_not_be_told() -> None:
    with pytest.raises(ReproError, match="input x"):
        repro_script(OpCase(api="numpy.add", inputs=(Slot("x", np.array([object()])),)))


def test_the_script_has_no_large_generated_array() -> None:
    huge = Generated("float32", (1 << 30,), "zeros", ())
    assert len(repro_script(OpCase(api="numpy.sum", inputs=(Slot("a", huge),))).text) < 20_000
