"""What a run's outputs should be: from a file, from another run, from another server, or computed on this machine.

A reference is chosen as a small value and loaded to arrays when it is needed; both may take long, so neither belongs on
a screen's thread. `load` reads files and the history; `obtain` runs the case elsewhere as well.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..dispatch.case import Mode
from ..dispatch.endpoint import OpEndpoint
from ..dispatch.errors import DispatchError
from ..npz.dtypes import RAW_BITS, from_wire
from ..npz.errors import NpzError
from ..npz.files import read_npy, read_npz
from ..npz.npy_header import header_length, parse_header
from ..plain_text import plain
from ..run_history.errors import HistoryError
from .given import GivenOutput, run_ended

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ..dispatch.case import OpCase
    from ..dispatch.run_loop import OpRun
    from ..run_history.reading import HistoryReader

__all__ = [
    "ComputedReference",
    "FileReference",
    "HistoryReference",
    "Reference",
    "ReferenceArrays",
    "ReferenceMissingError",
    "ServerReference",
    "load",
    "matched",
    "obtain",
    "reference_case",
]

MAPPED_BYTES = 16 << 20
"""A .npy file from this size on is mapped, not read."""


class ReferenceMissingError(Exception):
    """The reference can't be had: no such file, run or output, or the run that should give it failed.

    Attributes:
        hint: what to do about it, one plain line; may be empty.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(plain(message))
        self.hint = plain(hint)


@dataclass(frozen=True, slots=True)
class FileReference:
    """A .npy file with the first output, or a .npz archive whose members are called as the outputs."""

    path: Path

    def __str__(self) -> str:
        return plain(self.path.name, 80)


@dataclass(frozen=True, slots=True)
class HistoryReference:
    """A run of the history, by its number."""

    run_id: int

    def __str__(self) -> str:
        return f"run #{self.run_id}"


@dataclass(frozen=True, slots=True)
class ServerReference:
    """The same case on another server, or with another provider."""

    endpoint: OpEndpoint
    provider: str | None = None
    """None: the case's own."""
    api: str | None = None
    """The function that gives the reference, e.g. `numpy.add`; None: the case's own."""

    def __str__(self) -> str:
        said = " ".join(plain(word, 80) for word in (self.provider, self.api) if word)
        return f"{said} on {self.endpoint}" if said else str(self.endpoint)


@dataclass(frozen=True, slots=True)
class ComputedReference:
    """The same case on this machine's processor, by an operator server started for it."""

    provider: str = "numpy"
    api: str | None = None
    """The function that gives the reference, e.g. `numpy.add`; None: the case's own."""
    python: str = sys.executable
    """Interpreter with the provider's libraries."""

    def __str__(self) -> str:
        return f"{plain(self.api or self.provider, 80)} on this machine"


Reference: TypeAlias = FileReference | HistoryReference | ServerReference | ComputedReference


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceArrays:
    """A reference that is there."""

    said: str
    """What it is, for people."""
    outputs: tuple[GivenOutput, ...]


def load(reference: FileReference | HistoryReference, history: HistoryReader | None = None) -> ReferenceArrays:
    """Read a reference that lies somewhere. Blocks.

    Args:
        history: where runs are kept; needed for a `HistoryReference`.

    Raises:
        ReferenceMissingError: it is not there, can't be read, or has no arrays.
    """
    if isinstance(reference, FileReference):
        return _from_file(reference)
    if history is None:
        raise ReferenceMissingError(f"{reference}: there is no history to take it from")
    try:
        kept = history.outputs(reference.run_id)
        shapes = {output.name: output.shape for output in history.get(reference.run_id).outputs}
    except HistoryError as error:
        raise ReferenceMissingError(str(error), hint=getattr(error, "hint", "")) from error
    outputs = tuple(
        GivenOutput(one.name, one.dtype, one.array, shapes.get(one.name, ()), one.note) for one in kept if one.dtype
    )
    if not outputs:
        raise ReferenceMissingError(f"{reference} gave no outputs", hint="choose a run that ended well")
    return ReferenceArrays(str(reference), outputs)


def reference_case(reference: ServerReference | ComputedReference, case: OpCase) -> OpCase:
    """The case as it is run to give the reference: the same inputs and attributes, outputs only."""
    made = replace(case, provider=reference.provider or case.provider, mode=Mode.DATA)
    return made if reference.api is None else replace(made, api=reference.api, spec=None)


async def obtain(
    reference: Reference,
    case: OpCase,
    run: Callable[[OpCase, OpEndpoint], Awaitable[OpRun]],
    history: HistoryReader | None = None,
) -> ReferenceArrays:
    """Have a reference of any kind. Cancelling ends a run, and a server that was started for it.

    Args:
        case: what the reference is for.
        run: runs a case and raises DispatchError, e.g. `Dispatcher.run`.
        history: where runs are kept.

    Raises:
        ReferenceMissingError: it is not to be had; the message says what was tried.
    """
    import asyncio

    if isinstance(reference, FileReference | HistoryReference):
        return await asyncio.to_thread(load, reference, history)
    try:
        wanted = reference_case(reference, case)
        if isinstance(reference, ServerReference):
            made = await run(wanted, reference.endpoint)
        else:
            made = await _computed(reference, wanted, run)
    except DispatchError as error:
        raise ReferenceMissingError(f"the reference, {reference}, failed: {error}", hint=error.hint) from error
    return ReferenceArrays(str(reference), run_ended(made).outputs)


