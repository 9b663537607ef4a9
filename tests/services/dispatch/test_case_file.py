"""Cases from files, inputs and attributes from words."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from xpudbg.services.dispatch.case import OpCase, Slot
from xpudbg.services.dispatch.case_file import is_case_file, parse_attribute, parse_input, read_case
from xpudbg.services.dispatch.errors import CaseError
from xpudbg.services.dispatch.inputs import Generated

x = np.arange(4, dtype=np.float32)

TOML = """
op = "softmax"
provider = "tf"
mode = "data,perf"
runtime = 5
param_order = ["x", "y"]
[attrs]
dim = 1
[[inputs]]
name = "x"
generate = "float32[2]:ones"
format = "ND"
[[inputs]]
file = "x.npy"
[[inputs]]
name = "absent"
none = true
[[inputs]]
name = "many"
list = [{ file = "all.npz", member = "b" }, { generate = "float32[4]" }]
[[inputs]]
name = "half"
file = "bits.npy"
dtype = "bfloat16"
"""


def files(folder: Path) -> Path:
    np.save(folder / "x.npy", x)
    np.save(folder / "bits.npy", np.array([0x3F80], np.uint16))
    np.savez(folder / "all.npz", a=x, b=x + 1)
    np.savez(folder / "one.npz", only=x)
    return folder


def arrays(slot: Slot) -> list[np.ndarray]:
    return [leaf.make() if isinstance(leaf, Generated) else leaf for leaf in slot.leaves]


def test_a_toml_case(tmp_path: Path) -> None:
    path = files(tmp_path) / "case.toml"
    path.write_text(TOML)
    case = read_case(path)
    case.check()
    assert (case.op_name, case.provider, case.mode, case.runtime) == ("softmax", "tf", 3, 5)
    assert (case.attrs, case.param_order) == ({"dim": 1}, ("x", "y"))
    assert [slot.name for slot in case.inputs] == ["x", "x2", "absent", "many", "half"]
    assert case.inputs[0].format == "ND"
    assert case.inputs[2].value is None
    assert np.array_equal(arrays(case.inputs[1])[0], x)
    assert np.array_equal(arrays(case.inputs[3])[0], x + 1)
    assert arrays(case.inputs[4])[0].dtype == ml_dtypes.bfloat16


def test_a_json_case_with_a_spec(tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_text('{"op": "a", "spec": {"file": "ops/a.py", "class": "A.Torch", "roots": ["../lib"]}}')
    case = read_case(path)
    assert case.spec is not None
    assert (case.spec.file, case.spec.class_name) == (tmp_path / "ops/a.py", "A.Torch")
    assert case.spec.roots == (tmp_path / "../lib",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("op = 7", "not a case: .*op"),
        ("opp = 'add'", "unknown field `opp`"),
        ("op = 'add'\n[[inputs]]\nname = 'x'", "input 'x': give one of generate, file"),
        ("op = 'add'\n[[inputs]]\nnone = true\nfile = 'x.npy'", "input 'x1': give one"),
        ("op = 'add'\n[[inputs]]\nfile = 'none.npy'", "none.npy: can't be read: No such file"),
        ("op = 'add'\n[[inputs]]\nfile = 'case.toml'", "case.toml"),
        ("op = 'add'\nmode = 'fast'", "not a mode"),
        ("op = 'add'\n[[inputs]]\nfile = \"\\u0000.npy\"", "no file can have such a name"),
        ("op = 'add'\n[[inputs]]\nfile = \"\\u0000.npz\"", "no file can have such a name"),
        ("op = 'add'\n[[inputs]]\nlist = [{}]", r"input 'x1\[0\]'"),
        ("{", "not a case"),
    ],
)
def test_cases_that_are_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "case.toml"
    path.write_text(text)
    with pytest.raises(CaseError, match=rf"(?s)case\.toml: .*{says}"):
        read_case(path)


def test_a_case_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="No such file"):
        read_case(tmp_path / "none.toml")
    with pytest.raises(CaseError, match="no file can have such a name"):
        read_case(tmp_path / "\0.toml")


def test_which_words_are_case_files() -> None:
    assert [is_case_file(word) for word in ("a.toml", "b/C.JSON", "torch.add", "add")] == [True, True, False, False]


@pytest.mark.parametrize(
    ("word", "name", "values"),
    [
        ("a=x.npy", "a", [0, 1, 2, 3]),
        ("a=all.npz:b", "a", [1, 2, 3, 4]),
        ("a=one.npz", "a", [0, 1, 2, 3]),
        ("a=int32[2]:constant(7)", "a", [7, 7]),
        ("a=bfloat16:bits.npy", "a", [1]),
        ("a=float32:x.npy", "a", [0, 1, 2, 3]),
    ],
)
def test_words_that_are_inputs(tmp_path: Path, word: str, name: str, values: list[float]) -> None:
    slot = parse_input(word, files(tmp_path))
    assert slot.name == name
    assert arrays(slot)[0].astype(np.float64).tolist() == values


def test_more_words_that_are_inputs(tmp_path: Path) -> None:
    assert parse_input("a=None", tmp_path) == Slot("a", None)
    assert parse_input("x.npy", files(tmp_path), "x1").name == "x1"
    halves = parse_input("a=complex32[3]", tmp_path)
    assert (halves.logical_dtype, arrays(halves)[0].shape) == ("complex32", (3, 2))
    bits = parse_input("a=bfloat16:bits.npy", tmp_path)
    OpCase(api="torch.add", inputs=(bits,)).check()
    assert bits.logical_dtype == "bfloat16"


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("x.npy", "without a name"),
        ("=x.npy", "without a name"),
        ("a=all.npz", "which of its arrays"),
        ("a=all.npz:c", "no array 'c'"),
        ("a=none.npy", "No such file"),
        ("a=float32[2]:nonsense", "no such distribution"),
        (f"a={'[' * 5000}]", "not a generated input"),
        (f"a={'n' * 5000}.npy", "File name too long"),
        ("a=float64:x.npy", "said to be float64, but holds float32"),
    ],
    ids=lambda value: value[:40],
)
def test_words_that_are_no_inputs(tmp_path: Path, word: str, says: str) -> None:
    with pytest.raises(CaseError, match=says):
        parse_input(word, files(tmp_path))


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("dim=1", 1),
        ("eps=1e-5", 1e-5),
        ("keep=true", True),
        ("none=null", None),
        ("shape=[1,2]", [1, 2]),
        ("approximate=tanh", "tanh"),
        ('text="1"', "1"),
        ("empty=", ""),
        ("equation=a=b", "a=b"),
    ],
)
def test_attributes(word: str, value: object) -> None:
    assert parse_attribute(word) == (word.partition("=")[0], value)


@pytest.mark.parametrize("word", ["dim", "=1", ""])
def test_words_that_are_no_attributes(word: str) -> None:
    with pytest.raises(CaseError, match="not an attribute"):
        parse_attribute(word)


@pytest.mark.parametrize(
    ("api", "provider"), [("numpy.add", "numpy"), ("torch.add", "torch"), ("tf.raw_ops.Relu", "tf"), ("my.op", "torch")]
)
def test_the_provider_goes_with_the_api_where_none_is_named(tmp_path: Path, api: str, provider: str) -> None:
    file = tmp_path / "case.toml"
    file.write_text(f'api = "{api}"\n')
    assert read_case(file).provider == provider
