"""The result of a run for people, for programs, and as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..npz.files import write_npz
from ..plain_text import plain

if TYPE_CHECKING:
    from pathlib import Path

    from .replies import Output, OutputSlot
    from .run_loop import OpRun

__all__ = ["run_as_json", "run_as_text", "write_outputs"]

SHOWN_VALUES = 8
"""Elements of an output that are printed."""


def named_outputs(run: OpRun) -> list[tuple[str, Output | None]]:
    """(name, output) of each array: `0`, `1`, and `2.0`, `2.1` in a list."""
    named: list[tuple[str, Output | None]] = []
    for at, slot in enumerate(run.outputs):
        named.extend(_named(str(at), slot))
    return named


def run_as_json(run: OpRun, written: Path | None = None) -> dict[str, Any]:
    """Everything but the values, for programs."""
    return {
        "op": run.case.title,
        "server": str(run.endpoint),
        "ok": True,
        "api": run.api,
        "outputs": [
            {"name": name} | ({"none": True} if output is None else _described(output))
            for name, output in named_outputs(run)
        ],
        "perf": None
        if run.perf is None
        else {"device_us": run.perf.device_us, "peak_memory_mb": run.perf.peak_memory_mb},
        "took_s": round(run.took_s, 6),
        "uploaded": run.uploaded,
        "downloaded": run.downloaded,
        "busy_retries": run.busy,
        "connection_retries": run.reconnected,
        "synced_files": run.synced,
        "written": None if written is None else str(written),
        "notes": list(run.notes),
    }


def run_as_text(run: OpRun, written: Path | None = None) -> str:
    """A few lines for a person."""
    ran = f", ran as {run.api}" if run.api and run.api != run.case.title else ""
    lines = [f"{run.case.title} on {run.endpoint}: done in {run.took_s:.3f} s{ran}{_retries(run)}"]
    for name, output in named_outputs(run):
        if output is None:
            lines.append(f"  output {name}: None")
        else:
            shape = ", ".join(map(str, output.array.shape))
            lines.append(f"  output {name}: {output.dtype} [{shape}]  {_values(output)}")
    if run.perf is not None:
        device = "NA" if run.perf.device_us is None else f"{run.perf.device_us:g} us"
        memory = "NA" if run.perf.peak_memory_mb is None else f"{run.perf.peak_memory_mb:g} MB"
        lines.append(f"  device time {device}, peak memory {memory}")
    lines.extend(f"  note: {note}" for note in run.notes)
    if written is not None:
        lines.append(f"  written to {plain(str(written))}")
    return "\n".join(lines)


def write_outputs(path: Path, run: OpRun) -> Path:
    """Write the outputs as an .npz whose members are called as they are shown; bfloat16 and float8 as raw bits, with
    their dtypes in the JSON result.

    Raises:
        OSError: it can't be written.
    """
    arrays = [(name, _storable(output.array)) for name, output in named_outputs(run) if output is not None]
    write_npz(path, arrays)
    return path


def _storable(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "V" or array.dtype.isbuiltin != 1:
        return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)
    return array


def _named(name: str, slot: OutputSlot) -> list[tuple[str, Output | None]]:
    if isinstance(slot, tuple):
        return [(f"{name}.{at}", output) for at, output in enumerate(slot)]
    return [(name, slot)]


def _described(output: Output) -> dict[str, Any]:
    return {"dtype": output.dtype, "shape": list(output.array.shape)}


def _values(output: Output) -> str:
    array = output.array
    if array.dtype.kind == "V" and array.dtype.isbuiltin == 1:
        return "raw"
    shown = [f"{value:.6g}" if array.dtype.kind in "fc" else str(value) for value in array.reshape(-1)[:SHOWN_VALUES]]
    return " ".join(shown) + (" ..." if array.size > SHOWN_VALUES else "")


def _retries(run: OpRun) -> str:
    made = []
    if retries := run.busy + run.reconnected:
        made.append(f"{retries} {'retry' if retries == 1 else 'retries'}")
    if run.synced:
        made.append(f"{run.synced} source files uploaded")
    return f" ({', '.join(made)})" if made else ""