def matched(outputs: Sequence[GivenOutput], reference: ReferenceArrays) -> dict[str, GivenOutput | str]:
    """For the name of each output what it should be, or why that is not known.

    By name (`0`, `2.1`); members called `a0`, `output_0`, `arr_0`, ... count as `0`. When no name is found and there
    are as many arrays as outputs, in order. Bits of a dtype that NumPy lacks are read as the output's own.
    """
    there = {_number(each.name): each for each in reference.outputs}
    some = [each for each in outputs if each.dtype is not None]
    if not any(each.name in there for each in some) and len(reference.outputs) == len(some):
        there = {mine.name: theirs for mine, theirs in zip(some, reference.outputs, strict=True)}
    found: dict[str, GivenOutput | str] = {}
    for each in outputs:
        theirs = there.get(each.name)
        if theirs is None:
            has = ", ".join(plain(one.name, 40) for one in reference.outputs[:6]) or "none"
            found[each.name] = f"the reference has no output {each.name}; it has {has}"
        elif theirs.array is None:
            found[each.name] = f"the reference's values are not there: {theirs.note or 'it is None'}"
        else:
            found[each.name] = _read_as(each, theirs, theirs.array)
    return found


def _read_as(output: GivenOutput, theirs: GivenOutput, array: NDArray[Any]) -> GivenOutput:
    """Raw bits and plain whole numbers of a file stand for the output's dtype where they can hold nothing else."""
    wanted = output.dtype or ""
    raw = RAW_BITS.get(wanted)
    bits = raw is not None and array.dtype.kind in "iuV" and array.dtype.itemsize == raw.itemsize
    if bits and theirs.logical is None:
        made = from_wire(array, wanted)
        return replace(theirs, dtype=wanted, array=made, shape=made.shape)
    pairs = array.dtype == np.float16 and array.shape == (*output.shape, 2)
    if wanted == "complex32" and pairs:
        return replace(theirs, dtype="complex32", shape=output.shape)
    return theirs


def _number(name: str) -> str:
    """`0` of `a0`, `out0`, `output_0`, `arr_0`."""
    for start in ("output_", "output", "arr_", "out", "a"):
        rest = name.removeprefix(start)
        if rest != name and rest.replace(".", "", 1).isdecimal():
            return rest
    return name


def _from_file(reference: FileReference) -> ReferenceArrays:
    path = reference.path
    try:
        if path.suffix.lower() == ".npz":
            arrays = read_npz(path)
        elif path.stat().st_size >= MAPPED_BYTES:
            try:
                arrays = {"0": _mapped(path)}
            except NpzError as error:
                raise type(error)(f"{reference}: {error}", error.member) from None
        else:
            arrays = {"0": read_npy(path)}
    except OSError as error:
        raise ReferenceMissingError(f"{reference} can't be read: {error.strerror or error}") from error
    except NpzError as error:
        raise ReferenceMissingError(str(error), hint="a reference is a .npy or .npz file") from error
    except ValueError as error:
        raise ReferenceMissingError(f"{reference} can't be read: no file can have such a name") from error
    except MemoryError as error:
        raise ReferenceMissingError(f"{reference} does not fit into memory", hint="a .npy file is mapped") from error
    if not arrays:
        raise ReferenceMissingError(f"{reference} holds no arrays")
    outputs = tuple(GivenOutput(name, array.dtype.name, array, array.shape) for name, array in arrays.items())
    return ReferenceArrays(str(reference), outputs)


def _mapped(path: Path) -> NDArray[Any]:
    """The array of a .npy file without reading its values."""
    with path.open("rb") as file:
        start = file.read(12)
        bounds = header_length(start)
        if bounds is None:
            raise NpzError("ends inside its header")
        begin, end = bounds
        header = parse_header((start + file.read(max(end - len(start), 0)))[begin:end])
        if path.stat().st_size != end + header.nbytes:
            raise NpzError("its length is not what its header says")
    order: Any = "F" if header.fortran_order else "C"
    return np.memmap(path, header.dtype, "r", end, header.shape, order)


async def _computed(
    reference: ComputedReference, case: OpCase, run: Callable[[OpCase, OpEndpoint], Awaitable[OpRun]]
) -> OpRun:
    from ..opserver.children import TemplateError
    from ..opserver.serve import serving
    from ..opserver.settings import ServerSettings, ServerSettingsError

    settings = ServerSettings(port=0, workers=1, python=reference.python)
    try:
        async with serving(settings, _unheard) as server:
            return await run(case, OpEndpoint(server.host, server.port))
    except (ServerSettingsError, TemplateError) as error:
        raise ReferenceMissingError(
            f"the server for the reference, {reference}, could not be started: {error}"
        ) from error


def _unheard(_line: str) -> None:
    """What the server says of its one run is in the run's own result."""
