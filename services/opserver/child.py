"""One run, in a process of its own: request and archive in, head and archive out."""

from __future__ import annotations

import importlib
import json
import re
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..npz.errors import NpzError
from ..npz.reader import NpzLimits, NpzReader
from ..npz.writer import NpzWriter
from ..plain_text import plain
from .binding import Operands, call_function
from .callables import resolve
from .frames import FrameKind, receive_frame, received_body, send_frame
from .op_names import derive
from .run_error import RunError
from .run_request import Mode, RunRequest
from .spec_class import call_target, load_target
from .tensors import give, take

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterable

    import numpy as np

__all__ = ["Job", "Reply", "answer", "run"]

_LOG_LENGTH = 8_000


@dataclass(frozen=True, slots=True)
class Job:
    """A request and what the server adds to it."""

    request: RunRequest
    folder: Path
    """The tenant's files."""
    allow_code: bool
    providers: list[str]
    total_bytes: int
    """Bytes of all inputs together, at most."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A run that succeeded."""

    headers: dict[str, str]
    outputs: list[np.ndarray] | None = None
    """None: no data was asked for."""


@dataclass(slots=True)
class _Outputs:
    leaves: list[np.ndarray] = field(default_factory=list)
    schema: list[dict[str, Any]] = field(default_factory=list)


def answer(connection: socket.socket) -> None:
    """Serve the one run of a connection. What ends the process (SystemExit, a signal) is for the caller to report."""
    _, payload = receive_frame(connection)
    said = json.loads(payload)
    request = RunRequest.from_json(said.pop("request"))
    job = Job(request=request, **{**said, "folder": Path(said["folder"])})
    log = ""
    try:
        reply = run(job, received_body(connection))
    except RunError as error:
        failure = error
    except Exception as error:
        failure = RunError(500, f"{type(error).__name__}: {error}")
        log = traceback.format_exc()[-_LOG_LENGTH:]
    else:
        head = {"status": 200, "headers": reply.headers}
        if reply.outputs is None:
            send_frame(connection, FrameKind.HEAD, head)
            return
        writer = NpzWriter(((f"a{index}", leaf) for index, leaf in enumerate(reply.outputs)), deflate="never")
        send_frame(connection, FrameKind.HEAD, {**head, "length": writer.content_length})
        for piece in writer:
            send_frame(connection, FrameKind.BODY, piece)
        return
    text = _without_paths(failure.text, job.folder)
    echoed = request.api is not None and request.api.isascii() and request.api.isprintable()
    headers = {"X-API": request.api} if echoed else {}
    body = {"error": text, "missing": failure.missing}
    send_frame(connection, FrameKind.HEAD, {"status": failure.status, "headers": headers, "json": body, "log": log})


def run(job: Job, body: Iterable[bytes | bytearray | memoryview]) -> Reply:
    """Resolve, read the inputs, compute, and describe the outputs.

    Raises:
        RunError: refused, or the outputs can't travel.
        Exception: what the operator raises.
    """
    request = job.request
    if request.provider not in job.providers:
        raise RunError(
            400, f"provider '{plain(request.provider, 60)}' is not here; there are: {', '.join(job.providers)}"
        )
    name, target = _target(job)
    arrays = _read(request, body, job.total_bytes)
    operands = _operands(request, arrays)
    result, again = _call(request, name, target, operands)
    headers = {"X-Output-Count": "0", "X-API": name}
    outputs: _Outputs | None = None
    if request.mode & Mode.DATA:
        outputs = _gathered(result)
        if request.mode & Mode.PERF:  # the operator may write into what it was given, and is run again
            outputs.leaves = [leaf.copy(order="K") for leaf in outputs.leaves]
        headers["X-Output-Count"] = str(len(outputs.schema))
        headers["X-Output-Shapes"] = json.dumps([list(leaf.shape) for leaf in outputs.leaves])
        headers["X-Output-Schema"] = json.dumps(outputs.schema)
    if request.mode & Mode.PERF:
        headers["X-Perf"] = json.dumps({"device_us": "NA", "peak_memory_mb": "NA"})
        headers["X-Wall-Us"] = f"{_wall_us(again, request.runtime):.4g}"
    return Reply(headers, None if outputs is None else outputs.leaves)


