"""The result of a run as text, JSON and file."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np

from tests.services.dispatch.dispatching import ADD
from xpudbg.services.dispatch.endpoint import OpEndpoint
from xpudbg.services.dispatch.replies import Output, Perf
from xpudbg.services.dispatch.run_loop import OpRun
from xpudbg.services.dispatch.run_result import run_as_json, run_as_text, write_outputs
from xpudbg.services.npz.files import read_npz


def run() -> OpRun:
    halves = np.array([1.5, 2.5], ml_dtypes.bfloat16)
    return OpRun(
        case=ADD,
        endpoint=OpEndpoint("h", 9090),
        outputs=(Output("float32", np.arange(12, dtype=np.float32).reshape(3, 4)), None, (Output("bfloat16", halves),)),
        perf=Perf(12.5, None),
        api="torch.Tensor.add",
        started_at=0,
        took_s=0.25,
        uploaded=100,
        downloaded=200,
        busy=1,
        reconnected=1,
        synced=3,
        notes=("input x: converted from big-endian",),
    )


def test_text() -> None:
    assert run_as_text(run(), Path("out.npz")).splitlines() == [
        "torch.add on h:9090: done in 0.250 s, ran as torch.Tensor.add (2 retries, 3 source files uploaded)",
        "  output 0: float32 [3, 4]  0 1 2 3 4 5 6 7 ...",
        "  output 1: None",
        "  output 2.0: bfloat16 [2]  1.5 2.5",
        "  device time 12.5 us, peak memory NA",
        "  note: input x: converted from big-endian",
        "  written to out.npz",
    ]


def test_json() -> None:
    said = run_as_json(run())
    assert said["outputs"] == [
        {"name": "0", "dtype": "float32", "shape": [3, 4]},
        {"name": "1", "none": True},
        {"name": "2.0", "dtype": "bfloat16", "shape": [2]},
    ]
    assert (said["ok"], said["busy_retries"], said["written"]) == (True, 1, None)
    assert said["perf"] == {"device_us": 12.5, "peak_memory_mb": None}


def test_file(tmp_path: Path) -> None:
    path = write_outputs(tmp_path / "out.npz", run())
    made = read_npz(path)
    assert list(made) == ["0", "2.0"]
    assert made["0"].tolist() == np.arange(12).reshape(3, 4).tolist()
    assert made["2.0"].view(ml_dtypes.bfloat16).tolist() == [1.5, 2.5]
