"""A case as JSON text, and back: generated inputs as the text they are made from, arrays by the hash of their content.

{"version": 1, "api": "torch.add", "attrs": {"alpha": 2}, "mode": 1, "runtime": 3, "provider": "torch",
 "inputs": [{"name": "x", "leaves": [{"generate": "float32[4]:zeros:seed=0"}]},
            {"name": "y", "list": true, "leaves": [{"blob": "9f...", "dtype": "int8", "bytes": 130}]},
            {"name": "z", "leaves": null}]}
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dispatch.case import Mode, OpCase, Slot, SpecSource
from ..dispatch.errors import CaseError
from ..dispatch.inputs import Generated, parse_generated
from ..plain_text import plain
from .blobs import Blob
from .errors import HistoryError, NotKeptError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from ..dispatch.case import Leaf

__all__ = ["blobs_in", "case_to_json", "json_to_case"]

_VERSION = 1
_DEPTH = 50


def case_to_json(case: OpCase, keep: Callable[[str, NDArray[Any]], Blob | str]) -> dict[str, Any]:
    """A case as JSON values.

    Args:
        keep: takes (input's name, array) and says where it is kept, or why it is not.
    """
    said: dict[str, Any] = {"version": _VERSION, "provider": case.provider, "mode": int(case.mode)}
    said |= {"runtime": case.runtime, "attrs": _plain_value(case.attrs)}
    said |= {key: text for key in ("op_name", "op_type", "api") if (text := getattr(case, key)) is not None}
    if case.param_order is not None:
        said["param_order"] = list(case.param_order)
    if case.spec is not None:
        spec = case.spec
        said["spec"] = {
            "file": str(spec.file.absolute()),
            "class": spec.class_name,
            "module": spec.module,
            "roots": [str(root.absolute()) for root in spec.roots],
        }
    said["inputs"] = [_slot_to_json(slot, keep) for slot in case.inputs]
    return said


def json_to_case(
    said: Mapping[str, Any], get: Callable[[Blob, str], NDArray[Any]], without: frozenset[str] = frozenset()
) -> OpCase:
    """The case again.

    Args:
        get: gives the array of a blob; the text names the input.
        without: names of inputs that are None where they were not kept.

    Raises:
        NotKeptError: an input was not kept, or is gone.
        HistoryError: this is no case.
    """
    if said.get("version") != _VERSION:
        raise HistoryError(f"a case of version {plain(str(said.get('version')), 20)} is not known here")
    try:
        spec, order = said.get("spec"), said.get("param_order")
        return OpCase(
            op_name=said.get("op_name"),
            op_type=said.get("op_type"),
            api=said.get("api"),
            spec=None
            if spec is None
            else SpecSource(
                Path(spec["file"]), spec["class"], spec["module"], tuple(Path(root) for root in spec["roots"])
            ),
            provider=said["provider"],
            attrs=said["attrs"],
            inputs=tuple(_json_to_slot(one, get, without) for one in said["inputs"]),
            param_order=None if order is None else tuple(order),
            mode=Mode(said["mode"]),
            runtime=said["runtime"],
        )
    except (KeyError, TypeError, ValueError, CaseError) as error:
        raise HistoryError(f"the case in the history can't be read: {error}") from error


def blobs_in(said: Mapping[str, Any]) -> list[Blob]:
    """The blobs that a case's JSON names."""
    leaves = [leaf for slot in said["inputs"] for leaf in slot["leaves"] or ()]
    return [Blob(leaf["blob"], leaf["dtype"], leaf["bytes"]) for leaf in leaves if "blob" in leaf]


def _slot_to_json(slot: Slot, keep: Callable[[str, NDArray[Any]], Blob | str]) -> dict[str, Any]:
    said: dict[str, Any] = {"name": slot.name}
    if slot.format is not None:
        said["format"] = slot.format
    if slot.logical_dtype is not None:
        said["logical_dtype"] = slot.logical_dtype
    if isinstance(slot.value, tuple):
        said["list"] = True
    said["leaves"] = None if slot.value is None else [_leaf_to_json(slot.name, leaf, keep) for leaf in slot.leaves]
    return said


def _leaf_to_json(name: str, leaf: Leaf, keep: Callable[[str, NDArray[Any]], Blob | str]) -> dict[str, Any]:
    if isinstance(leaf, Generated):
        return {"generate": str(leaf)}
    shape = {"shape": list(leaf.shape)}
    kept = keep(name, leaf)
    if isinstance(kept, str):
        return {"missing": kept, "dtype": leaf.dtype.name, **shape}
    return {"blob": kept.hash, "dtype": kept.dtype, "bytes": kept.size, **shape}


def _json_to_slot(said: Mapping[str, Any], get: Callable[[Blob, str], NDArray[Any]], without: frozenset[str]) -> Slot:
    name, leaves = said["name"], said["leaves"]
    value: Leaf | tuple[Leaf, ...] | None = None
    if leaves is not None:
        try:
            read = [_json_to_leaf(name, leaf, get) for leaf in leaves]
            value = tuple(read) if said.get("list") else read[0]
        except NotKeptError:
            if name not in without:
                raise
    return Slot(name, value, said.get("format"), said.get("logical_dtype"))


def _json_to_leaf(name: str, said: Mapping[str, Any], get: Callable[[Blob, str], NDArray[Any]]) -> Leaf:
    if "generate" in said:
        return parse_generated(said["generate"])
    if "missing" in said:
        raise NotKeptError(
            f"input {name} was not kept: {said['missing']}", hint=f"give it anew: --set input.{name}=..."
        )
    return get(Blob(said["blob"], said["dtype"], said["bytes"]), f"input {name}")


def _plain_value(value: Any, depth: int = 0) -> Any:
    """A value as JSON has it; what JSON can't carry (such a case is refused before it is sent) becomes its text."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth > _DEPTH or not isinstance(value, list | tuple | dict):
        return plain(repr(value), 200)
    if isinstance(value, list | tuple):
        return [_plain_value(one, depth + 1) for one in value]
    return {str(key): _plain_value(one, depth + 1) for key, one in value.items()}
