"""A successful reply of POST /v1/run: its headers checked against its arrays, and what a run gave."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec

from ..npz.dtypes import LOGICAL_DTYPES, from_wire, logical_dtype
from ..npz.errors import ArrayRefusedError, NpzError
from ..npz.reader import NpzReader
from ..plain_text import plain
from .case import Mode
from .errors import BadReplyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..npz.reader import NpzLimits

__all__ = ["Output", "OutputSlot", "Perf", "ReplyReader", "RunReply"]

_T = TypeVar("_T")

NAME_LIMIT = 200
_ALIASES = ("float8_e8m0",)


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """One array that came back."""

    dtype: str
    """Logical dtype: `bfloat16`, `complex32` (pairs of float16 on a last axis of 2), numpy's names."""
    array: NDArray[Any]
    """bfloat16 and float8 in ml_dtypes' dtypes; raw where the dtype is not known here."""


OutputSlot: TypeAlias = Output | tuple[Output, ...] | None


@dataclass(frozen=True, slots=True)
class Perf:
    """What the server's profiler measured; None where it says NA (always on a CPU)."""

    device_us: float | None
    """Device time of one iteration in microseconds."""
    peak_memory_mb: float | None
    """Peak device memory in units of 1e6 bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class RunReply:
    """What one reply says."""

    outputs: tuple[OutputSlot, ...]
    perf: Perf | None
    api: str
    """What really ran, as the server says it; empty when it says nothing."""
    notes: tuple[str, ...] = ()


class _SlotSchema(msgspec.Struct):
    index: int | None = None
    indices: list[int] | None = None
    dtype: str | None = None


@dataclass(slots=True)
class ReplyReader:
    """Takes the body of a 200 as it comes: `feed` each piece, then `finish`.

    Raises:
        BadReplyError: headers and archive contradict each other, or are none.
    """

    headers: Mapping[str, str]
    mode: Mode
    limits: NpzLimits | None = None
    _notes: list[str] = field(default_factory=list)
    _slots: list[_SlotSchema] = field(default_factory=list)
    _archive: NpzReader | None = None

    def __post_init__(self) -> None:
        count = self._count()
        if not self.mode & Mode.DATA:
            return
        self._slots = self._schema(count)
        self._archive = NpzReader(self.limits) if self.limits is not None else NpzReader()

    def feed(self, piece: bytes | memoryview) -> None:
        if self._archive is None:
            return
        try:
            self._archive.feed(piece)
        except (NpzError, MemoryError) as error:
            raise BadReplyError(f"the outputs can't be read: {error}") from error

    def finish(self) -> RunReply:
        """Say that the body is whole."""
        outputs = () if self._archive is None else self._outputs(self._archive)
        perf = self._perf() if self.mode & Mode.PERF else None
        return RunReply(outputs, perf, plain(self.headers.get("x-api", ""), NAME_LIMIT), tuple(self._notes))

    def _count(self) -> int:
        text = self.headers.get("x-output-count")
        if text is None:
            kind = plain(self.headers.get("content-type", "no content type"), 60)
            raise BadReplyError(
                f"the reply has no X-Output-Count ({kind}): this is no op server",
                hint="check host and port; a proxy or a login page may stand before the server",
            )
        if not (text.isascii() and text.isdecimal() and len(text) <= 9):
            raise BadReplyError(f"X-Output-Count is {plain(text, 40)!r}, not a number")
        return int(text)

    def _schema(self, count: int) -> list[_SlotSchema]:
        text, older = self.headers.get("x-output-schema"), self.headers.get("x-output-dtypes")
        if text is not None:
            slots = self._decoded("X-Output-Schema", text, list[_SlotSchema])
        elif older is not None:
            dtypes = self._decoded("X-Output-Dtypes", older, list[str | None])
            slots = [_SlotSchema(index=index, dtype=dtype) for index, dtype in enumerate(dtypes)]
        else:
            raise BadReplyError("the reply describes its outputs in no header (X-Output-Schema)")
        if len(slots) != count:
            raise BadReplyError(f"X-Output-Count says {count} outputs, the schema has {len(slots)}")
        used = sorted(index for slot in slots for index in _indices(slot))
        if used != list(range(len(used))):
            raise BadReplyError("the schema of the outputs names arrays twice or leaves some out")
        return slots

    def _outputs(self, archive: NpzReader) -> tuple[OutputSlot, ...]:
        try:
            members = archive.finish()
        except NpzError as error:
            raise BadReplyError(f"the outputs can't be read: {error}") from error
        count = sum(len(_indices(slot)) for slot in self._slots)
        if set(members) != {f"a{index}" for index in range(count)}:
            raise BadReplyError(f"the schema has {count} arrays, the archive has {len(members)} or others")
        self._check_shapes([members[f"a{index}"].shape for index in range(count)])
        return tuple(self._output_slot(slot, members) for slot in self._slots)

    def _check_shapes(self, shapes: list[tuple[int, ...]]) -> None:
        text = self.headers.get("x-output-shapes")
        if text is None:
            return
        said = self._decoded("X-Output-Shapes", text, list[list[int]])
        if [tuple(shape) for shape in said] != shapes:
            raise BadReplyError("X-Output-Shapes and the arrays that came differ")

    def _output_slot(self, slot: _SlotSchema, members: Mapping[str, NDArray[Any]]) -> OutputSlot:
        if slot.indices is not None:
            return tuple(self._listed(index, slot.dtype, members[f"a{index}"]) for index in slot.indices)
        if slot.index is None:
            return None
        return self._output(slot.index, slot.dtype, members[f"a{slot.index}"])

    def _listed(self, index: int, dtype: str | None, array: NDArray[Any]) -> Output:
        """An array of a list. The dtype written for a list is its last one's, so it may not be this one's."""
        try:
            return self._output(index, dtype, array)
        except BadReplyError:
            return self._output(index, None, array)

    def _output(self, index: int, dtype: str | None, array: NDArray[Any]) -> Output:
        if dtype is not None and dtype not in LOGICAL_DTYPES and dtype not in _ALIASES:
            said = plain(dtype, 40)
            self._notes.append(f"output array {index}: the dtype {said} is not known here; its raw values are shown")
            return Output(said, array)
        try:
            made = from_wire(array, dtype, f"output array {index}")
        except ArrayRefusedError as error:
            raise BadReplyError(f"the reply contradicts itself: {error}") from error
        if dtype == "complex32":
            return Output(dtype, made)
        if dtype is None and array.dtype.kind == "V":
            self._notes.append(f"output array {index}: {made.dtype.itemsize}-byte raw, dtype unknown")
        return Output(logical_dtype(made) or made.dtype.name, made)

    def _perf(self) -> Perf | None:
        text = self.headers.get("x-perf")
        if text is None:
            self._notes.append("the server measured nothing: no X-Perf")
            return None
        try:
            said = msgspec.json.decode(text, type=dict[str, Any])
        except (msgspec.DecodeError, ValueError, RecursionError):
            self._notes.append(f"X-Perf can't be read: {plain(text, 80)}")
            return None
        return Perf(self._measure(said, "device_us"), self._measure(said, "peak_memory_mb"))

    def _measure(self, said: Mapping[str, Any], name: str) -> float | None:
        value = said.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf:
            return float(value)
        if value != "NA":
            self._notes.append(f"X-Perf: {name} is {plain(repr(value), 40)}, not a number")
        return None

    def _decoded(self, name: str, text: str, kind: type[_T]) -> _T:
        try:
            made: _T = msgspec.json.decode(text, type=kind)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise BadReplyError(f"{name} can't be read: {error}") from error
        return made


def _indices(slot: _SlotSchema) -> list[int]:
    if slot.indices is not None:
        return slot.indices
    return [] if slot.index is None else [slot.index]
