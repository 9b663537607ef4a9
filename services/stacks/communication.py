"""Is a stack inside a call of torch.distributed or one of its waits, which, and how sure is that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from .communication_calls import (
    HIDDEN_WAITS,
    LOCAL_WORK,
    NATIVE_CALLS,
    PYTHON_CALLS,
    SOURCE_WAITS,
    THREAD_WAITS,
    CommunicationKind,
)
from .ownership import in_runtime, user_frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .model import Frame

__all__ = ["Communication", "CommunicationKind", "SourceLine", "find_communication", "waits_for_thread"]

SourceLine: TypeAlias = Callable[[str, int], str | None]
"""The text of a file's line (the first is 1), or None when it is not at hand."""

T = TypeVar("T")

_QUIET = ("checkpoint/", "debug/", "elastic/", "flight_recorder/", "launcher/", "tensor/")
"""Folders of torch/distributed whose functions mostly work for their rank alone."""


@dataclass(frozen=True, slots=True)
class Communication:
    """Where a stack is inside communication."""

    kind: CommunicationKind
    function: str
    """The function that names the operation best: `all_reduce`, `c10d::Reducer::finalize_backward`."""
    frame: int
    """Index of that function's frame in the stack."""
    site: Frame | None
    """The innermost frame below it that is neither torch's nor Python's own: who called it. None: there is none."""
    sure: bool
    """False where the stack only allows for it: a wait in C++ that Python's frames do not show."""


def find_communication(frames: Sequence[Frame], source_line: SourceLine | None = None) -> Communication | None:
    """What a stack communicates, or None when it is outside as far as it can tell.

    A call in which code of the user runs again (pickling an object, a hook) is not communication.

    Args:
        frames: innermost first.
        source_line: a call such as `work.wait()` leaves no frame in Python; only its line in the source shows it.
    """
    native = _native_call(frames)
    for index, frame in _runtime_frames(frames):
        if _listed(frame, LOCAL_WORK):
            break
        kind = _kind(frame, PYTHON_CALLS)
        if kind is not None:
            if native is not None and kind is CommunicationKind.WAIT:
                kind = native[1]
            return Communication(kind, frame.name, index, user_frame(frames[index:]), sure=True)
    if native is not None:
        index, kind = native
        sure = kind is not CommunicationKind.DEVICE
        return Communication(kind, frames[index].function, index, user_frame(frames[index:]), sure)
    if any(frame.native for frame in frames):
        return None
    return _hidden_wait(frames, source_line)


def waits_for_thread(frames: Sequence[Frame]) -> bool:
    """Whether the innermost Python frame waits for another thread of the process."""
    innermost = next((frame for frame in frames if not frame.native), None)
    return innermost is not None and in_runtime(innermost) and _listed(innermost, THREAD_WAITS)


def _runtime_frames(frames: Sequence[Frame]) -> Iterator[tuple[int, Frame]]:
    """The Python frames above the innermost one of the user's code."""
    for index, frame in enumerate(frames):
        if frame.native:
            continue
        if not in_runtime(frame):
            return
        yield index, frame


def _native_call(frames: Sequence[Frame]) -> tuple[int, CommunicationKind] | None:
    above: list[tuple[int, str]] = []
    for index, frame in enumerate(frames):
        if frame.native:
            above.append((index, frame.function))
        elif not in_runtime(frame):
            break
    for pattern, kind in NATIVE_CALLS:
        for index, function in above:
            if pattern.match(function):
                return index, kind
    return None


def _hidden_wait(frames: Sequence[Frame], source_line: SourceLine | None) -> Communication | None:
    if not frames:
        return None
    innermost = frames[0]
    kind = _kind(innermost, HIDDEN_WAITS)
    if kind is None and in_runtime(innermost):
        folder = innermost.file.replace("\\", "/").rpartition("torch/distributed/")
        if folder[1] and not folder[2].startswith(_QUIET) and not _listed(innermost, LOCAL_WORK):
            kind = CommunicationKind.WAIT
    if kind is None and source_line is not None and innermost.line is not None:
        text = source_line(innermost.file, innermost.line) or ""
        kind = next((kind for pattern, kind in SOURCE_WAITS if pattern.search(text)), None)
    if kind is None:
        return None
    return Communication(kind, innermost.name, 0, user_frame(frames), sure=False)


def _kind(frame: Frame, table: Mapping[str, Mapping[str, CommunicationKind]]) -> CommunicationKind | None:
    functions = _of_file(frame, table)
    return None if functions is None else functions.get(frame.name)


def _listed(frame: Frame, table: Mapping[str, frozenset[str]]) -> bool:
    functions = _of_file(frame, table)
    return functions is not None and frame.name in functions


def _of_file(frame: Frame, table: Mapping[str, T]) -> T | None:
    """The entry whose file is the end of the frame's path."""
    parts = frame.file.replace("\\", "/").split("/")
    for start in range(len(parts)):
        found = table.get("/".join(parts[start:]))
        if found is not None:
            return found
    return None
