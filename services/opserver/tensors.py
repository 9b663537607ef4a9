"""Arrays of an archive to the tensors of NumPy or PyTorch, and results back."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ..npz.dtypes import RAW_BITS, from_wire, to_wire
from ..npz.errors import ArrayRefusedError
from ..plain_text import plain
from .run_error import RunError

if TYPE_CHECKING:
    from .run_request import Slot

__all__ = ["Leaf", "give", "take"]

Leaf = tuple[np.ndarray, str]
"""An output as it travels, and the dtype named beside it."""


def take(provider: str, slot: Slot, number: int, array: np.ndarray) -> Any:
    """The tensor of one input.

    Args:
        provider: `numpy` or `torch`.
        slot: where it belongs; its dtypes say what raw bits are.
        number: its number in the archive.

    Raises:
        RunError: 400, it is not what the schema says, or the provider has no such dtype.
    """
    where = f"input a{number} ({plain(slot.name, 60)})"
    logical = _logical(slot, array, where)
    try:
        if provider == "torch":
            return _torch_tensor(array, logical, where)
        if logical == "complex32":
            raise RunError(400, f"{where}: NumPy has no complex32")
        return from_wire(array, logical, where)
    except ArrayRefusedError as error:
        raise RunError(400, str(error)) from None
    except ImportError:
        raise RunError(400, f"{where}: {logical} with NumPy needs the package ml-dtypes on the server") from None


def give(value: Any, number: str) -> Leaf:
    """The wire form of one result, which has no object in it.

    Args:
        number: which output, for messages.

    Raises:
        RunError: 500, it can't travel.
    """
    module = type(value).__module__.partition(".")[0]
    if module == "torch" and hasattr(value, "layout"):
        return _from_torch(value, number)
    if not isinstance(value, np.ndarray | np.generic | bool | int | float | complex):
        raise RunError(500, f"TypeError: output {number} is a {type(value).__name__}, which can't travel")
    try:
        wire = to_wire(f"output {number}", np.asarray(value))
    except ArrayRefusedError as error:
        raise RunError(500, f"TypeError: {str(error).removeprefix('input ')}") from None
    return wire.array, wire.schema_dtype


def _logical(slot: Slot, array: np.ndarray, where: str) -> str | None:
    """The logical dtype that matters for this member; None: its own says all."""
    if slot.logical_dtype == "complex32":
        return "complex32"
    said = slot.dtype
    if said in RAW_BITS:
        fits = array.dtype.itemsize == RAW_BITS[said].itemsize and array.dtype.kind in "iuV"
        if fits or slot.indices is None:
            return said
    if array.dtype.kind == "V":
        raise RunError(
            400, f"{where}: {array.dtype.itemsize}-byte raw values; the schema's dtype must say what they are"
        )
    if array.dtype.kind not in "biufc" or array.dtype.byteorder == ">":
        raise RunError(400, f"{where}: {array.dtype} is not taken; send little-endian numbers")
    if slot.indices is None and said is not None and said != array.dtype.name:
        raise RunError(400, f"{where}: the schema says {plain(said, 40)}, the archive holds {array.dtype}")
    return None


def _torch_tensor(array: np.ndarray, logical: str | None, where: str) -> Any:
    torch: Any = importlib.import_module("torch")

    if logical is None:
        return torch.from_numpy(array)
    if logical == "complex32":
        pairs = torch.from_numpy(to_wire(where, array, "complex32").array)
        return torch.view_as_complex(pairs.contiguous())
    if array.dtype.itemsize != RAW_BITS[logical].itemsize:
        raise RunError(400, f"{where}: the schema says {logical}, the archive holds {array.dtype}")
    dtype = getattr(torch, logical, None)
    if dtype is None:
        raise RunError(400, f"{where}: this PyTorch has no {logical}")
    return torch.from_numpy(array.view(RAW_BITS[logical])).view(dtype)


def _from_torch(tensor: Any, number: str) -> Leaf:
    torch: Any = importlib.import_module("torch")

    name = str(tensor.dtype).removeprefix("torch.")
    if tensor.layout is not torch.strided or tensor.is_quantized:
        raise RunError(500, f"TypeError: output {number} is a tensor of {tensor.layout}, {name}, which can't travel")
    dense = tensor.detach().cpu().resolve_conj().resolve_neg()
    try:
        if name == "complex32":
            return torch.view_as_real(dense).numpy(), name
        if name in RAW_BITS:
            bits = torch.int16 if name == "bfloat16" else torch.uint8
            return dense.view(bits).numpy(), name
        return to_wire(f"output {number}", dense.numpy()).array, name
    except (TypeError, ArrayRefusedError):
        raise RunError(500, f"TypeError: output {number} is a tensor of {name}, which can't travel") from None
