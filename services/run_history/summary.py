"""What a run gave, in the few numbers that its row holds."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ..comparison.errors import ComparisonError
from ..comparison.statistics import statistics
from ..dispatch.endpoint import OpEndpoint, TlsSettings
from ..dispatch.errors import OpFailedError
from ..dispatch.progress import Downloading, Uploading
from .errors import HistoryError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ..comparison.compare import Comparison
    from ..dispatch.errors import DispatchError
    from ..dispatch.progress import Progress
    from ..dispatch.replies import Output
    from ..dispatch.run_loop import OpRun

__all__ = [
    "comparison_to_json",
    "endpoint_to_json",
    "error_to_json",
    "is_byte_count",
    "json_to_endpoint",
    "output_statistics",
    "progress_to_json",
    "result_to_json",
]

NOTE_LIMIT = 50
"""Notes of a run that are kept."""


def endpoint_to_json(endpoint: OpEndpoint) -> dict[str, Any]:
    """Where it ran. Of TLS the names of files, never what is in them."""
    said: dict[str, Any] = {"host": endpoint.host, "port": endpoint.port}
    if endpoint.hardware:
        said["hardware"] = endpoint.hardware
    if endpoint.tls is not None:
        files = {name: getattr(endpoint.tls, name) for name in ("ca_file", "cert_file", "key_file")}
        said["tls"] = {name: _absolute(path) for name, path in files.items() if path is not None}
        said["tls"]["skip_name_check"] = endpoint.tls.skip_name_check
    return said


def json_to_endpoint(said: Mapping[str, Any]) -> OpEndpoint:
    """
    Raises:
        HistoryError: this is no endpoint.
    """
    from pathlib import Path

    try:
        tls = said.get("tls")
        made = None
        if tls is not None:
            files = {name: Path(tls[name]) for name in ("ca_file", "cert_file", "key_file") if name in tls}
            made = TlsSettings(**files, skip_name_check=bool(tls["skip_name_check"]))
        return OpEndpoint(said["host"], said["port"], made, hardware=said.get("hardware", ""))
    except (KeyError, TypeError) as error:
        raise HistoryError(f"the server in the history can't be read: {error}") from error


def result_to_json(run: OpRun) -> dict[str, Any]:
    """Everything of a result but its outputs."""
    perf = run.perf
    return {
        "api": run.api,
        "took_s": round(run.took_s, 6),
        "perf": None if perf is None else {"device_us": perf.device_us, "peak_memory_mb": perf.peak_memory_mb},
        "uploaded": run.uploaded,
        "downloaded": run.downloaded,
        "busy_retries": run.busy,
        "connection_retries": run.reconnected,
        "synced_files": run.synced,
        "notes": list(run.notes[:NOTE_LIMIT]),
    }


def error_to_json(error: DispatchError) -> dict[str, Any]:
    """The fields of a RunError."""
    said = {"kind": type(error).__name__.removesuffix("Error"), "message": str(error), "hint": error.hint}
    if isinstance(error, OpFailedError):
        return said | {"exception": error.kind, "text": error.text, "status": error.status}
    return said


def output_statistics(output: Output) -> dict[str, Any] | None:
    """Extremes, mean, spread and counts; None where the values are no numbers."""
    try:
        found = statistics(output.array, logical="complex32" if output.dtype == "complex32" else None)
    except ComparisonError:
        return None
    said = dataclasses.asdict(found)
    return {
        name: said[name]
        for name in ("minimum", "maximum", "mean", "std", "zeros", "nan", "plus_inf", "minus_inf", "size")
    }


def comparison_to_json(found: Comparison) -> dict[str, Any]:
    """A comparison without its elements, but for the worst one."""
    said = {
        name: getattr(found, name)
        for name in ("passed", "standard", "sentence", "reason", "elements", "bad", "nan_mismatches", "inf_mismatches")
    }
    said |= {name: getattr(found, name) for name in ("max_absolute", "mean_absolute", "max_relative", "mean_relative")}
    said["worst_index"] = list(found.worst[0].index) if found.worst else None
    return said


def progress_to_json(latest: Progress) -> tuple[str, dict[str, Any]]:
    """Name of the type, and its fields."""
    detail = dataclasses.asdict(latest)
    if "files" in detail:
        detail["files"] = list(detail["files"][:NOTE_LIMIT])
    return type(latest).__name__, detail


def is_byte_count(latest: Progress) -> bool:
    """Whether it comes hundreds of times in a run and only the last one tells anything."""
    return isinstance(latest, Uploading | Downloading)


def _absolute(path: Path) -> str:
    return str(path.absolute())
