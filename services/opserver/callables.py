"""From the dotted path of an API to the function; without --allow-code only functions that compute.

What computes is told by rule, not by a list of operators: NumPy's ufuncs and the functions it dispatches by their
array arguments (none that has a file among its parameters), and what PyTorch binds from its operator library.
"""

from __future__ import annotations

import importlib
import inspect
import types
from typing import TYPE_CHECKING, Any

from ..plain_text import plain
from .run_error import RunError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FAMILIES", "resolve"]

FAMILIES = (
    *("numpy", "numpy.linalg", "numpy.fft", "torch", "torch.nn.functional", "torch.special", "torch.linalg"),
    *("torch.fft", "torch.ops.aten"),
)
"""Modules whose functions are served without --allow-code."""

_NUMPY_MAKERS = frozenset(
    (
        *("arange", "array", "asarray", "ascontiguousarray", "asfortranarray", "zeros", "ones", "full", "eye"),
        *("identity", "indices", "tri", "tril_indices", "triu_indices", "bartlett", "blackman", "hamming", "hanning"),
        *("kaiser", "fftfreq", "rfftfreq"),
    )
)
"""NumPy's functions that compute without an array argument."""
_FILES = frozenset(("file", "fname", "fid", "filename"))
_TORCH_FOREIGN = frozenset(("from_file", "frombuffer", "from_numpy"))
"""Bound like operators, but they take files and memory."""
_BOUND = {
    "torch.nn.functional": ("torch", "torch._C._nn"),
    "torch.special": ("torch._C._special",),
    "torch.linalg": ("torch._C._linalg",),
    "torch.fft": ("torch._C._fft",),
}


def resolve(path: str, *, allow_code: bool) -> Callable[..., Any]:
    """The function of a dotted path.

    Args:
        path: `torch.add`, `numpy.linalg.norm`; its first part is imported, the rest are attributes.
        allow_code: any importable function, not only those that compute.

    Raises:
        RunError: 400 it is no dotted path or names a class, 403 it is not served, 500 it is not there.
    """
    parts = path.split(".")
    shown = plain(path, 120)
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        raise RunError(400, f"api {shown!r} is no dotted path such as torch.add")
    family = _family(parts)
    if not allow_code and (family is None or parts[-1].startswith("_")):
        raise RunError(403, f"api {shown!r} is not served: {_served()}")
    found = _find("tensorflow" if parts[0] == "tf" else parts[0], parts[1:])
    if isinstance(found, type):
        raise RunError(400, f"api {shown!r} is a class; a function is needed")
    if not callable(found):
        raise RunError(400, f"api {shown!r} is no function")
    if not allow_code:
        assert family is not None
        if not _computes(family, parts, found):
            raise RunError(403, f"api {shown!r} is not served, as it is no function that only computes: {_served()}")
    made: Callable[..., Any] = found
    return made


def _served() -> str:
    return f"functions of {', '.join(FAMILIES)} are; a server started with --allow-code calls any"


def _family(parts: list[str]) -> str | None:
    if parts[:3] == ["torch", "ops", "aten"]:
        return "torch.ops.aten" if len(parts) in (4, 5) else None
    family = ".".join(parts[:-1])
    return family if family in FAMILIES else None


def _find(module: str, attributes: list[str]) -> object:
    try:
        found: object = importlib.import_module(module)
    except ImportError as error:
        raise RunError(500, f"import failed: {error}") from None
    for attribute in attributes:
        try:
            found = getattr(found, attribute)
        except AttributeError as error:
            raise RunError(500, f"AttributeError: {error}") from None
    return found


def _computes(family: str, parts: list[str], found: object) -> bool:
    name = parts[-1]
    if family.startswith("numpy"):
        return _numpy_computes(family, name, found)
    torch: Any = importlib.import_module("torch")

    if family == "torch":
        bound = hasattr(torch._C._VariableFunctions, name) and name not in _TORCH_FOREIGN
        return bound or name in torch.functional.__all__
    if family == "torch.ops.aten":
        return not parts[3].startswith("_") and _aten_computes(torch, parts[3])
    module = getattr(found, "__module__", None)
    if isinstance(found, types.FunctionType):
        return family == "torch.nn.functional" and module == family
    return isinstance(found, types.BuiltinFunctionType) and module in _BOUND[family]


def _aten_computes(torch: Any, name: str) -> bool:
    """Whether an operator belongs to the tensor library; what TorchScript adds (aten::save) does not."""
    packet = getattr(torch.ops.aten, name)
    registered = set(torch._C._dispatch_get_all_op_names())
    computes = False
    for overload in packet.overloads():
        schema = getattr(packet, overload)._schema
        if any(argument.name in _FILES for argument in schema.arguments):
            return False
        full = f"aten::{name}" if overload == "default" else f"aten::{name}.{overload}"
        typed = [str(argument.type) for argument in (*schema.arguments, *schema.returns)]
        computes = computes or (full in registered and any("Tensor" in text for text in typed))
    return computes


def _numpy_computes(family: str, name: str, found: object) -> bool:
    import numpy as np

    if name not in importlib.import_module(family).__all__:
        return False
    if isinstance(found, np.ufunc) or name in _NUMPY_MAKERS:
        return True
    if type(found) is not type(np.concatenate):  # dispatched by its array arguments
        return False
    assert callable(found)
    try:
        return _FILES.isdisjoint(inspect.signature(found).parameters)
    except ValueError:  # says nothing of its parameters, as some do in older versions
        return not name.startswith(("from", "load", "save"))
