"""Which functions are served."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

from xpudbg.services.opserver.callables import resolve
from xpudbg.services.opserver.op_names import candidates, derive
from xpudbg.services.opserver.run_error import RunError

COMPUTES = ["add", "matmul", "concatenate", "sum", "linalg.svd", "fft.fft", "zeros", "einsum", "linalg.norm", "where"]


@pytest.mark.parametrize("name", COMPUTES)
def test_numpy_functions_that_compute_are_served(name: str) -> None:
    found: object = np
    for part in name.split("."):
        found = getattr(found, part)
    assert resolve(f"numpy.{name}", allow_code=False) is found


KEPT_FROM = [
    *("load", "save", "savez", "savez_compressed", "savetxt", "loadtxt", "genfromtxt", "fromfile", "fromregex"),
    *("frombuffer", "fromstring", "frompyfunc", "fromfunction", "info", "show_config", "get_include", "seterrcall"),
    *("set_printoptions", "from_dlpack", "nested_iters", "bmat", "fromiter"),
]


@pytest.mark.parametrize("name", KEPT_FROM)
def test_numpy_functions_that_do_more_are_not(name: str) -> None:
    with pytest.raises(RunError, match="not served") as refused:
        resolve(f"numpy.{name}", allow_code=False)
    assert refused.value.status == 403


def test_no_function_that_is_served_names_a_file_or_runs_what_it_is_given() -> None:
    served = []
    for family in (np, np.linalg, np.fft):
        for name in family.__all__:
            try:
                resolve(f"{family.__name__}.{name}", allow_code=False)
            except RunError:
                continue
            served.append(name)
    assert len(served) > 300
    assert not [name for name in served if any(word in name for word in ("load", "save", "file", "txt", "buffer"))]


@pytest.mark.parametrize(
    "path",
    [
        *("os.system", "builtins.eval", "numpy.lib.npyio.load", "numpy.random.rand", "numpy.ctypeslib.load_library"),
        *("numpy.testing.runstring", "numpy._core.multiarray.fromfile", "numpy.__dict__", "numpy.add.reduce"),
        *("numpy.f2py.compile", "torch.hub.load", "torch.utils.cpp_extension.load", "torch.ops.load_library"),
        *("torch.ops.aten._x.y.z", "torch.nn.functional.importlib.import_module", "numpy._x", "subprocess.run"),
    ],
)
def test_other_paths_are_refused_without_an_import(path: str) -> None:
    with pytest.raises(RunError, match="not served") as refused:
        resolve(path, allow_code=False)
    assert refused.value.status == 403


def test_code_when_allowed() -> None:
    assert resolve("math.sqrt", allow_code=True) is math.sqrt
    assert resolve("os.path.join", allow_code=True) is os.path.join


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("numpy", 400, "no dotted path"),
        ("", 400, "no dotted path"),
        ("numpy.", 400, "no dotted path"),
        ("numpy..add", 400, "no dotted path"),
        ("numpy.\x1b[2J", 400, r"\\x1b"),
        ("numpy.ndarray", 400, "class"),
        ("numpy.pi", 400, "no function"),
        ("numpy.nope", 500, "AttributeError: module 'numpy' has no attribute 'nope'"),
        ("no_such_module.f", 500, "import failed: No module named 'no_such_module'"),
    ],
)
def test_paths_that_lead_to_no_function(path: str, status: int, text: str) -> None:
    with pytest.raises(RunError, match=text) as refused:
        resolve(path, allow_code=True)
    assert refused.value.status == status


@pytest.mark.parametrize(
    ("op", "first"),
    [
        ("add", "add"),
        ("RealDiv", "div"),
        ("real_div", "div"),
        ("top_k_v2", "topk"),
        ("aclnnAdd", "add"),
        ("aclnnGtScalar", "gt_scalar"),
        ("aclnnInplaceAdd", "inplace_add"),
        ("is_nan", "isnan"),
        ("HSwish", "h_swish"),
    ],
)
def test_names_of_operators(op: str, first: str) -> None:
    assert next(candidates(op)) == first


@pytest.mark.parametrize(
    ("op", "other"),
    [
        ("softmax_d", "softmax"),
        ("gelu_grad", "gelu_backward"),
        ("aclnnGtScalar", "gt"),
        ("aclnnInplaceAdd", "add_"),
        ("aclnnAddTensor", "add"),
        ("aclnnSelectV2", "where"),
    ],
)
def test_endings_are_taken_off(op: str, other: str) -> None:
    assert other in candidates(op)


def test_an_operator_without_an_api_is_found_by_name_then_by_type() -> None:
    assert derive("numpy", "no_such_op", "Exp", allow_code=False) == ("numpy.exp", np.exp)
    assert derive("numpy", "Svd", None, allow_code=False) == ("numpy.linalg.svd", np.linalg.svd)


def test_an_operator_that_is_not_found() -> None:
    with pytest.raises(RunError) as refused:
        derive("numpy", "x", None, allow_code=False)
    assert refused.value.status == 400
    assert refused.value.text == "cannot resolve api for op_name='x' op_type=None provider='numpy'"
