"""What to run: one operator with its inputs and attributes, as a value that never changes."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field
from enum import IntFlag
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..addressing.endpoints import quoted
from .errors import CaseError
from .inputs import Generated

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["Leaf", "Mode", "OpCase", "Slot", "SpecSource", "parse_mode", "usual_provider"]

Leaf: TypeAlias = NDArray[Any] | Generated
"""One array: the values, or the text they are made from when they are needed."""

RUNTIME_LIMIT = 100
"""The server clamps X-Runtime to this."""
_NAME = re.compile(r"[\x21-\x7e]{1,256}")
_PROVIDERS = {"numpy": "numpy", "tf": "tf", "tensorflow": "tf"}
_DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*", re.ASCII)


class Mode(IntFlag):
    """What the server should give back (X-Mode)."""

    DATA = 1
    """The outputs."""
    PERF = 2
    """Device time and peak memory."""


def parse_mode(text: str) -> Mode:
    """Read `data`, `perf`, `data,perf` or 1 to 3.

    Raises:
        CaseError: anything else; the server would take it silently for data.
    """
    if text in ("1", "2", "3"):
        return Mode(int(text))
    mode = Mode(0)
    for word in text.lower().split(","):
        if word.strip() not in ("data", "perf"):
            raise CaseError(f"{quoted(text)}: not a mode", hint="write data, perf or data,perf")
        mode |= Mode[word.strip().upper()]
    return mode


def usual_provider(api: str | None) -> str:
    """The provider that an api belongs to where a person names none: that of its library, otherwise torch."""
    library = (api or "").partition(".")[0]
    return _PROVIDERS.get(library, "torch")


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter of the operator, in order."""

    name: str
    value: Leaf | tuple[Leaf, ...] | None = field(compare=False)
    """An array, a list of arrays of one dtype (one level: the wire has no more), or None for an absent one."""
    format: str | None = None
    """Layout, e.g. `ND`, `NCHW`."""
    logical_dtype: str | None = None
    """What the elements mean where the numpy dtype does not say it: `complex32` over float16 [..., 2], `bfloat16`
    over 2-byte elements."""

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        if self.value is None:
            return ()
        return self.value if isinstance(self.value, tuple) else (self.value,)


@dataclass(frozen=True, slots=True)
class SpecSource:
    """A class in a local file that the server imports; the file and what it imports are uploaded."""

    file: Path
    class_name: str
    """Dotted name of the class in the module."""
    module: str | None = None
    """Dotted name to import it by; None: from the file's place in its package."""
    roots: tuple[Path, ...] = ()
    """Folders in which modules are looked for, after the file's own root."""


@dataclass(frozen=True, slots=True)
class OpCase:
    """One operator to run.

    `spec` given: spec mode. Else api mode: `api` when given, otherwise the server finds one by `op_name`, `op_type`.
    """

    op_name: str | None = None
    """Snake name, e.g. `add`, `aclnnAdd`."""
    op_type: str | None = None
    """Camel name, e.g. `Add`."""
    api: str | None = None
    """Dotted path of a function on the server, e.g. `torch.nn.functional.softmax`."""
    spec: SpecSource | None = None
    provider: str = "torch"
    attrs: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments that JSON can carry."""
    inputs: tuple[Slot, ...] = ()
    param_order: tuple[str, ...] | None = None
    """Names in the order of the operator's declaration; newer servers use it to bind."""
    mode: Mode = Mode.DATA
    runtime: int = 3
    """How often the profiler runs the op, 1 to 100."""

    @property
    def title(self) -> str:
        """How a person calls it."""
        if self.spec is not None:
            return f"{self.spec.file.name}:{self.spec.class_name}"
        return self.api or self.op_name or self.op_type or "?"

    def leaves(self) -> Iterator[tuple[str, Leaf]]:
        """(name for messages, array) of each leaf in the order of the wire."""
        for slot in self.inputs:
            if isinstance(slot.value, tuple):
                for index, leaf in enumerate(slot.value):
                    yield f"{slot.name}[{index}]", leaf
            elif slot.value is not None:
                yield slot.name, slot.value

    def check(self) -> None:
        """
        Raises:
            CaseError: the case contradicts itself or the protocol can't carry it; names the part.
        """
        self._check_names()
        if self.spec is not None and (self.api is not None):
            raise CaseError("a case has an api or a spec, not both")
        if self.spec is None and not (self.api or self.op_name or self.op_type):
            raise CaseError("the case names no operator", hint="give an api, an op name, or a spec file and class")
        if self.mode not in (Mode.DATA, Mode.PERF, Mode.DATA | Mode.PERF):
            raise CaseError(f"mode {int(self.mode)}: the server would run the op and return nothing", hint="1, 2 or 3")
        if not 1 <= self.runtime <= RUNTIME_LIMIT:
            raise CaseError(f"runtime {self.runtime}: 1 to {RUNTIME_LIMIT} repetitions can be asked for")
        seen: set[str] = set()
        for slot in self.inputs:
            if slot.name in seen:
                raise CaseError(f"two inputs are called {quoted(slot.name)}", hint="give each its own name")
            if slot.name in self.attrs:
                raise CaseError(f"{quoted(slot.name)} is an input and an attribute", hint="leave one of them out")
            seen.add(slot.name)
            _check_slot(slot)

    def _check_names(self) -> None:
        named = (("op name", self.op_name), ("op type", self.op_type), ("provider", self.provider))
        for what, text in named:
            if text is not None and not _NAME.fullmatch(text):
                raise CaseError(f"{what} {quoted(text)}: only visible ASCII characters can be sent")
        if self.api is not None and ("." not in self.api or not _DOTTED.fullmatch(self.api)):
            raise CaseError(f"api {quoted(self.api)}: not a dotted path", hint="e.g. torch.add")
        if self.spec is None:
            return
        for what, text in (("class", self.spec.class_name), ("module", self.spec.module)):
            if text is None:
                continue
            if not _DOTTED.fullmatch(text) or any(map(keyword.iskeyword, text.split("."))):
                raise CaseError(f"spec {what} {quoted(text)}: not a dotted Python name")


def _check_slot(slot: Slot) -> None:
    if not slot.name:
        raise CaseError("an input has no name", hint="without names the server gives the op no inputs at all")
    if slot.name == "self":
        raise CaseError("an input is called self", hint="the server drops a slot of that name; rename it")
    if not isinstance(slot.value, tuple):
        return
    for index, leaf in enumerate(slot.value):
        if not isinstance(leaf, np.ndarray | Generated):
            raise CaseError(
                f"input {quoted(slot.name)}: element {index} is {type(leaf).__name__}, not an array",
                hint="the wire carries one level of lists, without None in them",
            )
    dtypes = {leaf.dtype if isinstance(leaf, Generated) else leaf.dtype.name for leaf in slot.value}
    if len(dtypes) > 1:
        raise CaseError(
            f"input {quoted(slot.name)}: a list of {', '.join(sorted(dtypes))}",
            hint="the wire has one dtype for a list",
        )
