"""Cases as files, TOML or JSON, and inputs as words on a command line.

    op = "add"                      # or api = "torch.add", or [spec] file, class
    mode = "data,perf"
    [attrs]
    alpha = 2
    [[inputs]]
    name = "x"
    generate = "float32[4,8]:uniform(-1,1):seed=7"
    [[inputs]]
    name = "y"
    file = "y.npy"                  # relative to this file
    dtype = "bfloat16"              # where the file's own dtype does not say it

An input is one of `generate`, `file` (with `member` in an .npz), `none = true`, or `list = [{...}, ...]`.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import msgspec

from ..addressing.endpoints import quoted
from ..npz.dtypes import LOGICAL_DTYPES, from_wire
from ..npz.errors import NpzError
from ..npz.files import read_npy, read_npz
from ..plain_text import plain
from .case import Mode, OpCase, Slot, SpecSource, parse_mode, usual_provider
from .errors import CaseError
from .inputs import Generated, parse_generated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .case import Leaf

__all__ = ["is_case_file", "parse_attribute", "parse_input", "read_array", "read_case"]

SIZE_LIMIT = 16 << 20
"""Bytes of a case file that are read."""
INPUT_FORMS = "write NAME=FILE.npy, NAME=FILE.npz:MEMBER, NAME=none or NAME=float32[4,8]:uniform(-1,1):seed=7"


class _Leaf(msgspec.Struct, forbid_unknown_fields=True):
    generate: str | None = None
    file: str | None = None
    member: str | None = None
    dtype: str | None = None


class _Input(_Leaf, forbid_unknown_fields=True):
    name: str = ""
    none: bool = False
    list_: list[_Leaf] | None = msgspec.field(default=None, name="list")
    format: str | None = None


class _Spec(msgspec.Struct, forbid_unknown_fields=True):
    file: str
    class_: str = msgspec.field(name="class")
    module: str | None = None
    roots: list[str] = msgspec.field(default_factory=list)


class _Case(msgspec.Struct, forbid_unknown_fields=True):
    op: str | None = None
    op_type: str | None = None
    api: str | None = None
    spec: _Spec | None = None
    provider: str | None = None
    attrs: dict[str, Any] = msgspec.field(default_factory=dict)
    inputs: list[_Input] = msgspec.field(default_factory=list)
    param_order: list[str] | None = None
    mode: str = "data"
    runtime: int = 3


def is_case_file(word: str) -> bool:
    """Whether a word of the command line names a case file rather than an operator."""
    return word.lower().endswith((".toml", ".json"))


def read_case(path: Path) -> OpCase:
    """Read a case file and the arrays it names.

    Raises:
        CaseError: it can't be read, has an unknown key or a wrong value; the message says where.
    """
    label = plain(path.name, 80)
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise CaseError(f"{label}: can't be read: {error.strerror}") from error
    except ValueError as error:
        raise CaseError(f"{label}: no file can have such a name") from error
    if len(data) > SIZE_LIMIT:
        raise CaseError(f"{label}: larger than {SIZE_LIMIT:,} bytes")
    try:
        decode = msgspec.toml.decode if path.suffix.lower() == ".toml" else msgspec.json.decode
        said = decode(data, type=_Case)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise CaseError(f"{label}: not a case: {error}") from error
    folder = path.parent
    try:
        return OpCase(
            op_name=said.op,
            op_type=said.op_type,
            api=said.api,
            spec=_spec(said.spec, folder),
            provider=said.provider or usual_provider(said.api),
            attrs=said.attrs,
            inputs=tuple(_slot(given, at, folder) for at, given in enumerate(said.inputs, 1)),
            param_order=tuple(said.param_order) if said.param_order is not None else None,
            mode=parse_mode(said.mode) if said.mode else Mode.DATA,
            runtime=said.runtime,
        )
    except CaseError as error:
        raise CaseError(f"{label}: {error}", hint=error.hint) from error


def parse_input(text: str, folder: Path, name: str | None = None) -> Slot:
    """Read `NAME=FILE.npy`, `NAME=FILE.npz:MEMBER`, `NAME=DTYPE:FILE`, `NAME=none` or `NAME=DTYPE[SHAPE]:...`.

    Args:
        folder: what file names are relative to.
        name: given, the text has no `NAME=`.

    Raises:
        CaseError: not one of these, or the file can't be read.
    """
    if name is None:
        name, equals, text = text.partition("=")
        if not equals or not name:
            raise CaseError(f"{quoted(name)}: an input without a name", hint=INPUT_FORMS)
    if text.lower() == "none":
        return Slot(name, None)
    if "[" in text and "]" in text and not os.path.lexists(folder / text):
        return _made(name, parse_generated(text, name))
    dtype, colon, rest = text.partition(":")
    if not colon or dtype not in LOGICAL_DTYPES:
        dtype, rest = "", text
    file, colon, member = rest.rpartition(":")
    if not colon or not file.lower().endswith(".npz"):
        file, member = rest, ""
    return _made(name, read_array(folder / file, member or None, dtype or None), dtype or None)


def parse_attribute(text: str) -> tuple[str, Any]:
    """Read `NAME=VALUE`; the value is JSON (2, 0.5, true, null, [1,2], "text"), or else the text as it is.

    Raises:
        CaseError: no name, or no `=`.
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise CaseError(f"{quoted(text)}: not an attribute", hint="write NAME=VALUE, e.g. dim=1 or approximate=tanh")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