def _target(job: Job) -> tuple[str, Callable[..., Any]]:
    request = job.request
    if request.spec_mode:
        if not job.allow_code:
            raise RunError(403, "spec mode runs code of the client's; the server must be started with --allow-code")
        return load_target(request, job.folder)
    if request.api is not None:
        return request.api, resolve(request.api, allow_code=job.allow_code)
    return derive(request.provider, request.op_name, request.op_type, allow_code=job.allow_code)


def _read(request: RunRequest, body: Iterable[bytes | bytearray | memoryview], most: int) -> dict[str, np.ndarray]:
    reader = NpzReader(NpzLimits(total_bytes=most))
    arrays: dict[str, np.ndarray] = {}
    empty = True
    try:
        for piece in body:
            if len(piece):
                empty = False
                reader.feed(piece)
        if not empty:
            arrays = reader.finish()
    except NpzError as error:
        raise RunError(400, f"the request's archive: {error}") from None
    names = [f"a{index}" for index in range(request.input_count)]
    if set(names) != set(arrays):
        missing = [name for name in names if name not in arrays]
        wrong = f"has no {missing[0]}" if missing else f"holds {len(arrays)} arrays"
        raise RunError(400, f"X-Input-Count is {request.input_count}, but the request's archive {wrong}")
    return arrays


def _operands(request: RunRequest, arrays: dict[str, np.ndarray]) -> Operands:
    inputs: dict[str, Any] = {}
    for slot in request.slots:
        tensors = [take(request.provider, slot, leaf, arrays.pop(f"a{leaf}")) for leaf in slot.leaves]
        inputs[slot.name] = tensors if slot.indices is not None else (tensors[0] if tensors else None)
    attrs = dict(request.attrs)
    if request.provider == "torch":
        attrs = {name: _torch_attribute(name, value) for name, value in attrs.items()}
    formats = [slot.format for slot in request.slots if slot.format is not None]
    return Operands(inputs, attrs, request.param_order, formats)


def _torch_attribute(name: str, value: Any) -> Any:
    """`"dtype": "float64"` means torch.float64: JSON has no dtypes."""
    if not (isinstance(value, str) and (name == "dtype" or name.endswith("_dtype"))):
        return value
    torch: Any = importlib.import_module("torch")

    dtype = getattr(torch, value.removeprefix("torch."), None)
    return dtype if isinstance(dtype, torch.dtype) else value


def _call(
    request: RunRequest, name: str, target: Callable[..., Any], operands: Operands
) -> tuple[Any, Callable[[], Any]]:
    if request.spec_mode:
        return call_target(target, name, operands)
    result, way = call_function(target, name, operands)
    return result, lambda: target(*way.args, **way.kwargs)


def _gathered(result: Any) -> _Outputs:
    made = _Outputs()
    for number, slot in enumerate(result if isinstance(result, list | tuple) else [result]):
        if slot is None:
            made.schema.append({"index": None})
            continue
        if isinstance(slot, list | tuple):
            first = len(made.leaves)
            dtypes: list[str] = []
            for position, value in enumerate(slot):
                leaf, dtype = give(value, f"{number}[{position}]")
                made.leaves.append(leaf)
                dtypes.append(dtype)
            entry: dict[str, Any] = {"indices": list(range(first, len(made.leaves)))}
            entry["dtype"] = dtypes[-1] if dtypes else None
            if len(set(dtypes)) > 1:
                entry["dtypes"] = dtypes
            made.schema.append(entry)
            continue
        leaf, dtype = give(slot, str(number))
        made.schema.append({"index": len(made.leaves), "dtype": dtype})
        made.leaves.append(leaf)
    return made


def _wall_us(again: Callable[[], Any], repetitions: int) -> float:
    """Mean microseconds of a call, after one to warm up."""
    again()
    start = time.perf_counter()
    for _ in range(repetitions):
        again()
    return (time.perf_counter() - start) / repetitions * 1e6


def _without_paths(text: str, folder: Path) -> str:
    """The text without the folders of this machine."""
    for path in sorted({str(folder), sys.prefix, sys.base_prefix, *filter(None, sys.path)}, key=len, reverse=True):
        if len(path) > 1:
            text = re.sub(re.escape(path.rstrip("/")) + r"/?", "", text)
    return text
