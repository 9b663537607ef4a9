"""What the headers of POST /v1/run ask for, checked before the body is read.

Source: the protocol of xpu_server at f480a3d8. What that server ignores when it is malformed is refused here.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ..plain_text import plain
from .run_error import RunError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MOST_INPUTS", "Mode", "RunRequest", "Slot", "read_headers", "valid_tenant"]

MOST_INPUTS = 4096
MOST_REPETITIONS = 100
_TENANT = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
_MODES = {"data": 1, "perf": 2, "data_perf": 3, "data,perf": 3}
_PROVIDERS = {"np": "numpy", "tensorflow": "tf"}


class Mode:
    """Bits of `X-Mode`."""

    DATA = 1
    PERF = 2


@dataclass(frozen=True, slots=True)
class Slot:
    """One top-level parameter."""

    name: str
    index: int | None = None
    """Its array's number in the archive; None passes None, unless `indices` is there."""
    indices: list[int] | None = None
    """The arrays of a tensor list."""
    dtype: str | None = None
    format: str | None = None
    logical_dtype: str | None = None

    @property
    def leaves(self) -> list[int]:
        if self.indices is not None:
            return self.indices
        return [] if self.index is None else [self.index]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One operator to run."""

    tenant: str
    provider: str
    spec_mode: bool = False
    api: str | None = None
    op_name: str | None = None
    op_type: str | None = None
    spec_module: str | None = None
    spec_class: str | None = None
    attrs: dict[str, Any] = field(default_factory=dict)
    slots: list[Slot] = field(default_factory=list)
    input_count: int = 0
    mode: int = Mode.DATA
    runtime: int = 3
    param_order: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> RunRequest:
        return cls(**{**data, "slots": [Slot(**slot) for slot in data["slots"]]})


def valid_tenant(text: str | None) -> bool:
    """Whether this is a tenant id: 1 to 64 letters, digits, `.`, `_`, `-`, and neither `.` nor `..`."""
    return text is not None and _TENANT.fullmatch(text) is not None and text.strip(".") != ""


def read_headers(headers: Mapping[str, str]) -> RunRequest:
    """Read a run's headers.

    Raises:
        RunError: 400 with the protocol's own words where it has any; 409 when it relies on regenerated inputs.
    """
    tenant = headers.get("X-Tenant-ID")
    if tenant is None or not valid_tenant(tenant):
        raise RunError(400, "invalid or missing tenant_id")
    spec_mode = _one_of(headers, "X-Execution-Type", {"api": False, "spec": True}, default=False)
    api = headers.get("X-API") or None
    slots = _slots(headers)
    count = _input_count(headers, slots)
    if "X-Input-Recipes" in headers and headers.get("Content-Length", "0") == "0" and count:
        raise RunError(409, "zero-upload regeneration mismatch: this server regenerates no inputs, send them")
    return RunRequest(
        tenant=tenant,
        provider=_provider(headers, api),
        spec_mode=spec_mode,
        api=api,
        op_name=headers.get("X-Op-Name") or None,
        op_type=headers.get("X-Op-Type") or None,
        spec_module=headers.get("X-Spec-Module") or None,
        spec_class=headers.get("X-Spec-Class") or None,
        attrs=_json(headers, "X-Attrs", dict) or {},
        slots=slots,
        input_count=count,
        mode=_mode(headers.get("X-Mode", "data")),
        runtime=min(max(_number(headers, "X-Runtime", 3), 1), MOST_REPETITIONS),
        param_order=_names(headers),
    )


def _provider(headers: Mapping[str, str], api: str | None) -> str:
    given = headers.get("X-Provider")
    if not given:
        first = (api or "").partition(".")[0]
        given = first if first in ("numpy", "torch") else "torch"
    return _PROVIDERS.get(given, given)


def _one_of(headers: Mapping[str, str], name: str, values: dict[str, bool], *, default: bool) -> bool:
    text = headers.get(name)
    if text is None:
        return default
    if text not in values:
        raise RunError(400, f"invalid {name} {plain(text, 60)!r}: one of {', '.join(values)}")
    return values[text]


def _json(headers: Mapping[str, str], name: str, kind: type[dict[str, Any]] | type[list[Any]]) -> Any:
    text = headers.get(name)
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise RunError(400, f"Invalid {name} JSON") from None
    if not isinstance(value, kind):
        raise RunError(400, f"invalid {name}: not a JSON {'object' if kind is dict else 'list'}")
    return value


def _number(headers: Mapping[str, str], name: str, default: int) -> int:
    text = headers.get(name)
    if text is None:
        return default
    if re.fullmatch(r"-?\d{1,9}", text.strip(), re.ASCII) is None:
        raise RunError(400, f"Invalid {name} (not integer)")
    return int(text)


def _mode(text: str) -> int:
    if text in _MODES:
        return _MODES[text]
    if re.fullmatch(r"\d{1,3}", text, re.ASCII) is None:
        raise RunError(400, f"invalid X-Mode {plain(text, 40)!r}: 1 or data, 2 or perf, 3 for both")
    return int(text) & (Mode.DATA | Mode.PERF)


def _names(headers: Mapping[str, str]) -> list[str]:
    names = _json(headers, "X-Param-Order", list) or []
    if not all(isinstance(name, str) for name in names):
        raise RunError(400, "invalid X-Param-Order: not a list of names")
    return list(names)


def _slots(headers: Mapping[str, str]) -> list[Slot]:
    made: list[Slot] = []
    for number, entry in enumerate(_json(headers, "X-Input-Schema", list) or []):
        where = f"invalid X-Input-Schema: entry {number}"
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            raise RunError(400, f"{where} is no object with a name")
        index, indices = entry.get("index"), entry.get("indices")
        if not (index is None or _is_leaf(index)):
            raise RunError(400, f"{where}: index is neither a whole number nor null")
        if indices is not None and not (isinstance(indices, list) and all(map(_is_leaf, indices)) and index is None):
            raise RunError(400, f"{where}: indices is no list of whole numbers")
        texts = {key: entry.get(key) for key in ("dtype", "format", "logical_dtype")}
        if wrong := [key for key, value in texts.items() if not (value is None or isinstance(value, str))]:
            raise RunError(400, f"{where}: {wrong[0]} is neither a text nor null")
        made.append(Slot(entry["name"], index, indices, **texts))
    if twice := [name for name, count in Counter(slot.name for slot in made).items() if count > 1]:
        raise RunError(400, f"invalid X-Input-Schema: two entries are called {plain(twice[0], 60)!r}")
    return made


def _is_leaf(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_INPUTS


def _input_count(headers: Mapping[str, str], slots: list[Slot]) -> int:
    leaves = sorted(leaf for slot in slots for leaf in slot.leaves)
    count = _number(headers, "X-Input-Count", 0)
    if not 0 <= count <= MOST_INPUTS:
        raise RunError(400, f"invalid X-Input-Count: 0 to {MOST_INPUTS} inputs can be sent")
    if leaves != list(range(count)):
        raise RunError(
            400,
            f"X-Input-Count is {count}, but X-Input-Schema names the inputs {leaves[:20]} and not each of 0..{count}",
        )
    return count