def read_array(path: Path, member: str | None = None, dtype: str | None = None) -> Any:
    """The array of an .npy or .npz file; with a logical dtype, seen as that.

    Raises:
        CaseError: no such file or member, several members and none named, or not such an array.
    """
    label = plain(path.name, 80)
    try:
        packed = path.suffix.lower() == ".npz"
        array = _member(label, read_npz(path), member) if packed else read_npy(path)
        return from_wire(array, dtype, label) if dtype is not None else array
    except NpzError as error:
        raise CaseError(str(error)) from error
    except OSError as error:
        raise CaseError(f"{label}: can't be read: {error.strerror}") from error
    except MemoryError as error:
        raise CaseError(f"{label}: no memory for it") from error


def _member(label: str, members: dict[str, Any], wanted: str | None) -> Any:
    if wanted is None and len(members) == 1:
        return next(iter(members.values()))
    if wanted is None or wanted not in members:
        names = plain(", ".join(members), 300)
        what = "which of its arrays is meant?" if wanted is None else f"no array {quoted(wanted)} is in it"
        raise CaseError(f"{label}: {what}", hint=f"write {label}:NAME; it has {names or 'none'}")
    return members[wanted]


def _spec(given: _Spec | None, folder: Path) -> SpecSource | None:
    if given is None:
        return None
    return SpecSource(folder / given.file, given.class_, given.module, tuple(folder / root for root in given.roots))


def _slot(given: _Input, number: int, folder: Path) -> Slot:
    name = given.name or f"x{number}"
    ways = (given.generate is not None, given.file is not None, given.none, given.list_ is not None)
    if sum(ways) != 1:
        raise CaseError(f"input {quoted(name)}: give one of generate, file, none = true, list")
    if given.none:
        return Slot(name, None, given.format)
    if given.list_ is not None:
        values: Sequence[Leaf] = [_leaf(one, f"{name}[{at}]", folder) for at, one in enumerate(given.list_)]
        declared = {one.dtype for one in given.list_ if one.dtype is not None}
        return Slot(name, tuple(values), given.format, _logical(values, given.dtype or next(iter(declared), None)))
    value = _leaf(given, name, folder)
    return Slot(name, value, given.format, _logical([value], given.dtype))


def _leaf(given: _Leaf, name: str, folder: Path) -> Leaf:
    if (given.generate is None) == (given.file is None):
        raise CaseError(f"input {quoted(name)}: give one of generate, file")
    if given.generate is not None:
        return parse_generated(given.generate, name)
    assert given.file is not None
    array: Leaf = read_array(folder / given.file, given.member, given.dtype)
    return array


def _made(name: str, value: Leaf, dtype: str | None = None) -> Slot:
    return Slot(name, value, None, _logical([value], dtype))


def _logical(values: Sequence[Leaf], declared: str | None) -> str | None:
    """The declared dtype; complex32 is always declared, since its arrays look like float16."""
    if declared is None and any(isinstance(value, Generated) and value.dtype == "complex32" for value in values):
        return "complex32"
    return declared
